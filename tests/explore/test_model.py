"""What a picture shows: the values with boxes, their formulas, numbers, adjoints and lines."""

from __future__ import annotations

import numpy as np
import pytest

import symgraph as sg
from symgraph.explore.folding import BLOCKS, LEVELS, boxes_at, default_level
from symgraph.explore.inside import insides
from symgraph.explore.model import build_model
from symgraph.explore.payload import payload
from tests.explore.models import LITERATURE, SMALL, layered, literature, ridge, ridge_point, small


def test_the_literature_example_step_by_step() -> None:
    """Forward 4, -12; backward 1, -3, 4, -3, -3."""
    data = payload(build_model(literature(), named=LITERATURE))
    nodes = data["nodes"]
    assert [nodes[k]["value"] for k in data["forward"]] == ["4", "-12"]
    assert [nodes[k]["adjoint"] for k in data["backward"]] == ["1", "-3", "4", "-3", "-3"]
    assert [n["text"] for n in nodes] == ["x", "y", "z", "v1 = x + y", "g = z*v1"]


@pytest.mark.parametrize(("f", "point"), [(small(), SMALL), (ridge(), ridge_point())], ids=["small", "ridge"])
def test_adjoints_of_inputs_are_the_gradient(f: sg.Function, point: dict[str, object]) -> None:
    model = build_model(f, named=point)
    gradient = sg.grad(f)(**point)
    for shown, expected in zip(model.shown, gradient, strict=False):
        assert np.asarray(model.value(model.adjoints[shown.node])) == pytest.approx(
            np.asarray(expected), rel=1e-12
        )


def test_arguments_and_users_are_each_other() -> None:
    model = build_model(small())
    for shown in model.shown:
        assert all(shown.number in model.shown[a].users for a in shown.arguments)
        assert all(a < shown.number for a in shown.arguments)
    shared = {s.plain: len(s.users) for s in model.shown if len(s.users) > 1}
    (value,) = shared.keys() - {"x", "y", "z"}  # its number depends on what was made before
    assert shared == {"x": 2, "y": 2, "z": 2, value: 2} and value.startswith("v")


@pytest.mark.parametrize("f", [literature(), small(), ridge()], ids=["literature", "small", "ridge"])
def test_every_value_is_on_a_line_and_its_line_names_it(f: sg.Function) -> None:
    model = build_model(f)
    assert model.emission is not None
    for shown in model.shown:
        if shown.kind != "input":
            place = model.place(shown.node)
            assert place is not None and (place.own or place.inside), shown.plain
            for line in place.own[:1]:
                assert place.variable in model.emission.lines[line]
    assert {s.plain for s in model.shown if s.kind == "input"} == set(f.inputs)
    for shown in model.shown[: len(f.inputs)]:
        place = model.place(model.adjoints[shown.node])
        assert place is not None and place.own, shown.plain


def test_loops_around_a_value() -> None:
    model = build_model(ridge())
    residual = next(s for s in model.shown if "t[i]" in model.plain_formula(s))
    place = model.place(residual.node)
    assert place is not None and place.loops[:1] == ("i",)


def test_a_function_of_arrays_has_values_without_adjoints() -> None:
    gradient = sg.value_and_grad(ridge(), "w")
    model = build_model(gradient, named=ridge_point())
    assert not model.adjoints and [s.plain for s in model.shown if s.kind == "output"] == list(gradient.outputs)
    assert payload(model)["backward"] == []


def test_without_a_point_there_are_no_numbers() -> None:
    data = payload(build_model(small()))
    assert not data["values"] and not any("value" in n or "adjoint" in n for n in data["nodes"])


def test_a_wrong_point_is_refused_by_name() -> None:
    with pytest.raises(sg.errors.ModelError, match="misses the argument z"):
        sg.explore(literature(), 1, 2)
    with pytest.raises(sg.errors.ShapeError, match="t"):
        sg.explore(ridge(), **{**ridge_point(), "t": np.zeros(4)})
    with pytest.raises(sg.errors.SymgraphError, match="outline, shared, all"):
        sg.explore(literature(), level="some")


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("size", [(3, 4), (5, 30), (10, 250)], ids=["30", "600", "10000"])
def test_every_level_shows_each_value_once(size: tuple[int, int], level: str) -> None:
    model = build_model(layered(*size)[0])
    boxes = boxes_at(model, level)
    assert sorted(m.number for b in boxes for m in b.members) == list(range(len(model.shown)))
    keys = {b.key for b in boxes}
    assert len(keys) == len(boxes) and all(a in keys for b in boxes for a in b.arguments)
    if level == "outline":
        assert len(boxes) <= 3 * BLOCKS


def test_boxes_open_and_open_again() -> None:
    model = build_model(layered(10, 250)[0])
    assert default_level(model) == "outline"
    closed = boxes_at(model, "outline")
    block = next(b for b in closed if b.value is None and b.key.startswith("block"))
    opened = boxes_at(model, "outline", [block.key])
    assert len(opened) > len(closed) and block.key not in {b.key for b in opened}
    inner = next(
        b
        for b in opened
        if b.value is None and {m.number for m in b.members} < {m.number for m in block.members}
    )
    deeper = boxes_at(model, "outline", [block.key, inner.key])
    assert sorted(m.number for b in deeper for m in b.members) == list(range(len(model.shown)))


def test_a_long_chain_has_a_model() -> None:
    function, _ = layered(1, 3000)
    assert len(boxes_at(build_model(function), "outline")) <= 3 * BLOCKS


@pytest.mark.parametrize("level", ["outline", "shared"])
def test_what_boxes_hold_is_all_there_and_no_more(level: str) -> None:
    model = build_model(layered(5, 30)[0])
    found = insides(model, level, 10_000)
    for box in boxes_at(model, level):
        if box.can_open:
            held = {m.number for b in found[box.key] for m in b.members}
            assert {m.number for m in box.members} <= held
    assert sum(map(len, insides(model, level, 50).values())) < 150  # 50, and what they read
