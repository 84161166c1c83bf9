"""The first section: three sentences, the figures, and the picture of the tree."""

from __future__ import annotations

from collections.abc import Sequence

from penjing.data.statistics import percent
from penjing.errors import PenjingError
from penjing.evaluate.importance import importances
from penjing.evaluate.metrics import Report
from penjing.evaluate.number_report import NumberReport
from penjing.evaluate.report_text import interval_percents
from penjing.i18n import count_text, say
from penjing.render import svg
from penjing.render.diagram import build_diagram
from penjing.render.heading import Heading, Swatch, heading_entries, training_fit
from penjing.render.report.page import Page, text
from penjing.render.theme import Theme, find_theme
from penjing.render.value_scale import value_tints
from penjing.text.labels import figure_text, quoted, weight_text
from penjing.text.phrases import join_names, method_name, recipe_name
from penjing.text.row_amounts import training_rows_text
from penjing.tree.tree_data import TreeData

LEAVES = (24, 18, 14, 10, 7)
"""Numbers of leaves of the picture that are tried; beyond them, subtrees are folded."""
MAX_WIDTH = 1150.0
"""The width of the picture, if that is possible."""
MAX_NAMED = 3
"""Number of important columns that are named."""

AnyReport = Report | NumberReport


def add_verdict(
    page: Page,
    tree: TreeData,
    tested: AnyReport | None,
    folds: tuple[AnyReport, int] | None,
    warnings: Sequence[str] = (),
) -> None:
    """Add what the tree is, how well it predicts, and what it predicts from.

    `warnings` are sentences why the test set is none; the figures are then those of the folds.
    """
    lang = page.lang
    in_folds = "" if folds is None else say("verdict_in_folds", lang, k=folds[1])
    scores = [] if tested is None else [(tested, say("verdict_on_test", lang, n=tested.n))]
    if folds is not None:
        scores.append((folds[0], in_folds))
    sentences = [_about_tree(tree, lang)]
    if not scores:
        sentences.append(_about_score(tree, None, "", lang))
    for i, (scored, where) in enumerate(scores):
        sentence = _about_score(tree, scored, where, lang)
        if i == 0 and tested is not None and warnings:
            sentence = (" " if lang == "en" else "").join((sentence, *warnings))
        sentences.append(sentence)
    sentences.append(_about_columns(tree, lang))
    report = scores[-1 if warnings else 0][0] if scores else None
    shown = "".join(f"<p>{text(sentence)}</p>" for sentence in sentences if sentence)
    figures = "".join(
        f"<li><strong>{text(value)}</strong><span>{text(name)}</span></li>"
        for name, value in _figures(tree, report, lang)
    )
    title, most = say("document_tree", lang), _leaves_that_fit(tree, lang)
    diagram = build_diagram(tree, lang=lang, title=title, max_leaves=most)
    root = diagram.boxes[0]
    picture = page.figure(
        lambda theme: svg.draw(diagram, find_theme(theme), has_heading=False),
        f"{page.title}{say('label_colon', lang)}{title}",
        start=(root.x + root.width / 2) / diagram.width,
    )
    caption = page.adaptive(lambda theme: _caption(diagram.heading, find_theme(theme), lang))
    body = f"<div class=sentences>{shown}</div><ul class=figures role=list>{figures}</ul>"
    body += f"<div class=picture><h3>{text(title)}</h3>{caption}{picture}</div>"
    page.add_section("verdict", say("document_verdict", lang), body)


def _caption(heading: Heading, theme: Theme, lang: str) -> str:
    """Return the heading of the picture as text that wraps on narrow screens."""
    fills, tints = svg.class_fills(theme), value_tints(theme)
    entries = "".join(
        f'<li><span style="background:{_colour(swatch, fills, tints)}"></span>{text(name)}</li>'
        for name, swatch in heading_entries(heading)
    )
    label = say("view_classes" if heading.legend else "picture_scale", lang)
    legend = f'<ul class=legend role=list aria-label="{text(label)}">{entries}</ul>'
    notes = (", ".join(heading.grey), heading.scale_note)
    below = "".join(f"<p class=f>{text(note)}</p>" for note in notes if note)
    return f"<p class=f>{text(heading.facts)}</p>{legend if entries else ''}{below}"


def _colour(swatch: Swatch, fills: Sequence[str], tints: Sequence[str]) -> str:
    if swatch.colour_index >= 0:
        return fills[swatch.colour_index]
    return tints[round(swatch.value * (len(tints) - 1))]


def _leaves_that_fit(tree: TreeData, lang: str) -> int:
    """Return how many leaves make a picture that is not wider than the page."""
    for most in LEAVES:
        if build_diagram(tree, lang=lang, max_leaves=most).width <= MAX_WIDTH:
            return most
    return LEAVES[-1]


