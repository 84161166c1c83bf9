"""Commands x reading options: every verb that reads a table takes all of them, and applies them.

The verbs and the options come from the program itself, so that a new one is tested, too.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import typer

from penjing.cli.app import build_app
from penjing.cli.parameters import READING_OPTIONS
from penjing.data.read import stream
from workbook import write_workbook

TABLES = ("data", "train", "test", "validate")
"""The parameters by which verbs are given a table."""


def verbs():
    """Return the parameters of each verb, by name, as the program has them."""
    commands = typer.main.get_command(build_app()).commands
    return {name: command.params for name, command in commands.items()}


READERS = sorted(
    name
    for name, params in verbs().items()
    if name != "lab" and {p.name for p in params} & {*TABLES}  # see test_lab.py
)
FORMS = {
    "compare several": "compare",
    "compare --recipes": "compare",
    "import by hand": "import",
} | {verb: verb for verb in READERS}
"""Command lines that read tables, and their verbs; some verbs read them in several ways."""
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


def with_commas():
    """Return the rows with decimal commas."""
    place = ROWS[0].index("n")
    numbers = [f"{i},5" for i in range(len(ROWS) - 1)]
    return [
        ROWS[0],
        *([*r[:place], x, *r[place + 1 :]] for r, x in zip(ROWS[1:], numbers, strict=True)),
    ]


def given(option, value):
    """Return the words of an option on the command line."""
    return [option] if value is None else [option, value]


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
    "--decimal": lambda: (written("x.csv", with_commas(), ";"), ","),
    "--fold-case": lambda: (written("x.csv", changed("k", " U ")), None),
    "--sheet": lambda: (write_workbook("x.xlsx", {"notes": [["x"], ["y"]], "t": ROWS}), "t"),
}
"""A file that needs the option, and the option's value; None for a switch."""
NEEDED = ("--missing-marker", "--encoding", "--separator", "--names", "--decimal", "--sheet")
"""Without these the file cannot be read as what it is, by any verb that has a model."""


LEARNERS = (
    *("check", "fit", "cross-validate", "bootstrap", "worksheet"),
    *("compare --recipes", "import by hand"),
)
"""The command lines that have no model."""
HAND = "n <= 11.9: y\nn > 11.9: n\n"
LEARNING = ("-r", "cart-binary", "--set", "missing=branch")
WITHOUT_MODEL = {
    "check": (),
    "bootstrap": (*LEARNING, "--trees", "2"),
    "cross-validate": (*LEARNING, "--folds", "2"),
    "worksheet": ("-r", "c4.5-textbook", "--depth", "1"),
}
APPLIED_AND_REFUSED = {
    ("edit", "--schema"): "36 rows instead of 24",
    ("edit", "--weight"): "36 rows instead of 24",
    ("worksheet", "--missing-marker"): "values are missing in n",
    ("worksheet", "--schema"): "cannot have weights",
    ("worksheet", "--weight"): "cannot have weights",
}
"""Edit needs the weights of training, and a worksheet complete rows that count as one."""
WITH_A_MODEL = {
    "prune": ("--validate", "{table}"),
    "edit": ("--regrow", "root", "--validate", "{table}"),
    "report": ("--no-cross", "-o", "r.html"),
    "draw": ("-o", "d.svg"),
    "compare several": ("--test", "{table}", "--folds", "2"),
}
"""What each command line has besides its model and its table."""


