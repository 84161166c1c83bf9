// The data: columns with kinds that can be changed, the target, notes, and the division of the rows.

import { useEffect, useState } from "preact/hooks";
import type { ColumnInfo, ColumnSpec, TableInfo } from "../../../src/penjing/webapp/protocol";
import { SmallHistogram } from "./bars";
import { useLab } from "./context";
import { cell, count } from "./figures";
import { FileChoice } from "./file_choice";

const TYPES = ["categorical", "numeric", "ordinal", "date", "weight", "ignore"] as const;
/** Notes about columns that give the target away, as data/read/column_notes.py writes them. */
const LEAK = /^note_(predicts_alone|target_copy|follows_target|missing_is_class|known_is_class)/;
const PARTS = ["training", "validation", "test"] as const;
const HELD_OUT = ["validation", "test"] as const;

export function DataScreen() {
  const lab = useLab();
  const table = lab.table.value;
  return table && <Data key={table.name} table={table} />;
}

function Data({ table }: { table: TableInfo }) {
  const lab = useLab();
  const say = lab.say.value;
  const title = say("table_title", { name: table.name });
  return (
    <main class="screen data">
      <h2 tabindex={-1}>{title}</h2>
      <p>{say("table_size", { n: table.rows, columns: table.columns.filter((column) => column.role === "column").length })}</p>
      {table.notes.length > 0 && (
        <section aria-label={say("notes")}>
          <h3>{say("notes")}</h3>
          <ul class="notes">
            {table.notes.map((note, i) => (
              <li key={i} class={LEAK.test(note.key) ? "warning" : ""}>{lab.text(note.text)}</li>
            ))}
          </ul>
        </section>
      )}
      <TargetChoice table={table} />
      <div class="scroll" role="region" aria-label={say("columns")} tabindex={0}>
        <table class="columns">
          <caption>{say("columns")}</caption>
          <thead>
            <tr>
              {["column", "kind", "distribution", "values", "missing"].map((key) => <th scope="col" key={key}>{say(`head_${key}`)}</th>)}
            </tr>
          </thead>
          <tbody>
            {table.columns.map((column) => <ColumnRow key={column.name} column={column} table={table} />)}
          </tbody>
        </table>
      </div>
      {table.target !== null && <Division table={table} />}
    </main>
  );
}

function TargetChoice({ table }: { table: TableInfo }) {
  const lab = useLab();
  const say = lab.say.value;
  const choose = async (select: HTMLSelectElement) => {
    const isDone = await lab.openTable("POST", `table/${table.table}/columns`, { target: select.value });
    if (!isDone) select.value = table.target ?? "";
  };
  return (
    <p class="field wide">
      <label for="lab-target">{say("target")}</label>
      <select id="lab-target" value={table.target ?? ""} onChange={(event) => void choose(event.currentTarget)}>
        {table.target === null && <option value="">{say("target_choose")}</option>}
        {table.columns.map(({ name }) => <option key={name} value={name}>{name}</option>)}
      </select>
    </p>
  );
}

function ColumnRow({ column, table }: { column: ColumnInfo; table: TableInfo }) {
  const lab = useLab();
  const say = lab.say.value;
  const type = column.type ?? (column.kind === "date" || column.kind === "weight" ? column.kind : "ignore");
  const change = async (select: HTMLSelectElement) => {
    const wanted = select.value;
    const spec: ColumnSpec = wanted === "ordinal"
      ? { ordinal: (column.histogram?.categories ?? []).map(String) } : (wanted as ColumnSpec);
    // A table has one column of weights.
    const old = wanted === "weight" ? table.columns.filter(({ kind }) => kind === "weight") : [];
    const schema = { ...Object.fromEntries(old.map(({ name }) => [name, "numeric"])), [column.name]: spec };
    const keep = wanted === "ignore" ? {} : { keep: [column.name, ...old.map(({ name }) => name)] };
    const isDone = await lab.openTable("POST", `table/${table.table}/columns`, { target: table.target, schema, ...keep });
    if (!isDone) select.value = type;
  };
  const reorder = (i: number) => {
    const order = (column.histogram?.categories ?? []).map(String);
    order.splice(i - 1, 2, order[i] ?? "", order[i - 1] ?? "");
    void lab.openTable("POST", `table/${table.table}/columns`, { target: table.target, schema: { [column.name]: { ordinal: order } } });
  };
  // The categories of an order must all be known.
  const canOrder = type === "ordinal" || (column.histogram?.categories !== null && column.histogram?.others === 0);
  const label = say("column_kind", { column: column.name });
  return (
    <tr>
      <th scope="row">
        {column.name}
        {column.role === "target" && <span class="badge">{say("target")}</span>}
      </th>
      <td>
        <select aria-label={label} value={type} onChange={(event) => void change(event.currentTarget)}>
          {(column.role === "target" ? TYPES.slice(0, 2) : TYPES).map((each) => (
            <option key={each} value={each} disabled={each === "ordinal" && !canOrder}>{say(`type_${each}`)}</option>
          ))}
        </select>
      </td>
      <td>
        {column.histogram && (
          <SmallHistogram histogram={column.histogram} label={say("histogram_of", { column: column.name })} />
        )}
      </td>
      <td class="values">
        {type === "ordinal" && column.role === "column" && canOrder ? (
          <ol class="order">
            {column.histogram?.categories?.map((category, i) => (
              <li key={cell(category)}>
                {i > 0 && <button aria-label={say("earlier", { category: cell(category) })} onClick={() => reorder(i)}>‹</button>} {cell(category)}
              </li>
            ))}
          </ol>
        ) : <Values column={column} comma={say("comma")} />}
      </td>
      <td class="number">{count(column.missing, say)}</td>
    </tr>
  );
}

