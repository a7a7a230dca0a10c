"""Figures: each module measures one thing, after checking that its results are right.

``python -m benchmarks`` runs all of them and prints one table; ``python -m benchmarks.NAME`` runs one.
"""