def _about_tree(tree: TreeData, lang: str) -> str:
    used = len({int(column) for column in tree.nodes.column[~tree.is_leaf]})
    values: dict[str, object] = {
        "target": quoted(tree.target.name),
        "used": used,
        "of": len(tree.schema),
        "leaves": say("leaves", lang, n=tree.n_leaves),
        "depth": say("depth", lang, n=tree.depth),
    }
    if not tree.has_counts:
        return say("verdict_by_hand", lang, **values)
    rows = training_rows_text(tree, lang)
    name = recipe_name(tree.recipe, lang) or say("document_by_hand", lang)
    sentence = say("verdict_tree", lang, rows=rows, recipe=name, **values)
    methods = [method_name(r["method"], lang) for r in tree.about.get("pruning", ())]
    if methods:
        sentence += say("verdict_pruned", lang, method=join_names(methods, lang))
    return sentence


def _about_score(tree: TreeData, report: AnyReport | None, where: str, lang: str) -> str:
    if isinstance(report, NumberReport):
        r2 = "–" if report.r2 is None else f"{report.r2:.3f}"
        rmse = figure_text(report.rmse)
        sentence = say("verdict_rmse", lang, where=where, rmse=rmse, r2=r2)
        if report.baseline is not None:
            sentence += say("verdict_rmse_baseline", lang, rmse=figure_text(report.baseline.rmse))
        return sentence + say("full_stop", lang)
    if report is not None:
        low, high = interval_percents(report.interval)
        values = {
            "accuracy": share_text(report.accuracy),
            "correct": count_text(weight_text(report.correct)),
            "of": count_text(weight_text(report.weight)),
            "low": f"{low}%",
            "high": f"{high}%",
        }
        sentence = say("verdict_accuracy", lang, where=where, **values)
        if report.baseline is not None:
            base = share_text(report.baseline.accuracy)
            sentence += say("verdict_baseline", lang, baseline=base)
        return sentence + say("full_stop", lang)
    training = tree.about.get("training")
    if isinstance(training, dict) and training.get("of"):
        share = share_text(training["correct"] / training["of"])
        return say("verdict_training", lang, accuracy=share)
    fit = training_fit(tree) if tree.is_regression and tree.has_counts else None
    if fit is not None:
        r2 = "–" if fit[1] is None else f"{fit[1]:.3f}"
        return say("verdict_training_rmse", lang, rmse=figure_text(fit[0]), r2=r2)
    return say("verdict_unknown", lang)


def _about_columns(tree: TreeData, lang: str) -> str:
    if tree.is_leaf[0]:
        return say("verdict_one_leaf", lang)
    first = quoted(tree.schema[int(tree.nodes.column[0])].name)
    try:
        found = importances(tree).to_dict()
    except PenjingError:  # a tree without counts
        return say("verdict_first_split", lang, column=first)
    ranked = sorted(((v, name) for name, v in found.items() if v > 0), key=lambda pair: -pair[0])
    named = [
        say("verdict_column", lang, column=quoted(name), share=f"{100 * value:.0f}%")
        for value, name in ranked[:MAX_NAMED]
    ]
    if not named:
        return say("verdict_first_split", lang, column=first)
    return say("verdict_columns", lang, column=first, names=join_names(named, lang))


def _figures(tree: TreeData, report: AnyReport | None, lang: str) -> list[tuple[str, str]]:
    figures: list[tuple[str, str]] = []
    if isinstance(report, NumberReport):
        figures.append((say("chart_axis_rmse", lang), figure_text(report.rmse)))
        figures.append((say("figure_mae", lang), figure_text(report.mae)))
        if report.r2 is not None:
            figures.append(("R²", f"{report.r2:.3f}"))
        if report.baseline is not None:
            figures.append((say("figure_baseline_rmse", lang), figure_text(report.baseline.rmse)))
    elif report is not None:
        figures.append((say("curve_accuracy", lang), share_text(report.accuracy)))
        if report.baseline is not None:
            figures.append((say("figure_baseline", lang), share_text(report.baseline.accuracy)))
        if report.roc_auc is not None:
            figures.append((say("test_roc_auc", lang), f"{report.roc_auc:.3f}"))
    figures.append((say("curve_leaves", lang), f"{tree.n_leaves:,}"))
    figures.append((say("figure_depth", lang), f"{tree.depth:,}"))
    if tree.has_counts:
        n_rows = tree.about.get("n_rows") or tree.weight_of(0)
        figures.append((say("chart_axis_rows", lang), count_text(weight_text(float(n_rows)))))
    return figures


def share_text(share: float) -> str:
    """Return a share in percent with at most one decimal.

    Examples
    --------
    >>> share_text(0.85234), share_text(1.0)
    ('85.2%', '100%')
    """
    return f"{percent(share, 1.0)}%"
