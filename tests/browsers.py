"""Which tests need a browser, and whether there is one."""

from __future__ import annotations

import os
import shutil

IN_BROWSER = ["browser.py", "test_page.py", "test_jupyterlab.py"]
HAS_BROWSER = any((os.environ.get("CHROMIUM"), shutil.which("chromium"), shutil.which("chromium-browser")))
