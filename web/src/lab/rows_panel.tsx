// The rows of the selected node, page by page.

import { useEffect, useState } from "preact/hooks";
import type { RowsPage } from "../../../src/penjing/webapp/protocol";
import { useStore } from "../view/context";
import { useAnswer, useLab } from "./context";
import { cell, predicted } from "./figures";

const COUNT = 50;

function targetFirst<T>(list: T[]): T[] {
  return [...list.slice(-1), ...list.slice(0, -1)];
}

export function RowsPanel() {
  const lab = useLab();
  const page = useStore();
  const say = lab.say.value;
  const node = page.selected.value;
  const [part, setPart] = useState<"training" | "validation">("training");
  const [start, setStart] = useState(0);
  useEffect(() => setStart(0), [page, node, part]);
  const { value, failure } = useAnswer<RowsPage>(lab.treePath(`/rows/${node}?part=${part}&start=${start}&count=${COUNT}`));
  const hasValidation = (lab.workbook.value?.division.rows.validation ?? 0) > 0;
  return (
    <>
      <h3>{say("rows_of_node")}</h3>
      {hasValidation && (
        <p class="field">
          <label for="lab-rows-part">{say("part")}</label>
          <select id="lab-rows-part" value={part} onChange={(event) => setPart(event.currentTarget.value as typeof part)}>
            <option value="training">{say("part_training")}</option>
            <option value="validation">{say("part_validation")}</option>
          </select>
        </p>
      )}
      {failure && <p class="warning">{lab.text(failure)}</p>}
      {value && (
        <>
          <p class="pager">
            <button disabled={start === 0} aria-label={say("previous")} onClick={() => setStart(Math.max(0, start - COUNT))}>‹</button>
            <span>{say("rows_shown", { from: value.total ? value.start + 1 : 0, to: value.start + value.rows.length, n: value.total })}</span>
            <button disabled={start + COUNT >= value.total} aria-label={say("next")} onClick={() => setStart(start + COUNT)}>›</button>
          </p>
          <div class="scroll" role="region" tabindex={0} aria-label={say("rows_of_node")}>
            <table class="rows">
              <thead>
                <tr>
                  <th scope="col">{value.id_name ?? say("head_row")}</th>
                  {value.predictions && <th scope="col">{say("prediction")}</th>}
                  {/* The target comes last in the answer and first on the page. */}
                  {targetFirst(value.columns).map((name) => <th scope="col" key={name}>{name}</th>)}
                </tr>
              </thead>
              <tbody>
                {value.rows.map((row, i) => {
                  const isWrong = value.predictions && value.predictions[i] !== row.at(-1);
                  return (
                    <tr key={value.numbers[i]} class={isWrong && page.data.classes ? "wrong" : ""}>
                      <th scope="row">{cell(value.ids?.[i] ?? value.numbers[i])}</th>
                      {value.predictions && <td>{predicted(value.predictions[i], !page.data.classes)}</td>}
                      {targetFirst(row).map((item, c) => <td key={c}>{cell(item)}</td>)}
                    </tr>
                  );
                })}
              </tbody>
            </table>
          </div>
        </>
      )}
    </>
  );
}
