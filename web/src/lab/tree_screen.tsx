// The tree: its rows at the left, the picture in the middle, tabs at the right; figures above.

import { signal } from "@preact/signals";
import type { Part, Score } from "../../../src/penjing/webapp/protocol";
import { afterRender, type Store } from "../store";
import { Canvas } from "../view/canvas";
import { StoreContext } from "../view/context";
import { Legend } from "../view/legend";
import { RowForm } from "../view/row_form";
import { useLab } from "./context";
import { cell, changeText, predicted, scoreText } from "./figures";
import { HistoryTrail } from "./history";
import { TABS, type Lab, type Tab } from "./lab";
import { PrunePanel } from "./prune_panel";
import { RowsPanel } from "./rows_panel";
import { RulesPanel } from "./rules_panel";
import { ScorePanel } from "./score_panel";
import { SplitPreview } from "./split_preview";
import { askForThreshold, WhyPanel } from "./why_panel";

export function TreeScreen() {
  const lab = useLab();
  const say = lab.say.value;
  const page = lab.page.value;
  const isWide = lab.size.value === "wide";
  if (!page) return null;
  return (
    <StoreContext.Provider value={page}>
      <main class="screen tree-screen">
        <h2 tabindex={-1} class="live">{say("screen_tree")}</h2>
        <div class="above">
          <HistoryTrail />
          <Figures />
          <Legend />
        </div>
        <div class="workspace">
          {isWide && <section class="rows-column" aria-label={say("tab_rows")}><RowsPanel /></section>}
          <div class="tree-column" onKeyDown={(event) => nodeKeys(lab, page, event)}>
            <ShownDepth />
            <Canvas key={page.id} over={SplitPreview} />
            <p class="live" role="status" aria-live="polite">{page.spoken}</p>
          </div>
          <Tabs isWide={isWide} />
        </div>
      </main>
    </StoreContext.Provider>
  );
}

function ShownDepth() {
  const lab = useLab();
  const depth = lab.view.value?.shown_depth;
  if (depth === null || depth === undefined) return null;
  return <p class="notice">{lab.say.value("shown_depth", { depth, n: lab.view.value?.leaves ?? 0 })}</p>;
}

/** The keys of a node: C, [, ], Delete, G, P. */
function nodeKeys(lab: Lab, page: Store, event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const node = page.selected.value;
  const keys: Record<string, () => void> = {
    c: () => {
      showTab(lab, "why");
      afterRender(() => focusSoon(lab, ".candidates button"));
    },
    Delete: () => { if (!page.tree.isLeaf(node)) void lab.step({ act: "leaf", node }); },
    g: () => void lab.step({ act: "regrow", node }),
    p: () => {
      showTab(lab, "prune");
      focusSoon(lab, ".prune-path input");
    },
    "[": () => askForThreshold(lab, page),
    "]": () => askForThreshold(lab, page),
  };
  const run = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!run) return;
  event.preventDefault();
  run();
}

/** Focus what may still be on its way from the server. */
export function focusSoon(lab: Lab, selector: string, tries = 200): void {
  const found = lab.root.querySelector<HTMLElement>(selector);
  if (found) found.focus();
  else if (tries > 0) setTimeout(() => focusSoon(lab, selector, tries - 1), 50);
}

/** Whether the panel is folded to its tabs, on small screens. */
const isFolded = signal(false);

export function showTab(lab: Lab, tab: Tab): void {
  isFolded.value = false;
  lab.tab.value = tab;
}

function Tabs({ isWide }: { isWide: boolean }) {
  const lab = useLab();
  const say = lab.say.value;
  const tabs = TABS.filter((tab) => tab !== "rows" || !isWide);
  const now = tabs.includes(lab.tab.value) ? lab.tab.value : "why";
  const keyed = (event: KeyboardEvent) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const next = tabs[(tabs.indexOf(now) + by + tabs.length) % tabs.length] ?? now;
    showTab(lab, next);
    lab.root.querySelector<HTMLElement>(`#lab-tab-${next}`)?.focus();
  };
  return (
    <aside aria-label={say("panel")} class={isFolded.value ? "folded" : ""}>
      <div class="sheet-bar">
        <div class="tabs" role="tablist" aria-label={say("panel")} onKeyDown={keyed}>
          {tabs.map((tab) => (
            <button
              role="tab"
              key={tab}
              id={`lab-tab-${tab}`}
              aria-selected={tab === now}
              aria-controls={`lab-panel-${tab}`}
              tabindex={tab === now ? 0 : -1}
              onClick={() => showTab(lab, tab)}
            >
              {say(`tab_${tab}`)}
            </button>
          ))}
        </div>
        <button
          class="fold-sheet" aria-expanded={!isFolded.value} aria-label={say("panel")}
          onClick={() => { isFolded.value = !isFolded.value; }}
        >
          {isFolded.value ? "▲" : "▼"}
        </button>
      </div>
      {tabs.map((tab) => (
        <section
          key={tab} role="tabpanel" id={`lab-panel-${tab}`} aria-labelledby={`lab-tab-${tab}`} tabindex={0}
          hidden={tab !== now} class={tab === "row" ? "row" : tab}
        >
          {tab === now && <Panel tab={tab} />}
        </section>
      ))}
    </aside>
  );
}

function Panel({ tab }: { tab: Tab }) {
  switch (tab) {
    case "rows": return <RowsPanel />;
    case "why": return <WhyPanel />;
    case "prune": return <PrunePanel />;
    case "row": return <RowForm />;
    case "rules": return <RulesPanel />;
    case "score": return <ScorePanel />;
  }
}

/** Accuracy on the training and validation rows, how the last step changed it, and the looks. */
function Figures() {
  const lab = useLab();
  const say = lab.say.value;
  const [view, book] = [lab.view.value, lab.workbook.value];
  if (!view || !book) return null;
  return (
    <div class="figures">
      <Figure part="training" score={view.training} />
      {view.validation ? <Figure part="validation" score={view.validation} /> : <span>{say("no_validation")}</span>}
      {view.validation && <span class="looks">{say("looks", { n: book.validation_looks })}</span>}
      <span>{say("tree_size", { n: view.leaves, depth: view.depth })}</span>
      {lab.changes.value && lab.isUnchanged.value && <b class="unchanged">{say("nothing_changed")}</b>}
    </div>
  );
}

function Figure({ part, score }: { part: Part; score: Score }) {
  const lab = useLab();
  const say = lab.say.value;
  const change = part === "test" ? null : lab.changes.value?.[part];
  const isNumber = score.kind === "numbers";
  return (
    <span class={`figure ${part}`}>
      <b>{say(`part_${part}`)}</b> {scoreText(score, say)}
      {change && <span class="change"> {changeText(change.change, score, say)}</span>}
      {change && change.n_changed > 0 && (
        <details class="changed">
          <summary>{say("rows_changed", { n: change.n_changed })}</summary>
          <table>
            <thead>
              <tr>{["row", "before", "after", "actual"].map((key) => <th key={key} scope="col">{key === "row" && change.id_name || say(`head_${key}`)}</th>)}</tr>
            </thead>
            <tbody>
              {change.rows.map((row) => (
                <tr key={row.number}>
                  <th scope="row">{row.id === null ? row.number : cell(row.id)}</th>
                  <td>{predicted(row.before, isNumber)}</td>
                  <td>{predicted(row.after, isNumber)}</td>
                  <td>{cell(row.actual)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </details>
      )}
    </span>
  );
}
