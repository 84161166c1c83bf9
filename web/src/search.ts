// Search: the nodes that a query names, by column, prediction, branch or number of rows.

import { at } from "./numbers";
import type { Tree } from "./tree";

const COMPARE: Record<string, (a: number, b: number) => boolean> = {
  ">=": (a, b) => a >= b,
  "<=": (a, b) => a <= b,
  ">": (a, b) => a > b,
  "<": (a, b) => a < b,
  "=": (a, b) => a === b,
};

/** Nodes that a query names: column:… or 属性:…, leaf:… or 叶结点:…, n>=20, or any text. */
export function matches(tree: Tree, query: string): number[] {
  const words = query.trim();
  if (!words) return [];
  const test = testOf(tree, words);
  const found: number[] = [];
  for (let node = 0; node < tree.n; node++) if (test(node)) found.push(node);
  return found;
}

function testOf(tree: Tree, words: string): (node: number) => boolean {
  const size = /^n\s*(>=|<=|=|>|<)\s*([\d.]+)$/.exec(words);
  if (size) {
    const [, sign = "=", than] = size;
    const compare = COMPARE[sign];
    return (node) => compare !== undefined && compare(at(tree.weight, node), Number(than));
  }
  const [, column, leaf, rest] = /^(?:(column|属性)|(leaf|叶结点))[:：](.*)$/.exec(words) ?? [, , , words];
  const wanted = (rest ?? "").trim().toLowerCase();
  const has = (text: string) => text.toLowerCase().includes(wanted);
  // A tree has few columns and classes, and many nodes.
  const { data } = tree;
  const columns = data.schema.map(({ name }) => has(name));
  const classes = data.classes?.map((name) => has(tree.quoted(name)));
  const splitsOn = (node: number) => !tree.isLeaf(node) && at(columns, at(data.column, node));
  const predicts = (node: number) =>
    tree.isLeaf(node) && (classes ? at(classes, tree.classOf(node)) : has(tree.answer(node)));
  if (column) return splitsOn;
  if (leaf) return predicts;
  return (node) => splitsOn(node) || predicts(node) || (node > 0 && has(tree.label(node)));
}

/** How many of some nodes are at or below each node. */
export function countBelow(tree: Tree, nodes: Iterable<number>): Int32Array {
  const count = new Int32Array(tree.n);
  for (const node of nodes) count[node] = 1;
  for (let node = tree.n - 1; node > 0; node--) {
    const parent = tree.parent(node);
    count[parent] = at(count, parent) + at(count, node);
  }
  return count;
}
