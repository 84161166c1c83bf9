// The tree as nested lists: what a screen reader reads best.

import { useComputed } from "@preact/signals";
import { amount, at } from "../numbers";
import { sizeText } from "../scene";
import { useStore } from "./context";

export function ListView() {
  return <ul class="list"><Item node={0} /></ul>;
}

function Item({ node }: { node: number }) {
  const store = useStore();
  const { tree, data } = store;
  const isOpen = useComputed(() => store.open.value.has(node)).value;
  const isSelected = useComputed(() => store.selected.value === node).value;
  const marks = useComputed(() =>
    `${store.lit.value.has(node) ? "lit " : ""}${store.found.value.has(node) ? "found" : ""}`).value;
  const below = useComputed(() => store.below.value?.[node] ?? 0).value;
  const say = store.say.value;
  const words = node === 0 ? "" : tree.branch(node);
  const rows = data.counted ? ` (${amount(at(tree.weight, node))})` : "";
  const colon = say("clause_colon");
  const line = tree.isLeaf(node) ? `${words}${words && colon}${tree.answer(node)}${rows}` : words || say("root");
  const folded = say("folded_leaves", { n: at(tree.leaves, node), size: sizeText(tree, at(tree.weight, node), say) });
  return (
    <li class={marks.trim()}>
      <button type="button" class="plain" data-node={node} aria-current={isSelected} onClick={() => store.select(node)}>
        {line}
      </button>
      {!tree.isLeaf(node) && (
        <button type="button" class="fold" aria-expanded={isOpen} aria-label={`${isOpen ? say("view_fold_one") : folded}${colon}${line}`} onClick={() => store.toggle(node)}>
          {isOpen ? "−" : folded}
          {!isOpen && below > 0 && <span class="hits"> {below}</span>}
        </button>
      )}
      {isOpen && <ul>{at(tree.drawn, node).map((kid) => <Item key={kid} node={kid} />)}</ul>}
    </li>
  );
}
