// Saving the picture that is seen as SVG or PNG: colours and fonts are written into its elements.

import { amount, at, printable } from "../numbers";
import { PALETTE } from "../scene";
import type { Store } from "../store";
import { tintOf } from "./card";

const COPIED = [
  "fill", "stroke", "stroke-width", "stroke-dasharray", "font-size", "font-weight", "text-anchor",
] as const;
const MOST_PIXELS = 12_000;
const [EDGE, TITLE, LINE, LINE_HIGH, ROW_HIGH, SWATCH, ENTRY_GAP, LEAST_WIDE] = [16, 18, 12, 16, 20, 12, 16, 520];

export function saveSvg(store: Store): void {
  const made = standalone(store);
  if (made) download(new Blob([made.text], { type: "image/svg+xml" }), fileName(store, "svg"));
}

export async function savePng(store: Store): Promise<void> {
  const made = standalone(store);
  if (!made) return;
  const address = URL.createObjectURL(new Blob([made.text], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const scale = Math.min(2, MOST_PIXELS / Math.max(made.wide, made.high));
    const canvas = document.createElement("canvas");
    canvas.width = Math.ceil(made.wide * scale);
    canvas.height = Math.ceil(made.high * scale);
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
    if (blob) download(blob, fileName(store, "png"));
  } finally {
    URL.revokeObjectURL(address);
  }
}

/** The picture as a document of its own. */
function standalone(store: Store): { text: string; wide: number; high: number } | null {
  const shown = store.root.querySelector<SVGSVGElement>(".picture");
  if (!shown) return null;
  const copy = shown.cloneNode(true) as SVGSVGElement;
  const [from, to] = [shown.querySelectorAll("*"), copy.querySelectorAll("*")];
  to.forEach((element, i) => {
    const style = getComputedStyle(from[i] as Element);
    for (const name of COPIED) {
      const value = style.getPropertyValue(name);
      if (value) element.setAttribute(name, plainColour(value));
    }
    for (const name of ["class", "style", "role", "tabindex", "data-node"]) element.removeAttribute(name);
    for (const name of element.getAttributeNames()) if (name.startsWith("aria-")) element.removeAttribute(name);
  });
  for (const knob of copy.querySelectorAll("[data-fold]")) knob.remove();
  const page = getComputedStyle(store.root);
  const area = shown.viewBox.baseVal;
  const wide = Math.max(area.width, LEAST_WIDE);
  const head = heading(store, wide, page);
  const high = area.height + head.high;
  const left = (area.width - wide) / 2; // a narrow picture stands in the middle
  head.group.setAttribute("transform", `translate(${left} ${-head.high})`);
  copy.prepend(head.group);
  copy.setAttribute("viewBox", `${left} ${-head.high} ${wide} ${high}`);
  copy.setAttribute("width", String(wide));
  copy.setAttribute("height", String(high));
  copy.setAttribute("font-family", page.fontFamily);
  copy.setAttribute("role", "img");
  copy.removeAttribute("class");
  const paper = document.createElementNS(copy.namespaceURI ?? "", "rect");
  const look = { x: left, y: -head.high, width: "100%", height: "100%", fill: page.backgroundColor };
  for (const [name, value] of Object.entries(look)) paper.setAttribute(name, String(value));
  copy.prepend(paper);
  return { text: new XMLSerializer().serializeToString(copy), wide, high };
}

/** Title, facts and legend above a saved picture, and their height. */
function heading(store: Store, wide: number, page: CSSStyleDeclaration): { group: SVGElement; high: number } {
  const { data } = store;
  const make = (name: string, attributes: Record<string, string | number>, text = "") => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
    element.textContent = text;
    return element;
  };
  const pen = document.createElement("canvas").getContext("2d");
  const width = (text: string) => {
    if (!pen) return 7 * text.length;
    pen.font = `${LINE}px ${page.fontFamily}`;
    return pen.measureText(text).width;
  };
  const group = make("g", { "data-heading": "" });
  const faint = page.getPropertyValue("--faint").trim() || page.color;
  group.append(make("text", { x: EDGE, y: 30, "font-size": TITLE, "font-weight": "bold", fill: page.color }, data.title));
  let y = 50;
  let line = "";
  const write = () => {
    if (line) group.append(make("text", { x: EDGE, y, "font-size": LINE, fill: faint }, line));
    y += line ? LINE_HIGH : 0;
  };
  for (const fact of (data.facts[store.lang.value] ?? "").split(" | ")) {
    const longer = line ? `${line} | ${fact}` : fact;
    if (line && width(longer) > wide - 2 * EDGE) {
      write();
      line = fact;
    } else line = longer;
  }
  write();
  let x = EDGE;
  y += 6;
  const entries = legend(store);
  for (const [text, fill] of entries) {
    const room = SWATCH + 6 + width(text) + ENTRY_GAP;
    if (x > EDGE && x + room - ENTRY_GAP > wide - EDGE) [x, y] = [EDGE, y + ROW_HIGH];
    group.append(make("rect", { x, y: y - SWATCH + 2, width: SWATCH, height: SWATCH, rx: 2, fill, stroke: faint }));
    group.append(make("text", { x: x + SWATCH + 6, y, "font-size": LINE, fill: page.color }, text));
    x += room;
  }
  return { group, high: y + (entries.length ? ROW_HIGH : 0) };
}

/** The text and the colour of each entry of the legend; each grey class is named. */
function legend(store: Store): [text: string, fill: string][] {
  const { data } = store;
  const { scale, classes } = data;
  if (scale) {
    const isDark = getComputedStyle(store.root).colorScheme.includes("dark");
    return scale.legend.map(([text, value]) => [text, tintOf(scale, value)[isDark ? "--dark" : "--light"] ?? "none"]);
  }
  const total = at(data.total, 0);
  const name = (class_: number) => printable(at(classes ?? [], class_));
  return data.order.map((class_) =>
    [data.counted ? `${name(class_)} (${amount(at(total, class_))})` : name(class_), at(PALETTE, at(data.shades, class_))]);
}

/** A mixed colour as every program reads it. */
function plainColour(value: string): string {
  const parts = /^color\(srgb ([\d.e-]+) ([\d.e-]+) ([\d.e-]+)/.exec(value);
  if (!parts) return value;
  const levels = parts.slice(1, 4).map((part) => Math.round(255 * Number(part)));
  return `rgb(${levels.join(", ")})`;
}

function fileName({ data }: Store, ending: string): string {
  return `${data.title.replace(/[^\p{L}\p{N}._-]+/gu, "_").slice(0, 60) || "tree"}.${ending}`;
}

function download(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
