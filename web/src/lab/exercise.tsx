// The exercise: a worksheet that is filled in blank by blank; the server judges and gives hints.

import { batch, signal } from "@preact/signals";
import { useState } from "preact/hooks";
import type { AnswerState, Checked, Exercise, ExerciseScore, Hint, Text, Value } from "../../../src/penjing/webapp/protocol";
import { useLab } from "./context";
import { cell } from "./figures";
import type { Lab } from "./lab";

interface Blank {
  id: string;
  node: number;
  kind: "path" | "count" | "number" | "condition" | "column" | "result";
}

interface Sheet {
  target: string;
  recipe: string;
  criterion: string;
  shape: string;
  classes: Value[];
  columns: { name: string; kind: string; categories: string[] }[];
  rows: Value[][];
  n_nodes: number;
  max_depth: number | null;
  blanks: Blank[];
  given: { id: string; text: string }[];
}

/** The blank whose buttons are shown, and what was said about each. */
const active = signal("");
const told = signal<Record<string, Text>>({});

const MARKS: Record<string, string> = { right: "✓", nearly: "≈", wrong: "✗", unreadable: "?", "given up": "–" };

export function ExerciseScreen() {
  const lab = useLab();
  const exercise = lab.exercise.value;
  return exercise ? <Sheets key={exercise.exercise} exercise={exercise} /> : <NewExercise />;
}

function NewExercise() {
  const lab = useLab();
  const say = lab.say.value;
  const { info, table } = { info: lab.info.value, table: lab.table.value };
  const [source, setSource] = useState("example:watermelon2.0");
  const [recipe, setRecipe] = useState("id3");
  const [blanks, setBlanks] = useState("measures");
  const [depth, setDepth] = useState("2");
  const [seed, setSeed] = useState("1");
  const [student, setStudent] = useState("");
  const begin = (event: Event) => {
    event.preventDefault();
    const rows = source === "table" ? { table: table?.table } : source === "seed" ? { seed: Number(seed) }
      : { example: source.slice("example:".length) };
    told.value = {};
    void lab.newExercise({
      ...rows, recipe, blanks, lang: lab.lang.value, student, ...(depth === "" ? {} : { depth: Number(depth) }),
    });
  };
  const choice = (id: string, now: string, set: (value: string) => void, options: [string, string][]) => (
    <label>
      {say(`exercise_${id}`)}
      <select id={`lab-exercise-${id}`} value={now} onChange={(event) => set(event.currentTarget.value)}>
        {options.map(([value, text]) => <option key={value} value={value}>{text}</option>)}
      </select>
    </label>
  );
  const sources: [string, string][] = (info?.examples ?? []).filter(({ missing }) => missing === 0).map(({ name }) => [`example:${name}`, name]);
  if (table) sources.unshift(["table", table.name]);
  sources.push(["seed", say("exercise_drawn")]);
  return (
    <main class="screen exercise">
      <h2 tabindex={-1}>{say("screen_exercise")}</h2>
      <p>{say("exercise_text")}</p>
      <form class="fields" onSubmit={begin}>
        {choice("data", source, setSource, sources)}
        {source === "seed" && (
          <label>{say("seed")}<input type="number" min="0" step="1" value={seed} onInput={(event) => setSeed(event.currentTarget.value)} /></label>
        )}
        {choice("recipe", recipe, setRecipe, (info?.worksheet_recipes ?? []).map((name) => [name, name]))}
        {choice("blanks", blanks, setBlanks, ["choice", "measures", "all"].map((level) => [level, say(`blanks_${level}`)]))}
        <label>{say("exercise_depth")}<input type="number" min="1" step="1" value={depth} onInput={(event) => setDepth(event.currentTarget.value)} /></label>
        <label>{say("exercise_student")}<input value={student} maxLength={200} onInput={(event) => setStudent(event.currentTarget.value)} /></label>
        <button type="submit" class="primary">{say("exercise_begin")}</button>
      </form>
      <p>{say("exercise_worksheet")}</p>
    </main>
  );
}

function Sheets({ exercise }: { exercise: Exercise }) {
  const lab = useLab();
  const say = lab.say.value;
  const sheet = exercise.sheet as unknown as Sheet;
  const [node, setNode] = useState(1);
  const states = new Map(exercise.answers.map((state) => [state.id, state]));
  const nodes = Array.from({ length: sheet.n_nodes }, (_, i) => i + 1);
  const isDone = (n: number) => sheet.blanks.every((blank) => blank.node !== n || isClosed(states.get(blank.id)));
  const rules = [
    say(`sheet_choose_${sheet.criterion}`),
    ...(sheet.columns.some((column) => column.kind !== "categorical") ? [say("sheet_thresholds")] : []),
    ...(sheet.shape === "binary" ? [say("sheet_groups")] : []),
    say("sheet_stop"),
    ...(sheet.max_depth === null ? [] : [say("sheet_depth", { n: sheet.max_depth })]),
    say("sheet_numbering"), say("sheet_ties"), lab.text(exercise.rules.text),
  ];
  return (
    <main class="screen exercise">
      <h2 tabindex={-1}>{say("sheet_title", { target: sheet.target, recipe: sheet.recipe })}</h2>
      <p>{say("sheet_task_text", { target: sheet.target, recipe: sheet.recipe, n: sheet.n_nodes })}</p>
      <details><summary>{say("sheet_task")}</summary><ul class="notes">{rules.map((rule) => <li key={rule}>{rule}</li>)}</ul></details>
      <p class="result" role="status">{scoreSentence(exercise.score, lab)}</p>
      <p class="acts">
        <button class="save-result" onClick={() => void lab.save(`exercise/${exercise.exercise}/result`)}>{say("exercise_result")}</button>
        <button onClick={() => lab.leaveExercise()}>{say("exercise_new")}</button>
      </p>
      <div class="exercise-columns">
        <SheetRows sheet={sheet} />
        <section aria-label={say("sheet_node", { n: node })}>
          <p class="acts" role="group" aria-label={say("nodes")}>
            {nodes.map((n) => (
              <button key={n} aria-pressed={n === node} onClick={() => setNode(n)}>
                {say("sheet_node", { n })}{isDone(n) ? " ✓" : ""}
              </button>
            ))}
          </p>
          <div class="blanks">
            {sheet.given.filter(({ id }) => id.startsWith(`${node}.`)).map(({ id, text }) => (
              <p key={id} class="blank given"><span>{lab.text(exercise.labels[id])}</span> <b>{text}</b></p>
            ))}
            {sheet.blanks.filter((blank) => blank.node === node).map((blank) => (
              <BlankField key={blank.id} blank={blank} sheet={sheet} exercise={exercise} state={states.get(blank.id)} />
            ))}
          </div>
        </section>
      </div>
    </main>
  );
}

