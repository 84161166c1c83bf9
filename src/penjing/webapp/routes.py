"""The routes of the lab: one table for HTTP and for the messages of a widget.

A route takes plain data and returns plain data; see README.md and protocol.d.ts in this folder.
"""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn
from urllib.parse import parse_qsl, unquote, urlsplit

from penjing.api.make_worksheet import is_worksheet_recipe
from penjing.arguments import one_of
from penjing.data.examples import EXAMPLES, example
from penjing.dialects.recipes import RECIPES
from penjing.errors import ChoiceError, PenjingError
from penjing.i18n import LANGUAGES, help_catalogue
from penjing.progress import ProgressCallback
from penjing.registry import plugins
from penjing.webapp import questions, saved_files
from penjing.webapp.exercise import new_exercise
from penjing.webapp.failures import (
    NotFoundError,
    WrongContentError,
    WrongMethodError,
    status_of,
)
from penjing.webapp.lab_state import Lab, OpenWorkbook
from penjing.webapp.lab_workbook import Moved
from penjing.webapp.open_file import refuse_results
from penjing.webapp.table_source import UPLOAD_BYTES, example_source, uploaded
from penjing.webapp.texts import (
    Text,
    error_text,
    export_label,
    in_all,
    message,
    page_words,
    pruner_label,
)

Plain = dict[str, Any]

PROTOCOL = 1
JSON_BYTES = 4 * 2**20
"""The largest body of any other request."""
THEMES = ("auto", "light", "dark")


@dataclass(frozen=True)
class Request:
    """A request after its route was found.

    Parameters
    ----------
    lab : Lab
        The lab.
    names : dict
        The parts of the path that the route names.
    query : dict
        The parameters after ``?``.
    body : dict
        The JSON object of the body; empty without one.
    content : bytes
        The file, for the route that takes one.
    progress : function, optional
        Called with a `Progress` from time to time; it raises an error to cancel the request.
    """

    lab: Lab
    names: Mapping[str, str]
    query: Mapping[str, str] = field(default_factory=dict)
    body: Mapping[str, Any] = field(default_factory=dict)
    content: bytes = b""
    progress: ProgressCallback | None = None

    def number(self, name: str, default: int) -> int:
        """Return a parameter that is a whole number."""
        value = self.query.get(name, str(default))
        if not (value.isascii() and value.isdigit() and len(value) < 16):
            raise ChoiceError("lab_bad_number", name=name, value=value)
        return int(value)

    def language(self) -> str:
        """Return the language that is asked for."""
        lang: str = one_of("lang", self.query.get("lang", "en"), LANGUAGES)
        return lang

    def node(self) -> int:
        """Return the number of a node in the path."""
        text = self.names["node"]
        if not (text.isascii() and text.isdigit() and len(text) < 16):
            raise NotFoundError("lab_no_node", node=text)
        return int(text)

    def opened(self) -> OpenWorkbook:
        """Return the workbook that the path names."""
        return self.lab.workbook(self.names["workbook"])


Handler = Callable[[Request], Plain]


@dataclass(frozen=True)
class Route:
    """A method and a path, whose parts in braces are names, and what answers."""

    method: str
    path: str
    handler: Handler
    takes_file: bool = False

    def match(self, path: list[str]) -> dict[str, str] | None:
        """Return the named parts of a path; None if it is another path."""
        own = self.path.split("/")
        if len(own) != len(path):
            return None
        names = {}
        for pattern, part in zip(own, path, strict=True):
            if pattern.startswith("{"):
                if not part:
                    return None
                names[pattern[1:-1]] = part
            elif pattern != part:
                return None
        return names