def line_of(form, table):
    """Return a command line of this form that reads this table."""
    verb = FORMS[form]
    if form == "compare --recipes":
        return [verb, table, "--recipes", "cart-binary,c4.5-textbook,rpart", "--test", table]
    if form == "import by hand":
        Path("hand.txt").write_text(HAND, "utf-8")
        return [verb, "hand.txt", "--data", table]
    if form in LEARNERS:
        return [verb, table, *WITHOUT_MODEL.get(form, LEARNING)]
    word = (
        next(w for w in ("--data", "--train", "--test", "--validate") if has(verb, w))
        if (verb not in ("predict", "test", "drift"))
        else None
    )
    models = ["m.tree"] * {"compare": 2, "compare several": 3}.get(form, 1)
    word = "--train" if form == "compare several" else word
    more = [text.format(table=table) for text in WITH_A_MODEL.get(form, ())]
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
                "draw",
                "drift",
                "edit",
                "explain",
                "fit",
                "import",
                "importance",
                "predict",
                "prune",
                "report",
                "ruleset",
                "test",
                "trace",
                "why",
                "worksheet",
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
@pytest.mark.parametrize("form", FORMS)
def test_every_reader_applies_every_reading_option(run, form):
    verb = FORMS[form]
    for option in LONG:
        table, value = HARD[option]()
        line = line_of(form, table)
        if form in LEARNERS and option == "--missing-marker":
            line += ["--schema", '{"n": "numeric"}']
        done = run(*line, *given(option, value))
        refused = APPLIED_AND_REFUSED.get((form, option))
        assert done.code == (0 if refused is None else 1), (option, done.err)
        assert refused is None or refused in done.err
        advised(verb, done.err)
        if option in NEEDED:
            without = run(*line)
            # Another separator or header is another table, and some tree grows from any.
            is_refused = form not in LEARNERS or option == "--missing-marker"
            assert without.code in (1, 2) or not is_refused, (form, option, without.out)
            advised(verb, without.err)


@pytest.mark.usefixtures("model")
@pytest.mark.parametrize("form", FORMS)
def test_an_option_that_names_no_column_is_refused_alike(run, form):
    table = written("x.csv", ROWS)
    for option in ("--target", "--weight"):
        done = run(*line_of(form, table), option, "nobody")
        assert done.code == 1, (form, option, done.out)
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
@pytest.mark.parametrize("form", FORMS)
def test_no_sentence_advises_an_option_that_the_verb_lacks(run, form):
    for what, rows in ODD.items():
        done = run(*line_of(form, written("x.csv", rows)))
        assert done.code in (0, 1, 2), (what, done.err)
        advised(FORMS[form], done.err)


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


REMEMBERED = {
    "--target": lambda: (written("x.csv", ROWS), "a"),
    "--schema": lambda: (written("x.csv", ROWS), '{"w": "weight", "k": ["v", "u"]}'),
    "--missing-marker": lambda: (written("x.csv", deciding(["-", "p", "q"], "nyy")), "-"),
    "--encoding": lambda: (written("x.csv", changed("k", "\u30a2"), encoding="cp932"), "cp932"),
    "--separator": HARD["--separator"],
    "--names": HARD["--names"],
    "--keep": lambda: (written("x.csv", ROWS), "day"),
    "--ignore": lambda: (written("x.csv", ROWS), "w"),
    "--weight": HARD["--weight"],
    "--dates": lambda: (written("x.csv", ambiguous_dates()), "number,month"),
    "--decimal": lambda: (written("x.csv", thousands(), ";"), ","),
    "--fold-case": lambda: (written("x.csv", deciding(SPELLINGS, "nnnyyyy")), None),
    "--sheet": HARD["--sheet"],
}
"""A table that is read otherwise without the option, and the option's value."""
CASES = {option: (option, table) for option, table in REMEMBERED.items()} | {
    f"two-marks-{name}": (
        "--decimal",
        lambda mark=mark: (written("x.csv", two_marks(mark), "|"), mark),
    )
    for name, mark in (("comma", ","), ("point", "."))
}
"""The options, and tables to which an option applies in part."""


def replaced(column, values):
    place = ROWS[0].index(column)
    rows = zip(ROWS[1:], values, strict=True)
    return [ROWS[0], *([*row[:place], value, *row[place + 1 :]] for row, value in rows)]


def ambiguous_dates():
    return replaced("day", [f"{1 + i % 12}/{1 + i % 9}/2024" for i in range(24)])


