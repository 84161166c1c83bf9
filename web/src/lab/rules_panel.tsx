// The rules of the leaves; a rule leads to its leaf.

import type { Rules } from "../../../src/penjing/webapp/protocol";
import { sizeText } from "../scene";
import { useStore } from "../view/context";
import { useAnswer, useLab } from "./context";
import { predicted, share } from "./figures";

export function RulesPanel() {
  const lab = useLab();
  const page = useStore();
  const say = lab.say.value;
  const { value, failure } = useAnswer<Rules>(lab.treePath(`/rules?lang=${lab.lang.value}`));
  if (failure) return <p class="warning">{lab.text(failure)}</p>;
  if (!value) return <p class="waiting">{say("computing")}</p>;
  const go = (node: number) => {
    if (node < page.tree.n) page.select(node, { takesFocus: false });
  };
  const facts = ({ rows, confidence }: Rules["rules"][number]) => {
    const size = sizeText(page.tree, rows, page.say.value, true);
    return confidence === null ? size : say("rule_facts", { rows: size, share: share(confidence) });
  };
  return (
    <>
      <h3>{say("rules_title", { n: value.total })}</h3>
      {value.rules.length < value.total && <p class="notice">{say("rules_cut", { n: value.rules.length })}</p>}
      <ol class="rules">
        {value.rules.map((rule) => (
          <li key={rule.node}>
            <button class="plain" aria-current={page.selected.value === rule.node} onClick={() => go(rule.node)}>
              {rule.when.length ? rule.when.map((text, i) => <>{i > 0 && page.say.value("rule_and")}<bdi>{text}</bdi></>) : page.say.value("root")}
              {" → "}<bdi><b>{predicted(rule.prediction, !page.data.classes)}</b></bdi>{" "}
              <small>{facts(rule)}</small>
            </button>
          </li>
        ))}
      </ol>
    </>
  );
}
