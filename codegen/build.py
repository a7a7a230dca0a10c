"""From the text of a module to an extension module on disk: Cython in this process, then the C compiler.

Nothing here is imported when a kernel comes out of the cache.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import shlex
import shutil
import subprocess
import sysconfig
import warnings
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from ..errors import ToolchainError
from ..graph import collection_paused

__all__ = ["build_extension", "compile_flags", "compiler_identity", "compiler_version", "find_compiler", "is_large"]

LONG = 60_000  # characters of source: the compiler's time grows faster than its length

HINT = "install gcc or clang (for example: apt install gcc, or conda install compilers), or use target='auto'"


def find_compiler() -> str | None:
    """The C compiler that will be used: ``CC``, then the one that Python was built with, then the usual names."""
    configured = os.environ.get("CC") or sysconfig.get_config_var("CC") or ""
    for command in (*shlex.split(configured)[:1], "cc", "gcc", "clang"):
        if path := shutil.which(command):
            return path
    return None


def compiler_identity() -> str:
    """What tells one compiler and processor from another, without starting the compiler."""
    path = find_compiler()
    if path is None:
        return "none"
    status = Path(path).resolve().stat()
    return f"{path} {status.st_size} {status.st_mtime_ns} {_processor()}"


@lru_cache(maxsize=1)
def _processor() -> str:
    """The processor's features: `-march=native` makes code for them."""
    with contextlib.suppress(OSError), Path("/proc/cpuinfo").open(encoding="utf-8", errors="replace") as file:
        head = file.read(8192)
        lines = [line for line in head.splitlines() if line.startswith(("flags", "model name"))]
        return " ".join(line.partition(":")[2] for line in lines)[:4000]
    return sysconfig.get_platform()


@lru_cache(maxsize=8)
def compiler_version(path: str) -> str:
    """The first line of what the compiler says about itself."""
    try:
        result = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=30, check=False)
    except OSError as error:
        raise ToolchainError(f"the C compiler {path} does not start: {error}; {HINT}") from error
    return (result.stdout or result.stderr).partition("\n")[0]


def compile_flags(exact: bool = False, threads: int = 1, large: bool = False) -> tuple[str, ...]:
    """Flags of the C compiler. None of them changes a result but contraction, which the exact mode turns off.

    >>> compile_flags(exact=True)[-1]
    '-ffp-contract=off'
    """
    flags = ["-O1" if large else "-O2", "-g0", "-fno-math-errno", "-march=native", "-fno-semantic-interposition"]
    if large:  # or the parts of a long body would be put together again
        flags.append("-fno-inline-functions-called-once")
    if threads > 1:
        flags.append("-fopenmp")
    if exact:
        flags.append("-ffp-contract=off")
    return tuple(flags)


def is_large(text: str) -> bool:
    """Whether the compiler is to optimise less: a body cut into parts, or an entry with hundreds of arguments.

    >>> is_large("cdef void f_part_2(double x):"), is_large("def f(x):")
    (True, False)
    """
    return "_part_2(" in text or len(text) > LONG


def build_extension(text: str, name: str, folder: Path, flags: Sequence[str]) -> Path:
    """Translate and compile; the files lie in ``folder``, which must exist.

    Parameters
    ----------
    text:
        Cython source.
    name:
        Name of the module.
    folder:
        Where `name.pyx`, `name.c` and the extension are written.
    flags:
        For compiling and linking.

    Returns
    -------
    Path
        The extension module.

    Raises
    ------
    ToolchainError
        When there is no compiler, when it fails, or when the disk is full.
    """
    compiler = find_compiler()
    if compiler is None:
        raise ToolchainError(f"there is no C compiler on the PATH: {HINT}")
    try:
        source = folder / f"{name}.pyx"
        source.write_text(text, encoding="utf-8")
        c_file = folder / f"{name}.c"
        _translate(source, c_file, name)
        return _compile(c_file, name, folder, flags, compiler)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise ToolchainError(
                f"no space left in {folder.parent}: free some, or set SYMGRAPH_CACHE_DIR to another folder"
            ) from error
        raise ToolchainError(f"cannot build in {folder.parent}: {error}") from error


@contextlib.contextmanager
def _quiet() -> Iterator[io.StringIO]:
    caught = io.StringIO()
    with warnings.catch_warnings(), contextlib.redirect_stderr(caught), contextlib.redirect_stdout(caught):
        warnings.simplefilter("ignore")
        yield caught


def _translate(source: Path, c_file: Path, name: str) -> None:
    with _quiet() as caught:
        from Cython.Compiler.Errors import CompileError
        from Cython.Compiler.Main import compile
        from Cython.Compiler.Options import CompilationOptions

        try:
            options = CompilationOptions(output_file=str(c_file), language_level=3)
            with collection_paused():  # a fifth of the time
                failed = compile(str(source), options, full_module_name=name).num_errors
        except CompileError:
            failed = 1
    if failed or not c_file.exists():
        raise ToolchainError(f"Cython refused the emitted source {source.name}:\n{_tail(caught.getvalue())}")


def _compile(c_file: Path, name: str, folder: Path, flags: Sequence[str], compiler: str) -> Path:
    with _quiet():
        import numpy
        from setuptools import Distribution, Extension
        from setuptools.command.build_ext import build_ext

    class Build(build_ext):
        """Runs the compiler with its messages caught."""

        def build_extensions(self) -> None:
            for executable in ("compiler", "compiler_so", "linker_so"):
                command = getattr(self.compiler, executable, None)
                if isinstance(command, list) and command:
                    command[0] = compiler
            self.compiler.call = self.compiler.spawn = _run  # setuptools has renamed the one to the other
            super().build_extensions()

    # paths relative to the folder would need a change of directory, which other threads would see
    extension = Extension(
        name, [str(c_file)], include_dirs=[numpy.get_include()], extra_compile_args=list(flags),
        extra_link_args=[f for f in flags if f == "-fopenmp"], libraries=["m"] if os.name == "posix" else [],
        define_macros=[("CYTHON_CLINE_IN_TRACEBACK", "0")],
    )  # fmt: skip
    with _quiet():
        command = Build(Distribution({"name": name, "ext_modules": [extension]}))
        command.build_lib = command.build_temp = str(folder)
        command.ensure_finalized()
        command.run()
    built = Path(command.get_ext_fullpath(name))
    if not built.exists():
        raise ToolchainError(f"the C compiler {compiler} wrote no module")
    return built


def _run(command: Sequence[str], **_: Any) -> None:
    try:
        result = subprocess.run(list(command), capture_output=True, text=True, errors="replace", check=False)
    except OSError as error:
        raise ToolchainError(f"the C compiler {command[0]} does not start: {error}; {HINT}") from error
    if result.returncode:
        raise ToolchainError(f"{command[0]} failed with code {result.returncode}:\n{_tail(result.stderr)}")


def _tail(text: str, lines: int = 12) -> str:
    """The lines that say what is wrong."""
    kept = [line for line in text.splitlines() if line.strip()]
    wrong = [line for line in kept if "error: " in line.lower() or ".pyx:" in line]
    return "\n".join((wrong or kept)[:lines])
