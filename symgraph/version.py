"""The version of this release: pyproject.toml reads it here, and emitted files carry it."""

__all__ = ["__version__"]

__version__ = "0.1.0"
