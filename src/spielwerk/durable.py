"""Files that are old or new, never half: what is reported as saved has reached the disk."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def write_durably(path: str | Path, data: bytes) -> None:
    """Replaces a file in one step that survives a crash at any moment."""
    with replaced_durably(Path(path)) as temporary, temporary.open("xb") as file:
        file.write(data)


@contextmanager
def replaced_durably(path: Path) -> Iterator[Path]:
    """Where to write what then takes the file's place, for data that is too large to hold."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(6)}")
    try:
        yield temporary
        with temporary.open("rb+") as file:
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def append_durably(path: str | Path, data: bytes) -> None:
    """Adds to the end of a file and returns once it is on the disk."""
    path = Path(path)
    with path.open("ab") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    if os.name == "nt":  # Windows opens no folders, and its file system keeps a journal of names
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
