"""A folder for a while: gone when nobody needs it any more, also after Ctrl-C and after a crash.

Whoever works in a folder holds a lock on a file in it, which the system lets go when the process
ends, however it ends. So a folder whose lock can be had is nobody's, and the next run removes it.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import tempfile
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from penjing.errors import DataError, PenjingError

PREFIX = "penjing-store-"
LOCK = "lock"


class ScratchFolder:
    """A folder of its own, locked while it is in use and removed afterwards.

    Parameters
    ----------
    where : str or None
        In which folder; the system's temporary one where it is not said.
    name : str or None
        What it is called, so that a later run finds it again; a new name where it is not said.

    Examples
    --------
    >>> space = ScratchFolder()
    >>> folder = space.folder
    >>> folder.exists()
    True
    >>> space.close()
    >>> folder.exists()
    False
    """

    def __init__(self, where: str | None = None, name: str | None = None) -> None:
        above = Path(where or tempfile.gettempdir())
        try:
            above.mkdir(parents=True, exist_ok=True)
            remove_stale_folders(above, but=name)
            self.folder, lock = _create_locked(above, name)
        except OSError as error:
            raise DataError("work_folder", folder=str(above), reason=error.strerror) from None
        self._end = weakref.finalize(self, _remove_folder, self.folder, lock)

    def array(
        self, name: str, dtype: npt.DTypeLike, n: int, mode: Literal["r", "r+", "w+"] = "r"
    ) -> npt.NDArray[Any]:
        """Return a file of so many values as a mapped array."""
        if n == 0:
            return np.empty(0, dtype)
        path = self.folder / name
        if mode == "w+":
            allocate_file(path, n * np.dtype(dtype).itemsize)
            mode = "r+"
        return np.memmap(path, dtype, mode, shape=(n,))

    def close(self) -> None:
        """Remove the folder."""
        self._end()

    def release(self) -> None:
        """Let go of the folder without removing it: a later run goes on in it."""
        kept = self._end.detach()
        if kept is not None:
            os.close(kept[2][1])

    def close_after_error(self, error: BaseException, *, keep: bool) -> None:
        """Leave the folder for a later run if it may be kept and the error need not come again."""
        if keep and not isinstance(error, PenjingError):
            self.release()
        else:
            self.close()


@contextlib.contextmanager
def scratch_folder() -> Iterator[Path]:
    """Give a folder among the system's temporary ones, for a while."""
    space = ScratchFolder()
    try:
        yield space.folder
    finally:
        space.close()


def allocate_file(path: Path, size: int) -> None:
    """Make a file of this size whose room on the disk is certain, or say that there is none."""
    with path.open("r+b" if path.exists() else "w+b") as file, convert_disk_full(path.parent, size):
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file.fileno(), 0, size)
        else:
            file.truncate(size)


@contextlib.contextmanager
def convert_disk_full(folder: Path, size: int = 0) -> Iterator[None]:
    """Turn a full disk into a sentence."""
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        free = shutil.disk_usage(folder).free
        said = {"folder": str(folder), "wanted": format_bytes(size), "free": format_bytes(free)}
        raise DataError("disk_full", **said) from None


def format_bytes(size: float) -> str:
    """Return a number of bytes as people read it.

    Examples
    --------
    >>> format_bytes(1536), format_bytes(2e9)
    ('1.5 KB', '1.9 GB')
    """
    for unit in ("bytes", "KB", "MB", "GB"):
        if size < 1024:
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} TB"


def remove_stale_folders(above: Path, but: str | None = None) -> None:
    """Remove the folders of runs that are no more."""
    for folder in above.glob(PREFIX + "*"):
        if but is not None and folder.name == PREFIX + but:
            continue
        with contextlib.suppress(OSError):
            if not (folder / LOCK).exists():
                folder.rmdir()  # only if it is empty: somebody died before or after all else
                continue
            lock = os.open(folder / LOCK, os.O_RDWR)
            if try_lock(lock):
                _remove_folder(folder, lock)
            else:
                os.close(lock)


def _create_locked(above: Path, name: str | None) -> tuple[Path, int]:
    """Return a folder and its lock; a new one may be swept away before it is locked."""
    while True:
        if name is None:
            folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=above))
        else:
            folder = above / (PREFIX + name)
            folder.mkdir(exist_ok=True)
        try:
            lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        except FileNotFoundError:
            continue
        if try_lock(lock) and (folder / LOCK).exists():
            return folder, lock
        os.close(lock)
        if name is not None and (folder / LOCK).exists():
            raise DataError("work_taken", folder=str(folder))


def try_lock(lock: int) -> bool:
    """Lock an open file if nobody else has; the system lets go when the process ends."""
    try:
        import fcntl  # noqa: PLC0415 - not on Windows
    except ImportError:
        import msvcrt  # noqa: PLC0415

        try:
            msvcrt.locking(lock, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        except OSError:
            return False
        return True
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _remove_folder(folder: Path, lock: int) -> None:
    """Remove a folder, its lock last: what is left half-way can be told from what is in use."""
    with contextlib.suppress(OSError):
        for path in folder.iterdir():
            if path.name != LOCK:
                path.unlink()
        (folder / LOCK).unlink()
        folder.rmdir()
    with contextlib.suppress(OSError):
        os.close(lock)
