"""Bad formulas: every message has the place and says what to do, nothing is run, and nothing else is ever raised."""

from __future__ import annotations

import contextlib
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symgraph.capture.formula import graph_from_formulas
from symgraph.capture.formula_inputs import declare
from symgraph.errors import SymgraphError, UnsupportedError


def message(*texts, inputs=()):
    with pytest.raises(SymgraphError) as caught:
        graph_from_formulas(texts, declare(inputs))
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "column", "words"),
    [
        ("x^2", 2, "did you mean '**'"),
        ("2x", 2, "an operator is missing"),
        ("x +", 4, "ends too early"),
        ("(x", 3, "ends too early"),
        ("x)", 2, "bracket"),
        ("x.real", 2, "no attributes"),
        ("'x'", 1, "quotes"),
        ("__import__('os').system('true')", 1, "begins with a letter"),
        ("f(x=1)", 4, "'=='"),
        ("[x for x in y]", 1, "an operand is missing"),
        ("x + sen(y)", 5, "unknown function 'sen'; did you mean 'sin'?"),
        ("quux(x)", 1, "unknown function 'quux'"),
        ("sin(x, y)", 1, "takes 1 arguments, 2 were given"),
        ("log(x, y, z)", 1, "takes 1 to 2 arguments, 3 were given"),
        ("Max(x)", 1, "at least 2"),
        ("where(x, y, z)", 7, "expected a condition"),
        ("x and y", 1, "expected a condition"),
        ("Piecewise(x)", 11, "branches"),
        ("Piecewise((x, y))", 15, "expected a condition"),
        ("Sum(x)", 1, "limits"),
        ("Sum(x, i)", 8, "limits such as"),
        ("(x, y)", 2, "a list in brackets"),
        ("1/0", 1, "division by zero"),
        ("0**-1", 1, "division by zero"),
        ("7 % 0", 1, "division by zero"),
        ("1" * 41, 1, "40 digits"),
        ("1e999", 1, "beyond the range"),
        ("Derivative(x, y)", 1, "-d grad"),
        ("eval(x)", 1, "never evaluated"),
        ("I*x", 1, "imaginary"),
        ("x[i]", 1, "declare it, as in -i 'x: f64[n]'"),
        ("Sum(k, (k, 0, n - 1))", 15, "the size 'n' is in the shape of no array"),
        ("Sum(k, (k, 0, exp(3)))", 15, "integer polynomials"),
        ("Sum(k, (k, 0, 7/2))", 17, "exact division"),
        ("Sum(k, (k, 0, 2.5))", 15, "integer polynomials"),
        ("i + Sum(i, (i, 0, 3))", 1, "is an index of a sum elsewhere and free here"),
        ("f(x) = x + y", 12, "'y' is not among the arguments"),
        ("f(x, x) = x", 6, "appears twice"),
        ("x + 1 = y", 1, "on the left of '='"),
        ("Sum(x[i + 1], (i, 0, n - 1)) + Sum(x[i], (i, 0, n - 1))", 7, "reaches n, the size is n"),
        ("Sum(x[i - 1], (i, 0, n - 1)) + Sum(x[i], (i, 0, n - 1))", 7, "begins at -1"),
        ("Sum(x[i], (i, 0, n - 1)) + Sum(x[i], (i, 0, m - 1))", 32, "n and m"),
        ("Sum(x[i], (i, 0, n - 1)) + x[0, 0]", 28, "2 indices here"),
        ("Sum(x[i] + x, (i, 0, n - 1))", 12, "is an array elsewhere"),
        ("Sum(i[0], (i, 0, 3))", 5, "not an array"),
        ("Sum(x[i/2], (i, 0, 3)) + x[9]", 7, "divide with '//'"),
    ],
)
def test_the_column_and_what_to_do(text, column, words):
    found = message(text)
    assert f"column {column}:" in found
    assert words in found
    lines = found.split("\n")
    assert lines[2] == " " * (column + 1) + "^"
    assert lines[1] == "  " + text


def test_an_unknown_function_is_unsupported():
    with pytest.raises(UnsupportedError, match="unknown function 'foo'"):
        graph_from_formulas(["foo(x)"])


def test_the_line_is_named_in_longer_texts():
    assert "model 4, column 2" in _text_error("# heading\np = x\n\np$2\n")
    assert "model 2, column 3" in _text_error("p = (x +\n  ?)\n")


def _text_error(text):
    with pytest.raises(SymgraphError) as caught:
        graph_from_formulas([text], origin="model")
    return str(caught.value)


