"""What `make demo` runs: grows the tree of the watermelon table, prints it and saves it."""

from __future__ import annotations

import sys
from pathlib import Path

import penjing

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "demo")
folder.mkdir(parents=True, exist_ok=True)

melons = penjing.example("watermelon2.0")
tree = penjing.fit(melons, recipe="id3", trace=True)
print(tree)
print(tree.score(melons))

rows = [[*melons.names, melons.target.name], *(row.values() for row in melons.rows())]

# One line per file that the demo saves: its name and its content.
files = {
    "watermelon.txt": tree.draw() + "\n",
    "watermelon.svg": tree.write("svg"),
    "watermelon.html": tree.write("html", lang="zh"),
    "watermelon.csv": "\n".join(",".join(row) for row in rows) + "\n",
}
for name, text in files.items():
    (folder / name).write_text(text, encoding="utf-8")
tree.save(folder / "watermelon.tree")
print(f"\nsaved in {folder}/: {', '.join([*files, 'watermelon.tree'])}")
