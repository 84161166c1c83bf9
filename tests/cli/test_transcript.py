# ruff: noqa: E501 - lines are as long as they are printed
"""The homework, typed as the design has it: what the command prints, character for character.

Where this differs from the design's transcript, docs/decisions/006-transcript.md says why.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from shared import SHARED, shared
from watermelon_files import FILES, put_melons

TRANSCRIPT = """\
$ penjing check Watermelon-train1.csv
Watermelon-train1.csv   16 rows, 6 columns, GB18030 (not valid UTF-8)
  编号   id            1 2 3 …               left out
  色泽   categorical   青绿 6  乌黑 5  浅白 5
  根蒂   categorical   蜷缩 8  稍蜷 6  硬挺 2
  敲声   categorical   浊响 9  沉闷 5  清脆 2
  纹理   categorical   清晰 8  稍糊 5  模糊 3
  好瓜   target        是 8  否 8
note: rows 12 and 15 are identical.

$ penjing fit Watermelon-train1.csv --recipe id3 -o melon1.tree
纹理 = 清晰
│  根蒂 = 蜷缩: 是 (5)
│  根蒂 = 稍蜷: 是 (2)
│  根蒂 = 硬挺: 否 (1)
纹理 = 稍糊
│  色泽 = 乌黑
│  │  敲声 = 浊响: 是 (1)
│  │  敲声 = 沉闷: 否 (1)
│  色泽 = 青绿: 否 (2)
│  色泽 = 浅白: 否 (1)
纹理 = 模糊: 否 (3)
8 leaves, depth 3, training accuracy 16/16
2 ties, resolved by column order: 根蒂 = 敲声 (0.5436) under 清晰, 色泽 = 敲声 (0.3219) under 稍糊

$ penjing why melon1.tree
root, 16 rows, 是 8 否 8, Ent(D) = -(8/16)log2(8/16) - (8/16)log2(8/16) = 1.0000
column  Ent after    gain    ratio    Gini
纹理       0.4974   0.5026   0.3402   0.2094  ████████████ chosen
敲声       0.8200   0.1800   0.1318   0.4000  ████
色泽       0.8262   0.1738   0.1100   0.3875  ████
根蒂       0.8522   0.1478   0.1051   0.4219  ███
Gain(D, 纹理) = 1.0000 - (8/16 × 0.5436 + 5/16 × 0.7219 + 3/16 × 0.0000) = 0.5026

$ penjing test melon1.tree Watermelon-test1.csv
accuracy 70% (7 of 10), 95% confidence interval 40% to 89%
baseline 50% (always 是); first split alone 80% (纹理)
ROC AUC 0.700 (0.390 to 1.000), PR AUC 0.633 (是), log loss 10.813, Brier score 0.300
              predicted
actual         是    否
  是            4     1
  否            2     3
class  precision  recall     F1  rows
是         0.667   0.800  0.727     5
否         0.750   0.600  0.667     5
wrong predictions: 编号 4 是→否, 编号 6 否→是, 编号 7 否→是
reason: they are identical to 编号 16, 6 and 7 of the training set but have another class.
        A tree that fits every row of train1 cannot exceed 7/10 on this file.

$ penjing fit Watermelon-train2.csv --recipe c4.5-textbook -o melon2.tree
密度 ≤ 0.3815: 否 (4)
密度 > 0.3815
│  纹理 = 清晰: 是 (7)
│  纹理 = 稍糊
│  │  密度 ≤ 0.56: 是 (1)
│  │  密度 > 0.56: 否 (4)
│  纹理 = 模糊: 否 (1)
5 leaves, depth 3, training accuracy 17/17
note: at the root, 纹理 has the higher gain (0.3806 against 0.2624), 密度 the higher gain ratio (0.3334 against 0.2631).
      --recipe c4.5 lowers the gain of numeric columns and splits on 纹理 first: 4 leaves, training accuracy 16/17.

$ penjing test melon2.tree Watermelon-test2.csv
accuracy 80% (4 of 5), 95% confidence interval 38% to 96%
baseline 40% (always 否); first split alone 60% (密度)
ROC AUC 0.833 (0.507 to 1.000), PR AUC 0.867 (是), log loss 7.209, Brier score 0.200
wrong predictions: 编号 3 是→否 (密度 0.337 ≤ 0.3815)

$ penjing prune melon1.tree --method pessimistic --test Watermelon-test1.csv -o melon1p.tree
step  subtree                    rows  errors if kept  errors as a leaf  decision
  1   纹理=清晰 (根蒂)              8           2.961             2.422  prune → 是
  2   纹理=稍糊, 色泽=乌黑 (敲声)   2           1.500             1.732  keep
  3   纹理=稍糊 (色泽)              5           3.250             2.271  prune → 否
  4   root (纹理)                  16           5.803             9.797  keep

$ penjing compare melon1.tree melon1p.tree --test Watermelon-test1.csv --train Watermelon-train1.csv
               leaves  training  test1   leave-one-out
