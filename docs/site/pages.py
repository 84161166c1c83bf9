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
        "option": "Option", "does": "Description", "default": "Default", "arguments": "Arguments",
        "field": "Field", "type": "Type", "meaning": "Meaning", "required": "required",
        "optional": "optional",
    },
    "zh": {
        "option": "选项", "does": "说明", "default": "默认值", "arguments": "参数",
        "field": "字段", "type": "类型", "meaning": "含义", "required": "必需", "optional": "可选",
    },
}  # fmt: skip
HIDDEN = ("plugs",)  # old names that still work


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
    """Return a section for each command: usage, arguments, and options by panel."""
    import typer  # noqa: PLC0415 - idem

    from penjing.cli.app import build_app  # noqa: PLC0415 - idem

    words = WORDS[language]
    parts = []
    for name, command in typer.main.get_command(build_app()).commands.items():  # type: ignore[attr-defined]
        if name in HIDDEN:
            continue
        usage = " ".join([f"penjing {name}", *_arguments(command), "[OPTIONS]"])
        parts += [f"## `penjing {name}`", "", _cell(command.help), "", f"```text\n{usage}\n```", ""]
        for panel, options in _panels(command, words["arguments"]).items():
            parts += [f"**{panel}**", "", f"| {words['option']} | {words['does']} | {words['default']} |"]
            parts += ["|---|---|---|", *options, ""]
    return "\n".join(parts)


def _arguments(command: Any) -> list[str]:
    found = [p for p in command.params if p.param_type_name == "argument"]
    return [_name(p) if p.required else f"[{_name(p)}]" for p in found]


def _name(parameter: Any) -> str:
    return str(parameter.metavar or parameter.name).strip("{}").upper()


def _panels(command: Any, arguments: str) -> dict[str, list[str]]:
    panels: dict[str, list[str]] = {}
    for parameter in command.params:
        if getattr(parameter, "hidden", False):
            continue
        is_argument = parameter.param_type_name == "argument"
        panel = arguments if is_argument else (parameter.rich_help_panel or "Options")
        if is_argument:
            name = f"`{_name(parameter)}`"
        else:
            names = [*parameter.opts, *parameter.secondary_opts]
            name = " ".join(f"`{each}`" for each in names)
            if parameter.metavar and not parameter.is_flag:
                name += f" *{_cell(parameter.metavar)}*"
        default = parameter.default
        shown = "" if default in (None, False, ()) or callable(default) else f"`{default}`"
        panels.setdefault(panel, []).append(f"| {name} | {_cell(parameter.help)} | {shown} |")
    return panels


def _cell(text: Any) -> str:
    return " ".join(str(text or "").split()).replace("|", "\\|").replace("<", "&lt;")


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
    rows = [f"| {words['field']} | {words['type']} | | {words['meaning']} |", "|---|---|---|---|"]
    for name, field in part["properties"].items():
        need = words["required" if name in part.get("required", ()) else "optional"]
        rows.append(f"| `{name}` | {_type(field)} | {need} | {_cell(field.get('description'))} |")
    return rows


def _type(field: dict[str, Any]) -> str:
    if "$ref" in field:
        return f"`{field['$ref'].rpartition('/')[2]}`"
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
