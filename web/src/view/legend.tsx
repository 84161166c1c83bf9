// The legend: a colour for each class; the grey classes are named, too.

import type { Scale } from "../data";
import { amount, at, printable } from "../numbers";
import { PALETTE } from "../scene";
import { tintOf } from "./card";
import { useStore } from "./context";

const GREY = PALETTE.length - 1;

export function Legend() {
  const { data } = useStore();
  return data.scale ? <ValueLegend scale={data.scale} /> : <ClassLegend />;
}

/** The tints of predicted values, and what the axis of the cards is. */
function ValueLegend({ scale }: { scale: Scale }) {
  const store = useStore();
  const note = scale.note[store.lang.value]?.[store.show.value === "data" ? 0 : 1] ?? "";
  const hasNote = store.data.counted && store.show.value !== "none" && store.view.value === "tree";
  return (
    <ul class="legend" aria-label={store.say.value("view_values")}>
      {scale.legend.map(([text, value]) => (
        <li key={text}><span class="swatch valued" aria-hidden="true" style={tintOf(scale, value)} />{text}</li>
      ))}
      {hasNote && <li class="facts">{note}</li>}
    </ul>
  );
}

function ClassLegend() {
  const { data, say } = useStore();
  const { classes, shades } = data;
  if (!classes) return null;
  const total = at(data.total, 0);
  const text = (class_: number) =>
    <><bdi>{printable(at(classes, class_))}</bdi>{data.counted ? ` (${amount(at(total, class_))})` : ""}</>;
  const all = data.order;
  const others = classes.length > PALETTE.length ? all.filter((class_) => at(shades, class_) === GREY) : [];
  const own = all.filter((class_) => !others.includes(class_));
  const sum = others.reduce((rows, class_) => rows + at(total, class_), 0);
  const heading = say.value("legend_others", { n: others.length });
  return (
    <ul class="legend" aria-label={say.value("view_classes")}>
      {own.map((class_) => (
        <li key={class_}><Swatch shade={at(shades, class_)} />{text(class_)}</li>
      ))}
      {others.length > 0 && (
        <li>
          <details>
            <summary><Swatch shade={GREY} />{data.counted ? `${heading} (${amount(sum)})` : heading}</summary>
            <ul>{others.map((class_) => <li key={class_}>{text(class_)}</li>)}</ul>
          </details>
        </li>
      )}
    </ul>
  );
}

export function Swatch({ shade }: { shade: number }) {
  return <span class="swatch" aria-hidden="true" style={{ background: at(PALETTE, shade) }} />;
}
