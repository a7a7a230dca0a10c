"""Code blocks of Markdown pages, run as doctests."""

from __future__ import annotations

import doctest
import gc
import re
from pathlib import Path

import numpy as np
import sympy as sp

import symgraph as sg

BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run_page(path: Path) -> doctest.TestResults:
    """Run the ``>>>`` lines of all Python blocks of a page in one namespace, in their order."""
    text = path.read_text(encoding="utf-8")
    gc.collect()  # kernels of an earlier page are cycles; nodes that they hold would be older than those of this one
    kept = "\n".join(match[1] for match in BLOCK.finditer(text))
    test = doctest.DocTestParser().get_doctest(kept, {}, path.name, str(path), 0)
    return doctest.DocTestRunner(optionflags=OPTIONS).run(test)


OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE

# What an example may take for granted, as in the documentation of NumPy and SciPy.
NAMES = {"np": np, "sp": sp, "sg": sg}
