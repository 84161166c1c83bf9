// The first screen: drop or choose a file, or open an example.

import { useEffect, useState } from "preact/hooks";
import type { OpenWorkbook, Workbooks } from "../../../src/penjing/webapp/protocol";
import { useLab } from "./context";
import { FileChoice } from "./file_choice";

export function StartScreen() {
  const lab = useLab();
  const say = lab.say.value;
  const [books, setBooks] = useState<OpenWorkbook[]>([]);
  useEffect(() => {
    lab.host.ask("GET", "workbook").then((found) => setBooks((found as Workbooks).workbooks), () => {});
  }, []);
  return (
    <main class="screen start">
      <h2 tabindex={-1}>{say("start_title")}</h2>
      <p>{say("start_text")}</p>
      <div class={lab.isOver.value ? "drop over" : "drop"}>
        <span>{say("start_drop")}</span>
        <FileChoice id="lab-file" label={say("start_choose")} take={(file) => void lab.openFile(file)} />
      </div>
      {books.length > 0 && (
        <>
          <h3>{say("workbooks")}</h3>
          <ul class="examples workbooks">
            {books.map(({ workbook, name, recipe, steps, leaves }) => (
              <li key={workbook}>
                <button onClick={() => void lab.openWorkbook(workbook)}>
                  <b>{name}</b>
                  <span>{say("workbook_facts", { recipe: recipe === "auto" ? say("recipe_auto") : recipe, n: steps })}</span>
                  <small>{say("leaves", { n: leaves })}</small>
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
      <h3>{say("start_examples")}</h3>
      <ul class="examples">
        {lab.info.value?.examples.map((example) => (
          <li key={example.name}>
            <button onClick={() => void lab.openTable("POST", "table/example", { example: example.name })}>
              <b>{example.name}</b>
              <span>{lab.text(example.description)}</span>
              <small>{say("table_size", { n: example.rows, columns: example.columns })}</small>
            </button>
          </li>
        ))}
      </ul>
    </main>
  );
}
