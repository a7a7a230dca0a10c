"""Where in the user's file an error arose."""

from __future__ import annotations

import linecache
from pathlib import Path
from types import FrameType, TracebackType

__all__ = ["caller", "user_location"]

_HERE = str(Path(__file__).parent.parent)


def user_location(traceback: TracebackType | None) -> str:
    """``file.py, line 7: y[0] = x`` of the innermost frame that is neither ours nor NumPy's; "" if there is none."""
    found = ""
    while traceback is not None:
        name = traceback.tb_frame.f_code.co_filename
        if _is_user(name):
            found = _line(name, traceback.tb_lineno)
        traceback = traceback.tb_next
    return found


def caller(frame: FrameType | None) -> str:
    """The same for the frame that called us."""
    while frame is not None:
        if _is_user(frame.f_code.co_filename):
            return _line(frame.f_code.co_filename, frame.f_lineno)
        frame = frame.f_back
    return ""


def _is_user(name: str) -> bool:
    return not name.startswith(_HERE) and "/numpy/" not in name and "/sympy/" not in name


def _line(name: str, number: int) -> str:
    line = linecache.getline(name, number).strip()
    return f"{Path(name).name}, line {number}" + (f": {line}" if line else "")