function Values({ column, comma }: { column: ColumnInfo; comma: string }) {
  if (column.low !== null) return <>{cell(column.low)} – {cell(column.high)}</>;
  const all = column.histogram?.categories ?? column.examples;
  const isCut = all.length > 5 || (column.histogram?.others ?? 0) > 0;
  // Values that run from right to left stay in their places.
  return <>{all.slice(0, 5).map((value, i) => <>{i > 0 && comma}<bdi>{cell(value)}</bdi></>)}{isCut && " …"}</>;
}

function Division({ table }: { table: TableInfo }) {
  const lab = useLab();
  const say = lab.say.value;
  const [shares, setShares] = useState<Record<string, string>>({});
  const [seed, setSeed] = useState("0");
  const [recipe, setRecipe] = useState("auto");
  /** The tables of the other parts, if they are in files of their own. */
  const [files, setFiles] = useState<Partial<Record<string, TableInfo>> | null>(null);
  useEffect(() => {
    const { division } = table;
    setShares(Object.fromEntries(PARTS.map((part) => [part, String(Math.round(100 * division[part]))])));
    setSeed(String(division.seed));
  }, [table.name, table.rows]);
  const numbers = PARTS.map((part) => Number(shares[part] ?? 0) / 100);
  const [training = 0, validation = 0, test = 0] = numbers;
  const grow = (event: Event) => {
    event.preventDefault();
    if (!files && (!(training > 0) || Math.abs(training + validation + test - 1) > 1e-9)) {
      lab.failure.value = lab.inBoth("bad_shares", { sum: String(Number((100 * (training + validation + test)).toPrecision(6))) });
      return;
    }
    void lab.grow({
      table: table.table, recipe, division: files
        ? { kind: "tables", validation: files["validation"]?.table ?? null, test: files["test"]?.table ?? null }
        : { kind: "shares", training, validation, test, seed: Number(seed) },
    });
  };
  const read = async (part: string, file: File) => {
    const other = await lab.readFile(file, table);
    if (other) setFiles({ ...files, [part]: other });
  };
  return (
    <form class="division" onSubmit={grow}>
      <h3>{say("division")}</h3>
      <p>{say("division_text")}</p>
      <p>
        <label class="check">
          <input type="checkbox" checked={files !== null} onChange={(event) => setFiles(event.currentTarget.checked ? {} : null)} />
          {" "}{say("division_files")}
        </label>
      </p>
      {files && HELD_OUT.map((part) => (
        <p key={part} class="acts">
          <FileChoice id={`lab-file-${part}`} label={say(`choose_${part}`)} take={(file) => void read(part, file)} />
          <span class={`file-${part}`} role="status">{files[part] && say("part_file", { name: files[part].name, n: files[part].rows })}</span>
        </p>
      ))}
      <div class="fields">
        {!files && PARTS.map((part) => (
          <label key={part}>
            {say(`part_${part}`)} %
            <input
              type="number" min="0" max="100" step="any" value={shares[part] ?? ""}
              onInput={(event) => setShares({ ...shares, [part]: event.currentTarget.value })}
            />
          </label>
        ))}
        {!files && (
          <label>
            {say("seed")}
            <input type="number" min="0" step="1" value={seed} onInput={(event) => setSeed(event.currentTarget.value)} />
          </label>
        )}
        <label>
          {say("recipe")}
          <select value={recipe} onChange={(event) => setRecipe(event.currentTarget.value)}>
            <option value="auto">{say("recipe_auto")}</option>
            {lab.info.value?.recipes.map(({ name }) => <option key={name} value={name}>{name}</option>)}
          </select>
        </label>
        <button type="submit" class="primary">{say("grow")}</button>
      </div>
    </form>
  );
}
