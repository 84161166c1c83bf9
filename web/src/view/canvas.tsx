// The canvas: the picture, moved by wheel, drag and pinch, with zoom buttons and an overview map.

import type { ComponentType } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { View } from "../data";
import type { Store } from "../store";
import { useStore } from "./context";
import { Overview } from "./overview";
import { TreeView } from "./tree_view";

/** `others` are the views beside the tree that a page has; `over` is drawn over the tree. */
export function Canvas({ others = {}, over }: { others?: Partial<Record<View, ComponentType>>; over?: ComponentType }) {
  const store = useStore();
  const ref = useRef<HTMLDivElement>(null);
  const view = store.view.value;
  const say = store.say.value;
  const Shown = others[view];
  useLayoutEffect(() => {
    const canvas = ref.current;
    if (!canvas) return undefined;
    const resized = () => store.resized(canvas.clientWidth, canvas.clientHeight);
    resized();
    const observer = new ResizeObserver(resized);
    observer.observe(canvas);
    return () => observer.disconnect();
  }, [store]);
  useGestures(store, ref);
  return (
    <div class={`stage is-${view}`}>
      {/* Only the icicle holds nothing that takes the focus, so there the region does. */}
      <div
        ref={ref}
        class="canvas"
        role="region"
        aria-label={say(`view_${view}`)}
        tabindex={view === "icicle" ? 0 : undefined}
        onKeyDown={(event) => keyed(store, event)}
      >
        {Shown ? <Shown /> : <TreeView over={over} />}
      </div>
      {view === "tree" && <Overview />}
      {view !== "list" && <ZoomButtons />}
    </div>
  );
}

function ZoomButtons() {
  const store = useStore();
  const say = store.say.value;
  const zoom = (by: number) => zoomBy(store, by);
  return (
    <div class="zoom" role="group" aria-label={say("view_zoom")}>
      <button type="button" aria-label={say("view_zoom_in")} onClick={() => zoom(1.25)}>+</button>
      <button type="button" aria-label={say("view_zoom_out")} onClick={() => zoom(0.8)}>−</button>
      <button type="button" onClick={() => fit(store)}>{say("view_fit")}</button>
    </div>
  );
}

function zoomBy(store: Store, by: number): void {
  if (store.view.value === "icicle") store.zoomSpan(by);
  else store.camera.zoom(by);
}

function fit(store: Store): void {
  if (store.view.value === "icicle") store.span.value = [0, 1];
  else store.camera.fit();
}

/** Wheel and pinch zoom at the pointer, a drag moves; a click that does not move selects. */
function useGestures(store: Store, ref: { current: HTMLDivElement | null }): void {
  useEffect(() => {
    const canvas = ref.current;
    if (!canvas) return undefined;
    const fingers = new Map<number, { x: number; y: number }>();
    let moved = 0;
    const isStill = () => store.view.value === "list";
    const place = (event: MouseEvent) => {
      const box = canvas.getBoundingClientRect();
      return { x: event.clientX - box.left, y: event.clientY - box.top };
    };
    const zoomAt = (by: number, { x, y }: { x: number; y: number }) => {
      if (store.view.value === "icicle") store.zoomSpan(by, x / canvas.clientWidth);
      else store.camera.zoom(by, x, y);
    };
    const pan = (dx: number, dy: number) => {
      if (store.view.value === "icicle") {
        store.panSpan(-dx / canvas.clientWidth);
        canvas.scrollTop -= dy;
      } else store.camera.pan(dx, dy);
    };
    const wheeled = (event: WheelEvent) => {
      if (isStill()) return;
      event.preventDefault();
      const unit = event.deltaMode === 1 ? 18 : event.deltaMode === 2 ? 300 : 1;
      if (event.shiftKey) pan(-(event.deltaX || event.deltaY) * unit, 0);
      else zoomAt(Math.exp(-event.deltaY * unit * (event.ctrlKey ? 0.01 : 0.0015)), place(event));
    };
    const pressed = (event: PointerEvent) => {
      if (isStill() || event.button > 0) return;
      if (!fingers.size) moved = 0;
      fingers.set(event.pointerId, place(event));
    };
    const dragged = (event: PointerEvent) => {
      const old = fingers.get(event.pointerId);
      if (!old) return;
      const now = place(event);
      const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1];
      moved += Math.hypot(now.x - old.x, now.y - old.y);
      if (moved > 4 && !canvas.hasPointerCapture(event.pointerId)) canvas.setPointerCapture(event.pointerId);
      if (other) {
        const apart = (a: { x: number; y: number }) => Math.max(1, Math.hypot(a.x - other.x, a.y - other.y));
        zoomAt(apart(now) / apart(old), { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 });
      }
      // Two fingers move the picture by half of what each of them moves.
      if (moved > 4) pan((now.x - old.x) / fingers.size, (now.y - old.y) / fingers.size);
      fingers.set(event.pointerId, now);
    };
    const released = (event: PointerEvent) => { fingers.delete(event.pointerId); };
    const clicked = (event: MouseEvent) => {
      if (moved > 4) event.stopPropagation();
      moved = 0;
    };
    const undo = [
      listen(canvas, "wheel", wheeled, { passive: false }),
      listen(canvas, "pointerdown", pressed),
      listen(canvas, "pointermove", dragged),
      listen(canvas, "pointerup", released),
      listen(canvas, "pointercancel", released),
      listen(canvas, "click", clicked, { capture: true }),
    ];
    return () => undo.forEach((stop) => stop());
  }, [store]);
}