def two_marks(mark):
    """Return a table with two columns of numbers, of which one has the decimal mark."""
    other = "," if mark == "." else "."
    amounts = [f"${1 + i}{mark}{(7 * i) % 1000:03}{other}50" for i in range(24)]
    balances = [f"{1 + (11 * i) % 24}{mark}{(91 * i) % 1000:03}" for i in range(24)]
    classes = ["yn"[i > 11] if i % 3 else "yn"[(11 * i) % 24 > 11] for i in range(24)]
    rows = zip(amounts, balances, [str(i % 5) for i in range(24)], classes, strict=True)
    return [["amount", "balance", "w", "y"], *map(list, rows)]


def thousands():
    return replaced("n", [f"{1 + i}.{(7 * i) % 1000:03}" for i in range(24)])


SPELLINGS = ("Basic", "BASIC", "basic  ", "Pro plan", "PRO  plan", "pro plan", "Pro plan")


def deciding(cells, classes):
    """Return a table in which the cells of one column decide the class."""
    pairs = [*zip(cells, classes, strict=True)] * 8
    return [["c", "w", "y"], *([cell, str(1 + i % 3), y] for i, (cell, y) in enumerate(pairs))]


WITH_MODEL = sorted(set(FORMS) - set(LEARNERS))


@pytest.mark.parametrize("form", WITH_MODEL)
@pytest.mark.parametrize("case", CASES)
def test_a_model_remembers_every_reading_option(run, form, case):
    """What a command says of a table is the same with the option of training and without it."""
    option, make = CASES[case]
    table, value = make()
    recipe = ("-r", "cart-binary", "--missing", "branch", "-o", "m.tree")
    target = () if option == "--target" else ("--target", "y")
    done = run("fit", table, *given(option, value), *recipe, *target)
    assert done.code == 0, done.err
    assert_same_with_and_without(run, line_of(form, table), given(option, value))


@pytest.mark.parametrize("case", CASES)
def test_a_tree_written_by_hand_remembers_how_its_rows_were_read(run, case):
    option, make = CASES[case]
    table, value = make()
    target = () if option == "--target" else ("--target", "y")
    words = (*given(option, value), *target)
    done = run("fit", table, *words, "-r", "cart-binary", "--missing", "branch", "-o", "m.tree")
    Path("hand.txt").write_text(run("show", "m.tree").out, "utf-8")
    more = ("--missing", "fraction", "-o", "h.tree")
    done = run("import", "hand.txt", "--data", table, *words, *more)
    assert done.code == 0, done.err
    for verb in ("test", "predict"):
        assert_same_with_and_without(run, [verb, "h.tree", table], given(option, value))


@pytest.mark.parametrize("form", WITH_MODEL)
def test_a_model_remembers_all_reading_options_together(run, form):
    rows = [
        [str(i), f"{1 + i}.{(7 * i) % 1000:03},5", ("$5", "- ", "$ 1.200,50", "(7)")[i % 4],
         ("Basic", "BASIC", "pro ", "Pro")[i % 4], f"{1 + i % 12}/{1 + i % 9}/2024",
         f"{i % 5} %", f"{1 + i % 2}", ("ja", "nein")[(i > 11) != (i % 4 > 1)]]
        for i in range(40)
    ]  # fmt: skip
    written("x.csv", rows, "~", "utf-16-le")
    told = ["--names", "id,n,m,k,day,share,w,y", "--separator", "~", "--encoding", "utf-16-le"]
    told += ["--missing-marker", "-", "--fold-case", "--weight", "w", "--decimal", ","]
    more = ["--dates", "month,number", "-t", "y", "-r", "cart-binary", "--missing", "branch"]
    done = run("fit", "x.csv", *told, *more, "-o", "m.tree")
    assert done.code == 0, done.err
    assert_same_with_and_without(run, line_of(form, "x.csv"), told)


def assert_same_with_and_without(run, line, words):
    found = []
    for more in (words, []):
        for name in ("r.html", "d.svg"):
            Path(name).unlink(missing_ok=True)
        done = run(*line, *more)
        assert done.code == 0, (more, done.err)
        files = [Path(name) for name in ("r.html", "d.svg") if Path(name).exists()]
        page = "".join(path.read_text("utf-8") for path in files)
        # predict --ignore also leaves the column out of the output
        is_shorter = line[0] == "predict" and "--ignore" in words
        rows = [row.rsplit(",", 1)[1] for row in done.out.splitlines()] if is_shorter else done.out
        found.append((rows, page))
    assert found[0] == found[1]


