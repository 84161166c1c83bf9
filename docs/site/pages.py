"""References made from the program: commands and options, recipes, plug-ins, the model format."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parents[1]
WORDS = {
    "en": {
        "option": "Option", "does": "Description", "default": "Default",
        "field": "Field", "type": "Type", "meaning": "Meaning", "required": "Required",
        "yes": "yes",
    },
    "zh": {
        "option": "选项", "does": "说明", "default": "默认值",
        "field": "字段", "type": "类型", "meaning": "含义", "required": "必需", "yes": "是",
    },
}  # fmt: skip


def run_command(*args: str, language: str) -> str:
    """Return what the command prints."""
    from penjing.cli import main  # noqa: PLC0415 - the package is slow to start

    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, encoding="utf-8", write_through=True)
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        code = main([*args, "--lang", language])
    text = raw.getvalue().decode("utf-8")
    if code:
        raise RuntimeError(text)
    return text


def commands(language: str) -> str:
    """Return a section for each command: usage, what it does, options by panel, examples."""
    import typer  # noqa: PLC0415 - the package is slow to start

    from penjing.cli.app import build_app  # noqa: PLC0415 - idem
    from penjing.cli.help_examples import HELP_EXAMPLES  # noqa: PLC0415 - idem
    from penjing.cli.help_page import HelpStyle, panels_of, usage_text  # noqa: PLC0415 - idem

    style = HelpStyle.from_args(["--lang", language])
    program: Any = typer.main.get_command(build_app())
    root = program.context_class(program, info_name="penjing")
    words = WORDS[language]
    parts = []
    for name, command in program.commands.items():
        if command.hidden:
            continue
        ctx = command.context_class(command, info_name=name, parent=root)
        about = [style.text(f"command_{name}"), style.text(f"about_{name}")]
        parts += [f"## `penjing {name}`", "", *(f"{_cell(text)}\n" for text in about)]
        parts += [f"```text\n{usage_text(ctx, style)}\n```", ""]
        for panel, options in panels_of(command, ctx, style).items():
            title = _cell(style.text(f"panel_{panel}")).rstrip(":：")
            parts += [
                f"**{title}**",
                "",
                f"| {words['option']} | {words['does']} | {words['default']} |",
            ]
            parts += ["|---|---|---|"]
            for option in options:
                names = " ".join(f"`{each}`" for each in option.names)
                value = f"*{_cell(option.value)}*" if option.value else ""
                default = f"`{option.default}`" if option.default else ""
                parts.append(f"| {names} {value} | {_cell(option.text)} | {default} |")
            parts.append("")
        parts += ["```text", *HELP_EXAMPLES[name], "```", ""]
    return "\n".join(parts)


def _cell(text: Any) -> str:
    escaped = " ".join(str(text or "").split()).replace("|", "\\|").replace("<", "&lt;")
    return escaped.replace("*", "\\*").replace("_", "\\_")


def recipes(language: str) -> str:
    """Return the settings of every recipe, as the command lists them."""
    from penjing import RECIPES  # noqa: PLC0415 - idem

    parts = []
    for name in RECIPES:
        listing = run_command("recipes", name, language=language).partition("\n")[2]
        parts += [f"## `{name}`", "", "```text", listing.rstrip(), "```", ""]
    return "\n".join(parts)


def plugins(language: str) -> str:
    """Return the names of everything that can be chosen by name."""
    return f"```text\n{run_command('plugins', language=language).rstrip()}\n```"


def model_format(language: str) -> str:
    """Return tables of the fields of a model file, from the published schema."""
    schema = json.loads((DOCS / "model.schema.json").read_text("utf-8"))
    parts = ["## " + {"en": "The file", "zh": "文件"}[language], "", *_fields(schema, language), ""]
    for name, part in schema["$defs"].items():
        if "properties" in part:
            parts += [f"## `{name}`", "", _cell(part.get("description")), ""]
            parts += [*_fields(part, language), ""]
    return "\n".join(parts)


def _fields(part: dict[str, Any], language: str) -> list[str]:
    words = WORDS[language]
    columns = [words[name] for name in ("field", "type", "required", "meaning")]
    rows = [f"| {' | '.join(columns)} |", "|---|---|:-:|---|"]
    for name, field in part["properties"].items():
        need = words["yes"] if name in part.get("required", ()) else ""
        text = _cell(field.get("description"))
        if language == "zh" and "$defs" in part:
            text = FIELDS_ZH[name]
        rows.append(f"| `{name}` | {_type(field)} | {need} | {text} |")
    return rows


FIELDS_ZH = {
    "format": "格式的编号；比程序所知更大的编号来自更新的版本。",
    "penjing": "写出该文件的版本。",
    "recipe": "配方及其全部设置。",
    "target": "目标：名称、类型、各类别。",
    "schema": "各属性：名称、类型、各取值。",
    "centre": "目标为数值时，求和之前减去的数。",
    "nodes": "结点，按广度优先的次序，父结点在前。",
    "about": "模型的来历：训练文件、校验和、剪枝、计算引擎等。",
    "trace": "每个划分背后的数；可以没有。",
    "reading": "读表的方式，例如缺失标记。",
    "sketch": "最大的若干结点上样本的分布，供绘图用。",
    "skeleton": "第一次剪枝之前的树的划分和计数。",
}
"""What the fields of the file mean; the schema has it in English."""


def _type(field: dict[str, Any]) -> str:
    if "$ref" in field:
        name = field["$ref"].rpartition("/")[2]
        return name if name in ("number", "codes") else f"[`{name}`](#{name})"
    if "anyOf" in field:
        return ", ".join(dict.fromkeys(_type(each) for each in field["anyOf"]))
    if "enum" in field:
        return ", ".join(f"`{each}`" for each in field["enum"])
    if "const" in field:
        return f"`{field['const']}`"
    if field.get("type") == "array" and isinstance(field.get("items"), dict):
        return f"array of {_type(field['items'])}"
    found = field.get("type", "any")
    return ", ".join(found) if isinstance(found, list) else str(found)


GENERATED: dict[str, Callable[[str], str]] = {
    "commands": commands,
    "recipes": recipes,
    "plugins": plugins,
    "model-format": model_format,
}
"""What replaces ``<!-- generated: NAME -->`` in a page."""
