"""The report on a tree as one HTML file: tree, metrics, rules, reasons, curves, data, provenance.

The file loads nothing from the network and contains no scripts.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Sequence
from html import escape
from typing import Any

from penjing.data.profile import find_oddities, profile_table
from penjing.data.source import Label
from penjing.data.table import Table
from penjing.dialects.recipes import recipe_of
from penjing.errors import ChoiceError, PenjingError, unknown_name_error
from penjing.evaluate.curves import calibration, learning_curve, pruning_curve
from penjing.evaluate.importance import importances
from penjing.evaluate.metrics import Report, class_code
from penjing.evaluate.validation import cross_validate, not_a_test, score
from penjing.explain import node_text, pruning_text
from penjing.explain.node import explain as explain_node
from penjing.i18n import LANGUAGES, say
from penjing.render import chart, svg
from penjing.render.leaf_rules import rules_of
from penjing.render.profile_text import kind_name
from penjing.render.summary import size_line, steering_lines
from penjing.render.svg import to_printable
from penjing.text.constraint_sentences import constraint_sentences
from penjing.text.formula import decimals
from penjing.text.labels import MAX_GROUP_WIDTH, condition_text, weight_text
from penjing.text.phrases import join_names, method_name
from penjing.tree.tree_data import TreeData

MAX_RULES = 100
"""Number of rules that are listed."""
MAX_COLUMNS = 200
"""Number of columns that are described."""
MAX_ROWS_FOR_CURVES = 20_000
"""With more training rows, trees for curves are grown only on request."""
MAX_DECISIONS = 40
"""Number of decisions of a pruning that are listed."""
PRE_WIDTH = 120
"""The width of preformatted text."""
MAX_CLASSES = 40
"""Maximum number of classes of a confusion matrix."""
THEMES = ("auto", "light", "dark")

_LIGHT = "--ink:#1a1d21;--paper:#fff;--faint:#50575e;--line:#d0d5da"
_DARK = "--ink:#f0f2f4;--paper:#16191d;--faint:#b6bdc4;--line:#3a4047"
# Wide tables are scrolled, and only names longer than a line are broken. Printed pages are dark on
# white, with pictures at most as wide as the page.
_STYLE = f"""
:root{{color-scheme:light dark;{_LIGHT}}}
.dark{{{_DARK}}}
body{{font:15px/1.5 'DejaVu Sans','Segoe UI',Helvetica,Arial,'Noto Sans CJK SC','Microsoft YaHei',
sans-serif;color:var(--ink);background:var(--paper);max-width:70rem;margin:2rem auto;
padding:0 1rem}}
h1{{font-size:1.5rem}}h1,p,li{{overflow-wrap:anywhere}}
h2{{font-size:1.15rem;margin-top:2rem;border-bottom:1px solid var(--line)}}
.wide{{overflow-x:auto}}
table{{border-collapse:collapse;margin:.5rem 0}}th,td{{padding:.2rem .7rem;text-align:left;
border-bottom:1px solid var(--line);vertical-align:top;max-width:34rem;overflow-wrap:break-word}}
td.n,th.n{{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}}
th.v{{writing-mode:vertical-rl;white-space:nowrap;vertical-align:bottom;padding:.4rem .2rem;
text-align:left}}
p.f,caption{{color:var(--faint)}}
figure{{margin:.5rem 0;overflow-x:auto}}code{{overflow-wrap:anywhere}}pre{{overflow-x:auto}}
.hit,.warn{{font-weight:bold}}.paper{{display:none}}
@page{{margin:12mm}}
@media print{{:root,:root.dark{{color-scheme:light;{_LIGHT}}}
body{{max-width:none;margin:0;padding:0;font-size:12px}}.screen{{display:none}}.paper{{display:inline}}
.wide,figure,pre{{overflow:visible}}pre{{white-space:pre-wrap}}th,td{{padding:.1rem .3rem}}
img{{max-width:100%;max-height:92vh;print-color-adjust:exact;-webkit-print-color-adjust:exact}}
.dense{{font-size:9px}}.dense th,.dense td{{padding:.05rem .12rem}}
figure,tr{{break-inside:avoid}}}}
"""
_AUTO = f"@media screen and (prefers-color-scheme:dark){{:root{{{_DARK}}}}}"
MAX_HORIZONTAL_CLASSES = 6
"""With more classes, the headings of a confusion matrix are vertical."""


def write(
    tree: TreeData,
    train: Table | None = None,
    test: Table | None = None,
    *,
    lang: str = "en",
    theme: str = "auto",
    title: str | None = None,
    folds: int = 10,
    seed: int = 0,
    cross_validation: bool | None = None,
    warnings: Sequence[str] = (),
    positive: Label | None = None,
) -> str:
    """Return the report on a tree as the text of an HTML file.

    Parameters
    ----------
    tree : TreeData
        The tree.
    train : Table, optional
        The training rows, for the profile of the data, cross-validation and curves.
    test : Table, optional
        The test set, for metrics and calibration.
    lang : str
        ``en`` or ``zh``.
    theme : str
        ``auto``, ``light`` or ``dark``.
    title : str, optional
        The heading; default: the target's name.
    folds, seed : int
        Number of folds and seed of cross-validation.
    cross_validation : bool, optional
        Whether to grow more trees for cross-validation and curves; default: unless there are many
        rows.
    warnings : sequence of str
        Keys of further messages about the test set.
    positive : object, optional
        The class that lift and scores are about; default: the rarer one of two classes.

    Examples
    --------
    >>> import penjing
    >>> page = write(penjing.Tree.from_dict({"texture": {"clear": "yes", "faint": "no"}}))
    >>> page.startswith("<!doctype html>"), "http:" in page.replace("http://www.w3.org", "")
    (True, False)
    """
    _check_choices(tree, train, lang, theme, folds=folds, positive=positive)
    page = _ReportPage(tree, lang, theme)
    test_report = None if test is None else score(tree, test, positive=positive)
    page.add_heading(title, test_report)
    page.add_tree()
    if test is not None:
        page.add_predictions("dossier_test", test_report)
        page.add_warnings(test, dict.fromkeys([*not_a_test(tree, test), *warnings]))
        page.add_calibration(test)
    page.add_rules()
    page.add_importances()
    page.add_root(train)
    page.add_pruning()
    can_cross_validate = train is not None and train.target is not None and _can_grow_again(tree)
    if cross_validation is None:
        cross_validation = train is not None and train.n_rows <= MAX_ROWS_FOR_CURVES
    if can_cross_validate and cross_validation:
        assert train is not None
        k = min(folds, train.n_rows)
        if k >= 2:
            folds_report = cross_validate(train, tree, k, seed=seed, positive=positive)
            page.add_predictions("dossier_folds", folds_report, k)
            page.add_curve(lambda: learning_curve(train, tree, k=min(5, k), seed=seed))
            page.add_curve(lambda: pruning_curve(tree, train, test, k=k, seed=seed))
    elif tree.has_counts and (train is not None or test is not None):
        page.add_curve(lambda: pruning_curve(tree, train if test is not None else None, test))
    if train is not None:
        page.add_data(train)
    page.add_provenance()
    return page.text()


def _check_choices(
    tree: TreeData,
    train: Table | None,
    lang: str,
    theme: str,
    *,
    folds: int,
    positive: Label | None,
) -> None:
    """Raise an error for a choice that does not exist."""
    if lang not in LANGUAGES:
        raise unknown_name_error("unknown_choice", lang, LANGUAGES, kind="lang")
    if theme not in THEMES:
        raise unknown_name_error("unknown_choice", theme, THEMES, kind="theme")
    if folds < 2:
        raise ChoiceError("bad_folds", value=folds, n=0 if train is None else train.n_rows)
    if positive is not None:
        class_code(positive, tree.classes)


def _can_grow_again(tree: TreeData) -> bool:
    """Return whether the recipe is known, and pruning needed no validation set."""
    try:
        settings = dict(tree.recipe)
        recipe_of(settings.pop("name", "by hand"), **settings)
    except PenjingError:
        return False
    return not any("validation" in record for record in tree.about.get("pruning", ()))


class _ReportPage:
    """Collects the sections of the page in their order."""

    def __init__(self, tree: TreeData, lang: str, theme: str) -> None:
        self._tree, self._lang, self._theme = tree, lang, theme
        self._parts: list[str] = []
        self._title = ""

    def _say(self, key: str, **values: object) -> str:
        return escape(say(key, self._lang, **values))

    def add_heading(self, title: str | None, report: Any) -> None:  # noqa: ANN401 - of classes or numbers
        """Add the title, and in short the size of the tree and how well it predicts."""
        tree, lang = self._tree, self._lang
        self._title = to_printable(title or tree.target.name)
        lines = [size_line(tree, lang)]
        if report is not None:
            figures, baseline = report.text(lang).splitlines()[:2]
            lines += [say("dossier_on_test", lang, figures=figures), baseline]
        self._parts.append(f"<h1>{escape(self._title)}</h1><p class=f>{_lines(lines)}</p>")

    def add_provenance(self) -> None:
        """Add the recipe, the source of the data, and the version."""
        from penjing import __version__  # noqa: PLC0415 - the top package imports this one

        tree, source = self._tree, self._tree.about.get("source", {})
        settings = {key: value for key, value in tree.recipe.items() if _is_set(value)}
        name = settings.pop("name", None) or say("dossier_by_hand", self._lang)
        rows = {
            "dossier_recipe": name,
            "dossier_settings": ", ".join(f"{key}={value}" for key, value in settings.items()),
            "dossier_constraints": " ".join(constraint_sentences(tree, self._lang)),
            "dossier_source": source.get("name"),
            "dossier_hash": source.get("sha256"),
            "dossier_rows": tree.about.get("n_rows") or weight_text(tree.weight_of(0)),
            "dossier_pruning": ", ".join(
                method_name(r["method"], self._lang) for r in tree.about.get("pruning", ())
            ),
            "dossier_steering": "; ".join(steering_lines(tree, self._lang)),
            "dossier_version": f"penjing {__version__}",
        }
        cells = "".join(
            f"<tr><th scope=row>{self._say(key)}</th><td>{_code(value, key)}</td></tr>"
            for key, value in rows.items()
            if value
        )
        self._section("dossier_provenance", self._table(self._say("dossier_provenance"), cells))

    def add_data(self, table: Table) -> None:
        """Add the profile of the training rows."""
        profile = profile_table(table)
        keys = ("name", "kind", "missing", "values")
        heads = "".join(f"<th scope=col>{self._say(f'dossier_{key}')}</th>" for key in keys)
        rows = []
        for column in profile["columns"][:MAX_COLUMNS]:
            kind = kind_name(column, self._lang)
            missing = column.get("missing", "")
            values = _values(column, say("list_comma", self._lang))
            cells = [column["name"], kind, f"{missing:,}" if missing else missing, values]
            rows.append("<tr>" + "".join(f"<td>{_text(cell)}</td>" for cell in cells) + "</tr>")
        notes = "".join(f"<li>{self._note(note)}</li>" for note in find_oddities(table))
        body = f"<thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody>"
        body = self._table(self._say("dossier_data"), body)
        introduction = f"<p>{self._say('rows', n=table.n_rows)}</p>"
        self._section("dossier_data", introduction + body + (f"<ul>{notes}</ul>" if notes else ""))

    def _note(self, note: Any) -> str:  # noqa: ANN401 - a Note
        values = {
            key: join_names(value, self._lang) if isinstance(value, tuple | list) else value
            for key, value in note.values.items()
        }
        return self._say(note.key, **values)

    def add_tree(self) -> None:
        """Add the diagram of the tree."""
        description = f"{self._title}: {say('dossier_tree', self._lang)}"
        figure = self._figure(
            lambda t: svg.write(self._tree, theme=t, lang=self._lang), description
        )
        self._section("dossier_tree", figure)

    def add_rules(self) -> None:
        """Add the rules, those with most rows first."""
        rules = sorted(rules_of(self._tree), key=lambda rule: -rule.weight)
        keys = ["prediction", "rule"]
        if self._tree.has_counts:
            keys += ["rows"] if self._tree.is_regression else ["rows", "right"]
        rows = []
        for rule in rules[:MAX_RULES]:
            conditions = say("rule_and", self._lang).join(
                condition_text(condition, self._lang, most=MAX_GROUP_WIDTH)
                for condition in rule.conditions
            )
            cells = [rule.prediction, conditions or say("rule_always", self._lang)]
            cells += [_count(rule.weight), f"{100 * rule.confidence:.0f}%"]
            rows.append(cells[: len(keys)])
        more = len(rules) - len(rows)
        rest = f"<p class=f>{self._say('dossier_more', n=more)}</p>" if more else ""
        heads = [say(f"dossier_{key}", self._lang) for key in keys]
        self._section("dossier_rules", self._cells("dossier_rules", heads, rows, (2, 3)) + rest)

    def add_importances(self) -> None:
        """Add the importances of the columns that the tree uses."""
        try:
            found = importances(self._tree).to_dict()
        except PenjingError:  # a tree without counts
            return
        rows = [[name, decimals(value)] for name, value in found.items() if value > 0]
        if len(rows) > 1:
            heads = [say("dossier_name", self._lang), say("importance_head", self._lang)]
            rows.sort(key=lambda row: -found[row[0]])
            table = self._cells("dossier_importance", heads, rows[:MAX_COLUMNS], (1,))
            self._section("dossier_importance", table)

    def add_root(self, train: Table | None) -> None:
        """Add the candidate splits of the root, if they are known or can be computed."""
        try:
            explanation = explain_node(self._tree, 0, train)
        except PenjingError:
            return
        text = node_text.write(explanation, self._lang, width=PRE_WIDTH)
        self._section("dossier_root", f"<pre>{_text_lines(text)}</pre>")

    def add_pruning(self) -> None:
        """Add the decisions of pruning."""
        records = [r for r in self._tree.about.get("pruning", ()) if r.get("decisions")]
        texts = [
            pruning_text.decision_list(self._tree, record, self._lang, limit=MAX_DECISIONS)
            for record in records
        ]
        if texts:
            self._section("dossier_decisions", f"<pre>{_text_lines(chr(10).join(texts))}</pre>")

    def add_predictions(self, key: str, report: Any, k: int = 0) -> None:  # noqa: ANN401 - of classes or numbers
        """Add accuracy, baselines, scores, confusion matrix, and for one tree lift and gain."""
        if not isinstance(report, Report):
            body = f"<p>{_lines(report.text(self._lang).splitlines())}</p>"
            self._section(key, body, k=k)
            return
        lang = self._lang
        lines = [report.headline(lang), *report.score_lines(lang), *report.notes(lang)]
        body = f"<p>{_lines(lines)}</p>"
        if len(report.classes) <= MAX_CLASSES:
            body += self._confusion(report) + self._class_scores(report)
        self._section(key, body, k=k)
        if report.positive is not None and report.tree is not None:
            self._add_lift(report)

    def add_warnings(self, test: Table, keys: Iterable[str]) -> None:
        """Add warnings that rows of the test set were used for growing or pruning."""
        source = test.source.get("name", "")
        self._parts += [f"<p class=warn>{self._say(key, source=source)}</p>" for key in keys]

    def _confusion(self, report: Report) -> str:
        corner = f"{self._say('report_actual')} ↓ · {self._say('report_predicted')} →"
        is_horizontal = len(report.classes) <= MAX_HORIZONTAL_CLASSES
        css_class = "n" if is_horizontal else "v"
        heads = "".join(f"<th scope=col class={css_class}>{_text(c)}</th>" for c in report.classes)
        rows = []
        for i, row in enumerate(report.confusion):
            cells = "".join(
                f'<td class="n{" hit" if i == j else ""}">{_text(_count(v))}</td>'
                for j, v in enumerate(row)
            )
            rows.append(f"<tr><th scope=row>{_text(report.classes[i])}</th>{cells}</tr>")
        head = f"<thead><tr><th>{corner}</th>{heads}</tr></thead>"
        body = f"{head}<tbody>{''.join(rows)}</tbody>"
        return self._table(corner, body, "" if is_horizontal else "dense")

    def _class_scores(self, report: Report) -> str:
        """Return precision, recall and ranking of each class as a table."""
        keys = ("precision", "recall", "f1", "roc_auc", "average_precision")
        heads = "".join(
            f"<th scope=col class=n>{self._say(f'test_{key}')}</th>" for key in (*keys, "support")
        )
        rows = []
        for class_score in report.per_class:
            shares = [getattr(class_score, key) for key in keys]
            cells = ["–" if share is None else decimals(share, 3) for share in shares]
            cells.append(_count(class_score.support))
            body = "".join(f"<td class=n>{_text(cell)}</td>" for cell in cells)
            rows.append(f"<tr><th scope=row>{_text(class_score.class_)}</th>{body}</tr>")
        head = f"<thead><tr><th scope=col>{self._say('test_class')}</th>{heads}</tr></thead>"
        return self._table(self._say("test_class"), f"{head}<tbody>{''.join(rows)}</tbody>")

    def _add_lift(self, report: Report) -> None:
        """Add the leaves by the probability of the positive class."""
        leaves, name = report.lift(), str(report.positive)
        heads = [f"p({name})", say("lift_rows", self._lang), name]
        heads += [say("lift_rate", self._lang, name=name)]
        heads += [say(f"lift_{key}", self._lang) for key in ("lift", "cumulative", "gain")]
        head = "".join(f"<th scope=col class=n>{_text(word)}</th>" for word in heads)
        rows = []
        for leaf in leaves[:MAX_RULES]:
            cells = [decimals(leaf.probability, 3), _count(leaf.rows)]
            cells += [_count(leaf.positives), f"{100 * leaf.rate:.1f}%"]
            cells += ["–" if leaf.lift is None else decimals(leaf.lift, 2)]
            cells += [f"{100 * leaf.cumulative_rows:.1f}%"]
            cells += ["–" if leaf.gain is None else f"{100 * leaf.gain:.1f}%"]
            body = "".join(f"<td class=n>{_text(cell)}</td>" for cell in cells)
            rows.append(f"<tr>{body}<td>{_text(leaf.rule)}</td></tr>")
        rest = ""
        if (more := len(leaves) - len(rows)) > 0:
            rest = f"<p class=f>{self._say('dossier_more', n=more)}</p>"
        label = self._say("summary_leaf")
        table = f"<thead><tr>{head}<th scope=col>{label}</th></tr></thead>"
        table = self._table(self._say("lift_title"), f"{table}<tbody>{''.join(rows)}</tbody>")
        self._section("lift_title", table + rest)

    def add_calibration(self, test: Table) -> None:
        """Add the calibration curve."""
        if not self._tree.is_regression:
            self.add_curve(lambda: calibration(self._tree, test))

    def add_curve(self, compute: Callable[[], dict[str, Any]]) -> None:
        """Add a curve and its numbers, or the reason why it cannot be computed."""
        try:
            curve = compute()
        except PenjingError as problem:
            self._parts.append(f"<p class=f>{escape(problem.say(self._lang))}</p>")
            return
        if not curve["points"]:
            return
        description = say(f"curve_{curve['kind']}", self._lang)
        figure = self._figure(lambda t: chart.write(curve, theme=t, lang=self._lang), description)
        numbers = f"<details><summary>{self._say('dossier_numbers')}</summary><pre>"
        numbers += escape(chart.text(curve, self._lang)) + "</pre></details>"
        self._section(f"curve_{curve['kind']}", figure + numbers)

    def text(self) -> str:
        """Return the page."""
        style = _STYLE + (_AUTO if self._theme == "auto" else "")
        css_class = ' class="dark"' if self._theme == "dark" else ""
        lang = "zh-CN" if self._lang == "zh" else "en"
        head = (
            '<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
            '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
            "style-src 'unsafe-inline'; img-src data:\">"
            f"<title>{escape(self._title)}</title><style>{style}</style>"
        )
        body = "\n".join(self._parts)
        return (
            f'<!doctype html>\n<html lang="{lang}"{css_class}><head>{head}</head>\n'
            f"<body>\n{body}\n</body></html>\n"
        )

    def _figure(self, draw: Callable[[str], str], description: str) -> str:
        """Return a figure; for the theme ``auto`` the browser chooses the light or the dark image.

        SVGs are embedded as images, so that the styles of one do not apply to another.
        """
        light, alt = _image(draw("light")), f'alt="{escape(to_printable(description))}"'
        if self._theme == "light":
            return f'<figure><img src="{light}" {alt}></figure>'
        dark = _image(draw("dark"))
        if self._theme == "dark":  # printed pages use the light image
            image = f'<img class=screen src="{dark}" {alt}><img class=paper src="{light}" {alt}>'
            return f"<figure>{image}</figure>"
        other = f'<source media="screen and (prefers-color-scheme:dark)" srcset="{dark}">'
        return f'<figure><picture>{other}<img src="{light}" {alt}></picture></figure>'

    def _table(self, label: str, rows: str, css_class: str = "") -> str:
        """Return a table that can be scrolled if it is wider than the page."""
        attributes = f'role=region tabindex=0 aria-label="{label}"'
        return f'<div class=wide {attributes}><table class="{css_class}">{rows}</table></div>'

    def _cells(
        self, key: str, heads: Sequence[str], rows: Sequence[Sequence[str]], numbers: Sequence[int]
    ) -> str:
        """Return a table of texts with headings; some of the columns are numbers."""
        classes = [" class=n" if place in numbers else "" for place in range(len(heads))]
        head = "".join(
            f"<th scope=col{c}>{_text(word)}</th>" for c, word in zip(classes, heads, strict=True)
        )
        body = "".join(
            "<tr>"
            + "".join(f"<td{c}>{_text(cell)}</td>" for c, cell in zip(classes, row, strict=True))
            + "</tr>"
            for row in rows
        )
        return self._table(self._say(key), f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody>")

    def _section(self, key: str, body: str, **values: object) -> None:
        self._parts.append(f"<section><h2>{self._say(key, **values)}</h2>{body}</section>")


def _image(picture: str) -> str:
    return "data:image/svg+xml;base64," + base64.b64encode(picture.encode("utf-8")).decode()


def _is_set(value: object) -> bool:
    return value is not None and value is not False and value != 0


def _text(value: object) -> str:
    return escape(to_printable(str(value)))


def _text_lines(text: str) -> str:
    return "\n".join(_text(line) for line in text.splitlines())


def _count(weight: float) -> str:
    """Return the weight of rows, with a separator of thousands."""
    return f"{int(weight):,}" if weight == int(weight) else weight_text(weight)


def _code(value: object, key: str) -> str:
    is_code = key in ("dossier_hash", "dossier_settings")
    return f"<code>{_text(value)}</code>" if is_code else _text(value)


def _lines(lines: Sequence[str]) -> str:
    return "<br>".join(_text(line) for line in lines)


def _values(column: dict[str, Any], separator: str) -> str:
    if "low" in column:
        return f"{column['low']:.6g} … {column['high']:.6g}"
    pairs = column.get("levels") or []
    shown = separator.join(f"{level} {n:,}" for level, n in pairs[:8])
    return shown + (" …" if len(pairs) > 8 else "")