@pytest.mark.parametrize("case", CASES)
def test_batches_are_read_as_the_whole_table(run, case, monkeypatch):
    """Predict reads large files batch by batch, and few rows of a batch say little."""
    option, make = CASES[case]
    table, value = make()
    recipe = ("-r", "cart-binary", "--missing", "branch", "-o", "m.tree")
    target = () if option == "--target" else ("--target", "y")
    assert run("fit", table, *given(option, value), *recipe, *target).code == 0
    whole = run("predict", "m.tree", table).out
    monkeypatch.setattr(stream, "WHOLE_BYTES", 200)
    monkeypatch.setattr(stream, "PIECE_CHARACTERS", 60)
    done = run("predict", "m.tree", table)
    assert done.code == 0, done.err
    assert done.out == whole


MATTERS = sorted({*LONG} - {"--target", "--schema", "--keep", "--ignore", "--dates"})
"""Options that a model without a record would need again; the others choose columns."""


@pytest.mark.parametrize("option", MATTERS)
def test_without_the_record_the_option_would_be_needed(run, option):
    table, value = REMEMBERED[option]()
    recipe = ("-t", "y", "-r", "cart-binary", "--missing", "branch", "-o", "m.tree")
    assert run("fit", table, *given(option, value), *recipe).code == 0
    expected = run("predict", "m.tree", table).out, run("test", "m.tree", table, "--json").out
    model = json.loads(Path("m.tree").read_text("utf-8"))
    del model["reading"]
    Path("m.tree").write_text(json.dumps(model), "utf-8")
    assert (
        run("predict", "m.tree", table).out,
        run("test", "m.tree", table, "--json").out,
    ) != expected


def test_the_order_of_dates_is_remembered(run):
    dates = [f"{1 + i}/{1 + i % 2}/2024" for i in range(24)]  # the day comes first
    written("x.csv", [["day", "y"], *([d, "yn"[i > 11]] for i, d in enumerate(dates))])
    recipe = ("-t", "y", "-r", "cart-binary", "--dates", "day", "-o", "m.tree")
    assert run("fit", "x.csv", *recipe).code == 0
    written("new.csv", [["day"], ["2/11/2024"], ["11/2/2024"]])
    rows = run("predict", "m.tree", "new.csv").out.splitlines()
    assert [row.rsplit(",", 1)[1] for row in rows[1:]] == ["y", "y"]
    assert run("explain", "m.tree", "--row", "day=13/2/2024", "--json").data["answer"] == "n"
    refused = run("predict", "m.tree", written("odd.csv", [["day"], ["2/13/2024"]]))
    assert refused.code == 1
    assert "'2/13/2024'" in refused.err
    gaps = run("predict", "m.tree", written("gap.csv", [["day", "k"], ["", "u"]]))
    assert gaps.code == 0, gaps.err


def test_what_the_user_says_wins_and_is_noted(run):
    written("x.csv", replaced("n", [f"{i}.125" for i in range(24)]))
    more = ("-t", "y", "-r", "cart-binary", "-o", "m.tree")
    assert run("fit", "x.csv", *more, "--missing-marker", "-").code == 0
    written("new.csv", replaced("n", [f"{i},125" for i in range(24)]), ";")
    refused = run("test", "m.tree", "new.csv")
    assert refused.code == 1
    assert "--decimal ," in refused.err
    done = run("test", "m.tree", "new.csv", "--decimal", ",", "--missing-marker", "?", "--json")
    assert done.code == 0, done.err
    assert "--decimal is ',', as given; the model was trained with '.'" in done.err
    assert "the markers are '?'" in done.err.replace("missing-value ", "")
    assert "the model was trained with '-'" in done.err
    assert done.data["correct"] == run("test", "m.tree", "x.csv", "--json").data["correct"]


