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
    from penjing.afar import engine_for, refuse_here  # noqa: PLC0415 - heavy
    from penjing.fit import fit  # noqa: PLC0415

    unread = {
        "--missing-marker": reading.markers,
        "--encoding": reading.encoding,
        "--separator": reading.separator,
        "--names": reading.names,
        "--keep": reading.keep,
        "--dates": reading.dates,
    }
    refuse_here(engine_for(data, how["engine"]) or "", **{k: v or None for k, v in unread.items()})
    validation = pruning.validate if pruning.validate is not None else pruning.share
    with growing(voice) as watcher:
        tree = fit(
            data,
            reading.target,
            validation=validation,
            prune=pruning.method,
            schema=reading.wishes(),
            weight=reading.weight,
            progress=watcher,
            **how,
        )
    if reading.target is None:  # nothing but a name tells it there
        voice.note("note_target_named", column=tree.target.name)
    return tree