function listen<K extends keyof HTMLElementEventMap>(
  element: HTMLElement, kind: K, run: (event: HTMLElementEventMap[K]) => void,
  options?: AddEventListenerOptions,
): () => void {
  element.addEventListener(kind, run, options);
  return () => element.removeEventListener(kind, run, options);
}

/** The keyboard in the picture: arrows move, Enter folds or zooms, + - 0 zoom and fit. */
function keyed(store: Store, event: KeyboardEvent): void {
  if (store.view.value === "list" || event.ctrlKey || event.metaKey || event.altKey) return;
  const run = (event.shiftKey ? panning(store, event.key) : undefined) ?? zooming(store, event.key)
    ?? moving(store, event.key);
  if (!run) return;
  event.preventDefault();
  run();
}

function panning(store: Store, key: string): (() => void) | undefined {
  const steps: Record<string, [number, number]> = {
    ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1],
  };
  const step = steps[key];
  if (!step) return undefined;
  return () => {
    if (store.view.value === "icicle") store.panSpan(-step[0] / 8);
    else store.camera.pan(step[0] * 80, step[1] * 80);
  };
}

function zooming(store: Store, key: string): (() => void) | undefined {
  if (key === "+" || key === "=") return () => zoomBy(store, 1.25);
  if (key === "-") return () => zoomBy(store, 0.8);
  if (key === "0") return () => fit(store);
  return undefined;
}

function moving(store: Store, key: string): (() => void) | undefined {
  if (store.isReplay.value) {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[key];
    return by ? () => store.goToFrame(store.frame() + by) : undefined;
  }
  const { tree } = store;
  const node = store.selected.value;
  const isIcicle = store.view.value === "icicle";
  const isOpen = isIcicle ? !tree.isLeaf(node) : store.open.value.has(node);
  const go = (to: number | undefined) => () => {
    if (to !== undefined && to >= 0) store.select(to, { takesFocus: !isIcicle });
  };
  const below = (split: number) => tree.shown(split, store.open.value).map((members) => members[0] ?? 0);
  const siblings = node > 0 ? (tree.drawn[tree.parent(node)] ?? []) : [0];
  const beside = (by: number) => siblings[siblings.indexOf(node) + by];
  if (isIcicle) {
    const moves: Record<string, () => void> = {
      ArrowDown: go(tree.drawn[node]?.[0]), ArrowUp: go(tree.parent(node)),
      ArrowRight: go(beside(1)), ArrowLeft: go(beside(-1)), Home: go(0),
      Enter: () => store.zoomTo(node), " ": () => store.zoomTo(node),
      Escape: () => { store.span.value = [0, 1]; },
    };
    return moves[key];
  }
  const fold = () => store.toggle(node);
  const order = () => visibleOrder(store);
  const along = (by: number) => { const all = order(); return all[all.indexOf(node) + by]; };
  const moves: Record<string, () => void> = {
    ArrowDown: () => go(along(1))(), ArrowUp: () => go(along(-1))(), Home: go(0),
    End: () => go(order().at(-1))(), Enter: fold, " ": fold,
    ArrowRight: store.selection().length > 1 ? fold : tree.isLeaf(node) ? () => {} : isOpen ? go(below(node)[0]) : fold,
    ArrowLeft: isOpen && !tree.isLeaf(node) && node !== 0 ? fold : go(tree.parent(node)),
  };
  return moves[key];
}

/** The visible nodes from top to bottom, each before what is below it. */
export function visibleOrder({ tree, open }: Store): number[] {
  const order: number[] = [];
  const waiting = [0];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    order.push(node);
    if (open.value.has(node)) {
      waiting.push(...tree.shown(node, open.value).map((members) => members[0] ?? 0).reverse());
    }
  }
  return order;
}
