"""Run exported trees in the software they were made for: compilers, databases, and others."""

from __future__ import annotations

import base64
import csv
import io
import json
import math
import os
import pwd
import re
import shutil
import sqlite3
import struct
import subprocess
import tempfile
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import numpy as np
import pytest

from export_rows import Row
from penjing import Tree
from penjing.predict.inputs import used_columns

Answers = tuple[list[Any], list[list[float]] | None]
"""What is answered for each row, and the shares of the classes where there are classes."""


def need(program: str) -> str:
    """Return where a program is; without it the test is skipped."""
    found = shutil.which(program)
    if found is None:
        pytest.skip(f"{program} is not installed")
    return found


def names_of(tree: Tree) -> list[str]:
    return [tree.schema[c].name for c in used_columns(tree)]


# -- programming languages ------------------------------------------------------------------


def by_python(tree: Tree, rows: list[Row], _: Path, **options: str) -> Answers:
    made: dict[str, Any] = {}
    exec(compile(tree.export("python", **options), "exported", "exec"), made)  # noqa: S102
    answers = [made["predict"](row) for row in rows]
    if tree.is_regression:
        return answers, None
    return answers, [made["predict_proba"](row) for row in rows]


C_MAIN = """
#include <stdio.h>
#include <stdint.h>
int main(void) {
    penjing_row row;
    for (;;) {
        unsigned char more;
        if (fread(&more, 1, 1, stdin) != 1) return 0;
%(read)s
%(write)s
    }
}
"""
C_CLASS = """
        double shares[PENJING_N_OUTPUTS];
        int32_t found = penjing_predict(&row);
        if (penjing_shares(&row, shares) != (found < 0 ? -1 : 0)) return 3;
        fwrite(&found, 4, 1, stdout);
        fwrite(shares, sizeof shares, 1, stdout);
        (void)penjing_classes;
"""
C_NUMBER = """
        double found = penjing_predict(&row);
        fwrite(&found, 8, 1, stdout);
        (void)penjing_node_shares;
"""


def by_c(tree: Tree, rows: list[Row], folder: Path, **options: str) -> Answers:
    need("gcc")
    text = tree.export("c", **options)
    struct_ = text[text.index("typedef struct {") : text.index("} penjing_row;")]
    found = re.findall(r"^    (?:double |const char \*)(\w+);", struct_, re.MULTILINE)
    fields = dict(zip(used_columns(tree), found, strict=True))
    read = []
    for c, name in fields.items():
        if tree.schema[c].is_numeric:
            read.append(f"        if (fread(&row.{name}, 8, 1, stdin) != 1) return 2;")
            continue
        read.append(
            f"""        int32_t n_{name};
        if (fread(&n_{name}, 4, 1, stdin) != 1) return 2;
        char *t_{name} = n_{name} < 0 ? NULL : calloc((size_t)n_{name} + 1, 1);
        if (n_{name} > 0 && fread(t_{name}, (size_t)n_{name}, 1, stdin) != 1) return 2;
        row.{name} = t_{name};"""
        )
    main = C_MAIN % {"read": "\n".join(read), "write": C_NUMBER if tree.is_regression else C_CLASS}
    (folder / "tree.c").write_text(text + main, "utf-8")
    strict = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-O1", "-o", "tree"]
    subprocess.run(["gcc", *strict, "tree.c", "-lm"], cwd=folder, check=True)
    sent = bytearray()
    for row in rows:
        sent += b"\1"
        for c in fields:
            value = row[tree.schema[c].name]
            if tree.schema[c].is_numeric:
                sent += struct.pack("<d", math.nan if value is None else value)
            else:
                text = None if value is None else str(value).encode("utf-8")
                sent += struct.pack("<i", -1 if text is None else len(text)) + (text or b"")
    told = subprocess.run(
        ["./tree"], cwd=folder, input=sent, capture_output=True, check=True
    ).stdout
    if tree.is_regression:
        return list(struct.unpack(f"<{len(rows)}d", told)), None
    width = len(tree.classes)
    found = list(struct.iter_unpack(f"<i{width}d", told))
    return [tree.classes[f[0]] if f[0] >= 0 else None for f in found], [list(f[1:]) for f in found]


