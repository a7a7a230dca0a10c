"""Real models, written with SymPy as a user would write them, and readers of the published data in ``tests/data``."""
