// What the tree predicts for a row: its path, surrogates, missing values, and the nearest changes.

import { at, nextUp } from "./numbers";
import type { Row, Tree } from "./tree";

type Value = string | number;

const isBlank = (value: Value | null | undefined): boolean =>
  value === null || value === undefined || value === "";

/** The branch that a test gives a value, -1 where it gives none. */
function branchOf(tree: Tree, value: Value, cut: number | null, groups: number[][]): number {
  if (isBlank(value)) return -1;
  if (cut === null) return groups.findIndex((codes) => codes.includes(Number(value)));
  const number = tree.data.single ? Math.fround(Number(value)) : Number(value);
  return Number.isNaN(number) ? -1 : Number(number > cut);
}

/** The child that a row goes to: by the test, its surrogates, or where missing values go. */
function next(tree: Tree, node: number, row: Row): number {
  const { data } = tree;
  const kids = at(tree.children, node);
  const groups = kids.map((kid) => at(data.levels, kid));
  let way = branchOf(tree, at(row, at(data.column, node)), at(tree.cut, node), groups);
  for (const other of data.surrogates[node] ?? []) {
    if (way >= 0) break;
    way = branchOf(tree, at(row, other.column), other.cut, other.groups);
    if (way >= 0 && other.cut !== null && other.below === 1) way = 1 - way;
  }
  if (way < 0 && data.missing) way = at(data.missing, node);
  return way < 0 ? -1 : at(kids, way);
}

/** The nodes that a row passes; it stops where nothing sends it on. */
export function route(tree: Tree, row: Row): number[] {
  const found = [0];
  for (let node = 0; !tree.isLeaf(node); ) {
    node = next(tree, node, row);
    if (node < 0) break;
    found.push(node);
  }
  return found;
}

/** A prediction, with the share of the class and the rows that it is estimated from. */
export interface Prediction {
  answer: string;
  share: number | null;
  /** The rows of the class and all rows of the end; null where rows are spread over branches. */
  counts: [number, number] | null;
}

/** What is predicted for a row: at the node where it stops, or at all that it is spread over. */
export function predict(tree: Tree, row: Row): Prediction {
  const { data } = tree;
  const path = route(tree, row);
  const end = at(path, path.length - 1);
  const isSpread = data.shares_out && !tree.isLeaf(end) && isBlank(at(row, at(data.column, end)));
  if (!isSpread) {
    if (!data.classes || !data.counted || !(at(tree.weight, end) > 0)) {
      return { answer: tree.answer(end), share: null, counts: null };
    }
    const right = at(at(data.total, end), tree.classOf(end));
    return {
      answer: tree.answer(end),
      share: at(shares(tree, end), tree.classOf(end)),
      counts: [right, at(tree.weight, end)],
    };
  }
  const sums = spread(tree, end, row);
  if (!data.classes) {
    return { answer: String(Number(at(sums, 0).toPrecision(6))), share: null, counts: null };
  }
  const best = Math.max(...sums);
  const class_ = sums.findIndex((sum) => sum >= best - 1e-9);
  return { answer: tree.quoted(at(data.classes, class_)), share: at(sums, class_), counts: null };
}

/** The shares of the classes, or the mean, of a row that is divided among branches. */
function spread(tree: Tree, end: number, row: Row): number[] {
  const { data } = tree;
  const sums = (data.classes ?? [0]).map(() => 0);
  const waiting: [number, number][] = [[end, 1]];
  for (let item = waiting.pop(); item; item = waiting.pop()) {
    const [node, part] = item;
    const to = tree.isLeaf(node) ? -1 : next(tree, node, row);
    if (to >= 0) waiting.push([to, part]);
    else if (!tree.isLeaf(node) && isBlank(at(row, at(data.column, node)))) {
      const kids = at(tree.children, node);
      const whole = kids.reduce((sum, kid) => sum + at(tree.weight, kid), 0);
      for (const kid of kids) waiting.push([kid, (part * at(tree.weight, kid)) / whole]);
    } else if (!data.classes) sums[0] = at(sums, 0) + part * Number(at(data.value, node));
    else shares(tree, node).forEach((share, i) => { sums[i] = at(sums, i) + part * share; });
  }
  return sums;
}

/** The shares of the classes in a node, as it predicts them. */
function shares(tree: Tree, node: number): number[] {
  const { data } = tree;
  const [total, more] = [at(data.total, node), data.laplace ? 1 : 0];
  const weight = at(tree.weight, node);
  if (!(weight > 0)) return total.map((_, i) => Number(i === tree.classOf(node)));
  return total.map((v) => (v + more) / (weight + more * total.length));
}

export interface Change {
  column: string;
  value: string;
  answer: string;
}

/** For each column on the path, the smallest change of it alone that changes the prediction. */
export function nearestChanges(tree: Tree, row: Row): Change[] {
  const { data } = tree;
  const now = predict(tree, row).answer;
  const found: Change[] = [];
  const splits = route(tree, row).filter((node) => !tree.isLeaf(node));
  for (const column of new Set(splits.map((node) => at(data.column, node)))) {
    const { levels, name } = at(data.schema, column);
    const given = at(row, column);
    const values: Value[] = levels
      ? levels.map((_, code) => String(code))
      : thresholds(tree, column).flatMap((cut) => [cut, nextUp(cut)]);
    const changed = values
      .filter((value) => String(value) !== given)
      .map((value) => {
        const other = row.map((v, c) => (c === column ? value : v));
        return { value, answer: predict(tree, other).answer };
      })
      .filter(({ answer }) => answer !== now);
    const distance = ({ value }: { value: Value }) => Math.abs(Number(value) - Number(given));
    let best = changed[0];
    if (!levels) for (const one of changed) if (best && distance(one) < distance(best)) best = one;
    if (!best) continue;
    const value = levels
      ? `= ${tree.quoted(at(levels, Number(best.value)))}`
      : thresholdText(tree, Number(best.value), column);
    found.push({ column: tree.quoted(name), value, answer: best.answer });
  }
  return found;
}

function thresholds(tree: Tree, column: number): number[] {
  const found = new Set<number>();
  tree.cut.forEach((cut, node) => {
    if (cut !== null && Number.isFinite(cut) && at(tree.data.column, node) === column) found.add(cut);
  });
  return [...found];
}

function thresholdText(tree: Tree, value: number, column: number): string {
  const node = tree.cut.findIndex((cut, i) =>
    at(tree.data.column, i) === column && cut !== null && (cut === value || nextUp(cut) === value));
  return tree.side(node, at(tree.cut, node) === value);
}
