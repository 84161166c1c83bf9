// Numbers: counts as text, rounding as in Python, the interval of a share, the next float.

/** The text of a weight: an integer, or at most two decimals. */
export function amount(weight: number): string {
  if (Number.isInteger(weight)) return String(weight);
  if (Math.abs(weight) >= 0.005) return String(Number(weight.toFixed(2)));
  return String(Number(weight.toPrecision(1)));
}

/** A count with thousands separators. */
export function grouped(count: string | number): string {
  return String(count).replace(/^\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ","));
}

/** Round as Python does: halves to the even neighbour. */
export function roundEven(number: number): number {
  const low = Math.floor(number);
  if (number - low !== 0.5) return Math.round(number);
  return low % 2 === 0 ? low : low + 1;
}

/** A share in per cent with at most one decimal; 100 only if it is the whole. */
export function percent(part: number, whole: number): string {
  let tenths = Math.floor((1000 * part) / whole + 0.5);
  if (part < whole) tenths = Math.min(tenths, 999);
  if (part > 0) tenths = Math.max(tenths, 1);
  return (tenths / 10).toFixed(1).replace(/\.0$/, "");
}

/** Wilson's 95% confidence interval of the share right / n. */
export function wilson(right: number, n: number): [number, number] {
  const z = 1.959963984540054;
  const z2 = (z * z) / n;
  const share = right / n;
  const middle = (share + z2 / 2) / (1 + z2);
  const half = (z / (1 + z2)) * Math.sqrt((share * (1 - share)) / n + z2 / (4 * n));
  const low = right <= 0 ? 0 : Math.max(0, middle - half);
  return [low, right >= n ? 1 : Math.min(1, middle + half)];
}

/** The smallest float above a number. */
export function nextUp(x: number): number {
  if (!Number.isFinite(x)) return x;
  if (x === 0) return Number.MIN_VALUE;
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, x);
  view.setBigInt64(0, view.getBigInt64(0) + (x > 0 ? 1n : -1n));
  return view.getFloat64(0);
}

/** The element at an index that is known to exist. */
export function at<T>(list: ArrayLike<T>, index: number): T {
  return list[index] as T;
}

/** A name without control characters, which might turn the text around. */
export function printable(name: string): string {
  return name.replace(/\p{C}/gu, " ");
}
