// The widths of texts, from a table of advances: as penjing/text/font_metrics.py computes them.

import type { PageData } from "./data";

export interface Measure {
  width(text: string, size: number, bold?: boolean): number;
  /** A text that fits, with its middle left out. */
  clipped(text: string, size: number, room: number, bold?: boolean): string;
  /** As many names as fit whole, and how many are left; only a name alone is cut. */
  listed(names: string[], size: number, room: number, bold?: boolean): string;
}

export function measure(data: Pick<PageData, "widths">): Measure {
  const { regular, bold: heavy, other } = data.widths;
  const advance = (c: string, bold: boolean): number => {
    const code = (c.codePointAt(0) ?? 0) - 32;
    return (bold ? heavy : regular)[code] ?? other[c] ?? 1100;
  };
  const width = (text: string, size: number, bold = false): number => {
    let sum = 0;
    for (const c of text) sum += advance(c, bold);
    return (sum * size) / 1000;
  };
  const clipped = (text: string, size: number, room: number, bold = false): string => {
    if (width(text, size, bold) <= room) return text;
    const letters = [...text];
    let left = ((room - width("..", size, bold)) * 1000) / size;
    let [head, tail] = [0, letters.length];
    while (head < tail) {
      const fromHead = head <= 1.5 * (letters.length - tail);
      left -= advance(letters[fromHead ? head : tail - 1] ?? "", bold);
      if (left < 0) break;
      if (fromHead) head++;
      else tail--;
    }
    return `${letters.slice(0, head).join("")}..${letters.slice(tail).join("")}`;
  };
  const listed = (names: string[], size: number, room: number, bold = false): string => {
    for (let n = Math.min(3, names.length); n > 0; n--) {
      const rest = names.length > n ? ` +${names.length - n}` : "";
      const text = names.slice(0, n).join(", ") + rest;
      if (width(text, size, bold) <= room) return text;
    }
    const more = names.length > 1 ? ` +${names.length - 1}` : "";
    const short = clipped(names[0] ?? "", size, room - width(more, size, bold), bold);
    return short.startsWith("..") ? "" : short + more;
  };
  return { width, clipped, listed };
}
