// The replay: the frames in which a tree grows split by split and is then pruned.

import type { ByLanguage, PageData } from "./data";
import { at } from "./numbers";
import { Tree, withNodes } from "./tree";

export const MAX_GROWTH = 500;
/** Of larger trees, a frame shows the subtrees with the most rows. */
export const MAX_FRAME_LEAVES = 120;

export interface Frame {
  kind: "grow" | "keep" | "cut" | "raise" | "end";
  /** The node of the grown tree that the frame is about, -1 if it has none. */
  node: number;
  text: ByLanguage<string> | null;
  /** How many nodes of the grown tree were considered up to this frame. */
  grown: number;
  /** How many pruning steps were made up to this frame. */
  pruned: number;
}

export class Film {
  readonly frames: Frame[] = [];
  readonly grown: Tree;
  readonly #wanted: Set<number>;

  constructor(private readonly tree: Tree) {
    const { data } = tree;
    const { grown, texts, pruning } = data.replay ?? { grown: null, texts: {}, pruning: [] };
    this.grown = grown ? new Tree(withNodes(data, grown)) : tree;
    for (let node = 0; node < this.grown.n && this.frames.length < MAX_GROWTH; node++) {
      const text = texts[node] ?? null;
      if (!text && this.grown.isLeaf(node) && node > 0) continue;
      this.frames.push({ kind: "grow", node, text, grown: node + 1, pruned: 0 });
    }
    pruning.forEach(({ node, kind, text }, i) => {
      this.frames.push({ kind, node, text, grown: this.grown.n, pruned: i + 1 });
    });
    if (pruning.length || this.frames.length === MAX_GROWTH || grown) {
      this.frames.push({ kind: "end", node: -1, text: null, grown: this.grown.n, pruned: pruning.length });
    }
    this.#wanted = this.grown.unfolded(MAX_FRAME_LEAVES);
  }

  /** The first frame of a node of the grown tree, -1 if it has none. */
  frameOf(node: number): number {
    return this.frames.findIndex((frame) => frame.node === node);
  }

  /** The tree of a frame, and its nodes that are split. */
  picture(index: number): { tree: Tree; open: Set<number> } {
    const frame = at(this.frames, index);
    if (frame.kind === "end") return { tree: this.tree, open: this.tree.unfolded() };
    const cuts = this.#cutsUpTo(frame.pruned);
    const above = new Set(frame.node >= 0 ? this.grown.path(frame.node) : []);
    const open = new Set<number>();
    for (let node = 0; node < Math.min(frame.grown, this.grown.n); node++) {
      if (this.grown.isLeaf(node) || cuts.has(node)) continue;
      if (node > 0 && !open.has(this.grown.parent(node))) continue;
      if (this.#wanted.has(node) || above.has(node)) open.add(node);
    }
    return { tree: this.grown, open };
  }

  #cutsUpTo(n: number): Set<number> {
    const steps = this.tree.data.replay?.pruning.slice(0, n) ?? [];
    return new Set(steps.filter(({ kind }) => kind === "cut").map(({ node }) => node));
  }
}

/** Whether a page has something to replay: a tree that was grown from rows. */
export function canReplay(data: PageData): boolean {
  return data.replay !== null && (data.replay.grown !== null || data.parent.length > 1);
}