def answer(
    lab: Lab,
    method: str,
    target: str,
    body: object = None,
    content: bytes | None = None,
) -> tuple[int, Plain]:
    """Answer a request: an HTTP status, and plain data; errors are plain data, too.

    Parameters
    ----------
    lab : Lab
        The lab.
    method : str
        ``GET``, ``POST`` or ``DELETE``.
    target : str
        The path below ``/api/1/`` with its parameters.
    body : object
        What the JSON of the body means.
    content : bytes, optional
        The body as it is, for a route that takes a file.

    Examples
    --------
    >>> status, info = answer(Lab(), "POST", "table/example", {"example": "fish"})
    >>> status, info["rows"], info["target"]
    (200, 5, 'fish')
    >>> status, failure = answer(Lab(), "GET", "table/none")
    >>> status, failure["error"]["key"]
    (404, 'lab_no_table')
    """
    try:
        route, names, query = find_route(method, target)
        job = query.pop("job", None)
        request = Request(lab, names, query, _object(body), content or b"")
        if job is None:
            return 200, route.handler(replace(request, progress=lab.jobs.check_open))
        with lab.jobs.running(job) as running:
            return 200, route.handler(replace(request, progress=running.report))
    except PenjingError as error:
        return status_of(error), failure(error)
    except MemoryError:
        return 500, {"error": {"key": "no_memory", "message": message("no_memory")}}
    except Exception as error:  # an internal error must not end the server
        logging.getLogger("penjing.lab").exception("internal error")
        text = message("lab_internal_error", kind=type(error).__name__)
        return 500, {"error": {"key": "lab_internal_error", "message": text}}


def _object(body: object) -> Mapping[str, Any]:
    if body is None:
        return {}
    if not isinstance(body, Mapping):
        raise ChoiceError("lab_not_object", name="body")
    return body


def failure(error: PenjingError) -> Plain:
    """Return an error as plain data.

    Examples
    --------
    >>> failure(NotFoundError("lab_no_tree", id="x"))["error"]["message"]["en"]
    "this workbook has no tree 'x'."
    """
    return {"error": {"key": error.key, "message": error_text(error)}}


def find_route(method: str, target: str) -> tuple[Route, dict[str, str], dict[str, str]]:
    """Return the route of a request, the named parts of its path, and its parameters."""
    try:
        parts = urlsplit(target)
        query = dict(parse_qsl(parts.query, keep_blank_values=True, max_num_fields=32))
    except ValueError:  # not an address, or too many parameters
        raise NotFoundError("lab_no_route", path=target.partition("?")[0]) from None
    path = [unquote(part) for part in parts.path.strip("/").split("/")]
    other_method = False
    for route in ROUTES:
        names = route.match(path)
        if names is not None:
            if route.method == method:
                return route, names, query
            other_method = True
    if other_method:
        raise WrongMethodError("lab_wrong_method", path=parts.path, method=method)
    raise NotFoundError("lab_no_route", path=parts.path)


def parsed_body(raw: bytes, content_type: str) -> object:
    """Return what the JSON body of a request means; None for an empty body."""
    if not raw:
        return None
    if content_type.partition(";")[0].strip().lower() != "application/json":
        raise WrongContentError("lab_content_type")
    try:
        return json.loads(raw, parse_constant=_refuse_constant, parse_float=_finite_number)
    except (ValueError, RecursionError):
        raise ChoiceError("lab_body_json") from None


def _refuse_constant(name: str) -> NoReturn:
    """Refuse ``NaN`` and ``Infinity``, which JSON does not have, as browsers do."""
    raise ValueError(name)


