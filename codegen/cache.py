"""Compiled kernels on disk, per user: looked up by what they were made from, built once, published whole.

An entry is a folder named by a key. It is built elsewhere and moved into place by one rename, so that a reader sees a
whole entry or none; writers of one key wait for each other on a lock. A small index leads from a graph and its options
to a key, so that a hit needs no emitted text, no Cython and no compiler.
"""

from __future__ import annotations

import atexit
import contextlib
import errno
import hashlib
import json
import logging
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from ..errors import ToolchainError

__all__ = ["Entry", "cache_folder", "cache_summary", "clear_cache", "digest", "find_entry", "indexed_key", "publish"]

_log = logging.getLogger("symgraph")
_LAYOUT = "1"
_temporary: list[Path] = []


@dataclass(frozen=True)
class Entry:
    """One built kernel: the module file and the source beside it."""

    key: str
    module: Path
    source: Path


def digest(parts: Iterable[str]) -> str:
    """One key from several texts.

    >>> digest(["a", "b"]) == digest(["ab"])
    False
    """
    state = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        state.update(f"{len(data)} ".encode() + data)
    return state.hexdigest()


def cache_folder() -> Path:
    """Where kernels are kept: ``SYMGRAPH_CACHE_DIR``, or the user's cache folder."""
    if folder := os.environ.get("SYMGRAPH_CACHE_DIR"):
        return Path(folder).expanduser().absolute()  # where it was when it was asked for
    import platformdirs

    return Path(platformdirs.user_cache_dir("symgraph"))


def _kernels() -> Path:
    return cache_folder() / f"kernels-{_LAYOUT}"


def _writable() -> Path:
    """The kernel folder, or a temporary one (and one message) where it cannot be written."""
    folder = _kernels()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise ToolchainError(
                f"no space left in {folder}: free some, or set SYMGRAPH_CACHE_DIR to another folder"
            ) from error
        if not _temporary:
            _temporary.append(Path(tempfile.mkdtemp(prefix="symgraph-")))
            atexit.register(shutil.rmtree, _temporary[0], ignore_errors=True)
            _log.warning(
                "the cache folder %s cannot be written (%s): kernels are built in %s and last for this process; "
                "set SYMGRAPH_CACHE_DIR to a folder of your own", folder, error.strerror, _temporary[0],
            )  # fmt: skip
        return _temporary[0]
    return folder


def find_entry(key: str) -> Entry | None:
    """A whole entry with this key; None where there is none or where it is damaged."""
    for root in (_kernels(), *_temporary):
        entry = _read(root / key, key)
        if entry is not None:
            return entry
    return None


def _read(folder: Path, key: str) -> Entry | None:
    try:
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        module, source = folder / manifest["module"], folder / manifest["source"]
        # a damaged library must not reach the loader, which would crash on it
        if hashlib.sha256(module.read_bytes()).hexdigest() != manifest["sha256"] or not source.exists():
            return None
        return Entry(key, module, source)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def publish(key: str, build: Callable[[Path], tuple[Path, Path]], index: str | None = None) -> Entry:
    """The entry of a key: an existing one, or what ``build`` makes in the folder that it is given.

    Parameters
    ----------
    key:
        Name of the entry.
    build:
        Writes into a folder and returns the module file and the source file in it.
    index:
        A second key that leads to the entry.

    Raises
    ------
    ToolchainError
        From ``build``, or where the disk is full. Nothing half-written stays behind.
    """
    import filelock

    logging.getLogger("filelock").setLevel(logging.WARNING)
    root = _writable()
    try:
        (root / "locks").mkdir(exist_ok=True)
        (root / "index").mkdir(exist_ok=True)
        with filelock.FileLock(str(root / "locks" / key[:32])):
            entry = _read(root / key, key)
            if entry is None:
                entry = _build(root, key, build)
            if index is not None:
                _write_index(root, index, key)
        return entry
    except OSError as error:
        raise ToolchainError(
            f"cannot write the kernel to {root}: {error.strerror or error}; set SYMGRAPH_CACHE_DIR to another folder"
        ) from error


def _build(root: Path, key: str, build: Callable[[Path], tuple[Path, Path]]) -> Entry:
    work = Path(tempfile.mkdtemp(prefix="build-", dir=root))
    try:
        module, source = build(work)
        kept = {module.name, source.name}
        sha = hashlib.sha256(module.read_bytes()).hexdigest()
        manifest = {"module": module.name, "source": source.name, "sha256": sha}
        for path in work.iterdir():
            if path.name not in kept:
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        (work / "manifest.json").write_text(json.dumps(manifest, sort_keys=True), encoding="utf-8")
        work.chmod(0o755)
        target = root / key
        if target.exists():  # a damaged entry: move it away first, a folder is not replaced by a rename
            broken = Path(tempfile.mkdtemp(prefix="broken-", dir=root))
            with contextlib.suppress(FileNotFoundError):
                target.rename(broken / key)
            shutil.rmtree(broken, ignore_errors=True)
        work.rename(target)
        return Entry(key, target / module.name, target / source.name)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _write_index(root: Path, index: str, key: str) -> None:
    handle, name = tempfile.mkstemp(dir=root / "index")
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(key)
    Path(name).replace(root / "index" / index)


def indexed_key(index: str) -> str | None:
    """The key that an index key leads to."""
    for root in (_kernels(), *_temporary):
        with contextlib.suppress(OSError):
            return (root / "index" / index).read_text(encoding="ascii")
    return None


def cache_summary() -> tuple[int, int]:
    """(number of kernels, bytes) in the cache."""
    root = _kernels()
    entries = [p for p in root.iterdir() if (p / "manifest.json").exists()] if root.is_dir() else []
    return len(entries), sum(f.stat().st_size for e in entries for f in e.iterdir())


def clear_cache() -> int:
    """Remove every kernel and return how many there were; loaded ones go on working."""
    count, _ = cache_summary()
    root = _kernels()
    if root.is_dir():
        shutil.rmtree(root)
    return count
