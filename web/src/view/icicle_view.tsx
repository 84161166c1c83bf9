// The icicle: each node a rectangle below its parent, as wide as its rows; it zooms to any node.

import { useMemo, useState } from "preact/hooks";
import { measure } from "../measure";
import { at } from "../numbers";
import { PALETTE, SMALL } from "../scene";
import type { Store } from "../store";
import { tintOf } from "./card";
import { useStore } from "./context";
import { memo } from "./memo";

const LEVEL = 34;
const LOW_LEVEL = 18;
const MIN_VISIBLE = 0.5;
const MIN_LABELLED = 46;
const MAX_DEPTH = 60;

interface Cell {
  node: number;
  x: number;
  y: number;
  wide: number;
  /** The colour of a class and how strong it is, or the tint of a value. */
  style: Record<string, string>;
  look: "" | " shaded" | " valued";
  name: string;
  label: string;
}

export function IcicleView() {
  const store = useStore();
  const { data, tree } = store;
  const canvas = store.camera.canvas.value;
  const wide = Math.max(280, canvas.wide || 1360);
  const [from, to] = store.span.value;
  const say = store.say.value;
  const levels = Math.min(MAX_DEPTH, deepest(tree.depth) + 1);
  const level = Math.max(LOW_LEVEL, Math.min(LEVEL, Math.floor((canvas.high - 30) / levels)));
  const { cells, hidden } = useMemo(() => layout(store, wide, level), [store, wide, level, from, to, say]);
  const [lit, found] = [store.lit.value, store.found.value];
  const [tip, setTip] = useState<[number, string]>([-1, ""]);
  const caption = data.icicle[store.lang.value] ?? "";
  const nodeOf = (event: Event) => {
    const text = (event.target as Element).getAttribute("data-node");
    return text === null ? -1 : Number(text);
  };
  const clicked = (event: MouseEvent) => {
    const node = nodeOf(event);
    if (node < 0) return;
    if (event.detail === 2) store.zoomTo(node === 0 || isWide(store, node) ? 0 : node);
    else store.select(node, { takesFocus: false });
  };
  const hovered = (event: PointerEvent) => {
    const node = nodeOf(event);
    if (node >= 0 && node !== tip[0]) setTip([node, store.tip(node)]);
  };
  return (
    <>
      <p class="facts caption">
        {[caption, hidden ? say("icicle_hidden", { n: hidden }) : ""].filter(Boolean).join(" | ")}
      </p>
      <svg
        role="img"
        class="picture icicle"
        aria-label={`${data.title}, ${caption}`}
        preserveAspectRatio="xMidYMin"
        width={wide}
        height={levels * level + 2}
        viewBox={`0 0 ${wide} ${levels * level + 2}`}
        onClick={clicked}
        onPointerOver={hovered}
      >
        {cells.map((cell) => (
          <CellRect
            key={cell.node}
            cell={cell}
            high={level - 1}
            marks={`${lit.has(cell.node) ? " lit" : ""}${found.has(cell.node) ? " found" : ""}`}
            tip={cell.node === tip[0] ? tip[1] : ""}
          />
        ))}
        <Selection cells={cells} high={level - 1} />
      </svg>
    </>
  );
}

function deepest(depth: number[]): number {
  return depth.reduce((a, b) => Math.max(a, b), 0);
}

/** Whether a node already has the whole width. */
function isWide(store: Store, node: number): boolean {
  const [from, to] = store.extent(node);
  const [left, right] = store.span.value;
  return Math.abs(from - left) < 1e-12 && Math.abs(to - right) < 1e-12;
}

function layout(store: Store, wide: number, level: number): { cells: Cell[]; hidden: number } {
  const { tree, data } = store;
  const [from, to] = store.span.value;
  const scale = wide / (to - from);
  const sizes = measure(data);
  const cells: Cell[] = [];
  let hidden = 0;
  const waiting = [0];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    const [start, end] = store.extent(node);
    if (end <= from || start >= to) continue;
    const [x, right] = [Math.max(0, (start - from) * scale), Math.min(wide, (end - from) * scale)];
    if (right - x < MIN_VISIBLE || at(tree.depth, node) >= MAX_DEPTH) {
      hidden += 1 + subtree(tree.children, node);
      continue;
    }
    cells.push({
      node,
      x,
      y: at(tree.depth, node) * level,
      wide: right - x,
      ...colours(store, node),
      ...texts(store, node, right - x, sizes),
    });
    for (const kid of [...at(tree.drawn, node)].reverse()) waiting.push(kid);
  }
  return { cells, hidden };
}

/** The number of nodes below a node. */
function subtree(children: number[][], node: number): number {
  let n = 0;
  const waiting = [...at(children, node)];
  for (let kid = waiting.pop(); kid !== undefined; kid = waiting.pop()) {
    n++;
    waiting.push(...at(children, kid));
  }
  return n;
}

function colours({ tree, data }: Store, node: number): Pick<Cell, "style" | "look"> {
  const isUnknown = !data.counted && !tree.isLeaf(node);
  if (isUnknown || !(at(tree.weight, node) > 0)) return { style: {}, look: "" };
  if (data.scale) return { style: tintOf(data.scale, tree.height(node)), look: " valued" };
  const part = Math.round(15 + 60 * tree.purity(node) ** 2);
  const shade = at(PALETTE, at(data.shades, tree.classOf(node)));
  return { style: { "--shade": shade, "--part": `${part}%` }, look: " shaded" };
}

function texts(
  { tree, data }: Store, node: number, wide: number, { width, clipped, listed }: ReturnType<typeof measure>,
): { name: string; label: string } {
  if (wide < MIN_LABELLED) return { name: "", label: "" };
  const isLeaf = tree.isLeaf(node);
  const full = isLeaf ? tree.shortAnswer(node) : tree.columnName(node);
  const short = clipped(full, SMALL, wide - 8, true);
  const name = short !== full && isLeaf && !data.classes ? "" : short; // half a number is a wrong one
  if (node === 0) return { name, label: "" };
  const names = tree.names(node);
  const label = tree.label(node);
  if (names.length) return { name, label: listed(names, SMALL, wide - 8) };
  return { name, label: width(label, SMALL) <= wide - 8 ? label : "" };
}

interface CellProps {
  cell: Cell;
  high: number;
  marks: string;
  tip: string;
}

const CellRect = memo(({ cell, high, marks, tip }: CellProps) => {
  const { node, x, y, wide } = cell;
  return (
    <>
      <rect
        data-node={node}
        x={x}
        y={y}
        width={wide}
        height={high}
        class={`cell${cell.look}${marks}`}
        style={cell.style}
      >
        {tip && <title>{tip}</title>}
      </rect>
      {cell.name && <text x={x + 4} y={y + 13} class="small strong">{cell.name}</text>}
      {cell.label && high > 28 && <text x={x + 4} y={y + 27} class="small">{cell.label}</text>}
    </>
  );
});

/** The selected cell, or the nearest cell above it that is wide enough to be drawn. */
function Selection({ cells, high }: { cells: Cell[]; high: number }) {
  const store = useStore();
  const path = new Set(store.tree.path(store.selected.value));
  const cell = cells.findLast(({ node }) => path.has(node));
  if (!cell) return null;
  const isExact = cell.node === store.selected.value;
  return (
    <rect
      class={isExact ? "selection" : "selection near"}
      x={cell.x + 1}
      y={cell.y + 1}
      width={Math.max(1, cell.wide - 2)}
      height={high - 2}
    />
  );
}
