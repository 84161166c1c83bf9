// A row to try: its values, what is predicted for it, and what would change that.

import { at } from "../numbers";
import { nearestChanges } from "../predict";
import { useStore } from "./context";

export function RowForm() {
  const store = useStore();
  const { data } = store;
  const say = store.say.value;
  const row = store.row.value;
  const columns = [...new Set(data.column.filter((column) => column >= 0))];
  const isGiven = row.some((value) => value !== "");
  const changes = isGiven ? nearestChanges(store.tree, row) : [];
  return (
    <>
      <h2>{say("view_what_if")}</h2>
      {columns.map((column) => <ValueField key={column} column={column} />)}
      <p class="answer rule">{store.predictionText()}</p>
      <ul class="notes changes">
        {changes.map((change) => (
          <li key={change.column}>{say("view_flip", { ...change })}</li>
        ))}
      </ul>
      <button type="button" onClick={() => store.clearRow()}>{say("view_clear")}</button>
    </>
  );
}

function ValueField({ column }: { column: number }) {
  const store = useStore();
  const say = store.say.value;
  const { name, levels } = at(store.data.schema, column);
  const id = `${store.id}-value-${column}`;
  const value = at(store.row.value, column);
  return (
    <div class="field">
      <label for={id}>{name}</label>
      {levels ? (
        <select id={id} value={value} onChange={(event) => store.setValue(column, event.currentTarget.value)}>
          <option value="">{say("view_unknown")}</option>
          {levels.map((level, code) => <option key={code} value={String(code)}>{level}</option>)}
        </select>
      ) : (
        <input id={id} type="number" step="any" value={value} onInput={(event) => store.setValue(column, event.currentTarget.value)} />
      )}
    </div>
  );
}
