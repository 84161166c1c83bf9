// Tidy tree layout, the same as penjing/render/layout.py: no two subtrees overlap.

import { at } from "./numbers";

const GAP = 12;

/** The edges of a subtree at each level, deepest first, relative to its root's centre. */
interface Outline {
  left: number[];
  right: number[];
}

/** The centre of each box; children have larger indices than their parents, box 0 is the root. */
export function place(children: readonly (readonly number[])[], widths: readonly number[]): number[] {
  const n = widths.length;
  const offset = new Array<number>(n).fill(0);
  const outlines = new Array<Outline | null>(n).fill(null);
  for (let box = n - 1; box >= 0; box--) {
    const half = at(widths, box) / 2;
    const kids = at(children, box);
    if (!kids.length) {
      outlines[box] = { left: [-half], right: [half] };
      continue;
    }
    const [below, middles] = sideBySide(kids.map((kid) => at(outlines, kid) as Outline));
    // An outline is as long as its subtree is deep: free the memory.
    for (const kid of kids) outlines[kid] = null;
    const centre = (at(middles, 0) + at(middles, middles.length - 1)) / 2;
    kids.forEach((kid, i) => {
      offset[kid] = at(middles, i) - centre;
    });
    const left = below.left.map((edge) => edge - centre);
    const right = below.right.map((edge) => edge - centre);
    left.push(-half);
    right.push(half);
    outlines[box] = { left, right };
  }
  const placed = new Array<number>(n).fill(0);
  placed[0] = -(at(outlines, 0) as Outline).left.reduce((a, b) => Math.min(a, b), Infinity);
  for (let box = 0; box < n; box++) {
    for (const kid of at(children, box)) placed[kid] = at(placed, box) + at(offset, kid);
  }
  return placed;
}

function sideBySide(outlines: Outline[]): [Outline, number[]] {
  let joint = at(outlines, 0);
  const middles = [0];
  for (const outline of outlines.slice(1)) {
    const [mine, theirs] = [joint.left.length, outline.left.length];
    const common = Math.min(mine, theirs);
    let shift = -Infinity;
    // Outlines start at the deepest level, so the levels next to the parent are at the end.
    for (let level = 1; level <= common; level++) {
      const room = at(joint.right, mine - level) + GAP - at(outline.left, theirs - level);
      shift = Math.max(shift, room);
    }
    middles.push(shift);
    const left = outline.left.map((edge) => edge + shift);
    const right = outline.right.map((edge) => edge + shift);
    if (theirs > mine) {
      left.splice(theirs - common, common, ...joint.left.slice(-common));
      joint = { left, right };
    } else {
      joint.right.splice(mine - common, common, ...right.slice(-common));
    }
  }
  return [joint, middles];
}
