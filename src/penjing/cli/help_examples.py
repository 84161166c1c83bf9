"""The command lines at the end of the help; they run in this order in an empty folder."""

from __future__ import annotations

HELP_EXAMPLES: dict[str, tuple[str, ...]] = {
    "check": (
        "penjing check example:watermelon3.0",
        "penjing check example:golf --target class --json",
    ),
    "fit": (
        "penjing fit example:watermelon2.0 --recipe id3 -o melon.tree",
        "penjing fit example:watermelon3.0 --recipe rpart --minsplit 4 -o rpart.tree",
        "penjing fit example:golf --recipe c4.5 -m 1 --prune reduced-error --validate-share 0.3",
        "penjing fit example:watermelon2.0 -r id3 --root 脐部 --force '脐部=凹陷 => 色泽'",
    ),
    "prune": (
        "penjing prune melon.tree --method pessimistic --confidence 0.25 -o small.tree",
        "penjing prune melon.tree --validate example:watermelon3.0 --ties keep",
    ),
    "edit": (
        "penjing edit melon.tree --replace '=> 脐部' -o navel.tree",
        "penjing edit melon.tree --prune 纹理=清晰 --validate example:watermelon2.0",
    ),
    "show": (
        "penjing show melon.tree",
        "penjing show melon.tree --as rules",
    ),
    "draw": (
        "penjing draw melon.tree -o melon.svg",
        "penjing draw melon.tree -o melon.html --theme dark",
        "penjing draw melon.tree -o melon.txt",
    ),
    "import": (
        "penjing import melon.txt --target 好瓜 -o hand.tree",
        "penjing import melon.txt --data example:watermelon2.0 -o hand.tree",
    ),
    "why": (
        "penjing why melon.tree",
        "penjing why melon.tree 纹理=清晰 --all",
        "penjing why rpart.tree --cuts 含糖率",
        "penjing why rpart.tree --cuts 含糖率 -o thresholds.svg",
        "penjing why melon.tree --all -o why.html",
    ),
    "explain": (
        "penjing explain melon.tree --row 3 --data example:watermelon2.0",
        "penjing explain melon.tree --row '纹理=清晰, 根蒂=稍蜷, 色泽=乌黑'",
    ),
    "trace": (
        "penjing trace melon.tree",
        "penjing trace melon.tree --steps 3",
        "penjing trace melon.tree --format tex -o trace.tex",
    ),
    "ruleset": (
        "penjing ruleset melon.tree",
        "penjing ruleset melon.tree --votes",
    ),
    "importance": (
        "penjing importance melon.tree",
        "penjing importance melon.tree --data example:watermelon2.0 --seed 1",
        "penjing importance melon.tree -o importance.svg --theme dark",
    ),
    "worksheet": (
        "penjing worksheet example:play_tennis --recipe id3 -o sheet.html",
        "penjing worksheet --recipe cart-textbook --seed 7 --blanks all -o drawn.tex",
    ),
    "lab": (
        "penjing lab example:watermelon2.0",
        "penjing lab melon.tree --no-open --idle 10",
    ),
    "test": (
        "penjing test melon.tree example:watermelon2.0",
        "penjing test melon.tree example:watermelon2.0 --full --min-accuracy 0.8",
        "penjing test melon.tree example:watermelon2.0 --positive 是 --cost 1:5 --leaves",
        "penjing test melon.tree example:watermelon2.0 --chart roc -o roc.svg",
    ),
    "cross-validate": (
        "penjing cross-validate example:golf --recipe c4.5 --folds 5",
        "penjing cross-validate example:watermelon3.0 --recipe c4.5 --leave-one-out",
    ),
    "compare": (
        "penjing compare melon.tree small.tree",
        "penjing compare melon.tree small.tree --train example:watermelon2.0",
        "penjing compare --recipes id3,c4.5-textbook,cart-textbook example:watermelon3.0",
    ),
    "bootstrap": (
        "penjing bootstrap example:watermelon2.0 --recipe id3",
        "penjing bootstrap example:golf --recipe c4.5 --trees 20 --seed 1",
    ),
    "report": (
        "penjing report melon.tree -o melon-report.html",
        "penjing report melon.tree --test example:watermelon2.0 -o tested.html",
    ),
    "drift": (
        "penjing drift melon.tree example:watermelon2.0",
        "penjing drift melon.tree example:watermelon2.0 --max-psi 0.25",
    ),
    "predict": (
        "penjing predict melon.tree example:watermelon2.0",
        "penjing predict melon.tree example:watermelon2.0 --proba --path -o predicted.csv",
        "penjing predict melon.tree example:watermelon2.0 --summary",
    ),
    "export": (
        "penjing export melon.tree --to python -o melon.py",
        "penjing export melon.tree --to javascript",
    ),
    "examples": (
        "penjing examples",
        "penjing fit example:fish --recipe id3",
    ),
    "recipes": (
        "penjing recipes",
        "penjing recipes c4.5",
    ),
    "plugins": (
        "penjing plugins",
        "penjing plugins --json",
    ),
    "plugs": ("penjing plugs",),
    "completion": (
        "penjing completion bash",
        "penjing completion fish",
    ),
    "": (
        "penjing fit example:watermelon2.0 --recipe id3 -o melon.tree",
        "penjing why melon.tree",
        "penjing draw melon.tree -o melon.svg",
    ),
}
"""By command; "" is the program itself. `fit` comes before the commands that use its models."""
