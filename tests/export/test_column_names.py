"""Columns may be called anything: keywords, macros, globals, what the programs call their own."""

from __future__ import annotations

import builtins
import keyword
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable
from functools import cache

import numpy as np
import pytest

import export_programs as programs
from export_rows import Row, as_table
from export_trees import TREES
from penjing import ChoiceError, Tree
from user_trees import from_json

RUN = {
    "python": programs.by_python,
    "c": programs.by_c,
    "javascript": programs.by_javascript,
    "java": programs.by_java,
    "sqlite": programs.by_sqlite,
    "duckdb": programs.by_duckdb,
}
WAYS = ({}, {"unseen": "error"}, {"missing": "fraction"})
"""As if and else, with a level refused, and as tables."""
MOST = 255
"""Questions of a whole tree of eight levels: as many columns are tried in one program."""
IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*", re.ASCII)

C_WORDS = """
auto break case char const continue default do double else enum extern float for goto if int long
register return short signed sizeof static struct switch typedef union unsigned void volatile while
inline restrict _Bool _Complex _Imaginary _Alignas _Alignof _Atomic _Generic _Noreturn asm
_Static_assert _Thread_local alignas alignof bool constexpr false nullptr static_assert typeof
thread_local true typeof_unqual _BitInt _Decimal128 _Decimal32 _Decimal64 fortran and and_eq bitand
bitor catch char16_t char32_t char8_t class co_await co_return co_yield compl concept consteval
const_cast constinit decltype delete dynamic_cast explicit export friend mutable namespace new
noexcept not not_eq operator or or_eq private protected public reinterpret_cast requires static_cast
template this throw try typeid typename using virtual wchar_t xor xor_eq size_t ptrdiff_t div_t
errno stdin stdout stderr assert offsetof main argc linux unix i386 near far min max small interface
isnan NAN NULL memcpy strcmp realloc free int32_t EOF BUFSIZ complex I noreturn environ FILE
"""
JS_WORDS = """
abstract arguments await async boolean break byte case catch char class const continue debugger
default delete do double else enum eval export extends false final finally float for from function
get goto if implements import in instanceof int interface let long native new null of package
private protected public return set short static super switch synchronized this throw throws
transient true try typeof undefined using var void volatile while with yield NaN Infinity Number
RangeError String Map Math Object globalThis window document self constructor prototype toString
hasOwnProperty valueOf __proto__ __defineGetter__ isPrototypeOf then toJSON length name
"""
JAVA_WORDS = """
abstract assert boolean break byte case catch char class const continue default do double else enum
exports extends false final finally float for goto if implements import instanceof int interface
long module native new non null open opens package permits private protected provides public record
requires return sealed short static strictfp super switch synchronized this throw throws to
transient transitive true try uses var void volatile when while with yield _ Double String Map
HashMap ArrayDeque Object Integer Number Boolean Math Long System Arrays java javax util lang List
IllegalArgumentException Character Byte Short Float Void Class Thread Record Enum Override
"""
ODD = """
x0 x1 x2 x0_ x1_ NULL_ NULL__ int_ int__ class_ row row_ rows predicted predicted_ shares values
penjing_alone penjing_row PENJING_IS PENJING_N_OUTPUTS penjing penjing_stop stopOf textOf categoryOf
numberOf texts levels columns classes answers predict predictProba _stop _text _number _at p(a) p(b)
a-b a.b a_b a__b 1st 2nd 名称 名_称 鿿 ９ ﬁ µ é ℘ a\u0301 A a B b *//* /*c*/ //d """
HOSTILE = [
    *ODD.split(),
    *("", " ", "\\", "\\u0022", '"""', "'''", "${x}", "`", "</script>", "#{x}", "%s", "{0}", "{{"),
    *("\n", "a\nb", "\r", "\u2028", "??/", "*/", "x" * 41, "y" * 300),
]


