// The tree: arrays made easy to query, with the words that its branches and rules are printed in.

import type { PageData, Say, TreeArrays } from "./data";
import { at } from "./numbers";

export const MAX_LEAVES = 64;
/** The leaves of a node with more branches are gathered by their prediction: render/visible_nodes.py. */
export const MANY_BRANCHES = 12;
const NO_NODES: ReadonlySet<number> = new Set();

/** A row: a value for each column; categories as codes, "" where it is missing. */
export type Row = readonly (string | number)[];

interface Bounds {
  levels?: string;
  known?: string;
  low?: number;
  high?: number;
}

export class Tree {
  readonly n: number;
  readonly children: number[][];
  readonly depth: number[];
  readonly weight: number[];
  readonly leaves: number[];
  readonly cut: (number | null)[];
  /** Children in the order in which every picture draws them: most rows first. */
  readonly drawn: number[][];
  /** The leaves of one prediction below a split with many branches, by each of these leaves. */
  readonly groups = new Map<number, readonly number[]>();
  wordIn = "in";
  readonly #openCuts: Set<number>;
  readonly #quotes: Map<string, string>;

  constructor(readonly data: PageData) {
    this.n = data.parent.length;
    this.children = Array.from({ length: this.n }, () => []);
    this.depth = new Array<number>(this.n).fill(0);
    for (let i = 1; i < this.n; i++) {
      const parent = at(data.parent, i);
      at(this.children, parent).push(i);
      this.depth[i] = at(this.depth, parent) + 1;
    }
    this.weight = data.total.map((t) => (data.classes ? t.reduce((a, b) => a + b, 0) : at(t, 0)));
    this.leaves = this.children.map((kids) => (kids.length ? 0 : 1));
    for (let i = this.n - 1; i > 0; i--) {
      this.leaves[at(data.parent, i)] = at(this.leaves, at(data.parent, i)) + at(this.leaves, i);
    }
    this.cut = data.cut.map((cut) => (cut === "inf" ? Infinity : cut));
    this.#openCuts = new Set(data.open);
    this.#quotes = new Map(data.quoted);
    this.drawn = this.children.map((kids, node) => this.#ordered(kids, node));
    for (const kids of this.drawn) if (kids.length > MANY_BRANCHES) this.#gather(kids);
  }

  #gather(kids: readonly number[]): void {
    const byStep = new Map<number, number[]>();
    for (const kid of kids.filter((each) => this.isLeaf(each))) {
      const step = this.#predictionStep(kid);
      const group = byStep.get(step);
      if (group) group.push(kid);
      else byStep.set(step, [kid]);
    }
    for (const group of byStep.values()) {
      if (group.length > 1) for (const leaf of group) this.groups.set(leaf, group);
    }
  }

