// Figures as text: data as the table holds them, measures rounded as Python rounds them.

import type { Score, Value } from "../../../src/penjing/webapp/protocol";
import type { Say } from "../data";
import { amount, grouped, percent, roundEven } from "../numbers";

/** A number with a fixed count of decimals; exact halves go to the even neighbour, as in Python. */
export function fixed(number: number, digits: number): string {
  const scaled = number * 2 ** (digits + 1);
  const isTie = Number.isInteger(scaled) && scaled % 2 !== 0;
  return isTie ? (roundEven(number * 10 ** digits) / 10 ** digits).toFixed(digits) : number.toFixed(digits);
}

/** A share in per cent, as `percent` of data/statistics.py: 100 only for the whole. */
export function share(part: number): string {
  return percent(part, 1);
}

/** A count or a weight; Chinese texts have no thousands separators in counts. */
export function count(weight: number, say: Say): string {
  return say("lang") === "zh" ? amount(weight) : grouped(amount(weight));
}

/** A measure in three digits or more, with thousands separators. */
export function short(number: number | null | undefined): string {
  if (number === null || number === undefined) return "–";
  const size = Math.abs(number);
  if (size >= 1e15 || (size < 1e-4 && size > 0)) return number.toExponential(2);
  const digits = Number.isInteger(number) ? 0 : size >= 1e5 ? 0 : size >= 100 ? 1 : size < 0.01 ? 5 : 3;
  return (number < 0 ? "-" : "") + grouped(fixed(size, digits));
}

/** A cell of a table as it is: the shortest text that means this number, no separators. */
export function cell(value: Value | undefined): string {
  return value === null || value === undefined ? "–" : String(value);
}

/** A prediction: a class as it is, a mean in six digits, and never less than its integer part. */
export function predicted(value: Value | undefined, isNumber: boolean): string {
  if (!isNumber || typeof value !== "number" || Number.isInteger(value)) return cell(value);
  const digits = Math.max(6, Math.floor(Math.log10(Math.abs(value))) + 1);
  return String(Number(value.toPrecision(Math.min(digits, 17))));
}

/** The ends of an interval in per cent, as `interval_percents` of evaluate/report_text.py. */
function intervalPercents([low, high]: [number, number]): { low: string; high: string; digits: number } {
  const wide = high - low;
  const digits = wide >= 0.1 ? 0 : wide >= 0.01 ? 1 : Math.max(2, Math.ceil(-Math.log10(wide)) - 2);
  return { low: fixed(100 * low, digits), high: fixed(100 * high, digits), digits };
}

/** Accuracy or error on some rows, with the interval. */
export function scoreText(score: Score, say: Say): string {
  if (score.kind === "numbers") {
    const values = { rmse: short(score.rmse), mae: short(score.mae), n: score.n };
    if (!score.interval) return say("figure_rmse", values);
    const [low, high] = score.interval;
    return say("figure_rmse_interval", { ...values, low: short(low), high: short(high) });
  }
  const { correct, weight, accuracy } = score;
  const { low, high, digits } = intervalPercents(score.interval);
  let text = weight > 0 ? percent(correct, weight) : "0";
  // One decimal may lie outside of a narrow interval.
  if (Number(text) < Number(low) || Number(text) > Number(high)) {
    const step = 10 ** -digits;
    text = fixed(Math.max(step, Math.min(100 - step, 100 * accuracy)), digits);
  }
  return say("figure_accuracy", { share: text, right: count(correct, say), n: count(weight, say), low, high });
}

/** The name of what splits are compared by; those of plug-ins have no translation. */
export function measureName(criterion: string, say: Say, pageSay: Say): string {
  const key = `measure_${criterion}`;
  const name = criterion === "gain_ratio" ? say(criterion) : pageSay(key);
  return name === key ? criterion : name;
}

/** By how much a figure changed: percentage points, or the unit of the target. */
export function changeText(change: number, score: Score, say: Say): string {
  const sign = change > 0 ? "+" : change < 0 ? "−" : "±";
  const size = Math.abs(change);
  if (score.kind === "numbers") return `${sign}${short(size)}`;
  const points = 100 * size;
  // Rounding must not hide a change.
  const text = points > 0 && points < 0.05 ? String(Number(points.toPrecision(1))) : fixed(points, 1);
  return say("points", { change: `${sign}${text}` });
}
