"""A picture as pixels, for documents and chats that take no SVG."""

from __future__ import annotations

from pathlib import Path
from typing import Any

__all__ = ["png"]

LARGEST = 8000  # pixels of the longer side
_FONTS = ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf", "DejaVuSansMono.ttf")


def png(svg: str, width: float, height: float, scale: float = 2.0) -> bytes:
    """An SVG document as PNG.

    Parameters
    ----------
    svg:
        The document.
    width, height:
        Its size.
    scale:
        Pixels per unit of the document; less where the picture would become larger than anything can show.

    Raises
    ------
    ImportError
        What draws is not installed; the message says how to.

    Examples
    --------
    >>> square = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><rect width="8" height="8"/></svg>'
    >>> png(square, 8, 8)[:4]
    b'\\x89PNG'
    """
    try:
        import resvg_py
    except ImportError:
        raise ImportError("PNG needs resvg: pip install 'symgraph[viz]'") from None
    zoom = min(scale, LARGEST / max(width, height, 1.0))
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=zoom, **_fonts()))


def _fonts() -> dict[str, Any]:
    """The fonts that matplotlib brings, so that a picture is the same on every machine; else those of the system."""
    try:
        import matplotlib
    except ImportError:
        return {}
    folder = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
    files = [str(folder / name) for name in _FONTS if (folder / name).exists()]
    if len(files) < len(_FONTS):
        return {}
    families = {"sans_serif_family": "DejaVu Sans", "monospace_family": "DejaVu Sans Mono"}
    return {"skip_system_fonts": True, "font_files": files, "font_family": "DejaVu Sans", **families}
