// The boxes of the visible part of a tree, with places and texts: the same as render/diagram.py.

import type { Plot, Say, Show } from "./data";
import { measure, type Measure } from "./measure";
import { amount, at, percent, roundEven } from "./numbers";
import { place } from "./place";
import { MANY_BRANCHES, type Tree } from "./tree";

const NAME = 14;
export const SMALL = 11;
const MAX_NAME = 170;
const CARD = 54;
const LEAF_CARD = 44;
const PLAIN_CARD = 28;
export const TEXT_LINE = 14;
export const LABEL = 20;
const DROP = 34;
/** Of trees that grow to the right: the space for curves, the height of a label, and the gap beside it. */
export const CURVE = 46;
const LABEL_HEIGHT = 18;
const LABEL_GAP = 6;
export const MARGIN = 16;
/** The plot of a card: where it begins, its height, and what it adds to the card. */
export const PLOT = { inset: 10, top: 38, high: 42, baseline: 16, wedge: 4, extra: 63 } as const;
/** With at most so many leaves, cards show the data by default. */
export const MOST_WITH_DATA = 24;
/** A card counts at most so many classes; of more, it shows the largest shares. */
const MOST_COUNTED = 4;

/** The colours of render/theme.py; the last, grey, is shared by all classes beyond eight. */
export const PALETTE = [
  "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#999999",
] as const;

export type BarPart = [shade: number, share: number];

/** What a box holds, wherever it stands. */
interface Content {
  kind: "question" | "leaf" | "folded" | "gathered";
  /** The nodes that it stands for, with its own. */
  members: readonly number[];
  name: string;
  note: string;
  lines: string[];
  bar: BarPart[];
  /** The mean of a number and its deviation, on the common axis. */
  spread: [low: number, mark: number, high: number] | null;
  plot: Plot | null;
  wide: number;
  high: number;
}

export interface Box extends Content {
  node: number;
  depth: number;
  x: number;
  y: number;
  label: string;
  /** The position among the boxes below the same split, from 1, and their number. */
  position: number;
  siblings: number;
  /** The index of the parent's box, -1 for the root. */
  parent: number;
  /** The width of the line to the parent. */
  thick: number;
  /** Where the level of the parent ends: the line bends there. */
  /** Whether its children stand to its right, not below it. */
  across: boolean;
  /** The room of its label before it. */
  room: number;
  bend: number;
}

export interface Scene {
  boxes: Box[];
  wide: number;
  high: number;
}

/** What boxes hold, computed once for each node, state and language. */
export class Drafts {
  readonly #contents = new Map<string, Content>();
  readonly #labels = new Map<string, string>();
  readonly measure: Measure;
  readonly #missing: Set<number>;
  readonly #ties: Set<number>;

  /** In a replay, nodes that are not split yet look like the leaves that they are. */
  constructor(
    readonly tree: Tree, readonly say: Say, readonly show: Show = "counts", private readonly isReplay = false,
  ) {
    this.measure = measure(tree.data);
    this.#missing = new Set(tree.data.takes_missing);
    this.#ties = new Set(tree.data.ties);
  }

  content(members: readonly number[], isOpen: boolean): Content {
    const key = `${members}${isOpen ? "o" : "c"}`;
    let found = this.#contents.get(key);
    if (!found) {
      const node = at(members, 0);
      const isSplit = isOpen && !this.tree.isLeaf(node);
      found = isSplit ? this.#split(node) : this.#end(members);
      this.#contents.set(key, found);
    }
    return found;
  }

  label(members: readonly number[]): string {
    const key = String(members);
    let text = this.#labels.get(key);
    if (text === undefined) {
      text = members[0] === 0 ? "" : branchLabel(this.tree, members, this.say, this.measure, this.#missing);
      this.#labels.set(key, text);
    }
    return text;
  }

  #bar(members: readonly number[]): BarPart[] {
    const { data } = this.tree;
    const all = this.tree.rows(members);
    if (!data.classes || !data.counted || !(all > 0) || this.show === "none") return [];
    return barOf(this.tree.counts(members).map((v) => v / all), data.shades, data.order);
  }

