// The trail of trees: undo, redo, and every tree of every branch.

import { useEffect, useRef } from "preact/hooks";
import { useLab } from "./context";
import { count } from "./figures";

export function HistoryTrail() {
  const lab = useLab();
  const say = lab.say.value;
  const book = lab.workbook.value;
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    const [all, now] = [list.current, list.current?.querySelector<HTMLElement>("[aria-current]")];
    if (all && now) all.scrollLeft = now.offsetLeft - all.offsetLeft - 40;
  }, [book?.current]);
  if (!book) return null;
  const place = new Map(book.history.map((entry, i) => [entry.tree, i]));
  return (
    <nav class="trail" aria-label={say("history")}>
      <button disabled={!book.undo} title="Ctrl+Z" onClick={() => void lab.undo()}>{say("undo")}</button>
      <button disabled={!book.redo} title="Ctrl+Shift+Z" onClick={() => void lab.redo()}>{say("redo")}</button>
      <ol ref={list}>
        {book.history.map(({ tree, parent, text, leaves }, i) => {
          const from = parent === null ? -1 : (place.get(parent) ?? -1);
          const isBranch = i > 0 && from !== i - 1;
          return (
            <li key={tree}>
              <button
                aria-current={tree === book.current ? "step" : undefined}
                onClick={() => void lab.go(tree)}
              >
                {i + 1}. {isBranch && <span class="from">{say("branch_from", { i: from + 1 })} </span>}
                <bdi>{lab.text(text)}</bdi> <small>({count(leaves, say)})</small>
              </button>
            </li>
          );
        })}
      </ol>
    </nav>
  );
}
