"""Files that do not open, streams, standard input; and every sentence in both languages."""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import re
import string
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

import penjing
from penjing.data.read import read
from penjing.errors import DataError
from penjing.i18n import catalogue

DATA = b"a,class\nu,p\nv,q\nu,p\n"


def test_bytes_streams_and_paths_are_one(tmp_path):
    path = tmp_path / "x.csv"
    path.write_bytes(DATA)
    expected = list(read(DATA).rows())
    assert list(read(path).rows()) == list(read(str(path)).rows()) == expected
    assert list(read(io.BytesIO(DATA)).rows()) == expected
    assert list(read(io.StringIO("\ufeff" + DATA.decode())).rows()) == expected
    assert list(read(bytearray(DATA)).rows()) == list(read(memoryview(DATA)).rows()) == expected
    with path.open("rb") as stream:
        table = read(stream)
    assert table.source["name"] == "x.csv"
    assert table.source["sha256"] == hashlib.sha256(DATA).hexdigest()
    assert read(DATA, name="melons").source["name"] == "melons"


def test_standard_input():
    code = "from penjing.data.read import read; t = read('-'); print(t.n_rows, t.source['name'])"
    for data in (
        DATA,
        b'{"a": "u", "class": "p"}\n{"a": "v", "class": "q"}\n{"a": "v", "class": "q"}',
    ):
        done = subprocess.run(
            [sys.executable, "-c", code], input=data, capture_output=True, check=True
        )
        assert done.stdout == b"3 standard input\n"


def test_the_package_of_readers_does_not_hide_the_function_read():
    code = (
        "from penjing.data.read import read\nimport penjing, penjing.api.fit\n"
        "print(penjing.read([[1, 'p'], [2, 'q'], [3, 'p']], names=['a', 'class']).n_rows)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stdout == b"3\n"


def test_a_folder(tmp_path):
    with pytest.raises(DataError) as caught:
        read(tmp_path)
    assert str(caught.value) == f"Is a directory: {tmp_path}. Give the name of a file."


def test_a_file_that_is_not_there(tmp_path):
    (tmp_path / "melons.csv").write_bytes(DATA)
    with pytest.raises(DataError, match=r"Did you mean '.*melons.csv'") as caught:
        read(tmp_path / "melon.csv")
    assert caught.value.key == "no_such_file_near"
    with pytest.raises(DataError, match=r"No such file: .*\. Check the path"):
        read(tmp_path / "qqq")
    with pytest.raises(DataError, match="No such file"):
        read(tmp_path / "nowhere" / "x.csv")
    with pytest.raises(DataError, match="cannot be read"):
        read(tmp_path / "melons.csv" / "x.csv")


def test_a_path_with_a_nul():
    with pytest.raises(DataError, match="cannot be read"):
        read("a\0b.csv")


def test_text_where_a_path_belongs():
    with pytest.raises(DataError, match="string of several lines: 'a,class'"):
        read(DATA.decode())


@pytest.mark.parametrize("call", ["read(NAME)", "fit(NAME)", "fit(NAME, engine='disk')"])
@pytest.mark.parametrize("name", ["x.csv", "x.parquet"])
def test_a_file_that_may_not_be_read(tmp_path, name, call):
    path = tmp_path / name
    if name.endswith("parquet"):
        duckdb.sql("select i as a, i % 2 as class from range(9) t(i)").write_parquet(str(path))
    else:
        path.write_bytes(DATA)
    call = call.replace("NAME", repr(name))
    if os.geteuid():
        path.chmod(0)
        with pytest.raises(DataError, match="Permission denied"), contextlib.chdir(tmp_path):
            eval(call, {"read": read, "fit": penjing.fit})  # noqa: S307
        return
    # Root may read anything, so somebody else has to try; who may perhaps not enter the folder of
    # this checkout, so that all is loaded before.
    code = (
        "import os, sys, warnings\nfrom penjing import fit, read\n"
        "from penjing.errors import DataError\nwarnings.simplefilter('ignore')\n"
        f"os.chdir(sys.argv[1])\n{call}\n"
        "try:\n    read('not there.csv')\nexcept DataError as e:\n    str(e)\n"
        f"os.chmod({name!r}, 0)\nos.chmod('.', 0o755)\nos.setuid(65534)\n"
        f"try:\n    {call}\nexcept DataError as e:\n    print(e)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, check=True, text=True
    )
    assert done.stdout.startswith(f"Permission denied: {name}")


def test_a_binary_file_is_refused(tmp_path):
    path = tmp_path / "photo.png"
    path.write_bytes(b"\x89PNG" + bytes(200))
    with pytest.raises(DataError) as caught:
        read(path)
    assert str(caught.value).startswith("photo.png is not a text file.")
    assert "workbooks (.xlsx)" in str(caught.value)


DATA_PACKAGE = Path(penjing.__file__).with_name("data")
RAISED = re.compile(r'(?:DataError|ChoiceError|unknown_name_error|\w+\.error|Note)\(\s*f?"(\w+)"')
NOTED = re.compile(r'\w+\.note\(\s*f?"([\w{}]+)"')


def keys_of_the_readers():
    files = [*DATA_PACKAGE.glob("read/*.py"), *DATA_PACKAGE.glob("encode/*.py")]
    text = "".join(path.read_text("utf-8") for path in sorted(files))
    noted = {f"note_{key}" for key in NOTED.findall(text) if "{" not in key}
    ids = {f"note_left_out_id_{why}" for why in ("name", "count", "text")}
    return set(RAISED.findall(text)) | noted | ids | {"note_many_classes"}


def holes(sentence):
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name}


def test_the_messages_of_the_readers_are_found():
    assert len(keys_of_the_readers()) > 75


@pytest.mark.parametrize("key", sorted(keys_of_the_readers()))
def test_every_message_of_the_readers_is_there_in_both_languages(key):
    english, chinese = catalogue("en"), catalogue("zh")
    assert holes(english[key]) == holes(chinese[key])
    for ending in ("_near", "_one"):
        if key + ending in english:
            assert holes(english[key + ending]) | {"n"} >= holes(english[key])
    assert english[key].endswith((".", "?", ".\n", "]).", "Give", "…].", "{source}"))
    assert chinese[key].endswith(("。", "？", ".", "{source}"))