  #spread(members: readonly number[]): Content["spread"] {
    const { scale } = this.tree.data;
    const found = this.tree.spread(members);
    if (!scale || !found || this.show === "none") return null;
    const [low, high] = scale.axis;
    const [mean, deviation] = found;
    const onAxis = (value: number) =>
      high > low ? Math.min(1, Math.max(0, (value - low) / (high - low))) : 0.5;
    return [onAxis(mean - deviation), onAxis(mean), onAxis(mean + deviation)];
  }

  #split(node: number): Content {
    const { tree, say, show } = this;
    const { data } = tree;
    const { width, clipped } = this.measure;
    const name = clipped(tree.columnName(node), NAME, MAX_NAME, true);
    const isPlain = show === "none";
    const note = isPlain ? "" : this.#scoreText(node) + (this.#ties.has(node) ? ` ${say("mark_tie")}` : "");
    const size = data.counted ? sizeText(tree, at(tree.weight, node), say) : "";
    const weighs = isPlain ? "" : `${size}${data.marks[say("lang")]?.[node]?.[0] ?? ""}`.trim();
    const plot = show === "data" ? (data.plots[node] ?? null) : null;
    let counts = isPlain ? "" : countsText(tree, node, clipped);
    const wide = Math.max(
      width(name, NAME, true) + 14 + width(note, SMALL),
      width(counts, SMALL) + 14 + width(weighs, SMALL),
      plot ? (plot.width[say("lang")] ?? 0) + 2 * PLOT.inset - 20 : 0,
      84,
    );
    if (data.counted && !isPlain) counts = this.#withMoreClasses(node, counts, wide - 14 - width(weighs, SMALL));
    const high = isPlain || !(data.counted || weighs) ? PLAIN_CARD : CARD + (plot ? PLOT.extra : 0);
    return {
      kind: "question", members: [node], name, note, lines: [counts, weighs], bar: this.#bar([node]), spread: this.#spread([node]),
      plot, wide: wide + 20, high,
    };
  }

  /** How good a split is: its score or, for regression, the variance that it removes. */
  #scoreText(node: number): string {
    const { tree: { data }, say } = this;
    const score = data.score[node] ?? "";
    if (!score) return "";
    return data.scale ? say("picture_variance", { share: score }) : `${measureName(data.criterion, say)} ${score}`;
  }

  /** The largest class, and the next ones as far as they fit. */
  #withMoreClasses(node: number, counts: string, room: number): string {
    const { tree } = this;
    const { classes, total } = tree.data;
    if (!classes || classes.length <= MOST_COUNTED) return counts;
    const rows = at(total, node);
    const all = rows.reduce((a, b) => a + b, 0);
    const bySize = rows.map((_, class_) => class_).sort((a, b) => at(rows, b) - at(rows, a) || a - b);
    let text = counts;
    for (const class_ of bySize) {
      if (class_ === tree.classOf(node) || !(at(rows, class_) > 0)) continue;
      const share = roundEven((100 * at(rows, class_)) / all);
      const longer = `${text}, ${tree.quoted(at(classes, class_))} ${share}%`;
      if (this.measure.width(longer, SMALL) > room) break;
      text = longer;
    }
    return text;
  }

  #end(members: readonly number[]): Content {
    const { tree, say, show } = this;
    const node = at(members, 0);
    const isGathered = members.length > 1;
    const { data } = tree;
    const { width, clipped } = this.measure;
    const isFolded = !tree.isLeaf(node) && !this.isReplay;
    const weight = tree.rows(members);
    const name = clipped(predictionText(tree, members, say), NAME, MAX_NAME, true);
    let lines: string[] = [];
    if (isFolded) lines.push(say(data.counted ? "folded_leaves" : "folded_leaves_uncounted", { n: at(tree.leaves, node), size: sizeText(tree, weight, say) }));
    else if (isGathered) {
      const key = data.counted ? "gathered_leaves" : "gathered_leaves_uncounted";
      lines.push(say(key, { n: members.length, size: sizeText(tree, weight, say) }));
    } else if (data.counted) lines.push(endText(tree, node, say));
    if (show === "data" && data.counted && at(tree.weight, 0) > 0) {
      lines.push(say(data.weighted ? "picture_share_weight" : "picture_share", { share: percent(weight, at(tree.weight, 0)) }));
    }
    if (show === "none" && !isFolded && !isGathered) lines = [];
    const wide = Math.max(width(name, NAME, true), ...lines.map((line) => width(line, SMALL)), 56) + 24;
    const withText = lines.length ? LEAF_CARD + TEXT_LINE * (lines.length - 1) : PLAIN_CARD;
    return {
      kind: isGathered ? "gathered" : tree.isLeaf(node) ? "leaf" : "folded",
      members, name, note: "", lines, bar: this.#bar(members), spread: this.#spread(members), plot: null, wide, high: withText,
    };
  }
}

