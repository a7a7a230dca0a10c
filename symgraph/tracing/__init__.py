"""Programs as graphs: NumPy-style functions traced once, or recorded while Python runs them."""

from .paths import Jit, jit
from .recording import Guard, Recording, Variable, record, variable
from .trace import trace

__all__ = ["Guard", "Jit", "Recording", "Variable", "jit", "record", "trace", "variable"]
