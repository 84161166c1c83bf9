// Small charts: shares of classes, and histograms of columns.

import type { Histogram } from "../../../src/penjing/webapp/protocol";
import { at } from "../numbers";
import { barOf, PALETTE } from "../scene";
import { useStore } from "../view/context";
import { useLab } from "./context";
import { cell, count, predicted } from "./figures";

/** The classes of some rows as a bar, in the colours of the tree. */
export function ClassBar({ total = [], ...place }: { total: number[] | undefined; class?: string; x?: number; y?: number; width?: number; height?: number }) {
  const { shades, order } = useStore().data;
  const all = total.reduce((a, b) => a + b, 0);
  if (!(all > 0) || total.length !== shades.length) return null;
  let x = 0;
  return (
    <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true" {...place}>
      {barOf(total.map((count) => count / all), shades, order).map(([shade, part], i) => {
        const left = x;
        x += 100 * part;
        return <rect key={i} x={left} y={0} width={100 * part} height={8} fill={at(PALETTE, shade)} />;
      })}
    </svg>
  );
}

/** A cell with the classes of some rows: a bar, and the counts in the order of the legend, "7 : 2". */
export function ClassCell({ total }: { total: number[] }) {
  const say = useLab().say.value;
  const { order } = useStore().data;
  return (
    <td class="bars">
      <ClassBar total={total} class="class-bar" />
      <span class="small">{order.map((class_) => count(total[class_] ?? 0, say)).join(" : ")}</span>
    </td>
  );
}

export function SmallHistogram({ histogram, label }: { histogram: Histogram; label: string }) {
  const say = useLab().say.value;
  const { counts, categories, edges } = histogram;
  const most = Math.max(1, ...counts);
  const wide = 120 / Math.max(1, counts.length);
  const title = (i: number) => {
    const values = categories ? cell(categories[i]) : `${predicted(edges?.[i], true)} – ${predicted(edges?.[i + 1], true)}`;
    return values + say("colon") + count(counts[i] ?? 0, say);
  };
  return (
    <svg class="histogram" viewBox="0 0 120 32" role="img" aria-label={label}>
      {counts.map((size, i) => (
        <rect key={i} x={i * wide} y={32 - (30 * size) / most} width={Math.max(0.5, wide - 1)} height={(30 * size) / most}>
          <title>{title(i)}</title>
        </rect>
      ))}
      <path d="M0 31.5h120" />
    </svg>
  );
}
