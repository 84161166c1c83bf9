// Why a node is split as it is, and what else could be done: candidates, thresholds, groups.

import { useEffect, useRef } from "preact/hooks";
import type { Preview, Why } from "../../../src/penjing/webapp/protocol";
import { sizeText } from "../scene";
import type { Store } from "../store";
import { useStore } from "../view/context";
import { Counts } from "../view/details";
import { ClassCell } from "./bars";
import { useAnswer, useLab } from "./context";
import { changeText, count, measureName, scoreText, short } from "./figures";
import { GainCurve } from "./gain_curve";
import { Groups } from "./groups";
import type { Lab } from "./lab";
import { Story } from "./story";
import { focusSoon, showTab } from "./tree_screen";

export interface Branch {
  answer: string;
  rows: number;
  total?: number[];
  variance?: number | null;
}

export interface Candidate {
  column: string;
  kind: "nominal" | "ordered" | "numeric";
  is_chosen: boolean;
  score: number | null;
  gain?: number | null;
  gain_ratio?: number | null;
  branches?: Branch[];
  cut?: number | null;
}

export interface Explanation {
  criterion: string;
  candidates: Candidate[];
}

/** Show the gain curve of the selected node's split and focus its threshold. */
export function askForThreshold(lab: Lab, page: Store): void {
  const node = page.selected.value;
  if (page.tree.isLeaf(node) || page.tree.cut[node] === null) {
    lab.spoken.value = lab.say.value("no_threshold");
    return;
  }
  showTab(lab, "why");
  lab.column.value = page.tree.columnName(node);
  focusSoon(lab, ".curve [role=slider]");
}

export function WhyPanel() {
  const lab = useLab();
  const page = useStore();
  const say = lab.say.value;
  const node = page.selected.value;
  const isLeaf = page.tree.isLeaf(node);
  const { value, failure } = useAnswer<Why>(lab.treePath(`/why/${node}`));
  const explanation = value?.why as Explanation | undefined;
  const isForced = lab.view.value?.forced.includes(node);
  return (
    <>
      <h3>{node === 0 ? page.say.value("root") : `${page.say.value("view_node")} ${node}`}{isForced && <span class="badge">{say("forced")}</span>}</h3>
      <p class="rule">{page.rule(node)}</p>
      {page.data.classes ? (
        <div class={page.data.classes.length > 8 ? "scroll many" : ""} role="group" tabindex={page.data.classes.length > 8 ? 0 : undefined} aria-label={say("head_classes")}>
          <Counts total={page.tree.counts([node])} />
        </div>
      ) : (
        <p>{page.say.value("view_number", { rows: sizeText(page.tree, page.tree.weight[node] ?? 0, page.say.value, true), mean: page.tree.answer(node), spread: page.data.scale?.spread_text[node] ?? "" })}</p>
      )}
      <p class="acts">
        <button disabled={isLeaf} title="Delete" onClick={() => void lab.step({ act: "leaf", node })}>{say("make_leaf")}</button>
        <button title="G" onClick={() => void lab.step({ act: "regrow", node })}>{say("regrow")}</button>
      </p>
      {value?.stop && <p class="stop">{lab.text(value.stop)}</p>}
      {failure && <p class="warning">{lab.text(failure)}</p>}
      {!explanation && !failure && <p class="waiting">{say("computing")}</p>}
      {explanation && explanation.candidates.length > 0 && <Candidates explanation={explanation} node={node} />}
      {value && <details class="story-box"><summary>{say("calculation")}</summary><Story text={lab.text(value.text)} /></details>}
      <details class="keys"><summary>{say("keys")}</summary><p>{say("keys_text")}</p></details>
    </>
  );
}

function measureOf(candidate: Candidate, criterion: string): number | null {
  if (candidate.score !== null && candidate.score !== undefined) return candidate.score;
  return (criterion === "gain_ratio" ? candidate.gain_ratio : candidate.gain) ?? candidate.gain ?? null;
}

