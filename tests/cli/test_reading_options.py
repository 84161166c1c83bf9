"""Commands x reading options: every verb that reads a table takes all of them, and applies them.

The verbs and the options come from the program itself, so that a new one is tested, too.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import typer

from penjing.cli.app import build_app
from penjing.cli.parameters import READING_OPTIONS

TABLES = ("data", "train", "test", "validate")
"""The parameters by which verbs are given a table."""


def verbs():
    """Return the parameters of each verb, by name, as the program has them."""
    commands = typer.main.get_command(build_app()).commands
    return {name: command.params for name, command in commands.items()}


READERS = sorted(name for name, params in verbs().items() if {p.name for p in params} & {*TABLES})
READING = [param for param in verbs()["fit"] if param.name.startswith("reading_")]
LONG = sorted(param.opts[0] for param in READING)

ROWS = [["a", "n", "k", "w", "day", "y"]] + [
    ["pq"[i % 2], f"{i}.5", "uv"[i % 3 == 0], f"{1 + i % 2}", f"2024-01-{i + 1:02}", "yn"[i > 11]]
    for i in range(24)
]


def written(name, rows, divider=",", encoding="utf-8"):
    Path(name).write_bytes("".join(divider.join(row) + "\n" for row in rows).encode(encoding))
    return name


def changed(column, value, rows=ROWS, at=5):
    place = rows[0].index(column)
    return [
        [*row[:place], value, *row[place + 1 :]] if number == at else row
        for number, row in enumerate(rows)
    ]


HARD = {
    "--target": lambda: (written("x.csv", [[*ROWS[0][:-1], "truth"], *ROWS[1:]]), "truth"),
    "--schema": lambda: (written("x.csv", ROWS), '{"w": "weight"}'),
    "--missing-marker": lambda: (written("x.csv", changed("n", "oops")), "oops"),
    "--encoding": lambda: (written("x.csv", changed("k", "日"), encoding="utf-16-le"), "utf-16-le"),
    "--separator": lambda: (written("x.csv", ROWS, "~"), "~"),
    "--names": lambda: (written("x.csv", ROWS[1:]), ",".join(ROWS[0])),
    "--keep": lambda: (written("x.csv", ROWS), "day"),
    "--ignore": lambda: (written("x.csv", changed("k", "v")), "k"),
    "--weight": lambda: (written("x.csv", ROWS), "w"),
    "--dates": lambda: (written("x.csv", ROWS), "month"),
}
"""A file that needs the option, and the option's value."""
NEEDED = ("--missing-marker", "--encoding", "--separator", "--names")
"""Without these the file cannot be read as what it is, by any verb that has a model."""


LEARNERS = ("check", "fit", "cross-validate", "bootstrap")
"""The verbs that have no model."""


def line_of(verb, table):
    """Return a command line of a verb that reads this table."""
    if verb in LEARNERS:
        more = {"bootstrap": ("--trees", "2"), "cross-validate": ("--folds", "2")}.get(verb, ())
        schema = () if verb == "check" else ("-r", "cart-binary", "--set", "missing=branch")
        return [verb, table, *schema, *more]
    word = (
        next(w for w in ("--data", "--train", "--test", "--validate") if has(verb, w))
        if (verb not in ("predict", "test"))
        else None
    )
    models = ["m.tree", "m.tree"] if verb == "compare" else ["m.tree"]
    more = {"prune": ("--validate", table), "report": ("--no-cross", "-o", "r.html")}.get(verb, ())
    return [verb, *models, *([table] if word is None else [word, table]), *more]


def has(verb, word):
    return any(word in (*param.opts, *param.secondary_opts) for param in verbs()[verb])


@pytest.fixture
def model(run):
    written("train.csv", ROWS)
    how = ("-r", "cart-binary", "--missing", "branch", "-o", "m.tree")
    assert run("fit", "train.csv", "--schema", '{"w": "ignore"}', *how).code == 0
    Path("train.csv").unlink()  # nothing but what is named is read
    return "m.tree"


