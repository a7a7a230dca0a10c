"""Run every figure, each in its own process, and print one table: ``python -m benchmarks [--json FILE]``."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console

from benchmarks.measure import Figure, machine, show, write

MODULES = (
    "gmm", "loops", "scalars", "bundle_adjustment", "large_scalars", "latency", "depth", "first_compile", "mechanics",
    "nist", "untaken_branches",
)


def main() -> int:
    """The command; 1 when a figure could not be measured or a result was wrong."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"some of {', '.join(MODULES)}; default: all")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures and the machine there as well")
    options = parser.parse_args()
    unknown = [name for name in options.names if name not in MODULES]
    if unknown:
        parser.error(f"there is no figure {unknown[0]!r}; there are {', '.join(MODULES)}")
    console = Console()
    figures: list[Figure] = []
    failed: list[str] = []
    for name in options.names or MODULES:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "figures.json"
            command = [sys.executable, "-m", f"benchmarks.{name}", "--json", str(path)]
            if subprocess.run(command, check=False).returncode or not path.exists():
                failed.append(name)
                continue
            for row in json.loads(path.read_text(encoding="utf-8"))["figures"]:
                row.pop("met")
                figures.append(Figure(**row))
    for key, value in machine().items():
        console.print(f"{key}: {value}", highlight=False)
    show(figures, "All figures")
    if options.json:
        write(options.json, figures)
    for name in failed:
        console.print(f"{name} failed: see above", style="bold")
    return int(bool(failed))


if __name__ == "__main__":
    raise SystemExit(main())
