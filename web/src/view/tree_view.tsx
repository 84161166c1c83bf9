// The tree as cards, in the places that the static picture gives them.

import { effect } from "@preact/signals";
import type { ComponentType } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { at } from "../numbers";
import { CURVE, LABEL, type Box } from "../scene";
import type { Store } from "../store";
import { Card } from "./card";
import { useStore } from "./context";

/** `over` is drawn over the cards, in the same coordinates. */
export function TreeView({ over: Over }: { over?: ComponentType | undefined }) {
  const store = useStore();
  const { tree, scene } = store.picture.value;
  const ref = useRef<HTMLDivElement>(null);
  const [tip, setTip] = useState<[number, string]>([-1, ""]);
  // Moving the picture changes one style, at once, and redraws nothing; zooming draws it sharply.
  useLayoutEffect(() => effect(() => {
    const { x, y, k } = store.camera.look.value;
    const [moved, scaled] = [ref.current, ref.current?.firstElementChild as HTMLElement | null];
    if (!moved || !scaled) return;
    moved.style.transform = `translate(${x}px, ${y}px)`;
    const size = `scale(${k})`;
    if (scaled.style.transform !== size) scaled.style.transform = size;
  }), [store]);
  const { boxes, wide, high } = scene;
  const arms = useMemo(() => boxes.filter((box) => box.parent >= 0), [boxes]);
  const isReplay = store.isReplay.value;
  const selected = isReplay ? -1 : store.selected.value;
  const lit = isReplay ? new Set<number>() : store.lit.value;
  const below = isReplay ? null : store.below.value;
  const lang = store.lang.value;
  const marksOf = marking(store, isReplay);
  const hovered = (event: PointerEvent) => {
    const node = numberOf(event, "data-node");
    if (node >= 0 && node !== tip[0]) setTip([node, store.tip(node, tree)]);
  };
  return (
    <div class="moved" ref={ref}>
      <div class="camera">
        <svg
          role="tree"
          class="picture"
          aria-label={store.data.title}
          preserveAspectRatio="xMidYMin"
          width={wide}
          height={high}
          viewBox={`0 0 ${wide} ${high}`}
          onClick={(event) => clicked(store, event)}
          onPointerOver={hovered}
        >
          {arms.map((box) => arm(box, at(boxes, box.parent), lit.has(box.node)))}
          {boxes.map((box) => (
            <Card
              key={box.node}
              box={box}
              tree={tree}
              store={store}
              lang={lang}
              isReplay={isReplay}
              isSelected={box.node === selected}
              marks={marksOf(box)}
              found={foundIn(store, box, below)}
              tip={box.node === tip[0] ? tip[1] : ""}
            />
          ))}
          {Over && <Over />}
        </svg>
      </div>
    </div>
  );
}

/** The number that an attribute of what was pointed at gives, or of what it is in; or -1. */
function numberOf(event: Event, name: string): number {
  const text = (event.target as Element).closest(`[${name}]`)?.getAttribute(name);
  return text ? Number(text) : -1;
}

function clicked(store: Store, event: MouseEvent): void {
  const [fold, node] = [numberOf(event, "data-fold"), numberOf(event, "data-node")];
  if (fold >= 0) store.toggle(fold);
  else if (node < 0) return;
  else if (store.isReplay.value) {
    const frame = store.film.value.frameOf(node);
    if (frame >= 0) store.goToFrame(frame);
  } else if (event.detail === 2) store.toggle(node);
  else store.select(node);
}

/** How many matches have no card of their own, but are within a folded or gathered one. */
function foundIn(store: Store, box: Box, below: Int32Array | null): number {
  if (!below) return 0;
  if (box.kind === "gathered") return box.members.filter((node) => store.found.value.has(node)).length;
  return box.kind === "folded" ? (below[box.node] ?? 0) : 0;
}

/** The function that gives the classes of a card. */
function marking(store: Store, isReplay: boolean): (box: Box) => string {
  if (isReplay) {
    const frame = store.film.value.frames[store.frame()];
    return ({ members }) => (frame && members.includes(frame.node) ? ` now ${frame.kind}` : "");
  }
  const [lit, found, below] = [store.lit.value, store.found.value, store.below.value];
  return (box) => {
    const { node, kind } = box;
    const isHit = found.has(node) && kind !== "gathered" ? " found" : "";
    const holds = foundIn(store, box, below) > 0 ? " holds" : "";
    return `${lit.has(node) ? " lit" : ""}${isHit || holds}`;
  };
}

function arm(box: Box, parent: Box, isLit: boolean) {
  const { bend, across } = box;
  const [x0, y0] = [parent.x + parent.wide / (across ? 1 : 2), parent.y + parent.high / (across ? 2 : 1)];
  const [x1, y1] = across ? [box.x - box.room, box.y + box.high / 2] : [box.x + box.wide / 2, box.y - LABEL];
  const middle = (bend + (across ? bend + CURVE : y1)) / 2;
  return (
    <path
      key={box.node}
      class={isLit ? "arm lit" : "arm"}
      d={across
        ? `M${x0} ${y0}H${bend}C${middle} ${y0} ${middle} ${y1} ${bend + CURVE} ${y1}H${x1}`
        : `M${x0} ${y0}V${bend}C${x0} ${middle} ${x1} ${middle} ${x1} ${y1}`}
      stroke-width={box.thick}
      aria-hidden="true"
    />
  );
}