/** The name of a score; those of plug-ins have no translation. */
function measureName(criterion: string, say: Say): string {
  const name = say(`measure_${criterion}`);
  return name === `measure_${criterion}` ? criterion : name;
}

/** The prediction of a leaf, or of several: a class, a number, or a range. */
export function predictionText(tree: Tree, members: readonly number[], say: Say): string {
  const [low, high] = tree.answers(members);
  return low === high ? low : say("picture_range", { low, high });
}

/** How much of the rows a node has. Weights, and rows divided between branches, are summed, not counted. */
export function sizeText(tree: Tree, weight: number, say: Say, isSentence = false): string {
  const n = amount(weight);
  if (tree.data.weighted || n.includes(".")) return say(isSentence ? "total_weight" : "picture_weight", { weight: n });
  return isSentence ? say("view_rows", { n: weight }) : `n=${n}`;
}

/** The rows of an end: how many, and how many of them are of the predicted class. */
function endText(tree: Tree, node: number, say: Say): string {
  const { data } = tree;
  const weight = at(tree.weight, node);
  if (!data.counted) return "";
  if (!data.classes) {
    const spread = data.scale?.spread_text[node];
    const size = sizeText(tree, weight, say);
    return spread === undefined ? size : `± ${spread} ${size}`;
  }
  const right = at(at(data.total, node), tree.classOf(node));
  const share = weight > 0 ? ` ${roundEven((100 * right) / weight)}%` : "";
  return `${amount(right)}/${amount(weight)}${share}`;
}

/** What stands above a box; half a number would be a wrong one, so only names are cut. */
export function branchLabel(
  tree: Tree, members: readonly number[], say: Say, { clipped, listed }: Measure, missing: Set<number>,
): string {
  const { data } = tree;
  const node = at(members, 0);
  const field = at(data.schema, at(data.column, tree.parent(node)));
  const names = members.flatMap((member) => tree.names(member));
  let text = names.length ? listed(names, NAME - 2, MAX_NAME, true) : tree.label(node);
  if (!names.length && field.levels !== null) text = clipped(text, NAME - 2, MAX_NAME, true);
  return members.some((member) => missing.has(member)) ? `${text} ${say("mark_missing")}` : text;
}

/** The parts of a bar: classes in the order of the legend, the grey ones last. */
export function barOf(shares: number[], shades: number[], order: number[]): BarPart[] {
  const parts = order
    .map((class_): BarPart => [at(shades, class_), at(shares, class_)])
    .filter(([, share]) => share > 0);
  const isRest = ([shade]: BarPart) => shades.length > PALETTE.length && shade === PALETTE.length - 1;
  return [...parts.filter((part) => !isRest(part)), ...parts.filter(isRest)];
}

function countsText(tree: Tree, node: number, clipped: Measure["clipped"]): string {
  const { data } = tree;
  const total = at(data.total, node);
  if (!data.counted) return "";
  if (data.scale) {
    const spread = data.scale.spread_text[node];
    return spread === undefined ? tree.shortAnswer(node) : `${tree.shortAnswer(node)} ± ${spread}`;
  }
  if (total.length <= MOST_COUNTED) return data.order.map((class_) => amount(at(total, class_))).join(" : ");
  return `${clipped(tree.answer(node), SMALL, MAX_NAME)} ${roundEven(100 * tree.purity(node))}%`;
}

