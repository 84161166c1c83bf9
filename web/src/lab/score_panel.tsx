// The whole report on the training or validation rows, and the importance of the columns.

import { useEffect, useState } from "preact/hooks";
import type { Importances, ScoreReport } from "../../../src/penjing/webapp/protocol";
import { useAnswer, useLab } from "./context";
import { short } from "./figures";
import { Story } from "./story";

export function ScorePanel() {
  const lab = useLab();
  const say = lab.say.value;
  const [part, setPart] = useState("training");
  const hasValidation = (lab.workbook.value?.division.rows.validation ?? 0) > 0;
  const { value, failure } = useAnswer<ScoreReport>(lab.treePath(`/score?part=${part}`));
  const { value: found } = useAnswer<Importances>(lab.treePath("/importances"));
  useEffect(() => { if (value && part === "validation") void lab.refresh(); }, [value, part]);
  const importances = Object.entries(found?.importances ?? {}).sort((a, b) => b[1] - a[1]);
  const most = Math.max(1e-300, ...importances.map(([, size]) => size));
  return (
    <>
      <h3>{say("score_title")}</h3>
      <p class="field">
        <label for="lab-score-part">{say("part")}</label>
        <select id="lab-score-part" value={part} onChange={(event) => setPart(event.currentTarget.value)}>
          <option value="training">{say("part_training")}</option>
          {hasValidation && <option value="validation">{say("part_validation")}</option>}
        </select>
      </p>
      {failure && <p class="warning">{lab.text(failure)}</p>}
      {value ? <Story text={lab.text(value.text)} /> : !failure && <p class="waiting">{say("computing")}</p>}
      {importances.length > 0 && (
        <table class="counts">
          <caption>{say("importances")}</caption>
          <tbody>
            {importances.map(([column, size]) => (
              <tr key={column}>
                <th scope="row">{column}</th>
                <td>{short(size)}</td>
                <td class="bars"><span class="share plain-share" aria-hidden="true" style={{ width: `${(100 * size) / most}%` }} /></td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}
