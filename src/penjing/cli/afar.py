"""`fit` where the rows stay in a database: the same words, other engines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penjing.cli.progress import growing
from penjing.cli.pruned import Pruning
from penjing.cli.say import Voice
from penjing.cli.sources import Reading

if TYPE_CHECKING:
    from penjing.tree import Tree


def is_afar(data: str, engine: str) -> bool:
    """Whether the rows are to be counted where they are."""
    from penjing.afar import engine_for  # noqa: PLC0415 - heavy

    return engine_for(data, engine) is not None


def grown(voice: Voice, data: str, reading: Reading, pruning: Pruning, how: dict[str, Any]) -> Tree:
    """Return the tree of a table or query of a database."""
    from penjing import afar  # noqa: PLC0415 - heavy
    from penjing.fit import fit  # noqa: PLC0415

    engine = afar.engine_for(data, how["engine"]) or ""
    validation = pruning.validate if pruning.validate is not None else pruning.share
    rest = {"validation": validation, "prune": pruning.method, "weight": reading.weight, **how}
    if afar.is_to_be_read(data, engine, how["query"], how.get("table")):
        table = reading.table(voice, data)
        voice.notes(table.notes)
        with growing(voice) as watcher:
            return fit(table, progress=watcher, **rest)
    unread = {
        "--missing-marker": reading.markers,
        "--encoding": reading.encoding,
        "--separator": reading.separator,
        "--names": reading.names,
        "--keep": reading.keep,
        "--dates": reading.dates,
    }
    afar.refuse_here(engine, **{k: v or None for k, v in unread.items()})
    with afar.heard() as notes, growing(voice) as watcher:
        tree = fit(data, reading.target, schema=reading.wishes(), progress=watcher, **rest)
    voice.notes(notes)
    if reading.target is None:  # nothing but a name tells it there
        voice.note("note_target_named", column=tree.target.name)
    return tree