def test_long_lines_are_cut_around_the_caret():
    found = message("x + " * 1000 + "$" + " + x" * 1000).split("\n")
    assert len(found[1]) < 80 and found[1][found[2].index("^")] == "$"


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["p = x", "p = y"], "defined twice"),
        (["p = q", "q = x"], "before the line that defines it"),
        (["p = p + 1"], "before the line that defines it"),
        (["p = x", "p(2)"], "not a function"),
        (["p = x", "p[0]"], "scalar and has no elements"),
        (["f(x) = x", "g(y) = y"], "only one line"),
        (["x = 2", "f(x) = x"], "also defined"),
        (["m = 3", "Sum(k, (k, 0, m))"], "an earlier line defines"),
        ([""], "no formula"),
        (["r[i] = 2*i"], "cannot be seen"),
    ],
)
def test_lines_that_contradict_each_other(lines, words):
    assert words in message(*lines)


@pytest.mark.parametrize(
    ("text", "declared", "words"),
    [
        ("x", "x: f16", "unknown type 'f16'"),
        ("x", "x: f64, x: f64", "declared twice"),
        ("x", "x: f64[-1]", "negative"),
        ("x", "x: f64[y*]", "operand is missing"),
        ("x", "n: i64, y: f64[n]", "also a size"),
        ("x", "x: f64[3]", "is an array"),
        ("x[0]", "x: f64", "scalar and has no elements"),
        ("x[0]", "x: f64[3, 2]", "has 2 axes, 1 indices"),
        ("x[3]", "x: f64[3]", "reaches 3, the size is 3"),
        ("x[-1]", "x: f64[3]", "begins at -1"),
        ("Sum(x[i], (i, 0, k))", "x: f64[n], k: i64", "uses the input 'k'"),
        ("Sum(x[i]*y[i], (i, 0, n - 1))", "x: f64[n], y: f64[m]", "reaches n - 1, the size is m"),
        ("Sum(x[k], (k, 0, n - 1))", "x: f64[n], k: f64", "has the name of another value"),
        ("x = 2*y", "x: f64", "declared as an input and defined"),
        ("x[y]", "x: f64[3], y: f64", "not an integer"),
    ],
)
def test_declarations_that_do_not_fit(text, declared, words):
    assert words in message(text, inputs=[declared])


def test_text_that_is_too_long():
    assert "longer than" in message("x+" * 600_000 + "x")


def test_constants_do_not_explode():
    begin = time.perf_counter()
    graph_from_formulas(["9**9**9"])
    graph_from_formulas(["2**(10**9)"])
    graph_from_formulas(["((9**64)**64)**64"])
    lines = ["a0 = 9**64"] + [f"a{k} = a{k - 1}*a{k - 1}" for k in range(1, 60)]
    assert "more than 65536 bits" in message(*lines)
    terms = ["a0 = 1/3 + 1/7"] + [f"a{k} = a{k - 1}*a{k - 1} + 1/{k}" for k in range(1, 60)]
    assert "more than 65536 bits" in message(*terms)
    assert "has more than" in message("Sum(x[i], (i, 0, (n + m + k)**8*(n + m + k)**8*(n + m + k)**8))")
    assert time.perf_counter() - begin < 10


WORDS = (
    *"xyin()[],+-*/%<=01~&| \n#^._λ'", "//", "**", "<=", "==", "and", "or", "not", "if", "else", "True", "2.5", "1e9",
    "64",
    "pi", "E", "oo", "nan", "sin", "Sum", "sum", "Piecewise", "where", "Max", "log", "exp", "x[", "(i, 0, ",
    "Sum(x[i], (i, 0, n - 1))",
)  # fmt: skip


def _only_our_errors(text):
    with contextlib.suppress(SymgraphError):
        graph_from_formulas([text])


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.text(max_size=40))
def test_random_text_raises_nothing_else(text):
    _only_our_errors(text)


@settings(max_examples=1500, deadline=None, derandomize=True)
@given(st.lists(st.sampled_from(WORDS), max_size=14))
def test_random_words_raise_nothing_else(words):
    _only_our_errors("".join(words))


EXPRESSIONS = st.recursive(
    st.sampled_from(["x", "y", "2", "0", "1/3", "0.5", "n", "i", "a[i]", "a[0]", "pi", "oo", "nan", "-1", "64"]),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*", "/", "//", "%", "**", "<", "==", " and "]), inner).map(
            lambda t: f"({t[0]}{t[1]}{t[2]})"
        ),
        st.tuples(st.sampled_from(["sin", "log", "sqrt", "abs", "-", "not ", "Heaviside", "gamma"]), inner).map(
            lambda t: f"{t[0]}({t[1]})"
        ),
        st.tuples(inner, inner, inner).map(lambda t: f"where({t[0]} < {t[1]}, {t[1]}, {t[2]})"),
        inner.map(lambda t: f"Sum({t}, (i, 0, n - 1))"),
        st.tuples(inner, inner).map(lambda t: f"Product({t[0]}, (i, 1, {t[1]}))"),
        inner.map(lambda t: f"a[{t}]"),
    ),
    max_leaves=12,
)


@settings(max_examples=600, deadline=None, derandomize=True)
@given(EXPRESSIONS)
def test_random_formulas_raise_nothing_else(text):
    _only_our_errors(text)