JS_MAIN = """
import { readFileSync, writeFileSync } from "node:fs";
import * as tree from "./tree.mjs";
const rows = JSON.parse(readFileSync("rows.json", "utf8"));
const told = rows.map((plain) => {
    const row = Object.fromEntries(plain.map(
        ([name, value]) => [name, Array.isArray(value) ? Number(value[0]) : value]));
    try {
        return [tree.predict(row), tree.predictProba ? tree.predictProba(row) : null];
    } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        return [null, null];
    }
});
writeFileSync("told.json", JSON.stringify(told));
"""


def by_javascript(tree: Tree, rows: list[Row], folder: Path, **options: str) -> Answers:
    need("node")
    (folder / "tree.mjs").write_text(tree.export("javascript", **options), "utf-8")
    (folder / "main.mjs").write_text(JS_MAIN, "utf-8")
    plain = [[[k, [_js(v)] if isinstance(v, float) else v] for k, v in row.items()] for row in rows]
    (folder / "rows.json").write_text(json.dumps(plain))
    subprocess.run(["node", "main.mjs"], cwd=folder, check=True)
    told = json.loads((folder / "told.json").read_text())
    return [t[0] for t in told], None if tree.is_regression else [t[1] for t in told]


def _js(value: float) -> str:
    if math.isfinite(value):
        return repr(value)
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


JAVA_MAIN = """
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.util.*;

public final class Main {
    public static void main(String[] given) throws IOException {
        BufferedReader in = new BufferedReader(new FileReader("rows.txt"));
        PrintStream out = new PrintStream(new FileOutputStream("told.txt"));
        for (String line; (line = in.readLine()) != null;) {
            Map<String, Object> row = new HashMap<>();
            String[] cells = line.split("\\t", -1);
            for (int i = 0; i < PenjingTree.COLUMNS.length; ++i) {
                String rest = cells[i].isEmpty() ? "" : cells[i].substring(1);
                Object value = cells[i].equals("-") ? null
                    : cells[i].charAt(0) == 'n' ? (Object) Double.parseDouble(rest)
                    : cells[i].charAt(0) == 'i' ? (Object) Long.parseLong(rest)
                    : new String(Base64.getDecoder().decode(rest), StandardCharsets.UTF_8);
                row.put(PenjingTree.COLUMNS[i], value);
            }
            try {
%s
            } catch (IllegalArgumentException error) {
                out.println("-");
            }
        }
        out.close();
    }
}
"""
JAVA_CLASS = """
                String found = PenjingTree.predict(row);
                StringJoiner parts = new StringJoiner(" ");
                parts.add("=" + Base64.getEncoder().encodeToString(
                    found.getBytes(StandardCharsets.UTF_8)));
                for (double share : PenjingTree.predictProba(row)) parts.add("" + share);
                out.println(parts);
"""
JAVA_NUMBER = """
                out.println(PenjingTree.predict(row));
"""


def by_java(tree: Tree, rows: list[Row], folder: Path, **options: str) -> Answers:
    need("javac")
    (folder / "PenjingTree.java").write_text(tree.export("java", **options), "utf-8")
    body = JAVA_NUMBER if tree.is_regression else JAVA_CLASS
    (folder / "Main.java").write_text(JAVA_MAIN % body, "utf-8")
    names = names_of(tree)
    lines = ["\t".join(_java(row[name]) for name in names) for row in rows]
    (folder / "rows.txt").write_text("\n".join(lines) + "\n")
    compiler = ["javac", "-encoding", "UTF-8", "-Xlint:all", "-Werror", "Main.java"]
    subprocess.run(compiler, cwd=folder, check=True)
    subprocess.run(["java", "-Xshare:auto", "Main"], cwd=folder, check=True)
    told = (folder / "told.txt").read_text().splitlines()
    if tree.is_regression:
        return [float(line) for line in told], None
    by_text = {str(c): c for c in tree.classes}
    answers, shares = [], []
    for line in told:
        first, *rest = line.split(" ")
        answers.append(
            None if first == "-" else by_text[base64.b64decode(first[1:]).decode("utf-8")]
        )
        shares.append([float(v) for v in rest])
    return answers, shares


