"""The trace of growing a tree as text: rows, stop conditions, candidates, choice, branches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from penjing.explain import pruning_text
from penjing.explain.node_text import (
    exclusion_reason,
    node_location,
    prediction_text,
    refused_candidates,
    score_writer,
)
from penjing.explain.node_text import formulas as node_formulas
from penjing.formatting.math_formula import Formula
from penjing.formatting.text_table import align_left, max_width
from penjing.i18n import Names, say, say_for
from penjing.text.formula import impurity, node_variance_text, variance
from penjing.text.labels import (
    MAX_GROUP_WIDTH,
    ascii_signs,
    condition_text,
    quoted,
    weight_text,
)
from penjing.text.phrases import class_counts, join_names
from penjing.text.row_amounts import rows_and_weight
from penjing.tree.dialect import dialect_of
from penjing.tree.split_syntax import parse_levels
from penjing.tree.tree_data import BY_HAND, TreeData

Plain = Mapping[str, Any]

EXCLUSION_REASONS = (
    "below",
    "no_average",
    "many_levels",
    "screened",
    "no_gain",
    "costly",
    "not_allowed",
)
"""Why columns were not compared, in the order of output; dialects may have others."""
MAX_ROWS = 20
"""Number of row numbers of a node that are listed."""

# In the order in which growing checks them; limits are shown only if the recipe sets them.
_LIMIT_DEFAULTS = {"max_depth": None, "min_weight": 0.0}
_BEFORE_SEARCH = ("pure", "max_depth", "min_weight", "alike")


def write(
    steps: Sequence[Plain],
    about: Plain,
    lang: str = "en",
    *,
    ascii_only: bool = False,
    for_command: bool | None = False,
    formulas: bool = False,
) -> str:
    """Return the trace of a tree as text.

    Parameters
    ----------
    steps : list of dict
        The result of :func:`penjing.explain.node.story`, or the first steps of it.
    about : dict
        ``target``, ``recipe`` (its settings), ``rows`` (their weight), ``n_rows`` (their number, if
        known), ``steps`` (their number) and ``is_whole``
        (whether the trace has all of them).
    lang : str
        ``en`` or ``zh``.
    ascii_only : bool
        Use ASCII characters only.
    for_command : bool
        Name options of the command instead of methods; None: name neither.
    formulas : bool
        Show the formulas of every node: its impurity, and the score of the best candidate.
    """
    lines = [opening_sentence(about, lang)]
    for i, step in enumerate(steps, start=1):
        style = {"ascii_only": ascii_only, "formulas": formulas}
        lines += ["", *step_lines(step, i, about["steps"], about["recipe"], lang, **style)]
    for sentence in closing(steps, about, lang, for_command=for_command):
        lines += ["", sentence]
    return "\n".join(lines)


def opening_sentence(about: Plain, lang: str) -> str:
    """Return the sentence on the rows and the recipe that a tree was grown from."""
    name, target = about["recipe"].get("name", "?"), quoted(about["target"])
    rows = rows_and_weight(about["rows"], about.get("n_rows"), lang)
    heading_key = "story_head_by_hand" if name == BY_HAND else "story_head"
    return say(heading_key, lang, target=target, rows=rows, recipe=name, n=about["steps"])


def closing(
    steps: Sequence[Plain], about: Plain, lang: str, *, for_command: bool | None = False
) -> list[str]:
    """Return the sentences on steps that are not listed."""
    sentences = []
    if steps and len(steps) < about["steps"]:
        sentences.append(
            pruning_text.more_steps(about["steps"] - len(steps), lang, for_command=for_command)
        )
    if steps and not about["is_whole"]:
        sentences.append(
            say("story_cut_short_report", lang)
            if for_command is None
            else say_for(for_command, "story_cut_short", lang)
        )
    return sentences


def write_all(
    tree: TreeData,
    steps: Sequence[Plain],
    lang: str = "en",
    *,
    n_steps: int = 0,
    ascii_only: bool = False,
    limit: int | None = None,
    for_command: bool | None = False,
    formulas: bool = False,
) -> str:
    """Return how a tree was grown and pruned as text.

    Parameters
    ----------
    tree : TreeData
        The tree.
    steps : list of dict
        The steps of growing, as :func:`penjing.explain.node.story` returns them; may be empty.
    lang : str
        ``en`` or ``zh``.
    n_steps : int
        How many steps there are, of which ``steps`` are the first.
    ascii_only : bool
        Use ASCII characters only.
    limit : int, optional
        The largest number of decisions of each pruning that are listed.
    for_command : bool
        Name options of the command instead of methods; None: name neither.
    formulas : bool
        Show the formulas of every node.
    """
    about = about_trace(tree, steps, n_steps)
    style: dict[str, Any] = {"ascii_only": ascii_only, "for_command": for_command}
    texts = [write(steps, about, lang, formulas=formulas, **style)] if steps else []
    texts += [
        pruning_text.decision_list(tree, record, lang, limit=limit, **style)
        for record in tree.about.get("pruning", ())
        if record.get("decisions")
    ]
    return ("\n\n" if steps else "\n").join(texts)


def about_trace(tree: TreeData, steps: Sequence[Plain], n_steps: int) -> Plain:
    """Return what `write` has to know of a tree besides its steps."""
    trace = tree.kept_trace
    return {
        "target": tree.target.name,
        "recipe": dict(tree.recipe),
        "rows": steps[0]["rows"] if steps and not tree.has_counts else tree.weight_of(0),
        "n_rows": tree.about.get("n_rows") if tree.has_counts else None,
        "steps": n_steps,
        "is_whole": trace is None or bool(trace.get("is_whole", True)),
    }


def step_lines(
    step: Plain,
    i: int,
    n: int,
    recipe: Plain,
    lang: str,
    *,
    ascii_only: bool,
    formulas: bool = False,
) -> list[str]:
    """Return the lines of step `i` of `n`."""
    location = node_location(step, lang, ascii_only=ascii_only)
    parts = step_parts(step, recipe, lang, ascii_only=ascii_only)
    if formulas:
        texts = [formula.text(ascii_only=ascii_only) for formula in step_formulas(step)]
        parts += [("formulas", text) for text in texts[:1]] + [("", text) for text in texts[1:]]
    labels = {key: say(f"story_label_{key}", lang) if key else "" for key, _ in parts}
    label_width = max_width(labels.values()) + 2
    title = say("story_step", lang, i=i, n=n, place=location)
    return [title, *(f"  {align_left(labels[key], label_width)}{text}" for key, text in parts)]


def step_formulas(step: Plain) -> list[Formula]:
    """Return the impurity of a node, and how the score of its best candidate is computed."""
    if not step["rows"]:
        return []
    measure = variance if "variance" in step else impurity
    best = [c for c in step["candidates"] if c["gain"] is not None][:1]
    scores = [s for c in best for s in node_formulas(step, c, all_candidates=False)]
    return [measure(step), *scores]


def step_parts(step: Plain, recipe: Plain, lang: str, *, ascii_only: bool) -> list[tuple[str, str]]:
    """Return what a step says, each part with the key of its label."""
    parts = [("rows", _rows(step, lang)), ("stop", _stop_conditions(step, recipe, lang))]
    candidates = [c for c in step["candidates"] if c["gain"] is not None]
    if candidates:
        parts.append(("weigh", _candidates_text(step, candidates, lang, ascii_only=ascii_only)))
    parts += [("refused", text) for text in refused_candidates(step, lang)]
    if step["question"] is not None and (candidates or "forced" in step):
        parts += [
            ("choose", _choice(step, candidates, lang, ascii_only=ascii_only)),
            ("branches", _branches(step, lang, ascii_only=ascii_only)),
        ]
        if step["empty"]:
            names = join_names([quoted(level) for level in step["empty"]], lang)
            key = "story_empty_number" if "variance" in step else "story_empty"
            parts.append(("empty", say(key, lang, levels=names, answer=prediction_text(step))))
    else:
        parts.append(("leaf", say("story_leaf", lang, answer=prediction_text(step))))
    return parts


def _rows(step: Plain, lang: str) -> str:
    if "variance" in step:
        variance_ = node_variance_text(step)
        impurity = say("story_mean", lang, mean=prediction_text(step), variance=variance_)
    else:
        impurity = class_counts(step["classes"], step["total"])
    n = weight_text(step["rows"])
    if "is_weight" in step or "." in n:
        n = say("total_weight", lang, weight=n)
    numbers = step.get("row_numbers")
    if not numbers:
        return say("story_rows", lang, n=n, mixed=impurity)
    ids = step.get("row_ids")
    if ids and None not in ids:
        which, column = join_names(ids, lang, MAX_ROWS), step["row_id_column"]
        return say("story_which_ids", lang, n=n, column=column, which=which, mixed=impurity)
    which = join_names(numbers, lang, MAX_ROWS)
    return say("story_which_rows", lang, n=n, which=which, mixed=impurity)


def _stop_conditions(step: Plain, recipe: Plain, lang: str) -> str:
    """Return the stop conditions with yes or no, up to the first that holds."""
    stop = step["stop"]
    conditions = ["pure"]
    conditions += [
        k
        for k, default in _LIMIT_DEFAULTS.items()
        if k == stop or recipe.get(k, default) != default
    ]
    conditions.append("alike")
    if stop is not None and stop not in _BEFORE_SEARCH:
        conditions.append(stop)
    elif recipe.get("min_gain"):
        conditions.append("min_gain")
    texts = []
    for key in conditions:
        word = "pure_number" if key == "pure" and "variance" in step else key
        question = say(f"story_is_{word}", lang, limit=_limit(recipe, key))
        is_met = key == step["stop"]
        texts.append(f"{question}{say('story_yes' if is_met else 'story_no', lang)}")
        if is_met:
            break
    return say("story_semicolon", lang).join(texts)


def _limit(recipe: Plain, key: str) -> str:
    value = dialect_of(recipe).limit(recipe, key)
    return weight_text(value) if isinstance(value, int | float) else ""


def _candidates_text(step: Plain, candidates: list[Plain], lang: str, *, ascii_only: bool) -> str:
    texts, write = [], score_writer(step)
    for c in candidates:
        if c["score"] is not None:
            cut = f" {c['branches'][0]['answer']}" if "cut" in c else ""
            cut = ascii_signs(cut) if ascii_only else cut
            texts.append(f"{quoted(c['column'])}{cut} {write(_ranking_number(step, c))}")
    values = {"all": Names(texts) or "–", "measure": _measure_name(step, lang)}
    text = say("story_weighed", lang, **values)
    excluded = [(exclusion_reason(step, c), c) for c in candidates if c["score"] is None]
    others = dict.fromkeys(r for r, _ in excluded if r not in EXCLUSION_REASONS)
    for reason in (*EXCLUSION_REASONS, *others):
        columns = [quoted(c["column"]) for r, c in excluded if r == reason]
        if columns:
            names = join_names(columns, lang)
            text += say("story_semicolon", lang) + say(f"story_out_{reason}", lang, columns=names)
    return text


def _measure_name(step: Plain, lang: str) -> str:
    """Return the name of the number that `_ranking_number` returns."""
    measure = step["criterion"]
    message = dialect_of(step["rules"]).ranking_message(measure)
    if message is not None:
        return say(message, lang)
    if measure == "gini" and not _ranks_by_gini_index(step):
        return say("story_by_gini_gain", lang)
    known = measure in ("gain", "gain_ratio", "gini", "variance")
    return say(f"story_by_{measure}", lang) if known else str(measure)


def _ranks_by_gini_index(step: Plain) -> bool:
    """Return whether the Gini index of the textbook ranks the columns as their scores do.

    Other dialects rank by something else. With missing values, the gain times the share of known
    values ranks the columns.
    """
    is_complete = not any(c["missing"] for c in step["candidates"])
    by_criterion = dialect_of(step["rules"]).ranks_by_criterion
    return step["criterion"] == "gini" and by_criterion and is_complete


def _ranking_number(step: Plain, candidate: Plain) -> float:
    """Return the number by which columns are ranked: for CART the Gini index, not the gain."""
    shown: float = candidate["gini_after" if _ranks_by_gini_index(step) else "score"]
    return shown


def _choice(step: Plain, candidates: list[Plain], lang: str, *, ascii_only: bool) -> str:
    chosen = quoted(step["question"])
    if forced := step.get("forced"):
        split = condition_text(forced["split"], lang, ascii_only=ascii_only)
        if forced["own"] == step["question"]:
            return say("story_forced_same", lang, chosen=split)
        own = say("why_no_split", lang) if forced["own"] is None else quoted(forced["own"])
        return say("story_forced", lang, chosen=split, own=own)
    others = [name for name in step["tied"] if name != step["question"]]
    write = score_writer(step)
    score = write(candidates[0]["score"] or 0.0)
    if others:
        names = join_names([quoted(name) for name in others], lang)
        return say("story_tie", lang, chosen=chosen, columns=names)
    others_compared = [c for c in candidates[1:] if c["score"] is not None]
    if not others_compared:
        return say("story_alone", lang, chosen=chosen, score=score)
    difference = (candidates[0]["score"] or 0.0) - others_compared[0]["score"]
    runner_up = quoted(others_compared[0]["column"])
    if difference < 0:  # only a person chooses a column that is not the best
        behind = write(-difference)
        return say("story_chosen_by_hand", lang, chosen=chosen, behind=behind, rival=runner_up)
    lead = write(difference)
    key = "story_chosen_less" if _ranks_by_gini_index(step) else "story_chosen"
    return say(key, lang, chosen=chosen, ahead=lead, rival=runner_up)


def _branches(step: Plain, lang: str, *, ascii_only: bool) -> str:
    chosen = next(c for c in step["candidates"] if c["is_chosen"])
    text = say("list_comma", lang).join(
        f"{_in_braces(b['answer'], lang, ascii_only=ascii_only)} {weight_text(b['rows'])}"
        for b in step.get("forced", chosen).get("branches", ())
    )
    n_missing = chosen.get("missing") or 0
    if n_missing and "forced" not in step and not _counts_missing(step, chosen):
        text = say("story_missing", lang, branches=text, n=weight_text(n_missing))
    return ascii_signs(text) if ascii_only else text


def _counts_missing(step: Plain, chosen: Plain) -> bool:
    """Whether the rows of the branches include those with a missing value."""
    counted = sum(float(branch["rows"]) for branch in chosen.get("branches", ()))
    return counted >= float(step["rows"]) * (1 - 1e-9)


def _in_braces(branch: str, lang: str, *, ascii_only: bool) -> str:
    """Return the text of a branch; several categories are in braces, many are abbreviated."""
    group = branch if branch.startswith("in {") else f"in {{{branch}}}"
    if len(parse_levels(group) or ()) < 2:
        return branch
    text = condition_text(group, lang, ascii_only=ascii_only, most=MAX_GROUP_WIDTH)
    return text[text.index("{") :]