def tree_of(names: list[str], *, first_is_number: bool = True) -> Tree:
    """Return a whole tree that asks about each column once, in turn a number and a text."""
    schema = []
    for i, name in enumerate(names):
        is_number = (i % 2 == 0) == first_is_number
        kind = {"kind": "numeric"} if is_number else {"kind": "nominal", "levels": ["u", "v", "w"]}
        schema.append({"name": name, **kind})
    nodes = []
    for i in range(2 * len(names) + 1):
        parent = (i - 1) // 2
        node = {"parent": parent if i else -1, "total": [1 + i % 3, 1 + i % 2]}
        if i and "levels" in schema[parent]:
            node["levels"] = [1 - i % 2]
        if i < len(names):
            node |= {"column": i, "gain": 0.1, "score": 0.1, "missing": i % 2}
            node |= {} if "levels" in schema[i] else {"cut": i / 8}
        nodes.append(node)
    target = {"name": "the target", "kind": "nominal", "levels": ["a", "b"]}
    about = {"format": 1, "penjing": "0.1.0", "recipe": {}, "centre": 0.0, "about": {}}
    return from_json(about | {"target": target, "schema": schema, "nodes": nodes, "trace": None})


def batches(names: Iterable[str]) -> list[list[str]]:
    every = list(names)
    return [every[i : i + MOST] for i in range(0, len(every), MOST)]


def rows_of(tree: Tree) -> list[Row]:
    """Return rows that come to every leaf, and rows with values at random, missing ones too."""
    rng = np.random.RandomState(len(tree.schema))
    made = []
    for leaf in [*np.flatnonzero(tree.is_leaf).tolist(), *[-1] * 60]:
        row: Row = {}
        for c, field in enumerate(tree.schema):
            known = [c / 8, c / 8 + 1] if field.is_numeric else ["u", "v"]
            row[field.name] = [*known, None][rng.randint(3)]
        for node in tree.path(leaf)[1:] if leaf >= 0 else ():
            parent, branch = tree.parent_of(node)
            field = tree.schema[parent]
            known = [parent / 8, parent / 8 + 1] if field.is_numeric else ["u", "v"]
            row[field.name] = known[branch]
        made.append(row)
    return made


def agree(names: Iterable[str], kind: str, folder, *, ways=WAYS, first_is_number=True) -> None:
    """Write programs for columns of these names, run them, and compare answers."""
    known = dict.fromkeys(names)
    if kind in ("sqlite", "duckdb"):  # tell no capitals apart
        known = {name.casefold(): name for name in known if "\0" not in name and name}.values()
        ways = [way for way in ways if "unseen" not in way]
    for batch in batches(known):
        tree = tree_of(batch, first_is_number=first_is_number)
        rows = rows_of(tree)
        for way in ways:
            answers, _ = RUN[kind](tree, rows, folder, **way)
            assert answers == tree.predict(as_table(tree, rows), **way).tolist()
            for mode in ("c11", "gnu17", "gnu2x") if kind == "c" else ():
                # in these modes linux and unix are macros, and bool is a keyword
                checked = ["-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-D_GNU_SOURCE"]
                command = ["gcc", f"-std={mode}", *checked, "tree.c"]
                subprocess.run(command, cwd=folder, check=True)


def own(kind: str) -> set[str]:
    """Return every name that the programs of a language use, whatever they are made of."""
    options = {"dialect": "sqlite"} if kind in ("sqlite", "duckdb") else {}
    name = "sql" if options else kind
    texts = [TREES["fraction"]().export(name, **options), TREES["id3"]().export(name, **options)]
    if not options:
        texts.append(TREES["id3"]().export(name, unseen="error"))
        texts.append(tree_of(["x"]).export(name))
    return {word for text in texts for word in IDENTIFIER.findall(text)}


def _lines(*command: str, given: str = "") -> list[str]:
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


@cache
def macros() -> list[str]:
    """Return every macro that is known where our headers are included, in any mode of gcc.

    One with parameters has a parenthesis after its name: a field never has one after it.
    """
    text = tree_of(["x"]).export("c")
    headers = "\n".join(re.findall(r"^#include .*$", text, re.MULTILINE)) + "\n"
    found: set[str] = set()
    for mode in ("c89", "c99", "c11", "gnu89", "gnu17", "gnu2x"):
        more = ["-D_GNU_SOURCE"] if mode.startswith("gnu") else []
        for line in _lines("gcc", f"-std={mode}", *more, "-dM", "-E", "-", given=headers):
            found.add(re.match(r"#define (\w+\(?)", line).group(1))
    return sorted(found)


def macro_names() -> list[str]:
    return [macro.removesuffix("(") for macro in macros()]


def python_words() -> list[str]:
    return [*keyword.kwlist, *keyword.softkwlist, *dir(builtins), "exec", "print", "math"]


def js_words() -> list[str]:
    script = "console.log(Object.getOwnPropertyNames(globalThis).join('\\n'))"
    inherited = "console.log(Object.getOwnPropertyNames(Object.prototype).join('\\n'))"
    return [*JS_WORDS.split(), *_lines("node", "-e", script), *_lines("node", "-e", inherited)]