def test_the_verbs_that_read_tables_are_those_we_know():
    assert (
        sorted(
            [
                "bootstrap",
                "check",
                "compare",
                "cross-validate",
                "explain",
                "fit",
                "importance",
                "predict",
                "prune",
                "report",
                "ruleset",
                "test",
                "trace",
                "why",
            ]
        )
        == READERS
    )
    assert set(HARD) == set(LONG)


@pytest.mark.parametrize("verb", READERS)
def test_every_reader_has_every_reading_option_with_one_help(verb):
    have = {word: param for param in verbs()[verb] for word in param.opts}
    assert len(READING) == len(READING_OPTIONS)
    for told in READING:
        for word in told.opts:
            assert word in have, (verb, word)
            # A model settles what columns are, and the help of such commands says so.
            assert have[word].help in (told.help, f"model_{told.help}"), (verb, word)


@pytest.mark.usefixtures("model")
@pytest.mark.parametrize("verb", READERS)
def test_every_reader_applies_every_reading_option(run, verb):
    for option in LONG:
        table, value = HARD[option]()
        line = line_of(verb, table)
        if verb in LEARNERS and option == "--missing-marker":
            line += ["--schema", '{"n": "numeric"}']
        done = run(*line, option, value)
        assert done.code == 0, (option, done.err)
        advised(verb, done.err)
        if option in NEEDED:
            without = run(*line)
            # Another separator or header is another table, and some tree grows from any.
            is_refused = verb not in LEARNERS or option == "--missing-marker"
            assert without.code in (1, 2) or not is_refused, (verb, option, without.out)
            advised(verb, without.err)


@pytest.mark.usefixtures("model")
@pytest.mark.parametrize("verb", READERS)
def test_an_option_that_names_no_column_is_refused_alike(run, verb):
    table = written("x.csv", ROWS)
    for option in ("--target", "--weight"):
        done = run(*line_of(verb, table), option, "nobody")
        assert done.code == 1, (verb, option, done.out)
        assert "'nobody'" in done.err


ODD = {
    "a word among numbers": changed("n", "oops"),
    "infinite": changed("n", "inf"),
    "no class": changed("y", ""),
    "a gap": changed("n", ""),
    "a column is lacking": [[row[0], *row[2:]] for row in ROWS],
    "two of one name": [[*ROWS[0], "a"], *([*row, "1"] for row in ROWS[1:])],
    "no rows": ROWS[:1],
    "no header": [["1", "2", "3", "4", "5", "6"], *ROWS[1:]],
    "unseen": changed("y", "perhaps"),
}


@pytest.mark.usefixtures("model")
@pytest.mark.parametrize("verb", READERS)
def test_no_sentence_advises_an_option_that_the_verb_lacks(run, verb):
    for what, rows in ODD.items():
        done = run(*line_of(verb, written("x.csv", rows)))
        assert done.code in (0, 1, 2), (what, done.err)
        advised(verb, done.err)


def advised(verb, sentences):
    for word in re.findall(r"(?<![\w-])--[a-z][a-z-]+", sentences):
        assert has(verb, word), (verb, sentences)


def test_a_kind_that_the_model_does_not_take_and_a_split_column_left_out_are_refused(run, model):
    table = written("x.csv", ROWS)
    done = run("predict", model, table, "--schema", '{"n": "nominal"}')
    assert done.code == 1
    assert "the type of 'n' in the model is 'numeric'" in done.err
    done = run("test", model, table, "--ignore", "n")
    assert done.code == 1
    assert "splits on 'n'" in done.err


def test_predict_leaves_an_ignored_column_out_and_weights_count_in_test(run, model):
    table = written("x.csv", changed("y", "n", at=1))
    assert run("predict", model, table, "--ignore", "k").out.startswith("row,a,n,w,day,y,")
    weighed = run("test", model, table, "--weight", "w", "--json").data
    assert (weighed["correct"], weighed["weight"]) == (35, 36)


