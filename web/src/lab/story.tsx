// A text of several lines as Python prints it: its tables keep their columns, its sentences wrap.

/** Two lines or more with blanks between columns; the split keeps them at the odd places. */
const TABLES = /((?:^.* {2}\S.*(?:\n|$)){2,})/m;
/** Blanks between cells: a name that runs from right to left would turn the numbers beside it around. */
const CELLS = /( {2,}|\n)/;
/** Chinese characters are as wide as two Latin ones in fonts that have both, not in others. */
const IS_WIDE = /[\u1100-\uffdc]/;

export function Story({ text }: { text: string }) {
  return (
    <pre class="story">
      {text.split(TABLES).map((part, i) => (
        i % 2 ? (
          <span key={i} tabindex={0} class={IS_WIDE.test(part) ? "table wide" : "table"}>
            {part.split(CELLS).map((cell, j) => (j % 2 ? cell : <bdi>{cell}</bdi>))}
          </span>
        ) : part
      ))}
    </pre>
  );
}
