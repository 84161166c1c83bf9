"""Write docs/architecture.md from the sources: packages, ways through them, where to put what.

Every sentence about a module, a class or a function is the first line of its docstring, and every
name is looked up: a name that is gone stops this script. ``make docs`` runs it, and a test compares
the page with what it writes.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "src" / "penjing"
PAGE = ROOT / "docs" / "architecture.md"

FROM_CSV_TO_LEAF = (
    ("data/read/__init__.py", "read"),
    ("data/read/dispatch.py", "read_source"),
    ("data/read/text_encoding.py", "decode"),
    ("data/read/csv.py", "from_delimited"),
    ("data/read/build_table.py", "build_table"),
    ("data/read/clean_columns.py", "clean_column"),
    ("data/read/infer.py", "infer_columns"),
    ("data/table.py", "Table"),
    ("predict/inputs.py", "align"),
    ("predict/flat.py", "FlatPredictor"),
    ("predict/predict.py", "predict"),
)
FIT = (
    ("api/fit.py", "fit"),
    ("training/train.py", "train"),
    ("training/select_engine.py", "select_engine"),
    ("dialects/recipes.py", "recipe_of"),
    ("grow/recipe.py", "Recipe.fits"),
    ("grow/engine.py", "Engine"),
    ("grow/loop.py", "grow"),
    ("grow/dialect.py", "Dialect.stops"),
    ("grow/engine.py", "Engine.best_splits"),
    ("grow/dialect.py", "Dialect.best_splits"),
    ("grow/engine.py", "Engine.tally"),
    ("criteria/criterion.py", "gains"),
    ("grow/dialect.py", "Dialect.choose"),
    ("grow/surrogates.py", "add_missing_routes"),
    ("tree/builder.py", "TreeBuilder"),
    ("grow/dialect.py", "Dialect.finish"),
    ("training/pruning.py", "prune"),
    ("api/tree.py", "Tree.from_data"),
)
PICTURE = (
    ("api/tree.py", "Tree.write"),
    ("registry.py", "load"),
    ("render/svg.py", "write"),
    ("render/diagram.py", "build_diagram"),
    ("text/labels.py", "branch_text"),
    ("render/layout.py", "box_centres"),
    ("render/save.py", "save_picture"),
)
PLACES = {
    "criterion": "criteria/",
    "dialect": "dialects/",
    "pruner": "prune/",
    "engine": "engines/",
    "renderer": "render/",
    "chart": "render/charts/",
    "export": "export/",
}
OTHER_PLACES = (
    ("a sentence that users read", "i18n/en.py", "and `i18n/zh.py`, under one key"),
    ("a file format to read", "data/read/dispatch.py", "and one file beside it"),
    ("what happens to a missing value when a tree predicts", "predict/flat.py",
     "and `cpp/predict/`; what a recipe learns for it: `grow/surrogates.py`"),
    ("a method of `Tree`", "api/tree.py", "typed, with an example; the work is done in a package below"),
    ("a metric, a curve", "evaluate/metrics.py", "or beside it"),
    ("a command or an option", "cli/app.py", "lists the modules of commands; options: `cli/parameters.py`"),
    ("a field of the model file", "tree/serialize.py",
     "with `tree/validate.py`, `docs/model.schema.json` and a file in `tests/tree/saved_models/`"),
    ("how numbers and splits read", "text/labels.py", ""),
    ("a kernel in C++", "_core.pyi", "lists what C++ offers; the sources are in `cpp/`"),
)  # fmt: skip


@cache
def parsed(path: Path) -> ast.Module:
    """Return the syntax tree of a file."""
    return ast.parse(path.read_text("utf-8"))


def first_line(node: ast.Module | ast.ClassDef | ast.FunctionDef) -> str:
    """Return the first line of a docstring, as Markdown."""
    text = (ast.get_docstring(node) or "").split("\n\n", 1)[0].replace("\n", " ")
    text = re.sub(r":\w+:`~?(?:[\w.]+\.)?(\w+)`", r"`\1`", text)
    return text.replace("``", "`").replace("|", "\\|")


def find(path: str, name: str) -> ast.ClassDef | ast.FunctionDef:
    """Return a class, a function or a method of a file."""
    here: ast.AST = parsed(SOURCES / path)
    for part in name.split("."):
        below = [
            node
            for node in ast.iter_child_nodes(here)
            if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name == part
        ]
        if not below:
            sys.exit(f"docs/architecture_page.py: {path} has no {name}")
        here = below[-1]  # the last of several is the one that overloads describe
    assert isinstance(here, ast.ClassDef | ast.FunctionDef)
    return here


def description(path: str, name: str) -> str:
    """Return the first line of what a class, a function, a method or a field says of itself."""
    outer, _, field = name.rpartition(".")
    body = find(path, outer).body if outer else []
    for node, following in pairwise(body):
        is_field = isinstance(node, ast.AnnAssign) and getattr(node.target, "id", "") == field
        if is_field and isinstance(following, ast.Expr):
            return str(ast.literal_eval(following.value))
    return first_line(find(path, name))


def link(path: str) -> str:
    """Return a link to a source file."""
    return f"[{path}](../src/penjing/{path})"


def way(steps: tuple[tuple[str, str], ...]) -> Iterator[str]:
    """Yield a numbered list of functions, with what each one does."""
    for i, (path, name) in enumerate(steps, start=1):
        yield f"{i}. `{name}` in {link(path)}: {description(path, name)}"


def layers() -> list[list[str]]:
    """Return the packages of each layer of the import contract, from the top."""
    tool = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]
    (contract,) = [c for c in tool["importlinter"]["contracts"] if c["type"] == "layers"]
    return [re.findall(r"[\w.]+", re.sub(r"\(.*?\)", "", layer)) for layer in contract["layers"]]


def modules(package: str) -> list[Path]:
    """Return the files of a package, or the file of a module."""
    file = SOURCES / f"{package}.py"
    return [file] if file.exists() else sorted((SOURCES / package).rglob("*.py"))


def imports(package: str) -> list[str]:
    """Return the packages that a package imports."""
    found = set()
    for path in modules(package):
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("penjing."):
                found.add(node.module.split(".")[1])
            elif isinstance(node, ast.ImportFrom) and node.module == "penjing":
                found |= {a.name for a in node.names if (SOURCES / f"{a.name}.py").exists()}
    order = [name for layer in layers() for name in layer]
    return [name for name in order if name in found - {package}]


def package_docstring(package: str) -> str:
    """Return what a package says of itself."""
    file = SOURCES / f"{package}.py"
    return first_line(parsed(file if file.exists() else SOURCES / package / "__init__.py"))


def registry() -> dict[str, dict[str, str]]:
    """Return what is built in, by kind."""
    for node in parsed(SOURCES / "registry.py").body:
        if isinstance(node, ast.AnnAssign) and getattr(node.target, "id", "") == "BUILT_IN":
            assert node.value is not None
            return dict(ast.literal_eval(node.value))
    sys.exit("docs/architecture_page.py: registry.py has no BUILT_IN")


def packages() -> Iterator[str]:
    """Yield the layers as a drawing, and a table of the packages."""
    yield "```text"
    for layer in layers():
        yield "   " + "  ·  ".join(layer)
    yield "```"
    yield ""
    yield "| package | what it is | files | imports |"
    yield "| --- | --- | --- | --- |"
    for layer in layers():
        for name in layer:
            is_file = (SOURCES / f"{name}.py").exists()
            target = f"{name}.py" if is_file else f"{name}/"
            used = ", ".join(imports(name)) or "–"
            n = "" if is_file else str(len(modules(name)))
            yield f"| {link(target)} | {package_docstring(name)} | {n} | {used} |"


def engines() -> Iterator[str]:
    """Yield the engines as a table."""
    yield "| engine | what it is | file |"
    yield "| --- | --- | --- |"
    for name, place in registry()["engine"].items():
        path = place.partition(":")[0].removeprefix("penjing.").replace(".", "/") + ".py"
        yield f"| `{name}` | {first_line(parsed(SOURCES / path))} | {link(path)} |"


def places() -> Iterator[str]:
    """Yield where to put what, as a table."""
    yield "| to add or change | go to | |"
    yield "| --- | --- | --- |"
    for kind, names in registry().items():
        listed = ", ".join(f"`{name}`" for name in names)
        article = "an" if kind[0] in "aeiou" else "a"
        listed = listed.replace("`quinlan`", "`quinlan` (the folder `c45`)")
        yield f"| {article} {kind} | {link(PLACES[kind])} | and one line in `registry.py`; there are {listed} |"
    for what, path, more in OTHER_PLACES:
        if not (SOURCES / path).exists():
            sys.exit(f"docs/architecture_page.py: there is no {path}")
        yield f"| {what} | {link(path)} | {more} |"


def cpp() -> Iterator[str]:
    """Yield the folders of the C++ core with the first line of each file."""
    for folder in sorted(path for path in (ROOT / "cpp").iterdir() if path.is_dir()):
        yield f"<details><summary><code>cpp/{folder.name}/</code></summary>"
        yield ""
        for path in sorted(folder.glob("*.?pp")):
            lines = path.read_text("utf-8").splitlines()
            comment = []
            for line in lines:
                if not line.startswith("//"):
                    break
                comment.append(line.lstrip("/ "))
            text = re.split(r"(?<=\.) ", " ".join(comment), maxsplit=1)[0]
            yield f"- [{path.name}](../cpp/{folder.name}/{path.name}): {text}"
        yield ""
        yield "</details>"
        yield ""


def index() -> Iterator[str]:
    """Yield every module with its idea, package by package."""
    for name in (name for layer in layers() for name in layer):
        if (SOURCES / f"{name}.py").exists():
            continue
        yield f"<details><summary><code>{name}/</code></summary>"
        yield ""
        for path in modules(name):
            relative = str(path.relative_to(SOURCES))
            yield f"- {link(relative)}: {first_line(parsed(path))}"
        yield ""
        yield "</details>"
        yield ""


def page() -> str:
    """Return the whole page."""
    parts = [
        "# Architecture",
        "",
        "This page is written from the sources by `python docs/architecture_page.py` (`make docs`); do not",
        "edit it. The central idea: **an engine answers counts, and everything else is decided from them**",
        "([decision 001](decisions/001-counts-are-the-only-question.md)).",
        "",
        "## Packages",
        "",
        "A package imports only packages on lines below its own (`make check` enforces it). Packages on one",
        "line do not import each other, except that `__main__` starts `cli`, and that `arguments` and",
        "`registry` raise `errors`.",
        "",
        *packages(),
        "",
        "## How a row gets from a CSV file to a leaf",
        "",
        *way(FROM_CSV_TO_LEAF),
        "",
        "## How a fit runs through the engines",
        "",
        *way(FIT),
        "",
        "The engine `native` grows a whole tree in C++ where it can, instead of steps 7 to 15; `disk` and",
        "`spark` have drivers of their own that count a generation of nodes in one pass. The tree is the same.",
        "",
        *engines(),
        "",
        "## How a tree becomes a picture",
        "",
        *way(PICTURE),
        "",
        "## Where to put what",
        "",
        *places(),
        "",
        "## Every module",
        "",
        *index(),
        "## The C++ core",
        "",
        "Built as one extension module, `penjing._core`; only `cpp/bind/` includes Python headers.",
        "",
        *cpp(),
    ]
    return "\n".join(parts).rstrip() + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
