// The branches of a candidate that is pointed at, drawn below the selected node before the split is made.

import type { Why } from "../../../src/penjing/webapp/protocol";
import { LABEL, sizeText } from "../scene";
import { useStore } from "../view/context";
import { ClassBar } from "./bars";
import { useLab } from "./context";
import type { Explanation } from "./why_panel";

const [WIDE, HIGH, GAP, MOST, LETTERS] = [92, 44, 8, 6, 12];

export function SplitPreview() {
  const lab = useLab();
  const page = useStore();
  const node = page.selected.value;
  const column = lab.pointed.value;
  const why = lab.known(lab.treePath(`/why/${node}`)).value.value as Why | null;
  const box = page.picture.value.scene.boxes.find((each) => each.node === node);
  const found = (why?.why as Explanation | undefined)?.candidates.find((candidate) => candidate.column === column);
  const branches = found?.branches ?? [];
  if (!box || !found || found.is_chosen || branches.length < 2) return null;
  const shown = branches.slice(0, MOST);
  const middle = box.x + box.wide / 2;
  const [top, left] = [box.y + box.high + LABEL, middle - (shown.length * (WIDE + GAP) - GAP) / 2];
  return (
    <g class="preview" aria-hidden="true">
      <rect
        class="preview-back" rx={8} x={left - GAP} y={top - GAP} height={HIGH + 2 * GAP}
        width={shown.length * (WIDE + GAP) + GAP + (branches.length > MOST ? 24 : 0)}
      />
      {shown.map((branch, i) => {
        const x = left + i * (WIDE + GAP);
        return (
          <g key={branch.answer} class="preview-branch">
            <path d={`M${middle} ${box.y + box.high}L${x + WIDE / 2} ${top}`} />
            <rect class="preview-card" x={x} y={top} width={WIDE} height={HIGH} rx={6} />
            <text x={x + WIDE / 2} y={top + 15}>{shortened(branch.answer)}</text>
            <text x={x + WIDE / 2} y={top + 29}>{sizeText(page.tree, branch.rows, page.say.value)}</text>
            <ClassBar total={branch.total} x={x + 8} y={top + 34} width={WIDE - 16} height={5} />
          </g>
        );
      })}
      {branches.length > MOST && <text x={left + MOST * (WIDE + GAP) + 12} y={top + 26}>{`+${branches.length - MOST}`}</text>}
    </g>
  );
}

function shortened(text: string): string {
  const letters = [...text];
  return letters.length > LETTERS ? `${letters.slice(0, LETTERS - 1).join("")}…` : text;
}