def sql_words() -> list[str]:
    from sqlglot.tokens import Tokenizer  # noqa: PLC0415

    return [word.lower() for word in Tokenizer.KEYWORDS if word.isalpha()]


WORDS: dict[str, Callable[[], list[str]]] = {
    "python": python_words,
    "c": lambda: [*C_WORDS.split(), *(m for m in macro_names() if m[0] != "_")],
    "javascript": js_words,
    "java": JAVA_WORDS.split,
    "sqlite": sql_words,
    "duckdb": sql_words,
}


@pytest.mark.parametrize("kind", RUN)
def test_hostile_names_and_the_programs_own_are_columns_like_others(kind, tmp_path):
    agree([*HOSTILE, *sorted(own(kind))], kind, tmp_path, ways=WAYS[:1])


@pytest.mark.parametrize("kind", RUN)
def test_words_of_the_language_are_columns_like_others(kind, tmp_path):
    words = WORDS[kind]()
    ways = WAYS[1:2] if kind in ("c", "java") else WAYS
    agree([*words[:MOST], "predicted", "P(A)", "p(b)"][-MOST:], kind, tmp_path, ways=ways)


@pytest.mark.parametrize("kind", ["onnx", "pmml", "duckdb", "sqlite", "postgres"])
def test_answers_never_have_the_name_of_a_column(kind, tmp_path, request):
    run = {"onnx": programs.by_onnx, "pmml": programs.by_pmml, "postgres": programs.by_postgres}
    given = {"link": request.getfixturevalue("link")} if kind == "postgres" else {}
    names = ["predicted", "P(A)", "p(b)", "penjing_alone", "shares", "probabilities", "penjing/1"]
    tree = tree_of(names)
    rows = rows_of(tree)
    for way in ({}, {"missing": "stop" if kind == "pmml" else "fraction"}):
        answers, shares = (run | RUN)[kind](tree, rows, tmp_path, **way, **given)
        assert answers == tree.predict(as_table(tree, rows), **way).tolist()
        wanted = tree.predict_proba(as_table(tree, rows), **way)
        assert np.abs(np.asarray(shares) - wanted).max() < 1e-12


@pytest.fixture(scope="module")
def link():
    with programs.postgres() as found:
        yield found


@pytest.mark.slow
@pytest.mark.parametrize("kind", RUN)
@pytest.mark.parametrize("first_is_number", [False, True])
def test_all_words_are_columns_in_all_languages(kind, first_is_number, tmp_path):
    every = [word for words in WORDS.values() for word in words()]
    every += [*macro_names(), *HOSTILE, *(word for kind in RUN for word in own(kind))]
    agree(every, kind, tmp_path, first_is_number=first_is_number)


def test_no_macro_of_any_mode_is_a_field_of_c():
    from penjing.export.identifiers import column_variables  # noqa: PLC0415
    from penjing.export.plan import build_plan  # noqa: PLC0415

    known = {macro for macro in macros() if not macro.endswith("(")}
    for batch in batches(known):
        names = column_variables(build_plan(tree_of(batch), "c"), "c").values()
        assert len(set(names)) == len(batch)
        assert not known & set(names)


def test_names_that_are_safe_are_kept():
    plain = ["age", "sex", "Elevation", "sepalLength", "petal_width", "Horizontal_Distance", "x1"]
    text = tree_of(plain).export("c")
    assert all(re.search(rf"\b{name}; /\* {name} \*/", text) for name in plain)
    assert "    double RM_; /* RM */" in tree_of(["RM"]).export("c")


def test_an_absent_column_is_missing_whatever_objects_inherit(tmp_path):
    names = ["toString", "constructor", "__proto__", "valueOf", "hasOwnProperty"]
    for name in names:
        tree = tree_of([name], first_is_number=False)
        answers, _ = programs.by_javascript(tree, [{}], tmp_path)
        assert answers == tree.predict(as_table(tree, [{name: None}])).tolist()


@pytest.mark.parametrize(
    "name", ["String", "Map", "class", "java", "int", "Double", "_x y", "record"]
)
def test_a_class_of_java_hides_nothing_that_it_needs(name):
    with pytest.raises(ChoiceError, match="Java"):
        tree_of(["x"]).export("java", name=name)
    assert "class Melon " in tree_of(["x"]).export("java", name="Melon")
