"""From formulas to compiled kernels: values and derivatives of SymPy models, with loops that stay loops.

>>> x, y, z = sp.symbols("x y z")
>>> f = sg.function((x + y) * z, inputs=[x, y, z])
>>> kernel = sg.compile(sg.value_and_grad(f))
>>> kernel(1.0, 3.0, -3.0)
(-12.0, (-3.0, -3.0, 4.0))
"""

from . import errors
from .accuracy import Accuracy, accuracy
from .compile import Kernel, compile
from .explore import explore
from .function import Function, function
from .function import load_function as load
from .generate import generate
from .graph import Graph, Output
from .register import register
from .storage import from_rows
from .tracing import jit, record, trace, variable
from .transform import grad, hessian, hvp, jacobian, jvp, value_and_grad, vjp, vmap
from .version import __version__

__all__ = [
    "Accuracy", "Function", "Graph", "Kernel", "Output", "__version__", "accuracy", "compile", "errors", "explore",
    "from_rows", "function", "generate", "grad", "hessian", "hvp", "jacobian", "jit", "jvp", "load", "record",
    "register", "trace", "value_and_grad", "variable", "vjp", "vmap",
]  # fmt: skip