/** The boxes of the visible part, with places and texts. */
export function scene(
  tree: Tree, open: ReadonlySet<number>, say: Say, drafts: Drafts = new Drafts(tree, say),
): Scene {
  const { data } = tree;
  const index = new Map<number, number>();
  const positions = new Map<number, [position: number, siblings: number]>();
  const below = new Map<number, (readonly number[])[]>();
  const all: (readonly number[])[] = [[0]];
  for (const members of all) {
    const node = at(members, 0);
    if (!open.has(node) || tree.isLeaf(node)) continue;
    const kids = tree.shown(node, open);
    below.set(node, kids);
    kids.forEach((each, i) => {
      all.push(each);
      positions.set(at(each, 0), [i + 1, kids.length]);
    });
  }
  all.sort((a, b) => at(a, 0) - at(b, 0));
  const shown = all.map((members) => at(members, 0));
  shown.forEach((node, i) => index.set(node, i));
  const contents = all.map((members) => drafts.content(members, open.has(at(members, 0))));
  const labels = all.map((members) => drafts.label(members));
  const { width } = drafts.measure;
  const widths = contents.map((content, i) =>
    Math.max(content.wide, width(at(labels, i), NAME - 2, true) + 4));
  const kids = shown.map((node) => (below.get(node) ?? []).map((members) => index.get(at(members, 0)) as number));
  // A node with many branches would make a strip: then the tree grows to the right.
  const across = kids.some((own) => own.length > MANY_BRANCHES);
  const rooms = labels.map((label) => (across ? width(label, NAME - 2, true) + 2 * LABEL_GAP : LABEL));
  const breadths = across ? contents.map(({ high }) => Math.max(high, LABEL_HEIGHT)) : widths;
  const middle = place(kids, breadths);
  const { tops, ends } = levels(contents, shown.map((node) => at(tree.depth, node)), rooms, across);
  const rows = Math.max(at(tree.weight, 0), 1e-300);
  let [wide, high] = [0, 0];
  const boxes = contents.map((content, i): Box => {
    const node = at(shown, i);
    const depth = at(tree.depth, node);
    const [start, side] = [at(tops, depth) + LABEL, MARGIN + at(middle, i)];
    const [x, y] = across ? [start, side - content.high / 2] : [side - content.wide / 2, start];
    const end = side + at(breadths, i) / 2;
    wide = Math.max(wide, (across ? x + content.wide : end) + MARGIN);
    high = Math.max(high, (across ? end : y + content.high) + MARGIN);
    return {
      ...content,
      node,
      depth,
      x,
      y,
      across,
      room: at(rooms, i),
      label: at(labels, i),
      position: positions.get(node)?.[0] ?? 1,
      siblings: positions.get(node)?.[1] ?? 1,
      parent: node > 0 ? (index.get(at(data.parent, node)) as number) : -1,
      thick: data.counted ? 1.2 + (8.8 * tree.rows(content.members)) / rows : 1.2,
      bend: depth > 0 ? at(ends, depth - 1) + LABEL : 0,
    };
  });
  return { boxes, wide, high };
}

/** Where each level begins and ends. */
function levels(
  contents: Content[], depths: number[], rooms: number[], across: boolean,
): { tops: number[]; ends: number[] } {
  const [heights, spaces]: [number[], number[]] = [[], []];
  contents.forEach(({ wide, high }, i) => {
    const depth = at(depths, i);
    heights[depth] = Math.max(heights[depth] ?? 0, across ? wide : high);
    spaces[depth] = Math.max(spaces[depth] ?? 0, at(rooms, i));
  });
  const tops = [0];
  for (let level = 1; level < heights.length; level++) {
    tops.push(at(tops, level - 1) + at(heights, level - 1) + (across ? CURVE : DROP) + at(spaces, level));
  }
  return { tops, ends: tops.map((top, level) => top + at(heights, level)) };
}