  /** What leaves are gathered by: the class, or the step of the scale of values. */
  #predictionStep(node: number): number {
    const { scale } = this.data;
    if (!scale) return this.classOf(node);
    return Math.min(Math.floor(this.height(node) * scale.steps), scale.steps - 1);
  }

  /**
   * The boxes below an open split, each with the nodes that it stands for.
   *
   * Gathered leaves are one box; those that are open stand beside it, one by one.
   */
  shown(node: number, open: ReadonlySet<number>): (readonly number[])[] {
    const kids = at(this.drawn, node);
    if (!kids.some((kid) => this.groups.has(kid))) return kids.map((kid) => [kid]);
    const whole = kids.filter((kid) => (this.groups.get(kid)?.[0] ?? kid) === kid);
    const rows = (kid: number) => this.rows(this.groups.get(kid) ?? [kid]);
    whole.sort((a, b) => rows(b) - rows(a));
    return whole.flatMap((kid) => this.#divided(this.groups.get(kid) ?? [kid], open));
  }

  #divided(group: readonly number[], open: ReadonlySet<number>): (readonly number[])[] {
    const rest = group.filter((leaf) => !open.has(leaf));
    if (rest.length < 2) return group.map((leaf) => [leaf]);
    return [rest, ...group.filter((leaf) => open.has(leaf)).map((leaf) => [leaf])];
  }

  /** The number of boxes without visible children. */
  ends(open: ReadonlySet<number>): number {
    let n = 1;
    for (const node of open) if (!this.isLeaf(node)) n += this.shown(node, open).length - 1;
    return n;
  }

  /** The rows of some nodes. */
  rows(nodes: readonly number[]): number {
    return nodes.reduce((sum, node) => sum + at(this.weight, node), 0);
  }

  /** The rows of some nodes by class. */
  counts(nodes: readonly number[]): number[] {
    const { total } = this.data;
    return at(total, nodes[0] ?? 0).map((_, class_) =>
      nodes.reduce((sum, node) => sum + at(at(total, node), class_), 0));
  }

  #ordered(kids: number[], node: number): number[] {
    if (!this.data.counted || at(this.cut, node) !== null) return kids;
    return [...kids].sort(
      (a, b) =>
        at(this.weight, b) - at(this.weight, a) ||
        Number(!this.isLeaf(b)) - Number(!this.isLeaf(a)) ||
        a - b,
    );
  }

  isLeaf(node: number): boolean {
    return at(this.children, node).length === 0;
  }

  parent(node: number): number {
    return at(this.data.parent, node);
  }

  /** The nodes from the root to a node. */
  path(node: number): number[] {
    const found: number[] = [];
    for (let step = node; step >= 0; step = this.parent(step)) found.push(step);
    return found.reverse();
  }

  /** A name as printed: in quotes where it would read as more than one word. */
  quoted(name: string): string {
    return this.#quotes.get(name) ?? name;
  }

  columnName(node: number): string {
    return at(this.data.schema, at(this.data.column, node)).name;
  }

  /** The code of the class that a node predicts. */
  classOf(node: number): number {
    return Number(at(this.data.value, node));
  }

  /** The class or number that a node predicts, as printed. */
  answer(node: number): string {
    const { classes, value } = this.data;
    return classes ? this.quoted(at(classes, this.classOf(node))) : String(at(value, node));
  }

  /** The prediction as cards show it: numbers have three digits. */
  shortAnswer(node: number): string {
    return this.data.scale?.short[node] ?? this.answer(node);
  }

  /** The lowest and the highest of some predictions, as cards show them. */
  answers(nodes: readonly number[]): [low: string, high: string] {
    const sorted = this.data.scale
      ? [...nodes].sort((a, b) => Number(at(this.data.value, a)) - Number(at(this.data.value, b)))
      : nodes;
    return [this.shortAnswer(at(sorted, 0)), this.shortAnswer(at(sorted, this.data.scale ? sorted.length - 1 : 0))];
  }

  /** The mean and the deviation of a number in some nodes; null if their rows are not known. */
  spread(nodes: readonly number[]): [mean: number, deviation: number] | null {
    const { scale, value, counted } = this.data;
    if (!scale || !counted || nodes.some((node) => scale.spread[node] === undefined)) return null;
    const [first] = nodes;
    const rows = this.rows(nodes);
    if (nodes.length === 1 || !(rows > 0)) return [Number(at(value, first ?? 0)), at(scale.spread, first ?? 0)];
    const over = (of: (node: number) => number) =>
      nodes.reduce((sum, node) => sum + at(this.weight, node) * of(node), 0) / rows;
    const mean = over((node) => Number(at(value, node)));
    const square = over((node) => at(scale.spread, node) ** 2 + (Number(at(value, node)) - mean) ** 2);
    return [mean, Math.sqrt(square)];
  }

  /** How high the prediction of a node lies between the lowest and the highest, 0 to 1. */
  height(node: number): number {
    const { lowest, highest } = this.data.scale ?? { lowest: 0, highest: 0 };
    if (!(highest > lowest)) return 0.5;
    const part = (Number(at(this.data.value, node)) - lowest) / (highest - lowest);
    return Math.min(1, Math.max(0, part));
  }

  /** The share of the predicted class among the rows of a node. */
  purity(node: number): number {
    const weight = at(this.weight, node);
    return weight > 0 ? at(at(this.data.total, node), this.classOf(node)) / weight : 0;
  }

  /** The categories on the branch into a node; none after a threshold. */
  names(node: number): string[] {
    const parent = this.parent(node);
    if (at(this.cut, parent) !== null) return [];
    const { levels } = at(this.data.schema, at(this.data.column, parent));
    return at(this.data.levels, node).map((code) => this.quoted(levels?.[code] ?? "?"));
  }

  /** The column of gathered leaves and all their categories. */
  allNames(nodes: readonly number[], say: Say): string {
    const names = nodes.flatMap((node) => this.names(node)).join(say("list_comma"));
    return `${this.columnName(this.parent(at(nodes, 0)))}${say("clause_colon")}${names}`;
  }

  #isFirst(node: number): boolean {
    return at(at(this.children, this.parent(node)), 0) === node;
  }

  /** The words on the branch into a node. */
  label(node: number): string {
    const parent = this.parent(node);
    if (at(this.cut, parent) === Infinity) return this.#isFirst(node) ? "≠ ?" : "= ?";
    if (at(this.cut, parent) !== null) return this.side(parent, this.#isFirst(node));
    const names = this.names(node);
    return names.length === 1 ? `= ${names[0]}` : `${this.wordIn} {${names.join(", ")}}`;
  }

  /** One side of a threshold; a printed number that belongs above it reads "<" and "≥". */
  side(node: number, isBelow: boolean): string {
    const isOpen = this.#openCuts.has(node);
    const sign = isBelow ? (isOpen ? "<" : "≤") : isOpen ? "≥" : ">";
    return `${sign} ${at(this.data.cut_text, node)}`;
  }

  /** The branch into a node with the name of its column. */
  branch(node: number): string {
    return `${this.quoted(this.columnName(this.parent(node)))} ${this.label(node)}`;
  }

  /** What holds for the rows of a node: each column once, intervals merged. */
  conditions(node: number, members: readonly number[] = [node]): string[] {
    const bounds = new Map<number, Bounds>();
    const path = this.path(node);
    for (let i = 1; i < path.length; i++) {
      const [parent, child] = [at(path, i - 1), at(path, i)];
      const column = at(this.data.column, parent);
      const said = bounds.get(column) ?? {};
      bounds.set(column, said);
      if (at(this.cut, parent) === null) {
        const isGathered = child === node && members.length > 1;
        const names = isGathered ? members.flatMap((member) => this.names(member)) : [];
        said.levels = isGathered ? `${this.wordIn} {${names.join(", ")}}` : this.label(child);
      }
      else if (at(this.cut, parent) === Infinity) said.known = this.label(child);
      else if (this.#isFirst(child)) said.high = parent;
      else said.low = parent;
    }
    return [...bounds].map(([column, said]) => this.#condition(column, said));
  }

  #condition(column: number, said: Bounds): string {
    const name = this.quoted(at(this.data.schema, column).name);
    if (said.levels !== undefined) return `${name} ${said.levels}`;
    if (said.low !== undefined && said.high !== undefined) {
      const sign = this.#openCuts.has(said.low) ? "≤" : "<";
      return `${at(this.data.cut_text, said.low)} ${sign} ${name} ${this.side(said.high, true)}`;
    }
    if (said.high !== undefined) return `${name} ${this.side(said.high, true)}`;
    return `${name} ${said.low === undefined ? said.known : this.side(said.low, false)}`;
  }

  /** The nodes to open so that at most `limit` ends are visible: those with most rows first. */
  unfolded(limit = MAX_LEAVES): Set<number> {
    const open = new Set<number>();
    let ends = 1;
    for (const node of this.bySize()) {
      const more = ends - 1 + this.shown(node, NO_NODES).length;
      if (more > limit && node !== 0) break;
      open.add(node);
      ends = more;
    }
    return open;
  }

  /** As `unfolded`; gathered leaves stand one by one where there is room, too. */
  spreadOut(limit: number): Set<number> {
    const open = this.unfolded(limit);
    let ends = this.ends(open);
    for (const [leaf, group] of this.groups) {
      if (leaf !== group[0] || !open.has(this.parent(leaf))) continue;
      ends += group.length - 1;
      if (ends > limit) break;
      for (const each of group) open.add(each);
    }
    return open;
  }

  /** The splits, each after its parent, those with most rows first. */
  *bySize(): Generator<number> {
    const { weight } = this;
    const heap = new Heap((a, b) => {
      const [x, y] = [at(weight, a), at(weight, b)];
      return x > y || (x === y && a < b);
    });
    if (!this.isLeaf(0)) heap.push(0);
    for (let node = heap.pop(); node !== undefined; node = heap.pop()) {
      yield node;
      for (const kid of at(this.children, node)) if (!this.isLeaf(kid)) heap.push(kid);
    }
  }
}

/** Numbers in the order of `isBefore`. */
class Heap {
  readonly #items: number[] = [];

  constructor(private readonly isBefore: (a: number, b: number) => boolean) {}

  push(item: number): void {
    const items = this.#items;
    let i = items.push(item) - 1;
    while (i > 0) {
      const up = (i - 1) >> 1;
      if (!this.isBefore(item, at(items, up))) break;
      items[i] = at(items, up);
      i = up;
    }
    items[i] = item;
  }

  pop(): number | undefined {
    const items = this.#items;
    const [first, last] = [items[0], items.pop()];
    if (last === undefined || !items.length) return first;
    let i = 0;
    for (;;) {
      let kid = 2 * i + 1;
      if (kid >= items.length) break;
      if (kid + 1 < items.length && this.isBefore(at(items, kid + 1), at(items, kid))) kid++;
      if (!this.isBefore(at(items, kid), last)) break;
      items[i] = at(items, kid);
      i = kid;
    }
    items[i] = last;
    return first;
  }
}

/** The same page's data with the nodes of another tree, for example the one before pruning. */
export function withNodes(data: PageData, nodes: TreeArrays): PageData {
  const none = { ties: [], marks: {}, surrogates: {}, missing: null, takes_missing: [], plots: {} };
  const scale = data.scale && { ...data.scale, short: [], spread: [], spread_text: [] };
  return { ...data, ...nodes, ...none, scale, score: [] };
}