@pytest.mark.parametrize("mark", [",", "."])
def test_a_column_with_the_other_mark_keeps_it_with_an_option_that_training_did_not_have(run, mark):
    """A mark that the user names applies to the columns that have it, as in fit."""
    table = written("x.csv", two_marks(mark), "|")
    more = ("-t", "y", "-r", "cart-binary", "-o", "m.tree")
    assert run("fit", table, *more).code == 0
    for line in (["test", "m.tree", table], ["predict", "m.tree", table]):
        done = run(*line, "--decimal", mark)
        assert done.code == 0, done.err
        assert "'amount' is not written with the decimal mark" in done.err
    split = json.loads(run("fit", table, *more, "--decimal", mark, "--json").out)
    assert split


def test_the_mark_of_the_first_batch_is_that_of_all(run, monkeypatch):
    """A named mark that a column turns out not to have is not tried again batch by batch."""
    rows = [["n", "y"], *([f"{i},{(7 * i) % 90 + 10}", "yn"[i > 11]] for i in range(24))]
    assert run("fit", written("x.csv", rows, ";"), "-r", "cart-binary", "-o", "m.tree").code == 0
    written("new.csv", [["n"], *([f"{i},25"] for i in range(9)), *(["3.125"] for _ in range(9))])
    text = Path("new.csv").read_text("utf-8").replace("\n", ";\n")
    Path("new.csv").write_text(text, "utf-8")
    monkeypatch.setattr(stream, "WHOLE_BYTES", 20)
    monkeypatch.setattr(stream, "PIECE_CHARACTERS", 30)
    done = run("predict", "m.tree", "new.csv", "--decimal", ".")
    assert done.code == 0, done.err
    assert done.out.splitlines()[-1].endswith(",n")  # 3125, as in the first batches


def test_a_file_of_another_layout_is_read_by_its_own_and_that_is_noted(run):
    written("x.csv", ROWS[1:], "~")
    more = ("--names", ",".join(ROWS[0]), "--separator", "~", "-t", "y", "-r", "cart-binary")
    assert run("fit", "x.csv", *more, "-o", "m.tree").code == 0
    expected = run("test", "m.tree", "x.csv", "--json").data["correct"]
    done = run("test", "m.tree", written("header.csv", ROWS, ";"), "--json")
    assert done.code == 0, done.err
    assert done.data["correct"] == expected
    assert "header" in done.err
    assert "separated by ';'" in done.err
    without_target = written("new.csv", [row[:-1] for row in ROWS[1:]], "~")
    predictions = run("predict", "m.tree", without_target).out.splitlines()
    assert len(predictions) == len(ROWS)


def database(rows=ROWS):
    """Write a DuckDB file with a table of rows, all text but for the dates; return its address."""
    import duckdb  # noqa: PLC0415 - heavy

    with duckdb.connect("shop.db") as link:
        kinds = ", ".join(f"{name} {'DATE' if name == 'day' else 'VARCHAR'}" for name in rows[0])
        link.execute(f"CREATE TABLE orders ({kinds})")
        link.executemany("INSERT INTO orders VALUES (?, ?, ?, ?, ?, ?)", rows[1:])
    return "duckdb:shop.db"


AFAR = ("--target", "y", "--query", "orders", "--engine", "duckdb", "-r", "cart-binary")
HERE = (
    *("--missing-marker", "--encoding", "--separator", "--names", "--keep", "--dates"),
    *("--decimal", "--fold-case", "--sheet"),
)


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("option", HERE)
def test_a_database_refuses_what_is_about_reading_in_one_sentence(run, option, lang):
    value = None if HARD[option]()[1] is None else "x"
    found = run("fit", database(), *AFAR, *given(option, value), "--lang", lang, "-o", "x.tree")
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
    more = (*given(option, value), "-t", "y", "-r", "cart-binary", "--missing", "branch")
    trees, records = [], []
    for engine in ("memory", "duckdb"):
        trees.append(run("fit", path, *more, "--engine", engine, "-o", "x.tree").out)
        records.append(json.loads(Path("x.tree").read_text("utf-8")).get("reading"))
    assert trees[0]
    assert records[0] == records[1]
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
    assert "the name of a file is empty" in found.err