def _java(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return "n" + _js(value)
    if isinstance(value, int):
        return f"i{value}"
    return "s" + base64.b64encode(value.encode("utf-8")).decode()


# -- databases ------------------------------------------------------------------------------


def by_duckdb(tree: Tree, rows: list[Row], _: Path, **options: str) -> Answers:
    import duckdb  # noqa: PLC0415
    import pyarrow as pa  # noqa: PLC0415

    arrays = {"row #": pa.array(range(len(rows)))}
    for c in used_columns(tree):
        kind = pa.float64() if tree.schema[c].is_numeric else None
        values = [row[tree.schema[c].name] for row in rows]
        arrays[tree.schema[c].name] = pa.array(values, kind or _arrow(tree.schema[c].levels))
    with duckdb.connect() as link:
        link.register("rows", pa.table(arrays))
        query = tree.export("sql", dialect="duckdb", proba=not tree.is_regression, **options)
        found = link.execute(query)
        titles = [d[0] for d in found.description]
        return _told(tree, titles, found.fetchall())


def _arrow(levels: tuple[Any, ...]) -> Any:
    import pyarrow as pa  # noqa: PLC0415

    return pa.int64() if levels and isinstance(levels[0], int) else pa.string()


def by_sqlite(tree: Tree, rows: list[Row], _: Path, **options: str) -> Answers:
    names = names_of(tree)
    link = sqlite3.connect(":memory:")
    try:
        typed = [f"{_quoted(n)} {_affinity(tree, n)}" for n in names]
        columns = ", ".join(['"row #" INTEGER', *typed])
        link.execute(f"CREATE TABLE rows ({columns})")
        marks = ", ".join("?" * (len(names) + 1))
        told = [[i, *(row[name] for name in names)] for i, row in enumerate(rows)]
        link.executemany(f"INSERT INTO rows VALUES ({marks})", told)  # noqa: S608
        query = tree.export("sql", dialect="sqlite", proba=not tree.is_regression, **options)
        found = link.execute(f'SELECT * FROM ({query}) ORDER BY "row #"')  # noqa: S608
        return _told(tree, [d[0] for d in found.description], found.fetchall())
    finally:
        link.close()


def _affinity(tree: Tree, name: str) -> str:
    field = next(f for f in tree.schema if f.name == name)
    if field.is_numeric:
        return "REAL"
    return "INTEGER" if field.levels and isinstance(field.levels[0], int) else "TEXT"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def answer_names(tree: Tree) -> list[str]:
    """Return what the answer and the shares are called: as no column of the table is."""
    taken = {field.name.casefold() for field in (*tree.schema, tree.target)}
    found = []
    for name in ["predicted", *([] if tree.is_regression else [f"p({c})" for c in tree.classes])]:
        title = name
        while title.casefold() in taken:
            title += "_"
        taken.add(title.casefold())
        found.append(title)
    return found


def _told(tree: Tree, titles: list[str], rows: list[tuple[Any, ...]]) -> Answers:
    names = answer_names(tree)
    assert len({title.casefold() for title in titles}) == len(titles)
    predicted, *places = [titles.index(name) for name in names]
    if tree.is_regression:
        return [float(row[predicted]) for row in rows], None
    return [row[predicted] for row in rows], [[float(row[i]) for i in places] for row in rows]


@contextmanager
def postgres() -> Iterator[list[str]]:
    """Start a PostgreSQL of our own in a folder of its own; yield how psql reaches it."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    where = next((place for place in found if Path(place, "initdb").exists()), None)
    if where is None or shutil.which("psql") is None:
        pytest.skip("PostgreSQL is not installed")
    folder = Path(tempfile.mkdtemp(prefix="penjing-pg-"))
    alone = {k: v for k, v in os.environ.items() if k != "LD_PRELOAD"}  # a sanitizer stays out
    plain: dict[str, Any] = {"cwd": folder, "capture_output": True, "env": alone}
    if os.geteuid() == 0:  # it refuses to run as root
        who = next(u for u in ("postgres", "nobody") if u in {p.pw_name for p in pwd.getpwall()})
        os.chown(folder, pwd.getpwnam(who).pw_uid, -1)
        plain |= {"user": who, "extra_groups": []}
    made = ["-A", "trust", "-U", "penjing", "--locale=C.UTF-8", "-E", "UTF8"]
    try:
        subprocess.run([where / "initdb", "-D", folder / "data", *made], check=True, **plain)
        options = f"-k {folder} -h '' -F"
        start = [where / "pg_ctl", "-D", folder / "data", "-w", "-o", options, "-l", folder / "log"]
        subprocess.run([*start, "start"], check=True, **plain)
        try:
            yield ["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-h", str(folder), "-U", "penjing",
                   "-d", "postgres"]  # fmt: skip
        finally:
            stop = [where / "pg_ctl", "-D", folder / "data", "-m", "immediate", "stop"]
            subprocess.run(stop, check=True, **plain)
            time.sleep(0.1)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def by_postgres(
    tree: Tree, rows: list[Row], folder: Path, *, link: list[str], **options: str
) -> Answers:
    names = names_of(tree)
    kinds = {"REAL": "double precision", "INTEGER": "bigint", "TEXT": "text"}
    typed = [f"{_quoted(n)} {kinds[_affinity(tree, n)]}" for n in names]
    lines = io.StringIO()
    for i, row in enumerate(rows):
        cells = [str(i), *(_cell(row[name]) for name in names)]
        lines.write(",".join(cells) + "\n")
    (folder / "rows.csv").write_text(lines.getvalue(), "utf-8", newline="")
    query = tree.export("sql", dialect="postgres", proba=not tree.is_regression, **options)
    columns = ", ".join(["n bigint", *typed])
    ordered = f"SELECT * FROM ({query}) AS found ORDER BY n"  # noqa: S608 - it is quoted
    script = (
        f"DROP TABLE IF EXISTS rows; CREATE TABLE rows ({columns});\n"
        f"\\copy rows FROM '{folder / 'rows.csv'}' (FORMAT csv)\n"
        f"COPY ({ordered}) TO STDOUT (FORMAT csv, HEADER);\n"
    )
    done = subprocess.run(
        [*link, "-f", "-"], input=script.encode(), capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()[:2000]
    titles, *told = csv.reader(io.StringIO(done.stdout.decode("utf-8"), newline=""))
    answers, shares = _told(tree, titles, [tuple(row) for row in told])
    by_text = {str(c): c for c in tree.classes}
    return answers if tree.is_regression else [by_text[a] for a in answers], shares


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else _js(value)
    return _quoted(value) if isinstance(value, str) else str(value)


# -- evaluators -----------------------------------------------------------------------------


def by_onnx(tree: Tree, rows: list[Row], _: Path, **options: str) -> Answers:
    runtime = pytest.importorskip("onnxruntime")
    session = runtime.InferenceSession(tree.export("onnx", **options))
    given: dict[str, Any] = {}
    for c in used_columns(tree):
        values = [row[tree.schema[c].name] for row in rows]
        if tree.schema[c].is_numeric:
            given[tree.schema[c].name] = np.array(
                [math.nan if v is None else v for v in values], np.float64
            )
        else:
            texts = ["" if v is None else str(v) for v in values]
            given[tree.schema[c].name] = np.array(texts, object)
    if not given:
        given["penjing/rows"] = np.zeros(len(rows))
    found = session.run(None, given)
    if tree.is_regression:
        return found[0].tolist(), None
    return found[0].tolist(), found[1].tolist()


def by_pmml(tree: Tree, rows: list[Row], _: Path, **options: str) -> Answers:
    pypmml = pytest.importorskip("pypmml")
    need("java")
    model = pypmml.Model.fromString(tree.export("pmml", **options))
    names = names_of(tree)
    # All at once where JSON can hold the row, which knows neither infinity nor NaN.
    odd = {i for i, row in enumerate(rows) if not names or not all(map(_is_plain, row.values()))}
    told: dict[int, dict[str, Any]] = {
        i: model.predict({n: rows[i][n] for n in names if rows[i][n] is not None}) for i in odd
    }
    plain = [i for i in range(len(rows)) if i not in odd]
    if plain:
        known = [{n: rows[i][n] for n in names if rows[i][n] is not None} for i in plain]
        told |= zip(plain, json.loads(model.predict(json.dumps(known))), strict=True)
    if tree.is_regression:
        return [float(next(iter(told[i].values()))) for i in range(len(rows))], None
    title, *titles = answer_names(tree)
    answers = [told[i][title] for i in range(len(rows))]
    shares = [[float(told[i][name]) for name in titles] for i in range(len(rows))]
    return answers, shares


def _is_plain(value: Any) -> bool:
    return not isinstance(value, float) or math.isfinite(value)


SHEET = """<?xml version="1.0" encoding="UTF-8"?>
<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>
{rows}
</sheetData></worksheet>"""
PARTS = {
    "[Content_Types].xml": """<?xml version="1.0" encoding="UTF-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>
<Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>
</Types>""",  # noqa: E501
    "_rels/.rels": """<?xml version="1.0" encoding="UTF-8"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
<Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/>
</Relationships>""",  # noqa: E501
    "xl/workbook.xml": """<?xml version="1.0" encoding="UTF-8"?>
<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">
<sheets><sheet name="rows" sheetId="1" r:id="r1"/></sheets></workbook>""",
    "xl/_rels/workbook.xml.rels": """<?xml version="1.0" encoding="UTF-8"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
<Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/>
</Relationships>""",  # noqa: E501
}


def by_excel(tree: Tree, rows: list[Row], folder: Path, **options: str) -> list[str]:
    """Put rows and formulas into a workbook and let LibreOffice compute it."""
    need("soffice")
    names = names_of(tree)
    lines = []
    for i, row in enumerate(rows, 1):
        cells = [_xlsx(f"{chr(65 + k)}{i}", row[name]) for k, name in enumerate(names)]
        places = {name: f"{chr(65 + k)}{i}" for k, name in enumerate(names)}
        formula = escape(tree.export("excel", cells=places, **options)[1:])
        lines.append(f'<row r="{i}">{"".join(cells)}<c r="Z{i}"><f>{formula}</f></c></row>')
    parts = PARTS | {"xl/worksheets/sheet1.xml": SHEET.format(rows="\n".join(lines))}
    with zipfile.ZipFile(folder / "rows.xlsx", "w") as book:
        for path, text in parts.items():
            book.writestr(path, text)
    home = f"-env:UserInstallation=file://{folder}/home"
    form = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false"
    command = ["soffice", home, "--headless", "--convert-to", form, "rows.xlsx"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    deadline = time.monotonic() + 60
    while True:  # the program that writes may go on after the one that was started has ended
        with (folder / "rows.csv").open(encoding="utf-8", newline="") as file:
            found = [row[-1] for row in csv.reader(file)]
        if len(found) >= len(rows) or time.monotonic() > deadline:
            return found
        time.sleep(0.2)


def _xlsx(place: str, value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, int | float):
        return f'<c r="{place}"><v>{value!r}</v></c>'
    return f'<c r="{place}" t="inlineStr"><is><t xml:space="preserve">{escape(value)}</t></is></c>'
