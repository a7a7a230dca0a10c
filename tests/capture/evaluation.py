"""What the tests of capture share: the value of a captured expression, and where it comes from."""

from __future__ import annotations

from typing import Any

import numpy as np

from symgraph.capture import capture
from symgraph.interpret import evaluate
from symgraph.spec import verify


def value(outputs: object, *arguments: Any, inputs: object = None) -> Any:
    """The flat outputs at the given arguments; the output itself when there is only one."""
    graph, _ = capture(outputs, inputs)
    verify(graph)
    results = evaluate(graph, [np.asarray(a) if isinstance(a, list) else a for a in arguments])
    return results[0] if len(results) == 1 else results
