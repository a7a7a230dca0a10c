"""Generated files on disk: written whole or not at all, compared, and never over what somebody edited."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from ..errors import ModelError, ToolchainError
from .package_seal import is_sealed

__all__ = ["EditedError", "compare_tree", "write_tree"]


class EditedError(ModelError):
    """Files on disk are not as they were generated."""


def compare_tree(folder: Path, files: Mapping[str, str]) -> dict[str, str]:
    """What differs on disk: path to "missing", "edited" (its seal is broken), "stale" or "left over".

    An empty result means that the folder is what would be written now.
    """
    found: dict[str, str] = {}
    for path, text in files.items():
        present = _read(folder / path)
        if present is None:
            found[path] = "missing"
        elif present != text:
            found[path] = "stale" if is_sealed(path, present) and present else "edited"
    for path in _left_over(folder, files):
        found[path] = "left over"
    return found


def write_tree(folder: Path, files: Mapping[str, str], force: bool = False) -> Path:
    """Write all files, or none.

    Parameters
    ----------
    folder:
        Where to; it may hold other files, which stay.
    files:
        Text by path, relative to the folder.
    force:
        Also replace files that were edited, or that this program did not write.

    Raises
    ------
    EditedError
        Without ``force``, naming the files that were edited.
    ToolchainError
        The folder cannot be written.
    """
    changes = compare_tree(folder, files)
    edited = sorted(path for path, state in changes.items() if state == "edited")
    if edited and not force:
        shown = ", ".join(edited[:5]) + (f" and {len(edited) - 5} more" if len(edited) > 5 else "")
        raise EditedError(f"{shown} in {folder}: edited since generated, or of other origin; use --force to replace")
    try:
        _write(folder, files, changes)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise ToolchainError(f"no space left to write {folder}: nothing was changed; free some space") from error
        raise ToolchainError(f"cannot write {folder}: {error.strerror or error}; nothing was changed") from error
    return folder


def _write(folder: Path, files: Mapping[str, str], changes: Mapping[str, str]) -> None:
    parent = folder.absolute().parent
    parent.mkdir(parents=True, exist_ok=True)
    # everything is on the same disk before the first visible change
    staging = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=parent))
    try:
        for path, text in files.items():
            target = staging / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8", newline="\n")
        if not folder.exists():
            staging.chmod(0o777 & ~_umask())
            staging.rename(folder)
            return
        if not folder.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, "it is a file, not a folder")
        for path in files:
            if path in changes:
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (staging / path).replace(folder / path)
        for path, state in changes.items():
            if state == "left over":
                (folder / path).unlink()
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _left_over(folder: Path, files: Mapping[str, str]) -> list[str]:
    """Unedited generated files, beside the ones that are written, of an earlier run with other kernels."""
    found = []
    for parent in sorted({(folder / path).parent for path in files}):
        if not parent.is_dir():
            continue
        for path in sorted(parent.iterdir()):
            relative = path.relative_to(folder).as_posix()
            if relative in files or path.suffix not in (".pyx", ".pxd"):
                continue
            text = _read(path)
            if text and is_sealed(relative, text):
                found.append(relative)
    return found


def _read(path: Path) -> str | None:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return file.read()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (UnicodeDecodeError, IsADirectoryError):
        return "\0"  # not text of ours


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
