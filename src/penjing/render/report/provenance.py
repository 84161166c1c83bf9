"""The last sections: the recipe in words, the training rows, and where all of it came from."""

from __future__ import annotations

from html import escape
from typing import Any

from penjing.data.profile import find_oddities, profile_table
from penjing.data.table import Table
from penjing.i18n import catalogue, say
from penjing.render.profile_text import kind_name
from penjing.render.recipe_table import GROUPS
from penjing.render.report.page import LONG, NUMBER, PLAIN, Page, scrolled, text
from penjing.render.summary import steering_lines
from penjing.text.constraint_sentences import constraint_sentences
from penjing.text.labels import rounded_text, weight_text
from penjing.text.phrases import join_names, method_name, recipe_name
from penjing.tree.dialect import dialect_of
from penjing.tree.tree_data import TreeData

MAX_COLUMNS = 200
"""Number of columns that are described."""
_LIMITS = GROUPS["sizes"]


def add_recipe(page: Page, tree: TreeData) -> None:
    """Add how the tree was grown, in words, and every setting with its meaning."""
    sentences = recipe_sentences(tree, page.lang)
    if not sentences:
        return
    body = "".join(f"<p>{text(sentence)}</p>" for sentence in sentences)
    messages = catalogue(page.lang)
    rows = [
        (str(key), value_text(value, page.lang), messages.get(f"setting_{key}", ""))
        for key, value in tree.recipe.items()
        if key != "name" and is_set(value)
    ]
    lines = "".join(
        f"<tr><td class=long>{text(meaning)}</td><td><code>{text(value)}</code></td>"
        f"<td><code>{text(key)}</code></td></tr>"
        for key, value, meaning in rows
    )
    heads = "".join(
        f"<th scope=col>{page.say(f'document_{key}')}</th>"
        for key in ("meaning", "value", "setting")
    )
    table = f"<table><thead><tr>{heads}</tr></thead><tbody>{lines}</tbody></table>"
    label = page.say("document_settings")
    body += f"<details><summary>{label}</summary>{scrolled(label, table)}</details>"
    page.add_section("recipe", say("document_recipe_words", page.lang), body)


def recipe_sentences(tree: TreeData, lang: str) -> list[str]:
    """Return how a tree was grown as sentences; none for a tree made by hand.

    Examples
    --------
    >>> import penjing
    >>> tree = penjing.fit(penjing.example("fish"), max_depth=1)
    >>> for sentence in recipe_sentences(tree, "en"):
    ...     print(sentence)
    The recipe id3 splits each node on the column with the best score (information gain).
    A categorical column gets one branch for each category.
    Rows with missing values are not accepted.
    Limits: maximum depth 1.
    """
    recipe: dict[str, Any] = dict(tree.recipe)
    name = recipe_name(recipe, lang)
    if not name:
        return []
    messages = catalogue(lang)
    criterion = dialect_of(tree).score_name or str(recipe.get("criterion", ""))
    if not (criterion or tree.has_counts):
        return []
    sentences = []
    if criterion:  # some imported trees have none
        measure = messages.get(f"words_{criterion}", criterion)
        if tree.has_weights:
            measure = messages.get(f"words_{criterion}_weight", measure)
        sentences.append(say("words_recipe", lang, recipe=name, measure=measure))
    for key in ("shape", "missing"):
        sentence = messages.get(f"words_{key}_{recipe.get(key)}")
        if sentence is not None:
            sentences.append(sentence)
    limits = [
        say("words_limit", lang, meaning=messages.get(f"setting_{key}", key), value=value)
        for key in _LIMITS
        if is_set(value := recipe.get(key))
    ]
    if limits:
        sentences.append(say("words_limits", lang, limits=say("list_semicolon", lang).join(limits)))
    methods = [method_name(r["method"], lang) for r in tree.about.get("pruning", ())]
    if not methods and recipe.get("pruning") not in (None, "none"):
        methods = [method_name(str(recipe["pruning"]), lang)]
    if methods:
        sentences.append(say("words_pruned", lang, method=join_names(methods, lang)))
    return [*sentences, *constraint_sentences(tree, lang), *steering_lines(tree, lang)]


def add_data(page: Page, table: Table) -> None:
    """Add the profile of the training rows."""
    lang = page.lang
    profile = profile_table(table)
    keys = ("name", "kind", "missing", "values")
    rows = []
    for column in profile["columns"][:MAX_COLUMNS]:
        missing = column.get("missing", "")
        values = _values(column, say("list_comma", lang))
        kind = kind_name(column, lang)
        rows.append([column["name"], kind, f"{missing:,}" if missing else "", values])
    notes = "".join(f"<li>{_note(page, note)}</li>" for note in find_oddities(table))
    heads = [say(f"document_{key}", lang) for key in keys]
    heading = say("document_data", lang)
    body = f"<p>{page.say('rows', n=table.n_rows)}</p>"
    body += page.table(heading, heads, rows, (PLAIN, PLAIN, NUMBER, LONG))
    page.add_section("data", heading, body + (f"<ul>{notes}</ul>" if notes else ""))


def _note(page: Page, note: Any) -> str:  # noqa: ANN401 - a Note
    values = {
        key: join_names(value, page.lang) if isinstance(value, tuple | list) else value
        for key, value in note.values.items()
    }
    return page.say(note.key, **values)


def add_provenance(page: Page, tree: TreeData) -> None:
    """Add the source of the data, its digest, and the version."""
    from penjing import __version__  # noqa: PLC0415 - the top package imports this one

    source = tree.about.get("source", {})
    rows = {
        "document_recipe": (tree.has_counts and recipe_name(tree.recipe, page.lang))
        or say("document_by_hand", page.lang),
        "document_source": source.get("name"),
        "document_rows": tree.about.get("n_rows") or weight_text(tree.weight_of(0))
        if tree.has_counts
        else "",
        "document_pruning": join_names(
            [method_name(r["method"], page.lang) for r in tree.about.get("pruning", ())], page.lang
        )
        if tree.about.get("pruning")
        else "",
        "document_hash": source.get("sha256"),
        "document_version": f"penjing {__version__}",
    }
    cells = "".join(
        f"<tr><th scope=row>{page.say(key)}</th><td class=long>{_code(value, key)}</td></tr>"
        for key, value in rows.items()
        if value
    )
    heading = say("document_provenance", page.lang)
    table = f"<table>{cells}</table>"
    page.add_section("provenance", heading, scrolled(escape(heading), table))


def _code(value: object, key: str) -> str:
    return f"<code>{text(value)}</code>" if key == "document_hash" else text(value)


def is_set(value: object) -> bool:
    """Return whether a setting is more than absent, off or zero."""
    return value is not None and value is not False and value != 0


def value_text(value: object, lang: str) -> str:
    """Return the value of a setting as text; True is a word."""
    return say("story_yes", lang) if value is True else str(value)


def _values(column: dict[str, Any], separator: str) -> str:
    if "low" in column:
        return f"{rounded_text(column['low'])} … {rounded_text(column['high'])}"
    pairs = column.get("levels") or []
    shown = separator.join(f"{level} {n:,}" for level, n in pairs[:8])
    return shown + (" …" if len(pairs) > 8 else "")