function Candidates({ explanation, node }: { explanation: Explanation; node: number }) {
  const lab = useLab();
  const page = useStore();
  const say = lab.say.value;
  const { candidates, criterion } = explanation;
  const scores = candidates.map((candidate) => measureOf(candidate, criterion));
  // Bars compare what the recipe compares.
  const most = Math.max(1e-300, ...candidates.map(({ score }) => Math.abs(score ?? 0)));
  const point = (column: string | null) => { lab.pointed.value = column; };
  const keyed = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const buttons = [...lab.root.querySelectorAll<HTMLElement>(".candidates > li > button")];
    const now = buttons.indexOf(document.activeElement as HTMLElement);
    if (!by || now < 0) return;
    event.preventDefault();
    buttons[Math.max(0, Math.min(buttons.length - 1, now + by))]?.focus();
  };
  return (
    <>
      <h4>{say("candidates", { measure: measureName(page.data.criterion, say, page.say.value) })}</h4>
      <ul class="candidates" onKeyDown={keyed}>
        {candidates.map((candidate, i) => {
          const isOpen = lab.column.value === candidate.column;
          const score = scores[i] ?? null;
          return (
            <li key={candidate.column} class={candidate.is_chosen ? "chosen" : ""}>
              <button
                aria-expanded={isOpen}
                onClick={() => { lab.column.value = isOpen ? null : candidate.column; }}
                onPointerEnter={() => point(candidate.column)} onPointerLeave={() => point(null)}
                onFocus={() => point(candidate.column)} onBlur={() => point(null)}
              >
                <span class="name">{candidate.column}</span>
                {candidate.is_chosen && <span class="badge">{say("chosen")}</span>}
                <span class="score">{short(score)}{candidate.score === null && <abbr title={say("not_compared")}> *</abbr>}</span>
                <span class="score-bar" aria-hidden="true" style={{ width: `${(100 * Math.abs(candidate.score ?? 0)) / most}%` }} />
              </button>
              {isOpen && <CandidateDetails key={node} candidate={candidate} node={node} />}
            </li>
          );
        })}
      </ul>
      {candidates.some(({ score }) => score === null) && <p class="facts">* {say("not_compared")}</p>}
    </>
  );
}

function CandidateDetails({ candidate, node }: { candidate: Candidate; node: number }) {
  const lab = useLab();
  const say = lab.say.value;
  const { column, branches } = candidate;
  const ref = useRef<HTMLDivElement>(null);
  // A small panel may show no more than the candidate's name.
  useEffect(() => ref.current?.scrollIntoView({ block: "nearest" }), []);
  if (!branches || branches.length < 2) return <p class="candidate">{say("cannot_split", { column })}</p>;
  return (
    <div class="candidate" ref={ref}>
      <Branches branches={branches} />
      <button class="primary" onClick={() => void lab.step({ act: "split", node, column })}>
        {say("split_on", { column })}
      </button>
      <Forecast node={node} column={column} />
      {candidate.kind !== "nominal" && <GainCurve node={node} candidate={candidate} />}
      {candidate.kind === "nominal" && <Groups node={node} column={column} />}
    </div>
  );
}

/** The branches that a split would have. */
function Branches({ branches }: { branches: Branch[] }) {
  const say = useLab().say.value;
  return (
    <table class="branches">
      <tbody>
        {branches.map((branch) => (
          <tr key={branch.answer}>
            <th scope="row">{branch.answer}</th>
            <td class="number">{count(branch.rows, say)}</td>
            {branch.total ? <ClassCell total={branch.total} />
              : <td class="number">± {short(Math.sqrt(branch.variance ?? 0))}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** What a split would do to the whole tree: leaves and the accuracy on the training rows. */
function Forecast({ node, column }: { node: number; column: string }) {
  const lab = useLab();
  const say = lab.say.value;
  const tree = lab.view.value?.tree ?? "";
  const key = `preview ${tree} ${node} ${column}`;
  const known = lab.known(key);
  useEffect(() => {
    if (known.value.isAsked) return;
    known.value = { value: null, failure: null, isAsked: true };
    const body = { act: "split", node, column, tree };
    lab.host.ask("POST", `workbook/${lab.workbook.value?.workbook}/preview`, body)
      .then((value) => { known.value = { value, failure: null, isAsked: true }; })
      .catch(() => {}); // the step itself says why it is refused
  }, [key]);
  const forecast = known.value.value as Preview | null;
  if (!forecast) return null;
  const change = forecast.change === null ? "" : changeText(forecast.change, forecast.training, say);
  return (
    <p class="forecast">
      {forecast.changed
        ? say("forecast", { n: forecast.leaves, score: scoreText(forecast.training, say), change, rows: forecast.n_changed })
        : say("forecast_same")}
    </p>
  );
}
