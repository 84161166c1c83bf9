// The gain of every threshold of a column, and a handle that moves along it.

import { useRef, useState } from "preact/hooks";
import type { Thresholds } from "../../../src/penjing/webapp/protocol";
import { at } from "../numbers";
import { useStore } from "../view/context";
import { useAnswer, useLab } from "./context";
import { measureName, short } from "./figures";
import type { Candidate } from "./why_panel";

const [WIDE, HIGH, EDGE] = [320, 110, 10];

export function GainCurve({ node, candidate }: { node: number; candidate: Candidate }) {
  const lab = useLab();
  const { column } = candidate;
  const path = lab.treePath(`/thresholds/${node}?column=${encodeURIComponent(column)}`);
  const { value, failure } = useAnswer<Thresholds>(path);
  if (failure) return <p class="warning">{lab.text(failure)}</p>;
  if (value?.cuts.length === 0) return null;
  if (!value) return <p class="waiting">{lab.say.value("computing")}</p>;
  return <Curve key={path} node={node} curve={value} />;
}

function Curve({ node, curve }: { node: number; curve: Thresholds }) {
  const lab = useLab();
  const page = useStore();
  const say = lab.say.value;
  const { cuts, gains, labels, column } = curve;
  const best = Math.max(0, cuts.indexOf(curve.best ?? NaN));
  const own = page.tree.isLeaf(node) || page.tree.columnName(node) !== column ? -1
    : nearest(cuts, page.tree.cut[node] ?? NaN);
  const [index, setIndex] = useState(own >= 0 ? own : best);
  const ref = useRef<SVGSVGElement>(null);
  const [low, high] = [at(cuts, 0), at(cuts, cuts.length - 1)];
  const most = Math.max(1e-300, ...gains.map((gain) => gain ?? 0));
  const x = (i: number) => EDGE + (high > low ? (at(cuts, i) - low) / (high - low) : 0.5) * (WIDE - 2 * EDGE);
  const y = (i: number) => HIGH - EDGE - (Math.max(0, gains[i] ?? 0) / most) * (HIGH - 2 * EDGE);
  const textOf = (i: number) => labels?.[i] ?? String(at(cuts, i));
  const move = (to: number) => setIndex(Math.max(0, Math.min(cuts.length - 1, to)));
  const apply = () => void lab.step({ act: "split", node, column, threshold: labels ? (labels[index] ?? "") : at(cuts, index) });
  const drag = (event: PointerEvent) => {
    const box = ref.current?.getBoundingClientRect();
    if (!box) return;
    const place = ((event.clientX - box.left) / box.width) * WIDE;
    let found = 0;
    cuts.forEach((_, i) => { if (Math.abs(x(i) - place) < Math.abs(x(found) - place)) found = i; });
    setIndex(found);
  };
  const keyed = (event: KeyboardEvent) => {
    const by: Record<string, number> = {
      "[": -1, "]": 1, ArrowLeft: -1, ArrowRight: 1, ArrowDown: -1, ArrowUp: 1, PageDown: -10, PageUp: 10,
      Home: -cuts.length, End: cuts.length,
    };
    const step = by[event.key];
    if (step !== undefined) move(index + step);
    else if (event.key === "Enter" || event.key === " ") apply();
    else if (event.key === "Escape") page.select(node);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const measure = measureName(curve.score_name, say, page.say.value);
  const line = cuts.map((_, i) => `${i ? "L" : "M"}${x(i).toFixed(1)} ${y(i).toFixed(1)}`).join("");
  const valueText = say("threshold_at", { cut: textOf(index), measure, gain: short(gains[index]) });
  return (
    <div class="curve">
      <h5>{say("curve_title", { n: curve.n_cuts, measure })}</h5>
      <svg
        ref={ref} viewBox={`0 0 ${WIDE} ${HIGH}`} role="slider" tabindex={0} aria-label={say("threshold_of", { column })}
        aria-valuemin={1} aria-valuemax={cuts.length} aria-valuenow={index + 1} aria-valuetext={valueText}
        onKeyDown={keyed}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          drag(event);
        }}
        onPointerMove={(event) => { if (event.buttons) drag(event); }}
      >
        <path d={`M${EDGE} ${HIGH - EDGE}H${WIDE - EDGE}`} class="axis" />
        <path d={line} class="line" />
        {cuts.length <= 60 && cuts.map((_, i) => <circle key={i} cx={x(i)} cy={y(i)} r={2} class="point" />)}
        <path d={`M${x(best)} ${EDGE}V${HIGH - EDGE}`} class="best" />
        <path d={`M${x(index)} 2V${HIGH - 2}`} class="handle" />
        <circle cx={x(index)} cy={y(index)} r={6} class="knob-dot" />
      </svg>
      <p class="curve-text">{valueText}</p>
      <button onClick={apply}>{say("split_at", { column, cut: textOf(index) })}</button>
    </div>
  );
}

/** The threshold that a tree prints may be rounded to single precision. */
function nearest(cuts: number[], cut: number): number {
  if (!Number.isFinite(cut)) return -1;
  let found = 0;
  cuts.forEach((each, i) => { if (Math.abs(each - cut) < Math.abs(at(cuts, found) - cut)) found = i; });
  return found;
}