def _finite_number(text: str) -> float:
    """Return a number of a body; one that no double holds is refused."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


def encoded(plain: object) -> bytes:
    """Return plain data as JSON that every browser reads: numbers that are none become null.

    Examples
    --------
    >>> encoded({"a": [1.5, float("nan")]})
    b'{"a":[1.5,null]}'
    """
    style: dict[str, Any] = {"ensure_ascii": False, "separators": (",", ":"), "default": _plain}
    try:
        text = json.dumps(plain, allow_nan=False, **style)
    except ValueError:
        text = json.dumps(_finite(plain), **style)
    return text.encode("utf-8", "backslashreplace")


def _plain(value: Any) -> Any:  # noqa: ANN401 - what json cannot write
    """Return a NumPy number or array as plain data, and any other object as text."""
    return value.tolist() if hasattr(value, "tolist") else str(value)


def _finite(value: Any) -> Any:  # noqa: ANN401 - any plain data
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _finite(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(part) for part in value]
    return value


# -- start and tables ----------------------------------------------------------------------------


def _lab_info(request: Request) -> Plain:
    from penjing import __version__  # noqa: PLC0415 - the package itself

    lab = request.lab
    named = {name: recipe for name, recipe in RECIPES.items() if name == recipe.name}
    return {
        "version": __version__,
        "protocol": PROTOCOL,
        "examples": [_example_info(name) for name in EXAMPLES],
        "recipes": [
            {"name": name, "settings": recipe.settings()} for name, recipe in named.items()
        ],
        "pruners": {name: _label(pruner_label, name) for name in plugins("pruner")},
        "exports": {
            name: _label(export_label, name) for name in (*plugins("renderer"), *plugins("export"))
        },
        "worksheet_recipes": [n for n, recipe in named.items() if is_worksheet_recipe(recipe)],
        "limits": {
            "upload_bytes": UPLOAD_BYTES,
            "json_bytes": JSON_BYTES,
            "rows_per_page": questions.ROWS_PER_PAGE,
            "idle_seconds": lab.idle_seconds,
        },
        "start": lab.start.to_json(),
        "words": page_words(),
    }


def _label(write: Callable[[str, str], str], name: str) -> Text:
    return in_all(lambda lang: write(name, lang))


def _example_info(name: str) -> Plain:
    table = example(name)
    return {
        "name": name,
        "rows": table.n_rows,
        "columns": len(table.columns),
        "target": EXAMPLES[name][1],
        "missing": sum(int((column.codes < 0).sum()) for column in table.columns),
        "description": in_all(lambda lang: help_catalogue(lang)[f"example_{name}"]),
    }


def _add_table(request: Request) -> Plain:
    name = request.query.get("name")
    source = uploaded(name or "", request.content)
    refuse_results(request.content, source.name)
    return request.lab.table_info(request.lab.add_table(source, request.query.get("like")))


def _add_example(request: Request) -> Plain:
    source = example_source(request.body.get("example"))
    return request.lab.table_info(request.lab.add_table(source))


def _table(request: Request) -> Plain:
    return request.lab.table_info(request.names["table"])


def _change_columns(request: Request) -> Plain:
    opened = request.lab.table(request.names["table"])
    return request.lab.table_info(request.lab.add_table(opened.source.changed(request.body)))


def _table_rows(request: Request) -> Plain:
    table = request.lab.table(request.names["table"]).table
    return questions.rows_page(table, request.number("start", 0), request.number("count", 50))


def _drop_table(request: Request) -> Plain:
    request.lab.drop_table(request.names["table"])
    return {}


# -- workbooks -----------------------------------------------------------------------------------


def _state(request: Request, workbook_id: str) -> Plain:
    opened = request.lab.workbook(workbook_id)
    return questions.workbook_state(workbook_id, opened.table_id, opened.workbook)


def _workbooks(request: Request) -> Plain:
    return {
        "workbooks": [
            {
                "workbook": workbook_id,
                "name": book.source.name,
                "recipe": book.growing.recipe,
                "steps": len(book.history.entries) - 1,
                "leaves": book.history.entry(book.current).n_leaves,
            }
            for workbook_id, book in request.lab.workbooks()
        ]
    }


def _add_workbook(request: Request) -> Plain:
    return _state(request, request.lab.add_workbook(request.body, request.progress))


def _replay(request: Request) -> Plain:
    return _state(request, request.lab.replay(request.body, request.progress))


def _copy(request: Request) -> Plain:
    copy = request.lab.copy_workbook(request.names["workbook"], request.progress)
    return _state(request, copy)


def _workbook(request: Request) -> Plain:
    return _state(request, request.names["workbook"])


def _drop_workbook(request: Request) -> Plain:
    request.lab.drop_workbook(request.names["workbook"])
    return {}


def _moved(request: Request, moved: Moved) -> Plain:
    workbook = request.opened().workbook
    changes = questions.changes(workbook, moved)
    view = questions.tree_view(workbook, moved.after, request.language())
    return {
        "changed": moved.is_changed,
        "workbook": _workbook(request),
        "tree": view,
        "changes": changes,
    }


def _step(request: Request) -> Plain:
    return _moved(request, request.opened().workbook.step(request.body, request.progress))


def _preview(request: Request) -> Plain:
    return questions.preview(request.opened().workbook, request.body, request.progress)


def _undo(request: Request) -> Plain:
    return _moved(request, request.opened().workbook.undo())


def _redo(request: Request) -> Plain:
    return _moved(request, request.opened().workbook.redo())


def _go(request: Request) -> Plain:
    return _moved(request, request.opened().workbook.go(str(request.body.get("tree"))))


def _finish(request: Request) -> Plain:
    return request.lab.finish(request.opened().workbook).to_json()


def _file(request: Request) -> Plain:
    return saved_files.journal_file(request.opened().workbook)


def _script(request: Request) -> Plain:
    return saved_files.script_file(request.opened().workbook, request.language())


def _compare(request: Request) -> Plain:
    names = request.names
    return questions.compared(request.opened().workbook, names["tree"], names["other"])


# -- trees ---------------------------------------------------------------------------------------


def _tree(request: Request) -> Plain:
    workbook = request.opened().workbook
    return questions.tree_view(workbook, request.names["tree"], request.language())


def _why(request: Request) -> Plain:
    return questions.why(request.opened().workbook, request.names["tree"], request.node())


def _thresholds(request: Request) -> Plain:
    workbook, tree = request.opened().workbook, request.names["tree"]
    return questions.thresholds(workbook, tree, request.node(), request.query.get("column"))


def _categories(request: Request) -> Plain:
    workbook, tree = request.opened().workbook, request.names["tree"]
    return questions.categories(workbook, tree, request.node(), request.query.get("column"))


def _rows(request: Request) -> Plain:
    return questions.rows_of_node(
        request.opened().workbook,
        request.names["tree"],
        request.node(),
        part=request.query.get("part", "training"),
        start=request.number("start", 0),
        count=request.number("count", 50),
    )


def _pruning(request: Request) -> Plain:
    is_validated = request.number("validation", 1) == 1
    workbook = request.opened().workbook
    return questions.pruning_path(workbook, request.names["tree"], validation=is_validated)


def _rules(request: Request) -> Plain:
    workbook = request.opened().workbook
    return questions.rules(workbook, request.names["tree"], request.language())


def _score(request: Request) -> Plain:
    part = request.query.get("part", "training")
    return questions.score_report(request.opened().workbook, request.names["tree"], part)


def _importances(request: Request) -> Plain:
    tree = request.opened().workbook.tree(request.names["tree"])
    return {"importances": tree.importances().to_dict()}


def _explain(request: Request) -> Plain:
    workbook = request.opened().workbook
    return questions.explained_row(workbook, request.names["tree"], request.body.get("row"))


def _export(request: Request) -> Plain:
    names = request.names
    workbook = request.opened().workbook
    return saved_files.export_file(workbook, names["tree"], names["kind"], request.language())


def _report(request: Request) -> Plain:
    theme = one_of("theme", request.query.get("theme", "auto"), THEMES)
    workbook = request.opened().workbook
    return saved_files.report_file(workbook, request.names["tree"], request.language(), theme)


# -- exercises and jobs --------------------------------------------------------------------------


def _add_exercise(request: Request) -> Plain:
    body, table = request.body, None
    if body.get("example") is not None:
        table = example_source(body["example"]).read()
    elif body.get("table") is not None:
        table = request.lab.table(body["table"]).table
    exercise = new_exercise(body, table)
    return exercise.to_json(request.lab.add_exercise(exercise))


def _exercise(request: Request) -> Plain:
    exercise_id = request.names["exercise"]
    return request.lab.exercise(exercise_id).to_json(exercise_id)


def _check(request: Request) -> Plain:
    exercise = request.lab.exercise(request.names["exercise"])
    return exercise.check(request.body.get("id"), request.body.get("value"))


def _hint(request: Request) -> Plain:
    return request.lab.exercise(request.names["exercise"]).hint(request.body.get("id"))


def _give_up(request: Request) -> Plain:
    return request.lab.exercise(request.names["exercise"]).give_up(request.body.get("id"))


def _result(request: Request) -> Plain:
    result = request.lab.exercise(request.names["exercise"]).result()
    text = json.dumps(result, ensure_ascii=False, indent=1) + "\n"
    student = saved_files.name_part(result["student"])
    name = f"exercise-result{'-' if student else ''}{student}.json"
    return saved_files.file_answer(name, "application/json", text)


def _cancel(request: Request) -> Plain:
    job = request.body.get("job")
    return {"job": job, "was_running": request.lab.jobs.cancel(job)}


_W = "workbook/{workbook}"
_T = f"{_W}/tree/{{tree}}"
ROUTES = (
    Route("GET", "lab", _lab_info),
    Route("POST", "table", _add_table, takes_file=True),
    Route("POST", "table/example", _add_example),
    Route("GET", "table/{table}", _table),
    Route("DELETE", "table/{table}", _drop_table),
    Route("POST", "table/{table}/columns", _change_columns),
    Route("GET", "table/{table}/rows", _table_rows),
    Route("GET", "workbook", _workbooks),
    Route("POST", "workbook", _add_workbook),
    Route("POST", "replay", _replay),
    Route("GET", _W, _workbook),
    Route("DELETE", _W, _drop_workbook),
    Route("POST", f"{_W}/copy", _copy),
    Route("POST", f"{_W}/step", _step),
    Route("POST", f"{_W}/preview", _preview),
    Route("POST", f"{_W}/undo", _undo),
    Route("POST", f"{_W}/redo", _redo),
    Route("POST", f"{_W}/go", _go),
    Route("POST", f"{_W}/finish", _finish),
    Route("GET", f"{_W}/file", _file),
    Route("GET", f"{_W}/script", _script),
    Route("GET", f"{_W}/compare/{{tree}}/{{other}}", _compare),
    Route("GET", _T, _tree),
    Route("GET", f"{_T}/why/{{node}}", _why),
    Route("GET", f"{_T}/thresholds/{{node}}", _thresholds),
    Route("GET", f"{_T}/categories/{{node}}", _categories),
    Route("GET", f"{_T}/rows/{{node}}", _rows),
    Route("GET", f"{_T}/pruning", _pruning),
    Route("GET", f"{_T}/rules", _rules),
    Route("GET", f"{_T}/score", _score),
    Route("GET", f"{_T}/importances", _importances),
    Route("POST", f"{_T}/explain", _explain),
    Route("GET", f"{_T}/export/{{kind}}", _export),
    Route("GET", f"{_T}/report", _report),
    Route("POST", "exercise", _add_exercise),
    Route("GET", "exercise/{exercise}", _exercise),
    Route("POST", "exercise/{exercise}/check", _check),
    Route("POST", "exercise/{exercise}/hint", _hint),
    Route("POST", "exercise/{exercise}/give-up", _give_up),
    Route("GET", "exercise/{exercise}/result", _result),
    Route("POST", "cancel", _cancel),
)
"""All routes; events are a stream, which each host sends in its own way."""
