// The end: the test rows are opened once; the tree, the report and what was done are saved.

import { useState } from "preact/hooks";
import { useLab } from "./context";
import { scoreText } from "./figures";
import { Story } from "./story";

export function FinishScreen() {
  const lab = useLab();
  const say = lab.say.value;
  const book = lab.workbook.value;
  const [kind, setKind] = useState("python");
  if (!book) return null;
  const { finished } = book;
  const tests = book.division.rows.test;
  const own = `workbook/${book.workbook}`;
  const tree = `${own}/tree/${book.current}`;
  const lang = `lang=${lab.lang.value}`;
  const files: [string, string][] = [
    ["model", `${tree}/export/model`], ["report", `${tree}/report?${lang}`], ["script", `${own}/script?${lang}`],
    ["workbook", `${own}/file`],
  ];
  return (
    <main class="screen finish">
      <h2 tabindex={-1}>{say("finish_title")}</h2>
      <section aria-label={say("part_test")}>
        <h3>{say("part_test")}</h3>
        {!finished && (
          <>
            <p>{tests > 0 ? say("finish_text", { n: tests, looks: book.validation_looks }) : say("finish_none")}</p>
            {tests > 0 && <button class="primary" onClick={() => void lab.finish()}>{say("finish_open")}</button>}
          </>
        )}
        {finished && (
          <>
            {finished.tree !== book.current && <p class="warning">{say("finish_other")}</p>}
            {finished.score && <p class="rule">{scoreText(finished.score, say)}</p>}
            <p>{say("looks", { n: finished.validation_looks })}</p>
            <Story text={lab.text(finished.text)} />
          </>
        )}
      </section>
      <section aria-label={say("files")}>
        <h3>{say("files")}</h3>
        <p class="acts">
          {files.map(([name, path]) => (
            <button key={name} class={`save-${name}`} onClick={() => void lab.save(path)}>{say(`save_${name}`)}</button>
          ))}
        </p>
        <p class="field wide">
          <label for="lab-export">{say("export")}</label>
          <select id="lab-export" value={kind} onChange={(event) => setKind(event.currentTarget.value)}>
            {Object.entries(lab.info.value?.exports ?? {}).map(([name, text]) => <option key={name} value={name}>{lab.text(text)}</option>)}
          </select>
          <button onClick={() => void lab.save(`${tree}/export/${kind}?${lang}`)}>{say("save")}</button>
        </p>
      </section>
    </main>
  );
}
