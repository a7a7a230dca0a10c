"""How Sphinx builds the documentation: ``sphinx-build -W docs docs/_build``."""

from __future__ import annotations

import symgraph

project = "symgraph"
author = "The symgraph developers"
version = release = symgraph.__version__

extensions = ["myst_nb", "numpydoc", "sphinx.ext.autodoc", "sphinx.ext.autosummary"]
source_suffix = {".md": "myst-nb"}
exclude_patterns = ["_build"]

# Pages with code cells run when they are built; a cell that raises fails the build.
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 300
nb_execution_in_temp = True
nb_merge_streams = True
# Without this, output that has a picture and a widget shows nothing on a static page.
nb_mime_priority_overrides = [("html", "image/svg+xml", 1)]

myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3

autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False

html_theme = "pydata_sphinx_theme"
html_theme_options = {"show_prev_next": False, "navigation_with_keys": False}
