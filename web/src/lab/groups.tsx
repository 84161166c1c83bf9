// The categories of a column, put into other groups: each group is a branch.

import { useEffect, useState } from "preact/hooks";
import type { Categories } from "../../../src/penjing/webapp/protocol";
import { useStore } from "../view/context";
import { ClassCell } from "./bars";
import { useAnswer, useLab } from "./context";
import { cell, count, short } from "./figures";

export function Groups({ node, column }: { node: number; column: string }) {
  const lab = useLab();
  const { value, failure } = useAnswer<Categories>(lab.treePath(`/categories/${node}?column=${encodeURIComponent(column)}`));
  if (failure) return <p class="warning">{lab.text(failure)}</p>;
  if (!value?.can_group || value.categories.length < 2) return null;
  return <GroupForm key={`${node} ${column}`} node={node} found={value} />;
}

function GroupForm({ node, found }: { node: number; found: Categories }) {
  const lab = useLab();
  const page = useStore();
  const say = lab.say.value;
  const { column, categories } = found;
  const [groups, setGroups] = useState<number[]>([]);
  useEffect(() => {
    const own = new Map(found.groups.flatMap((group, i) => group.map((value) => [value, i])));
    setGroups(categories.map(({ category }, i) => own.get(category) ?? i));
  }, [found]);
  const used = [...new Set(groups)].sort((a, b) => a - b);
  const apply = () => {
    const made = used.map((group) => categories.filter((_, i) => groups[i] === group).map(({ category }) => category));
    void lab.step({ act: "split", node, column, groups: made });
  };
  return (
    <details class="groups">
      <summary>{say("regroup")}</summary>
      <table class="branches">
        <thead>
          <tr>{["category", "rows", "classes", "group"].map((key) => <th scope="col" key={key}>{say(`head_${key}`)}</th>)}</tr>
        </thead>
        <tbody>
          {categories.map(({ category, rows, total, mean }, i) => (
            <tr key={cell(category)}>
              <th scope="row">{cell(category)}</th>
              <td class="number">{count(rows, say)}</td>
              {page.data.classes ? <ClassCell total={total} /> : <td class="bars">{short(mean)}</td>}
              <td>
                <select
                  aria-label={say("group_of", { category: cell(category) })} value={String(groups[i] ?? 0)}
                  onChange={(event) => {
                    const group = Number(event.currentTarget.value);
                    setGroups(groups.map((old, c) => (c === i ? group : old)));
                  }}
                >
                  {categories.map((_, group) => <option key={group} value={String(group)}>{group + 1}</option>)}
                </select>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <button disabled={used.length < 2} onClick={apply}>{say("split_groups", { n: used.length })}</button>
    </details>
  );
}