melon1              8     16/16   7/10           12/16
melon1p             3     14/16   8/10           13/16
The predictions differ only for 编号 7 of the test set. One of ten rows is not enough to conclude that pruning helps; leave-one-out agrees.

$ penjing prune melon2.tree --method pessimistic --test Watermelon-test2.csv
nothing to prune: 5 leaves, training accuracy 17/17, test accuracy 4/5, leave-one-out accuracy 13/17.

$ penjing prune melon2.tree --method reduced-error --validate Watermelon-test2.csv --test Watermelon-test2.csv
error: the validation set and the test set are the same file, so the reported accuracy would be too optimistic.
Use --validate-share 0.3 to take the validation set from the training rows, or --same-file to continue anyway.
[exit 1]
"""

DEVIATIONS = {
    "  编号   id         1 2 3 …               left out": (
        "  编号   id            1 2 3 …               left out"
    ),
    "  色泽   category   青绿 6  乌黑 5  浅白 5": ("  色泽   categorical   青绿 6  乌黑 5  浅白 5"),
    "  根蒂   category   蜷缩 8  稍蜷 6  硬挺 2": ("  根蒂   categorical   蜷缩 8  稍蜷 6  硬挺 2"),
    "  敲声   category   浊响 9  沉闷 5  清脆 2": ("  敲声   categorical   浊响 9  沉闷 5  清脆 2"),
    "  纹理   category   清晰 8  稍糊 5  模糊 3": ("  纹理   categorical   清晰 8  稍糊 5  模糊 3"),
    "  好瓜   target     是 8  否 8": ("  好瓜   target        是 8  否 8"),
    "note: rows 12 and 15 are the same melon.": ("note: rows 12 and 15 are identical."),
    "8 leaves, depth 3, training 16/16": ("8 leaves, depth 3, training accuracy 16/16"),
    "2 ties settled by column order: 根蒂 = 敲声 (0.5436) under 清晰, 色泽 = 敲声 (0.3219) under 稍糊": (
        "2 ties, resolved by column order: 根蒂 = 敲声 (0.5436) under 清晰, 色泽 = 敲声 (0.3219) under 稍糊"
    ),
    "accuracy 7/10 = 70 %   (95 % interval 40 to 89 %)": (
        "accuracy 70% (7 of 10), 95% confidence interval 40% to 89%"
    ),
    "wrong: row 4 是→否, row 6 否→是, row 7 否→是": (
        "wrong predictions: 编号 4 是→否, 编号 6 否→是, 编号 7 否→是"
    ),
    "why: they equal training rows 16, 6 and 7 but carry the other label.": (
        "reason: they are identical to 编号 16, 6 and 7 of the training set but have another class."
    ),
    "     A tree that fits all of train1 cannot pass 7/10 on this file.": (
        "        A tree that fits every row of train1 cannot exceed 7/10 on this file."
    ),
    "$ penjing fit Watermelon-train2.csv --recipe c4.5 --dialect textbook -o melon2.tree": (
        "$ penjing fit Watermelon-train2.csv --recipe c4.5-textbook -o melon2.tree"
    ),
    "5 leaves, depth 3, training 17/17": ("5 leaves, depth 3, training accuracy 17/17"),
    "note: at the root 纹理 gains more (0.3806 to 0.2624), 密度 has the better ratio (0.3334 to 0.2631).": (
        "note: at the root, 纹理 has the higher gain (0.3806 against 0.2624), 密度 the higher gain ratio (0.3334 against 0.2631)."
    ),
    "      --dialect r8 lowers the gain of numeric columns and starts with 纹理: 4 leaves, 16/17.": (
        "      --recipe c4.5 lowers the gain of numeric columns and splits on 纹理 first: 4 leaves, training accuracy 16/17."
    ),
    "accuracy 4/5 = 80 %   (95 % interval 38 to 96 %)": (
        "accuracy 80% (4 of 5), 95% confidence interval 38% to 96%"
    ),
    "wrong: row 3 是→否 (密度 0.337 ≤ 0.3815)": (
        "wrong predictions: 编号 3 是→否 (密度 0.337 ≤ 0.3815)"
    ),
    "step  subtree                    rows  errors kept  as leaf  decision": (
        "step  subtree                    rows  errors if kept  errors as a leaf  decision"
    ),
    "  1   纹理=清晰 (根蒂)               8        2.961    2.422  prune → 是": (
        "  1   纹理=清晰 (根蒂)              8           2.961             2.422  prune → 是"
    ),
    "  2   纹理=稍糊, 色泽=乌黑 (敲声)      2        1.500    1.732  keep": (
        "  2   纹理=稍糊, 色泽=乌黑 (敲声)   2           1.500             1.732  keep"
    ),
    "  3   纹理=稍糊 (色泽)               5        3.250    2.271  prune → 否": (
        "  3   纹理=稍糊 (色泽)              5           3.250             2.271  prune → 否"
    ),
    "  4   root (纹理)                  16        5.803    9.797  keep": (
        "  4   root (纹理)                  16           5.803             9.797  keep"
    ),
    "               leaves  training  test1   leave one out": (
        "               leaves  training  test1   leave-one-out"
    ),
    "They differ on test row 7 only. One row of ten is no evidence that pruning helps; leave-one-out agrees in sign.": (
        "The predictions differ only for 编号 7 of the test set. One of ten rows is not enough to conclude that pruning helps; leave-one-out agrees."
    ),
    "nothing to prune: 5 leaves, training 17/17, test 4/5, leave one out 13/17.": (
        "nothing to prune: 5 leaves, training accuracy 17/17, test accuracy 4/5, leave-one-out accuracy 13/17."
    ),
    "error: the file that decides the pruning is also the file that reports the accuracy.": (
        "error: the validation set and the test set are the same file, so the reported accuracy would be too optimistic."
    ),
    "That number is not a test. Use --validate-share 0.3, or --same-file to do it all the same.": (
        "Use --validate-share 0.3 to take the validation set from the training rows, or --same-file to continue anyway."
    ),
}
"""Lines of the design's transcript that read differently here."""

