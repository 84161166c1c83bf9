// The card of a node: a click selects it; the handle below it, a double click or Enter fold or gather it.

import type { Scale } from "../data";
import { at, roundEven } from "../numbers";
import { PALETTE, PLOT, TEXT_LINE, type Box } from "../scene";
import type { Store } from "../store";
import type { Tree } from "../tree";
import { memo } from "./memo";
import { PlotView } from "./plot_view";

interface CardProps {
  box: Box;
  tree: Tree;
  store: Store;
  /** The language: the label of a card is a sentence. */
  lang: string;
  isReplay: boolean;
  isSelected: boolean;
  /** Classes: on the path of a row, found, the node of a step. */
  marks: string;
  /** How many matches are folded below. */
  found: number;
  tip: string;
}

/** There may be hundreds: those that a change does not concern are not drawn again. */
export const Card = memo(({ box, tree, store, lang, isReplay, isSelected, marks, found, tip }: CardProps) => {
  const { node } = box;
  const name = `node ${box.kind}${marks}`;
  const canFold = !tree.isLeaf(node) || tree.groups.has(node);
  return (
    <>
      <g
        data-node={node}
        class={name}
        role="treeitem"
        tabindex={isReplay ? (node === 0 ? 0 : -1) : isSelected ? 0 : -1}
        aria-label={store.sentence(node, tree, box.members)}
        aria-level={box.depth + 1}
        aria-posinset={box.position}
        aria-setsize={box.siblings}
        aria-selected={isSelected}
        aria-expanded={canFold && !isReplay && box.kind !== "leaf" ? box.kind === "question" : undefined}
      >
        {tip && <title>{tip}</title>}
        {frame(box, tree)}
      </g>
      {/* The words stand beside the tree item, which speaks for itself by its label. */}
      <g class={name} aria-hidden="true" pointer-events="none">{words(box, tree, lang)}</g>
      {canFold && !isReplay && knob(box, found)}
    </>
  );
});

function frame(box: Box, tree: Tree) {
  const isEnd = box.kind !== "question";
  const area = { x: box.x, y: box.y, width: box.wide, height: box.high, rx: isEnd ? 14 : 6 };
  if (!isEnd) return <rect {...area} class="card" />;
  const { data } = tree;
  if (data.scale) return <rect {...area} class="card valued" style={tintOf(data.scale, tree.height(box.node))} />;
  const shade = at(PALETTE, at(data.shades, tree.classOf(box.node)));
  return <rect {...area} class="card tinted" style={{ "--shade": shade }} />;
}

/** The tint of a value between 0 and 1, in both themes. */
export function tintOf({ tints }: Scale, value: number): Record<string, string> {
  const of = (list: string[]) => list[roundEven(value * (list.length - 1))] ?? "none";
  return { "--light": of(tints.light), "--dark": of(tints.dark) };
}

function words(box: Box, tree: Tree, lang: string) {
  const { x, y, wide } = box;
  const centre = x + wide / 2;
  const below = box.plot ? PLOT.extra : 0;
  const barTop = 35 + TEXT_LINE * Math.max(0, box.lines.length - 1);
  return (
    <>
      {box.label && (box.across
        ? <text x={box.x - 6} y={y + box.high / 2 + 4} class="label end">{box.label}</text>
        : <text x={centre} y={y - 6} class="label">{box.label}</text>)}
      {box.kind === "question" ? (
        <>
          <text x={x + 10} y={y + 18} class="name">{box.name}</text>
          <text x={x + wide - 10} y={y + 18} class="note end">{box.note}</text>
          {bar(box, 10, 24, 9)}
          {spread(box, 10, 24, 9)}
          {box.plot && <PlotView plot={box.plot} box={box} tree={tree} lang={lang} />}
          <text x={x + 10} y={y + 47 + below} class="note">{box.lines[0]}</text>
          <text x={x + wide - 10} y={y + 47 + below} class="note end">{box.lines[1]}</text>
        </>
      ) : (
        <>
          <text x={centre} y={y + 17} class="name mid">{box.name}</text>
          {box.lines.map((line, i) => (
            <text key={i} x={centre} y={y + 31 + i * TEXT_LINE} class="small mid">{line}</text>
          ))}
          {bar(box, 12, barTop, 4)}
          {spread(box, 12, barTop - 1, 6)}
        </>
      )}
    </>
  );
}

/** The mean and the deviation of a number on the axis that all cards share. */
function spread(box: Box, inset: number, top: number, high: number) {
  if (!box.spread) return null;
  const [left, y, wide] = [box.x + inset, box.y + top, box.wide - 2 * inset];
  const [low, mark, end] = box.spread.map((part) => left + wide * part) as [number, number, number];
  const middle = y + high / 2;
  return (
    <>
      <path d={`M${left} ${middle}h${wide}`} class="axis" />
      <rect x={low} y={middle - 1.5} width={end - low} height={3} class="deviation" />
      <path d={`M${mark} ${y - 1}v${high + 2}`} class="mark" />
    </>
  );
}

/** The shares of the classes; other classes of one grey are divided by lines. */
function bar(box: Box, inset: number, top: number, high: number) {
  if (!box.bar.length) return null;
  const wide = box.wide - 2 * inset;
  const y = box.y + top;
  let [x, before, between] = [box.x + inset, -1, ""];
  const parts = box.bar.map(([shade, share], i) => {
    const part = <rect key={i} x={x} y={y} width={wide * share} height={high} fill={at(PALETTE, shade)} />;
    if (shade === before) between += `M${x} ${y}v${high}`;
    x += wide * share;
    before = shade;
    return part;
  });
  return (
    <>
      {parts}
      {between && <path d={between} class="between" />}
      <rect x={box.x + inset} y={y} width={wide} height={high} class="outline" />
    </>
  );
}

/** The handle below a card; by the keyboard Enter and the arrows do the same. */
function knob(box: Box, found: number) {
  const { wide, high } = box;
  const [x, y] = box.across ? [box.x + wide + 8, box.y + high / 2] : [box.x + wide / 2, box.y + high + 8];
  return (
    <g class="knob" aria-hidden="true" data-fold={box.node}>
      <circle cx={x} cy={y} r={12} class="reach" />
      <circle cx={x} cy={y} r={7} class="ring" />
      <path d={`M${x - 3.5} ${y}h7${box.kind === "folded" || box.kind === "gathered" ? `M${x} ${y - 3.5}v7` : ""}`} />
      {found > 0 && <text x={x + 12} y={y + 10} class="hits">{found}</text>}
    </g>
  );
}
