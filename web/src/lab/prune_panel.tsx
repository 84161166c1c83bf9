// Pruning: along the cost-complexity path with its curve, or by a method.

import { useEffect, useState } from "preact/hooks";
import type { PruningPath, PruningPoint } from "../../../src/penjing/webapp/protocol";
import { at } from "../numbers";
import { useAnswer, useLab } from "./context";
import { count, share, short } from "./figures";

const [WIDE, HIGH, EDGE] = [330, 160, 14];

export function PrunePanel() {
  const lab = useLab();
  const say = lab.say.value;
  const hasValidation = (lab.workbook.value?.division.rows.validation ?? 0) > 0;
  const measured = lab.known(lab.treePath("/pruning?validation=1"));
  const isMeasured = hasValidation && measured.value.isAsked;
  const { value, failure } = useAnswer<PruningPath>(lab.treePath(`/pruning?validation=${isMeasured ? 1 : 0}`));
  const [chosen, setMethod] = useState("");
  const method = value?.methods.includes(chosen) ? chosen : (value?.methods[0] ?? "");
  const measure = async () => {
    await lab.fetch(lab.treePath("/pruning?validation=1"));
    await lab.refresh();
  };
  return (
    <>
      <h3>{say("prune_title")}</h3>
      {failure && <p class="warning">{lab.text(failure)}</p>}
      {value ? <Path key={`${lab.view.value?.tree}${isMeasured}`} path={value} /> : !failure && <p class="waiting">{say("computing")}</p>}
      {hasValidation && !isMeasured && value && (
        <p><button onClick={() => void measure()}>{say("prune_measure", { n: value.points.length })}</button></p>
      )}
      {value && value.methods.length > 0 && (
        <>
          <h4>{say("prune_method")}</h4>
          <p class="field">
            <label for="lab-pruner">{say("method")}</label>
            <select id="lab-pruner" value={method} onChange={(event) => setMethod(event.currentTarget.value)}>
              {value.methods.map((name) => <option key={name} value={name}>{lab.text(lab.info.value?.pruners[name])}</option>)}
            </select>
          </p>
          <button onClick={() => void lab.step({ act: "prune", method })}>{say("prune")}</button>
        </>
      )}
    </>
  );
}

function Path({ path }: { path: PruningPath }) {
  const lab = useLab();
  const say = lab.say.value;
  const { points, measure } = path;
  const [index, setIndex] = useState(0);
  useEffect(() => setIndex(0), [path]);
  if (points.length < 2 && lab.view.value?.leaves === 1) return <p>{say("prune_nothing")}</p>;
  const now = at(points, index);
  const text = (value: number | null) => (value === null ? "–" : measure === "accuracy" ? `${share(value)}%` : short(value));
  return (
    <div class="prune-path">
      <Chart path={path} index={index} />
      <label class="wide">
        {say("prune_slider")}
        <input
          type="range" min="0" max={points.length - 1} step="1" value={index} aria-valuetext={say("leaves", { n: now.leaves })}
          onInput={(event) => setIndex(Number(event.currentTarget.value))}
        />
      </label>
      <table class="counts">
        <tbody>
          <tr><th scope="row">{say("head_leaves")}</th><td>{count(now.leaves, say)}</td></tr>
          <tr><th scope="row">α</th><td>{short(now.alpha)}</td></tr>
          <tr><th scope="row">{say("part_training")}</th><td>{text(now.training)}</td></tr>
          {now.validation !== null && (
            <tr>
              <th scope="row">{say("part_validation")}</th>
              <td>{text(now.validation)}{now.error !== null && ` ± ${text(now.error)}`}</td>
            </tr>
          )}
        </tbody>
      </table>
      <button
        class="primary" disabled={now.leaves === lab.view.value?.leaves}
        onClick={() => void lab.step({ act: "prune", method: "cost-complexity", options: { alpha: now.alpha } })}
      >
        {say("prune_to", { n: now.leaves })}
      </button>
    </div>
  );
}

function Chart({ path, index }: { path: PruningPath; index: number }) {
  const say = useLab().say.value;
  const { points, measure } = path;
  const values = points.flatMap(({ training, validation, error }) =>
    validation === null ? [training] : [training, validation - (error ?? 0), validation + (error ?? 0)]);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const leaves = points.map((point) => Math.log(point.leaves));
  const widest = Math.max(...leaves, 1e-9);
  const text = (value: number) => (measure === "accuracy" ? `${share(value)}%` : short(value));
  // Room for the longer label of the axis.
  const left = 12 + 6.5 * Math.max(text(low).length, text(high).length);
  const x = (i: number) => left + (at(leaves, i) / widest) * (WIDE - left - EDGE);
  const y = (value: number) => HIGH - EDGE - (high > low ? (value - low) / (high - low) : 0.5) * (HIGH - 2 * EDGE);
  const line = (of: (point: PruningPoint) => number | null) =>
    points.map((point, i) => `${i ? "L" : "M"}${x(i).toFixed(1)} ${y(of(point) ?? 0).toFixed(1)}`).join("");
  const isMeasured = points.every((point) => point.validation !== null);
  return (
    <>
      <svg class="chart" viewBox={`0 0 ${WIDE} ${HIGH}`} role="img" aria-label={say("prune_curve")}>
        <path d={`M${left} ${EDGE}V${HIGH - EDGE}H${WIDE - EDGE}`} class="axis" />
        <text x={left - 3} y={y(high) + 4} class="end">{text(high)}</text>
        {high > low && <text x={left - 3} y={y(low) + 4} class="end">{text(low)}</text>}
        <text x={x(points.length - 1)} y={HIGH - 2} class="mid">{count(at(points, points.length - 1).leaves, say)}</text>
        <text x={x(0)} y={HIGH - 2} class="end">{count(at(points, 0).leaves, say)}</text>
        {isMeasured && points.map((point, i) => {
          const [value, error] = [point.validation ?? 0, point.error ?? 0];
          return <path key={i} d={`M${x(i)} ${y(value - error)}V${y(value + error)}`} class="error-bar" />;
        })}
        <path d={line((point) => point.training)} class="line training" />
        {isMeasured && <path d={line((point) => point.validation)} class="line validation" />}
        <path d={`M${x(index)} ${EDGE}V${HIGH - EDGE}`} class="handle" />
      </svg>
      <p class="facts key">
        <span class="line-key training" /> {say("part_training")}
        {isMeasured && <><span class="line-key validation" /> {say(points.some(({ error }) => error !== null) ? "part_validation_error" : "part_validation")}</>}
      </p>
    </>
  );
}
