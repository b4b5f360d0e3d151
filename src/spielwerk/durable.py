"""Files that are old or new, never half: what is reported as saved has reached the disk."""

import os
import tempfile
from pathlib import Path


def write_durably(path: str | Path, data: bytes) -> None:
    """Replaces a file in one step that survives a crash at any moment."""
    path = Path(path)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
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
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
