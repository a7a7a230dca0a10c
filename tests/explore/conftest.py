"""Tests of the view in a browser are collected where there is a Chromium; everything else is tested without one."""

from __future__ import annotations

import os
import shutil

if not (os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")):
    collect_ignore = ["browser.py", "test_page.py", "test_jupyterlab.py"]
