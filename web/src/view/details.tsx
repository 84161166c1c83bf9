// The details of the selected node: its rule, its rows by class, the interval, and notes.

import { signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { amount, at, printable } from "../numbers";
import { PALETTE, predictionText, sizeText } from "../scene";
import { percentEnds, type Store } from "../store";
import { useStore } from "./context";
import { Swatch } from "./legend";

export function Details() {
  const store = useStore();
  const { data, tree } = store;
  const say = store.say.value;
  const node = store.selected.value;
  const members = store.selection();
  const isGathered = members.length > 1;
  const [, notes, missing] = data.marks[store.lang.value]?.[node] ?? ["", [], []];
  const weight = tree.rows(members);
  const hasCounts = data.classes !== null && data.counted;
  return (
    <>
      <h2>{isGathered ? say("gathered_leaves_uncounted", { n: members.length })
        : node === 0 ? say("root") : `${say("view_node")} ${node}`}</h2>
      <p class="rule">
        {isGathered
          ? <><bdi>{tree.columnName(tree.parent(node))}</bdi>: <bdi>{predictionText(tree, members, say)}</bdi></>
          : <Rule node={node} />}
      </p>
      <CopyRule />
      {hasCounts && <Counts total={tree.counts(members)} />}
      {hasCounts && weight > 0 && (
        <p class="interval">
          {isolating(tree.answer(node), (answer) => say("view_interval", {
            answer, ...percentEnds(at(tree.counts(members), tree.classOf(node)), weight),
          }))}
        </p>
      )}
      {!data.classes && data.counted && !isGathered && (
        <p class="interval">
          {say("view_number", { rows: sizeText(tree, weight, say, true), mean: tree.answer(node), spread: data.scale?.spread_text[node] ?? "" })}
        </p>
      )}
      {isGathered && <Members members={members} />}
      {!tree.isLeaf(node) && data.counted && <ScoreNote node={node} />}
      {notes.length > 0 && <ul class="notes">{notes.map((text) => <li key={text}>{text}</li>)}</ul>}
      {missing.length > 0 && (
        <details class="missing">
          <summary>{say("view_if_missing")}</summary>
          <ul class="notes">{missing.map((text) => <li key={text}>{text}</li>)}</ul>
        </details>
      )}
      <details class="keys"><summary>{say("view_keys")}</summary><p>{say("view_keys_text")}</p></details>
    </>
  );
}

/** A sentence with a name that keeps its direction of writing to itself. */
function isolating(name: string, sentence: (place: string) => string) {
  const place = "\u0000";
  const [before = "", after = ""] = sentence(place).split(place);
  return <>{before}<bdi>{name}</bdi>{after}</>;
}

/** The rule of a node, with the same text as when it is copied. */
function Rule({ node }: { node: number }) {
  const { tree, say } = useStore();
  const conditions = tree.conditions(node);
  return (
    <>
      {conditions.length > 0 && `${say.value("rule_when")} `}
      {conditions.map((text, i) => <>{i > 0 && say.value("rule_and")}<bdi>{text}</bdi></>)}
      {conditions.length > 0 && say.value("clause_colon")}
      <bdi>{tree.answer(node)}</bdi>
    </>
  );
}

/** The leaves that a box stands for; each can be shown in a box of its own. */
function Members({ members }: { members: readonly number[] }) {
  const store = useStore();
  const { tree, data } = store;
  const text = (node: number) => {
    const rows = data.counted ? ` (${amount(at(tree.weight, node))})` : "";
    return `${tree.names(node).join(", ")}${data.classes ? "" : `: ${tree.shortAnswer(node)}`}${rows}`;
  };
  return (
    <>
      <p class="members-title">{store.say.value("view_members")}</p>
      <ul class="members">
        {members.map((node) => (
          <li key={node}>
            <button type="button" class="plain" onClick={() => store.select(node, { isSingle: true })}><bdi>{text(node)}</bdi></button>
          </li>
        ))}
      </ul>
    </>
  );
}

/** The score of a split, and what it means. */
function ScoreNote({ node }: { node: number }) {
  const { data, say } = useStore();
  const score = data.score[node];
  const isWeight = data.weighted && data.criterion === "improvement";
  const key = data.scale ? "tip_variance" : `tip_${data.criterion}${isWeight ? "_weight" : ""}`;
  const text = say.value(key, { share: score ?? "" });
  if (!score || text === key) return null;
  return <p class="score">{data.scale ? text : say.value("tip_value", { text, score })}</p>;
}

function CopyRule() {
  const store = useStore();
  const copied = useMemo(() => signal(-1), []);
  const say = store.say.value;
  const node = store.selected.value;
  const copy = async () => {
    await copyText(store, store.rule(node, store.selection()).replace(/[\u2068\u2069]/g, ""));
    copied.value = node;
    store.spoken.value = say("view_copied");
  };
  return (
    <button type="button" class="copy" onClick={() => void copy()}>
      {say(copied.value === node ? "view_copied" : "view_copy_rule")}
    </button>
  );
}

/** Copy a text; where a document may not use the clipboard, by a selection. */
async function copyText(store: Store, text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const focused = document.activeElement;
    const area = document.createElement("textarea");
    area.value = text;
    area.className = "live";
    store.root.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
    if (focused instanceof HTMLElement || focused instanceof SVGElement) focused.focus();
  }
}

/** How many rows of each class: a class a line, the largest first where there are many. */
export function Counts({ total }: { total: readonly number[] }) {
  const { data, say } = useStore();
  const classes = data.classes ?? [];
  const order = [...data.order];
  const isMany = order.length > PALETTE.length;
  if (isMany) order.sort((a, b) => at(total, b) - at(total, a) || a - b);
  const most = Math.max(...total, 1e-300);
  return (
    <table class="counts">
      <caption>{say.value(data.weighted ? "view_weights" : "view_counts")}</caption>
      <tbody>
        {order.map((class_) => {
          const shade = at(data.shades, class_);
          const style = { width: `${(100 * at(total, class_)) / most}%`, background: at(PALETTE, shade) };
          return (
            <tr key={class_}>
              <th scope="row"><Swatch shade={shade} /><bdi>{printable(at(classes, class_))}</bdi></th>
              <td>{amount(at(total, class_))}</td>
              <td class="bars"><span class="share" aria-hidden="true" style={style} /></td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
