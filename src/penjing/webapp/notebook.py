"""The lab in a notebook: the same page and the same routes, by messages of a widget."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Unpack

from penjing import arguments
from penjing.api.read_table import read_rows
from penjing.api.settings import Settings
from penjing.api.tree import Tree
from penjing.data.source import Source, Target
from penjing.errors import CapabilityError, ChoiceError
from penjing.i18n import LANGUAGES

if TYPE_CHECKING:
    from penjing.webapp.notebook_widget import LabWidget

Language = Literal["en", "zh"]


def lab(
    data: Source | Tree,
    target: Target | None = None,
    recipe: str = "auto",
    *,
    training: Source | None = None,
    shares: tuple[float, float, float] | None = None,
    seed: int = 0,
    lang: Language = "en",
    quiet: bool = False,
    **settings: Unpack[Settings],
) -> LabWidget:
    """Open the lab in a notebook; needs ``penjing[notebook]``.

    Parameters
    ----------
    data : Table, source or Tree
        A table, anything that :func:`penjing.read` can read, or a tree to continue with.
    target : str or values, optional
        The column to predict; not needed for a `Table` or a tree.
    recipe : str
        As in :func:`penjing.fit`; not for a tree.
    training : Table or source, optional
        The training rows of a tree; by default those that it was fitted to, if they are available.
    shares : three numbers, optional
        The shares of training, validation and test rows, such as ``(0.6, 0.2, 0.2)``, which is the
        default for tables of at least 50 rows; smaller tables are all for training.
    seed : int
        The seed that selects these rows.
    lang : str
        The language of the page, ``en`` or ``zh``.
    quiet : bool
        Do not warn about decisions made while reading the data.
    **settings
        Settings of the recipe, as in :func:`penjing.fit`.

    Returns
    -------
    LabWidget
        ``widget.tree`` is the tree that the page shows.

    Examples
    --------
    >>> import penjing
    >>> widget = penjing.lab(penjing.example("watermelon2.0"))
    >>> widget.tree.n_leaves
    8
    >>> answer = widget.ask("POST", f"workbook/{widget.workbook}/step", {"act": "leaf", "node": 1})
    >>> widget.tree.n_leaves
    4
    """
    arguments.one_of("lang", lang, LANGUAGES)
    seed = arguments.whole_number("seed", seed, 0, arguments.MAX_WHOLE_NUMBER)
    if training is not None and not isinstance(data, Tree):
        raise ChoiceError("lab_training_of_table", name="training")
    widget_class = _widget_class()
    # Not above: `import penjing; penjing.lab` would load everything that draws.
    from penjing.webapp.division import Shares, default_shares  # noqa: PLC0415
    from penjing.webapp.lab_state import Lab, Start  # noqa: PLC0415
    from penjing.webapp.lab_workbook import Growing  # noqa: PLC0415
    from penjing.webapp.table_source import TableSource  # noqa: PLC0415

    state = Lab(start=Start(lang=lang))
    if isinstance(data, Tree):
        if settings or target is not None or recipe != "auto" or shares is not None:
            raise ChoiceError("lab_tree_is_grown")
        rows = data.training_table() if training is None else training
        if rows is None:
            raise ChoiceError("edit_needs_rows")
        table, growing = read_rows(rows, None, quiet=quiet), Growing(model=data)
        division = {**default_shares(0).to_json(), "seed": 0}
    else:
        name = arguments.text("recipe", recipe)
        table, growing = read_rows(data, target, quiet=quiet), Growing(name, dict(settings))
        division = default_shares(table.n_rows).to_json() | {"seed": seed}
        if shares is not None:
            division |= Shares.of(shares).to_json() | {"seed": seed}
    name = str(table.source.get("name", "table"))
    state.start.table = state.add_table(TableSource(name, _locator(data), table))
    state.start.workbook = state.open_workbook(state.start.table, growing, division)
    return widget_class(state)


def _locator(data: object) -> str | None:
    """Return what a script reads the table from; None for objects."""
    return data if isinstance(data, str) else None


def _widget_class() -> type[LabWidget]:
    try:
        from penjing.webapp.notebook_widget import LabWidget  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("anywidget", "traitlets", "ipywidgets"):
            raise
        raise CapabilityError("lab_needs_notebook") from None
    return LabWidget