ADDITIONS = {
    "accuracy 70% (7 of 10), 95% confidence interval 40% to 89%": (
        "baseline 50% (always 是); first split alone 80% (纹理)",
        "ROC AUC 0.700 (0.390 to 1.000), PR AUC 0.633 (是), log loss 10.813, Brier score 0.300",
    ),
    "  否            2     3": (
        "class  precision  recall     F1  rows",
        "是         0.667   0.800  0.727     5",
        "否         0.750   0.600  0.667     5",
    ),
    "accuracy 80% (4 of 5), 95% confidence interval 38% to 96%": (
        "baseline 40% (always 否); first split alone 60% (密度)",
        "ROC AUC 0.833 (0.507 to 1.000), PR AUC 0.867 (是), log loss 7.209, Brier score 0.200",
    ),
}
"""Lines that follow lines of the transcript and are not in the design."""


def steps() -> list[tuple[list[str], str]]:
    """Return the commands of the transcript, each with what it prints."""
    parts = re.split(r"^\$ penjing (.*)\n", TRANSCRIPT, flags=re.MULTILINE)[1:]
    return [
        (command.split(), text.rstrip("\n") + "\n")
        for command, text in zip(parts[::2], parts[1::2], strict=True)
    ]


def penjing(folder: Path, *args: str) -> subprocess.CompletedProcess[bytes]:
    code = "import sys; from penjing.cli import main; sys.exit(main())"
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "PYTHONUTF8": "1", "NO_COLOR": "1"}
    return subprocess.run(
        [sys.executable, "-c", code, *args],
        cwd=folder,
        env=environment,
        capture_output=True,
        check=False,
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("homework")
    put_melons(found)
    return found


def test_the_homework_prints_what_the_design_says(folder):
    for args, expected in steps():
        done = penjing(folder, *args)
        printed = done.stdout.decode("utf-8")
        if done.returncode:
            printed += f"{done.stderr.decode('utf-8')}[exit {done.returncode}]\n"
        assert printed == expected, args


CHOSEN = (
    "note: recipe id3 was chosen automatically: the table has at most 1,000 rows, only categorical "
    "columns and no missing values."
)


def test_results_alone_are_on_stdout(folder):
    """What was inferred, and what a tree leaves undrawn, is said on stderr."""
    said = penjing(folder, "fit", "Watermelon-train1.csv").stderr.decode("utf-8")
    assert said.splitlines() == [
        "note: Watermelon-train1.csv was read as GB18030, because it is not valid UTF-8.",
        "note: the last column, '好瓜', is used as the target.",
        "note: '编号' was left out: its name is that of an id, and no value occurs twice.",
        CHOSEN,
        "note: 1 branch has no training rows and is not shown; use `penjing show --empty` to show it.",
    ]


def test_the_transcript_is_the_design_s_but_for_what_is_written_down():
    paper = shared("ux.md").read_text("utf-8")
    text = paper[paper.index("```console") :]
    text = text[len("```console\n") : text.index("```\n", 3)]
    lines = [DEVIATIONS.get(line, line) for line in text.splitlines()]
    lines = [each for line in lines for each in (line, *ADDITIONS.get(line, ()))]
    assert "\n".join(lines) + "\n" == TRANSCRIPT


def test_deviations_are_written_down():
    paper = Path(__file__).parents[2] / "docs" / "decisions" / "006-transcript.md"
    told = paper.read_text("utf-8")
    for theirs, ours in DEVIATIONS.items():
        assert theirs.strip() in told
        assert ours.strip() in told
    for lines in ADDITIONS.values():
        for line in lines:
            assert line in told


@pytest.mark.skipif(not SHARED.exists(), reason="the course's own files are not there")
def test_the_files_are_the_course_s_own():
    for name, text in FILES.items():
        theirs = shared(f"data/watermelon-course/{name}").read_bytes().decode("gb18030")
        assert theirs.replace("\r\n", "\n").rstrip("\n") == text.rstrip("\n")