def test_bootstrap_takes_settings_of_the_recipe(run):
    table = written("x.csv", ROWS)
    done = run("bootstrap", table, "--trees", "3", "--set", "max_depth=0", "--json")
    assert done.data["leaves"] == [1, 1, 1]


def database(rows=ROWS):
    """Write a DuckDB file with a table of rows, all text but for the dates; return its address."""
    import duckdb  # noqa: PLC0415 - heavy

    with duckdb.connect("shop.db") as link:
        kinds = ", ".join(f"{name} {'DATE' if name == 'day' else 'VARCHAR'}" for name in rows[0])
        link.execute(f"CREATE TABLE orders ({kinds})")
        link.executemany("INSERT INTO orders VALUES (?, ?, ?, ?, ?, ?)", rows[1:])
    return "duckdb:shop.db"


AFAR = ("--target", "y", "--query", "orders", "--engine", "duckdb", "-r", "cart-binary")
HERE = ("--missing-marker", "--encoding", "--separator", "--names", "--keep", "--dates")


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("option", HERE)
def test_a_database_refuses_what_is_about_reading_in_one_sentence(run, option, lang):
    found = run("fit", database(), *AFAR, option, "x", "--lang", lang, "-o", "x.tree")
    assert found.code == 1
    assert found.err.count(option) == 1
    assert "duckdb" in found.err
    assert not Path("x.tree").exists()


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_becomes_of_the_columns_of_a_database_is_told(run, lang):
    found = run("fit", database(changed("n", "n.a.")), *AFAR, "--lang", lang)
    assert found.code == 0
    told = [line for line in found.err.splitlines() if "day" in line or "n.a." in line]
    assert len(told) == 2
    assert "--dates" not in found.err
    assert "--missing-marker" not in found.err


@pytest.mark.parametrize("option", HERE)
def test_a_file_that_duckdb_counts_is_read_with_all_options(run, option):
    path, value = HARD[option]()
    more = ("-t", "y", "-r", "cart-binary")
    trees = [
        run("fit", path, option, value, *more, "--engine", engine, "--missing", "branch").out
        for engine in ("memory", "duckdb")
    ]
    assert trees[0]
    assert trees[0] == trees[1]


@pytest.mark.parametrize("verb", ["fit", "cross-validate", "bootstrap"])
def test_what_is_advised_for_missing_values_can_be_given(run, verb):
    path = written("x.csv", changed("k", ""))
    refused = run(verb, path, "-r", "id3")
    assert refused.code == 1
    for advice in ("--recipe c4.5-textbook", "--missing fraction", "--ignore 'k'"):
        assert advice in refused.err
        words = advice.replace("'", "").split()
        more = ("-r", "c4.5-textbook") if "fraction" in advice else ()  # a rule that knows it
        assert run(verb, path, *more, *words).code == 0


def test_an_old_name_of_an_option_still_works_and_is_noted(run, melon):
    rows = Path("Watermelon-train1.csv").read_text("gbk")
    Path("wide.csv").write_text(rows, encoding="utf-16-le")
    new = run("predict", melon, "wide.csv", "--encoding", "utf-16-le")
    old = run("predict", melon, "wide.csv", "--input-encoding", "utf-16-le")
    assert new.code == 0
    assert (old.code, old.out) == (0, new.out)
    assert "--encoding" in old.err
    assert "--input-encoding" not in run("predict", "--help").out


@pytest.mark.parametrize("engine", ["auto", "memory", "disk", "duckdb"])
@pytest.mark.parametrize("verb", ["fit", "check"])
def test_an_empty_path_is_not_the_current_folder(run, verb, engine):
    more = ("--engine", engine) if verb == "fit" else ()
    found = run(verb, "", *more)
    assert found.code == 1
    assert "path must be" in found.err
