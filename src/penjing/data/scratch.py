"""Temporary folders that are removed after use, also after Ctrl-C or a crash.

The process that uses a folder holds a lock on a file in it. The system releases the lock when the
process ends, for whatever reason. So a folder that can be locked is stale, and the next run
removes it.
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
    """A folder that is locked while it is in use and removed afterwards.

    Parameters
    ----------
    parent : str or None
        The folder in which it is created; by default the system's temporary folder.
    name : str or None
        Its name, by which a later run finds it again; by default a new name.

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

    def __init__(self, parent: str | None = None, name: str | None = None) -> None:
        parent_path = Path(parent or tempfile.gettempdir())
        try:
            parent_path.mkdir(parents=True, exist_ok=True)
            remove_stale_folders(parent_path, excluded=name)
            self.folder, lock = _create_locked(parent_path, name)
        except OSError as error:
            raise DataError("work_folder", folder=str(parent_path), reason=error.strerror) from None
        self._end = weakref.finalize(self, _remove_folder, self.folder, lock)

    def array(
        self, name: str, dtype: npt.DTypeLike, n: int, mode: Literal["r", "r+", "w+"] = "r"
    ) -> npt.NDArray[Any]:
        """Return a file of n values as a memory-mapped array."""
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
        """Unlock the folder without removing it, so that a later run can use it."""
        finalizer = self._end.detach()
        if finalizer is not None:
            os.close(finalizer[2][1])

    def close_after_error(self, error: BaseException, *, keep: bool) -> None:
        """Release the folder if ``keep`` is true and a later run may succeed; else remove it."""
        if keep and not isinstance(error, PenjingError):
            self.release()
        else:
            self.close()


@contextlib.contextmanager
def scratch_folder() -> Iterator[Path]:
    """Create a temporary folder and remove it at the end of the block."""
    scratch = ScratchFolder()
    try:
        yield scratch.folder
    finally:
        scratch.close()


@contextlib.contextmanager
def unnamed_file(data: bytes) -> Iterator[str]:
    """Write bytes to a file that is in no folder, and yield a path by which it can be read.

    The system removes such a file with the process, however that ends. Where there are none, the
    file is in a scratch folder.

    Examples
    --------
    >>> with unnamed_file(b"a,b") as path:
    ...     Path(path).read_bytes()
    b'a,b'
    """
    if not Path(_OPEN_FILES).is_dir():
        with scratch_folder() as folder:
            path = folder / "data"
            path.write_bytes(data)
            yield str(path)
        return
    descriptor, parent = _open_unnamed()
    with os.fdopen(descriptor, "w+b") as file:
        with convert_disk_full(parent, len(data)):
            file.write(data)
            file.flush()
        yield f"{_OPEN_FILES}/{file.fileno()}"


def _open_unnamed() -> tuple[int, Path]:
    """Open a new file without a name; return it with the folder whose disk space it takes.

    It is in memory if no temporary folder can hold such a file. `tempfile` is not used: it tries a
    folder with a named file first, which would remain if the process were killed at that moment.
    """
    given = [tempfile.tempdir, *map(os.environ.get, ("TMPDIR", "TEMP", "TMP"))]
    for folder in (*filter(None, given), "/tmp", "/var/tmp"):  # noqa: S108 - no name to guess
        with contextlib.suppress(OSError):
            return os.open(folder, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o600), Path(folder)
    return os.memfd_create("penjing", os.MFD_CLOEXEC), Path(_OPEN_FILES)


_OPEN_FILES = "/proc/self/fd"
"""Where Linux lists the open files of a process, also those without a name."""


def allocate_file(path: Path, size: int) -> None:
    """Create a file of this size with its disk space allocated; raise an error if it is full."""
    with path.open("r+b" if path.exists() else "w+b") as file, convert_disk_full(path.parent, size):
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file.fileno(), 0, size)
        else:
            file.truncate(size)


@contextlib.contextmanager
def convert_disk_full(folder: Path, size: int = 0) -> Iterator[None]:
    """Convert the system's error for a full disk to a DataError."""
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        free = shutil.disk_usage(folder).free
        details = {"folder": str(folder), "wanted": format_bytes(size), "free": format_bytes(free)}
        raise DataError("disk_full", **details) from None


def format_bytes(size: float) -> str:
    """Return a number of bytes with a unit.

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


def remove_stale_folders(parent: Path, excluded: str | None = None) -> None:
    """Remove the folders of processes that have ended, except the one named ``excluded``."""
    for folder in parent.glob(PREFIX + "*"):
        if excluded is not None and folder.name == PREFIX + excluded:
            continue
        with contextlib.suppress(OSError):
            if not (folder / LOCK).exists():
                folder.rmdir()  # only if it is empty: a process ended before locking it
                continue
            lock = os.open(folder / LOCK, os.O_RDWR)
            if try_lock(lock):
                _remove_folder(folder, lock)
            else:
                os.close(lock)


def _create_locked(parent: Path, name: str | None) -> tuple[Path, int]:
    """Return a new folder and its lock; retry if another process removes it in between."""
    while True:
        if name is None:
            folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
        else:
            folder = parent / (PREFIX + name)
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
    """Lock an open file; return False if another process has locked it."""
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
    """Remove a folder, the lock file last, so that a partly removed folder is still locked."""
    with contextlib.suppress(OSError):
        for path in folder.iterdir():
            if path.name != LOCK:
                path.unlink()
        (folder / LOCK).unlink()
        folder.rmdir()
    with contextlib.suppress(OSError):
        os.close(lock)
