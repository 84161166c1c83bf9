"""The READMEs: their languages and their pictures, drawn by penjing from the tables it comes with."""

from __future__ import annotations

from pathlib import Path

from figures import grown

PICTURES = Path(__file__).resolve().parents[1] / "pictures"
READMES = {"README.md": "en", "README.zh.md": "zh"}
TABLES = {"en": "play_tennis", "zh": "watermelon2.0"}
THEMES = ("light", "dark")


def pictures() -> dict[Path, str]:
    """Return the pictures of the READMEs, with their files."""
    return {
        PICTURES / f"readme-{language}-{theme}.svg": str(
            grown(table, "id3").write("svg", theme=theme, lang=language)
        )
        for language, table in TABLES.items()
        for theme in THEMES
    }


def write_pictures() -> None:
    """Write the pictures into docs/pictures."""
    for path, text in pictures().items():
        path.write_text(text, "utf-8")
