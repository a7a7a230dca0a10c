"""Seconds to the first call: the first compile of a small kernel, and its load from the cache in a new process."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile

from benchmarks.measure import Figure, main, require

# Each program prints seconds as JSON; {cache} holds the kernels.
_COMPILE = """
import json, resource, time, sympy as sp, symgraph as sg

def processor():
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used)

x, y, z = sp.symbols("x y z")
f = sg.value_and_grad(sg.function((x + y) * z, inputs=[x, y, z]))
start, before = time.perf_counter(), processor()
kernel = sg.compile(f)
compiled, work = time.perf_counter() - start, processor() - before
print(json.dumps({"seconds": compiled, "processor": work, "result": kernel(1.0, 3.0, -3.0)}))
"""

_IMPORT = """
import json, time
start = time.perf_counter()
import numpy
first = time.perf_counter()
import sympy
second = time.perf_counter()
import symgraph
end = time.perf_counter()
print(json.dumps({"numpy": first - start, "sympy": second - first, "symgraph": end - second}))
"""

ROUNDS = 7


def _run(program: str, cache: str, *arguments: str) -> dict[str, object]:
    environment = {**os.environ, "SYMGRAPH_CACHE_DIR": cache}
    finished = subprocess.run([sys.executable, "-c", program, *arguments], env=environment, check=True,
                              capture_output=True, text=True)
    return dict(json.loads(finished.stdout.splitlines()[-1]))


def figures() -> list[Figure]:
    """Every number is of a process of its own: medians, and for the compile the best of three."""
    with tempfile.TemporaryDirectory() as cache:
        compiled, work = [], []
        for attempt in range(3):
            result = _run(_COMPILE, f"{cache}/{attempt}")
            require(result["result"] == [-12.0, [-3.0, -3.0, 4.0]], "value and gradient of (x + y)*z")
            compiled.append(float(str(result["seconds"])))
            work.append(float(str(result["processor"])))
        hits = [_run(_COMPILE, f"{cache}/0") for _ in range(ROUNDS)]
        hit = statistics.median(float(str(h["seconds"])) for h in hits)
        imports = [_run(_IMPORT, cache) for _ in range(ROUNDS)]
    middle = {k: statistics.median(float(str(i[k])) for i in imports) for k in ("numpy", "sympy", "symgraph")}
    return [
        Figure("first compile of a small kernel", min(compiled), "s", 2.0, "value and gradient of (x + y)*z"),
        Figure("first compile of a small kernel, processor time", min(work), "s", note="Cython and the C compiler"),
        Figure("sg.compile of a kernel in the cache, new process", 1e3 * hit, "ms", 50.0, "after the imports"),
        Figure("import numpy", 1e3 * middle["numpy"], "ms"),
        Figure("import sympy", 1e3 * middle["sympy"], "ms", note="the model itself is SymPy"),
        Figure("import symgraph, beyond both", 1e3 * middle["symgraph"], "ms"),
    ]


if __name__ == "__main__":
    main(figures, "First compile and load")
