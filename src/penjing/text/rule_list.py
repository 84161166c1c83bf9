"""A list of rules as aligned text: rows, accuracy with its interval, conditions, the default."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from penjing.formatting.text_table import align_left, align_right, max_width
from penjing.i18n import say
from penjing.text.labels import (
    MAX_GROUP_WIDTH,
    ascii_signs,
    condition_text,
    percent_ends,
    quoted,
    weight_text,
)

Plain = Mapping[str, Any]


def write(ruleset: Plain, lang: str = "en", *, ascii_only: bool = False) -> str:
    """Return a list of rules as text.

    Parameters
    ----------
    ruleset : dict
        The result of :meth:`penjing.explain.rules.Ruleset.to_json`.
    lang : str
        ``en`` or ``zh``.
    ascii_only : bool
        Use plain characters only.
    """
    rules = ruleset["rules"]
    class_width = max_width([*(quoted(r["answer"]) for r in rules), quoted(ruleset["default"])], 0)
    count_width = max_width([weight_text(r["rows"]) for r in rules], 1) if rules else 1
    lines = []
    for i, rule in enumerate(rules, start=1):
        share = f"{100 * rule['right'] / rule['rows']:3.0f}%"
        low, high = percent_ends(rule["interval"])
        style: dict[str, Any] = {"ascii_only": ascii_only, "most": MAX_GROUP_WIDTH}
        conditions = [condition_text(c, lang, **style) for c in rule["when"]]
        when = say("rule_and", lang).join(conditions) or say("rule_always", lang)
        lines.append(
            f"{i:>3}  {align_left(quoted(rule['answer']), class_width)}"
            f"  {align_right(weight_text(rule['rows']), count_width)}"
            f"  {share} ({low}-{high})  {say('rule_when', lang)} {when}"
        )
    lines.append(say("ruleset_default", lang, answer=quoted(ruleset["default"])))
    training = ruleset["training"]
    lines.append(
        say(
            "ruleset_training",
            lang,
            n=len(rules),
            leaves=ruleset["leaves"],
            right=weight_text(training["correct"]),
            tree=weight_text(training["tree"]),
            of=weight_text(training["of"]),
        )
    )
    text = "\n".join(lines)
    return ascii_signs(text) if ascii_only else text
