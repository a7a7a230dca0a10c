"""The figures' own tools: what is compared, what counts as met, that every module of the table exists."""

from __future__ import annotations

import importlib
import json

import pytest

from benchmarks.__main__ import MODULES
from benchmarks.measure import Figure, compare, machine, require, stopwatch, write


@pytest.mark.parametrize("name", MODULES)
def test_every_module_has_figures(name):
    module = importlib.import_module(f"benchmarks.{name}")
    assert callable(module.figures)
    assert module.__doc__


def test_an_aim_is_the_greatest_value_that_is_good_enough():
    assert Figure("f", 1.0, "s").met is None
    assert Figure("f", 1.0, "s", 1.0).met is True
    assert Figure("f", 1.1, "s", 1.0).met is False


def test_wrong_results_are_not_timed():
    require(True, "fine")
    with pytest.raises(SystemExit, match="wrong, nothing was timed: the gradient"):
        require(False, "the gradient")


def test_contenders_are_ranked_by_what_they_do():
    numbers = {"short": range(10), "long": range(10_000)}
    medians = compare(
        {"short": ("sum(short)", numbers), "long": lambda: sum(numbers["long"])}, rounds=3, slice_seconds=0.001
    )
    assert medians["short"] < medians["long"]


def test_a_clock_that_stands_still():
    with stopwatch(lambda: 1.0) as seconds:
        pass
    assert seconds == [0.0]


def test_figures_name_their_machine(tmp_path):
    path = tmp_path / "figures.json"
    write(path, [Figure("f", 2.0, "s", 1.0, "slow")])
    content = json.loads(path.read_text())
    assert content["figures"] == [{"name": "f", "value": 2.0, "unit": "s", "aim": 1.0, "note": "slow", "met": False}]
    assert content["machine"].keys() == machine().keys()
    assert content["machine"]["processor"]
