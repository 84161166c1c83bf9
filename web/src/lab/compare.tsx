// Two trees of the workbook side by side: figures, differences, rows that are predicted differently.

import { useState } from "preact/hooks";
import type { Compared, Value } from "../../../src/penjing/webapp/protocol";
import { useAnswer, useLab } from "./context";
import { cell, count, predicted } from "./figures";
import { Story } from "./story";

interface DifferentRow {
  row: number;
  id?: Value;
  id_column?: string;
  answers: Value[];
}

export function CompareScreen() {
  const lab = useLab();
  const say = lab.say.value;
  const book = lab.workbook.value;
  const [left, setLeft] = useState(book?.first ?? "");
  const [right, setRight] = useState(book?.current ?? "");
  const path = left === right ? null : `workbook/${book?.workbook}/compare/${left}/${right}`;
  const { value, failure } = useAnswer<Compared>(path);
  if (!book) return null;
  const choice = (id: string, now: string, set: (tree: string) => void) => (
    <label>
      {say(`compare_${id}`)}
      <select id={`lab-compare-${id}`} value={now} onChange={(event) => set(event.currentTarget.value)}>
        {book.history.map(({ tree, text, leaves }, i) => (
          <option key={tree} value={tree}>{i + 1}. {lab.text(text)} ({count(leaves, say)})</option>
        ))}
      </select>
    </label>
  );
  const rows = (value?.comparison["rows"] ?? {}) as Record<string, DifferentRow[]>;
  return (
    <main class="screen compare">
      <h2 tabindex={-1}>{say("compare_title")}</h2>
      <div class="fields">{choice("a", left, setLeft)}{choice("b", right, setRight)}</div>
      {left === right && <p>{say(book.history.length < 2 ? "compare_alone" : "compare_same")}</p>}
      {failure && <p class="warning">{lab.text(failure)}</p>}
      {value && <Story text={lab.text(value.text)} />}
      {Object.entries(rows).filter(([, list]) => list.length > 0).map(([part, list]) => (
        <section key={part}>
        <h3 id={`lab-differing-${part}`}>{say("compare_rows", { part: say(`part_${part}`), n: list.length })}</h3>
        <table class="rows" aria-labelledby={`lab-differing-${part}`}>
          <thead><tr><th scope="col">{list[0]?.id_column ?? say("head_row")}</th><th scope="col">a</th><th scope="col">b</th></tr></thead>
          <tbody>
            {list.slice(0, 200).map((row) => (
              <tr key={row.row}>
                <th scope="row">{cell(row.id ?? row.row)}</th>
                {row.answers.map((answer, i) => <td key={i}>{predicted(answer, !lab.page.value?.data.classes)}</td>)}
              </tr>
            ))}
          </tbody>
        </table>
        </section>
      ))}
    </main>
  );
}
