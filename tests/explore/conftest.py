"""Tests of the view in a browser are collected where there is a Chromium; without one, the end of the run says so."""

from __future__ import annotations

from tests.browsers import HAS_BROWSER, IN_BROWSER

collect_ignore = [] if HAS_BROWSER else IN_BROWSER