function isClosed(state: AnswerState | undefined): boolean {
  return state?.verdict === "right" || state?.verdict === "given up";
}

function scoreSentence({ blanks, right, first_try, given_up, hints }: ExerciseScore, lab: Lab): string {
  return lab.say.value("exercise_score", { n: blanks, right, first: first_try, given: given_up, hints });
}

function SheetRows({ sheet }: { sheet: Sheet }) {
  const say = useLab().say.value;
  const ordered = sheet.columns.filter(({ categories }) => categories.length > 0);
  return (
    <div class="scroll" role="region" tabindex={0} aria-label={say("sheet_data")}>
      <table class="rows">
        <caption>{say("sheet_data")}</caption>
        <thead>
          <tr>
            <th scope="col">{say("sheet_row")}</th>
            {[...sheet.columns.map(({ name }) => name), sheet.target].map((name) => <th key={name} scope="col">{name}</th>)}
          </tr>
        </thead>
        <tbody>
          {sheet.rows.map((row, i) => (
            <tr key={i}><th scope="row">{i + 1}</th>{row.map((value, c) => <td key={c}>{cell(value)}</td>)}</tr>
          ))}
        </tbody>
      </table>
      {ordered.length > 0 && (
        <>
          <p>{say("sheet_categories")}</p>
          <ul class="notes">
            {ordered.map(({ name, categories }) => <li key={name}>{name}{say("colon")}{categories.join(say("comma"))}</li>)}
          </ul>
        </>
      )}
    </div>
  );
}

function BlankField({ blank, sheet, exercise, state }: { blank: Blank; sheet: Sheet; exercise: Exercise; state: AnswerState | undefined }) {
  const lab = useLab();
  const say = lab.say.value;
  const [value, setValue] = useState(state?.value ?? "");
  const id = `lab-blank-${blank.id.replaceAll(".", "-")}`;
  const verdict = state?.verdict ?? "";
  const closed = isClosed(state);
  const ask = async (what: "check" | "hint" | "give-up", text = value) => {
    const body = what === "check" ? { id: blank.id, value: text } : { id: blank.id };
    const answer = (await lab.run(() => lab.host.ask("POST", `exercise/${exercise.exercise}/${what}`, body))) as Checked | Hint | undefined;
    if (!answer) return;
    batch(() => {
      told.value = { ...told.value, [blank.id]: answer.text };
      const answers = (lab.exercise.value?.answers ?? []).map((old) => (old.id === blank.id ? answer.state : old));
      if (lab.exercise.value) lab.exercise.value = { ...lab.exercise.value, answers, score: answer.score };
    });
    lab.spoken.value = lab.text(answer.text);
    // The next blank, as in a form that is filled in from top to bottom.
    if (isClosed(answer.state)) {
      const fields = [...lab.root.querySelectorAll<HTMLElement>(".blanks input, .blanks select")];
      const now = fields.findIndex((field) => field.id === id);
      fields.slice(now + 1).find((field) => !field.hasAttribute("readonly"))?.focus();
    }
  };
  const shown = closed ? (state?.answer ?? value) : value;
  const isActive = active.value === blank.id;
  const keyed = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || closed) return;
    event.preventDefault();
    void ask("check");
  };
  const field = {
    id, value: shown, "aria-describedby": `${id}-told`, "aria-invalid": verdict === "wrong" || verdict === "unreadable",
    onFocus: () => { active.value = blank.id; }, onKeyDown: keyed,
  };
  return (
    <div class={`blank ${verdict.replace(" ", "-")}`}>
      <label for={id}>{lab.text(exercise.labels[blank.id])}</label>
      {blank.kind === "column" && !closed ? (
        <select {...field} onChange={(event) => setValue(event.currentTarget.value)}>
          <option value="">–</option>
          {sheet.columns.map(({ name }) => <option key={name} value={name}>{name}</option>)}
        </select>
      ) : (
        <input {...field} readOnly={closed} autocomplete="off" onInput={(event) => setValue(event.currentTarget.value)} />
      )}
      <span class="verdict" aria-hidden="true">{MARKS[verdict] ?? ""}</span>
      {isActive && !closed && (
        <span class="acts">
          <button onClick={() => void ask("check")}>{say("check")}</button>
          <button onClick={() => void ask("hint")}>{say("hint", { i: Math.min(3, (state?.hints ?? 0) + 1) })}</button>
          <button onClick={() => void ask("give-up")}>{say("give_up")}</button>
        </span>
      )}
      <span class="told" id={`${id}-told`}>{verdict === "right" ? "" : lab.text(told.value[blank.id])}</span>
    </div>
  );
}

