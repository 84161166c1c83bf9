// The rows of a split on its card: a histogram by class, or the means of a number.

import type { Plot } from "../data";
import { measure } from "../measure";
import { at } from "../numbers";
import { PALETTE, PLOT, SMALL, type Box } from "../scene";
import type { Tree } from "../tree";
import { tintOf } from "./card";

/** A clipped name shows at least so many letters, or nothing. */
const LEAST_CLIPPED = 2;
const ANCHORS = { left: "", center: " mid", right: " end" } as const;

export function PlotView({ plot, box, tree, lang }: { plot: Plot; box: Box; tree: Tree; lang: string }) {
  const [x, y, wide] = [box.x + PLOT.inset, box.y + PLOT.top, box.wide - 2 * PLOT.inset];
  const { high, baseline, wedge } = PLOT;
  const low = y + high;
  const across = (part: number) => x + wide * part;
  const up = (part: number) => low - high * part;
  const cut = plot.threshold === null ? null : across(plot.threshold);
  return (
    <g class="plot">
      <Bars plot={plot} across={across} up={up} />
      {plot.means.map(([left, right, bottom, centre, top], i) => (
        <g key={i}>
          <rect x={across(left)} y={up(top)} width={wide * (right - left)} height={high * (top - bottom)} class="deviation valued" style={tree.data.scale ? tintOf(tree.data.scale, 1 / 3) : {}} />
          <path d={`M${across(left)} ${up(centre)}h${wide * (right - left)}`} class="mark" />
        </g>
      ))}
      <path d={`M${x} ${low}h${wide}`} class="axis" />
      {plot.lines.map(([left, right, value], i) => (
        <path key={i} d={`M${across(left)} ${up(value)}h${wide * (right - left)}`} class="mean" />
      ))}
      {plot.dividers.map((part) => <path key={part} d={`M${across(part)} ${y}V${low + 3}`} class="threshold" />)}
      {cut !== null && (
        <>
          <path d={`M${cut} ${y - 2}V${low}`} class="threshold" />
          <path d={`M${cut} ${low + 1}l${-wedge} ${wedge}h${2 * wedge}z`} class="wedge" />
        </>
      )}
      {(plot.labels[lang] ?? []).map(([part, anchor, text, room, isName], i) => (
        <text key={i} x={across(part)} y={low + baseline} class={`note${ANCHORS[anchor]}`}>
          {isName ? fitting(tree, text, room * wide) : text}
        </text>
      ))}
    </g>
  );
}

interface BarsProps {
  plot: Plot;
  across(part: number): number;
  up(part: number): number;
}

/** All pieces of a colour are one path: cards have hundreds of them. */
function Bars({ plot, across, up }: BarsProps) {
  const paths = new Map<number, string>();
  let outlines = "";
  for (const [left, right, pieces] of plot.bars) {
    const [x, wide] = [across(left), across(right) - across(left)];
    let bottom = 0;
    for (const [shade, top] of pieces) {
      const piece = `M${x} ${up(bottom)}h${wide}V${up(top)}h${-wide}z`;
      paths.set(shade, (paths.get(shade) ?? "") + piece);
      bottom = top;
    }
    if (bottom > 0) outlines += `M${x} ${up(0)}h${wide}V${up(bottom)}h${-wide}z`;
  }
  return (
    <>
      {[...paths].map(([shade, d]) => <path key={shade} d={d} fill={at(PALETTE, shade)} />)}
      {outlines && <path d={outlines} class="outline" />}
    </>
  );
}

/** A name below a plot, clipped to its room; nothing if too little of it fits. */
function fitting(tree: Tree, name: string, room: number): string {
  const short = measure(tree.data).clipped(name, SMALL, room - 4);
  const isReadable = short === name || short.replace("..", "").length >= LEAST_CLIPPED;
  return isReadable ? short : "";
}
