"""Constants are rounded once, integers stay exact, and a float32 kernel computes in single precision throughout."""

import re
import subprocess

import mpmath
import numpy as np
import pytest
import sympy as sp

import symgraph as sg
from symgraph.codegen.build import build_extension, compile_flags

x, y = sp.symbols("x y", positive=True)
TARGETS = ["cython", "numba"]

# exact constants, and what each is at 60 digits
CONSTANTS = {
    "a third": (sp.Rational(1, 3), lambda: mpmath.mpf(1) / 3),
    "minus two sevenths": (sp.Rational(-2, 7), lambda: mpmath.mpf(-2) / 7),
    "pi": (sp.pi, lambda: mpmath.pi),
    "a multiple of pi": (sp.pi * 10**12 / 7, lambda: mpmath.pi * 10**12 / 7),
    "a power of pi": (sp.pi**-20, lambda: mpmath.pi**-20),
    "e": (sp.E, lambda: mpmath.e),
    "e squared": (sp.E**2, lambda: mpmath.e**2),
    "Euler": (sp.EulerGamma, lambda: mpmath.euler),
    "Catalan": (sp.Catalan, lambda: mpmath.catalan),
    "golden": (sp.GoldenRatio, lambda: mpmath.phi),
    "Tribonacci": (
        sp.TribonacciConstant,
        lambda: (1 + mpmath.cbrt(19 + 3 * mpmath.sqrt(33)) + mpmath.cbrt(19 - 3 * mpmath.sqrt(33))) / 3,
    ),
    "50 digits": (sp.Float("0." + "123456789" * 5 + "12345", 50), lambda: mpmath.mpf("0." + "123456789" * 5 + "12345")),
    "a tenth as a double": (sp.Float(0.1), lambda: mpmath.mpf(0.1)),
    "a root": (sp.sqrt(2) / 3, lambda: mpmath.sqrt(2) / 3),
    "beyond 64 bits": (sp.Integer(2) ** 80 + 1, lambda: mpmath.mpf(2**80 + 1)),
    "terms beyond the range": (
        sp.Rational(10**400 + 1, 3 * 10**400),
        lambda: mpmath.mpf(10**400 + 1) / (3 * mpmath.mpf(10) ** 400),
    ),
    "powers beyond the range": (
        sp.Integer(2) ** 2000 / sp.Integer(3) ** 1250,
        lambda: mpmath.mpf(2) ** 2000 / mpmath.mpf(3) ** 1250,
    ),
}


def nearest(number, dtype):
    """The nearest number of a type, from the halfway points, without a detour through another type."""
    with mpmath.workdps(60):
        guess = dtype(float(number))
        around = [guess, np.nextafter(guess, dtype(np.inf)), np.nextafter(guess, dtype(-np.inf))]
        return min(around, key=lambda c: abs(mpmath.mpf(float(c)) - number))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("target", TARGETS)
def test_constants_are_rounded_once(target, dtype):
    kernel = sg.compile(
        sg.function({f"c{k}": c * x for k, (c, _) in enumerate(CONSTANTS.values())}), target=target, dtype=dtype
    )
    found = kernel(1.0)
    for k, (name, (_, exact)) in enumerate(CONSTANTS.items()):
        with mpmath.workdps(60):
            expected = nearest(exact(), np.dtype(dtype).type)
        assert found[f"c{k}"] == float(expected), name


@pytest.mark.parametrize("target", TARGETS)
def test_constants_beyond_the_range_keep_their_quotients(target):
    function = sg.function(
        10**25 * x / (3 * 10**24 + 7 * x) + 2**80 * x**2 - sp.Rational(2361183241434822606848, 10**21 + 9) * x
    )
    value, (slope,) = sg.compile(sg.value_and_grad(function), target=target)(0.5)
    with mpmath.workdps(40):

        def exact(x):
            return (
                mpmath.mpf(10) ** 25 * x / (3 * mpmath.mpf(10) ** 24 + 7 * x)
                + mpmath.mpf(2) ** 80 * x**2
                - mpmath.mpf(2361183241434822606848) / (10**21 + 9) * x
            )

        assert value == pytest.approx(float(exact(mpmath.mpf(0.5))), rel=3e-16)
        assert slope == pytest.approx(float(mpmath.diff(exact, 0.5)), rel=3e-16)


@pytest.mark.parametrize("target", TARGETS)
def test_integers_stay_exact(target):
    n, m = sp.symbols("n m", integer=True)
    kernel = sg.compile(
        sg.function(
            [n * m + 7, n**3 - m, sp.Max(n, m) - sp.Min(n, m), sp.floor(n / sp.Integer(3)), sp.Mod(n, m), n * m / 2.0],
            inputs=[n, m],
        ),
        target=target,
    )
    for a, b in [(2**31 + 11, 2**31 - 1), (-(2**20) - 3, 2**41 + 1), (1_000_003, -999_983)]:
        found = kernel(a, b)
        assert found[:2] == (a * b + 7, a**3 - b) if abs(a) ** 3 < 2**63 else found[0] == a * b + 7
        assert found[2:5] == (abs(a - b), a // 3, a % b)
        assert isinstance(found[0], int)
        assert found[5] == float(a * b) / 2


# every function of libm, kinks and stable forms, with their derivatives
PLAIN = (
    x**2 / 2 + x / 3 + sp.sqrt(x) * sp.Float(0.1) + sp.sin(x) ** 3 + sp.exp(-x) * sp.tanh(y) + x**y
    + sp.atan2(x, y) + sp.Max(x, y) + sp.floor(3 * x) + sp.Abs(x - y) + sp.sign(x - y) + sp.Mod(x, y)
    + sp.log(1 + sp.exp(x)) + 1 / (1 + sp.exp(-y)) + sp.erf(x) + sp.pi * x + sp.Rational(1, 3) ** y
    + sp.Piecewise((x, x > y), (y * sp.E, True)) + sp.sinc(x) + x ** sp.Rational(7, 3) + sp.LambertW(x)
)  # fmt: skip
i, n = sp.Symbol("i", integer=True), sp.Symbol("n", integer=True, positive=True)
X = sp.IndexedBase("X", shape=(n,))
SUMMED = sp.Sum(sp.log(1 + sp.exp(X[i])) * x / 3 + sp.Mod(X[i], y) + sp.cos(X[i] ** 2 / 7), (i, 0, n - 1))
# arithmetic on doubles, and conversions to and from them
DOUBLE = re.compile(
    r"v?(add|sub|mul|div|sqrt|max|min|u?comi|fn?m(add|sub)\d*|round|rndscale)[sp]d|v?cvt\w*[sp]d\w*"
)


@pytest.mark.parametrize(
    "function",
    [sg.function(PLAIN, inputs=[x, y], name="plain"), sg.function(SUMMED, inputs=[X, x, y], name="summed")],
    ids=lambda f: f.name,
)
def test_single_precision_throughout(function, tmp_path):
    kernel = sg.compile(sg.value_and_grad(function), dtype="float32")
    (body,) = re.findall(r"^cdef [\w ]+_body\(.*?(?=\n\n\n)", kernel.source, re.M | re.S)
    for literal in re.finditer(r"(\S*?)(?<![\w.])(\d+\.\d*(e-?\d+)?|\d+e-?\d+)", body):
        assert literal[1].endswith("<real>"), literal[0]
    # without inlining, what converts Python's numbers stays apart from what computes
    library = build_extension(kernel.source, kernel.path.stem, tmp_path, [*compile_flags(), "-fno-inline"])
    text = subprocess.run(
        ["objdump", "--disassemble", "--no-show-raw-insn", str(library)], capture_output=True, text=True, check=True
    ).stdout
    parts = re.split(r"^[0-9a-f]+ <(\S+)>:$", text, flags=re.M)
    border = re.compile("__Pyx|__pyx_p|as_(float|number)|release_threads|callable|Py_|PyInit|@plt")
    bodies = {n: code for n, code in zip(parts[1::2], parts[2::2], strict=True) if not border.search(n)}
    assert any("_body" in name for name in bodies)
    for line in "".join(bodies.values()).splitlines():
        instruction = line.partition(":")[2].split()
        assert not instruction or not DOUBLE.fullmatch(instruction[0]), line


@pytest.mark.parametrize("target", TARGETS)
def test_single_precision_is_accurate_to_single_precision(target):
    at = (np.float32(0.75), np.float32(1.25))
    function = sg.value_and_grad(sg.function(PLAIN, inputs=[x, y]))
    found = sg.compile(function, target=target, dtype="float32")(*(np.array([v]) for v in at))
    expected = function(*map(float, at))
    assert found[0].dtype == np.float32
    for one, other in zip((found[0], *found[1]), (expected[0], *expected[1]), strict=True):
        assert float(one[0]) == pytest.approx(other, rel=1e-6)


@pytest.mark.parametrize("target", TARGETS)
def test_functions_of_scipy_are_rounded_to_single_precision_at_once(target):
    """They compute on doubles; what follows is single again."""
    expression = sp.digamma(x) * x + sp.besselj(sp.Rational(5, 2), x) / 3 + sp.airyai(x) + sp.legendre(y, x)
    points = np.array([0.5, 1.5], np.float32), np.array([2, 3], np.float32)
    found = sg.compile(sg.function(expression, inputs=[x, y]), target=target, dtype="float32")(*points)
    assert found.dtype == np.float32
    with mpmath.workdps(30):
        for one, a, n_ in zip(found.tolist(), points[0].tolist(), points[1].tolist(), strict=True):
            a = mpmath.mpf(a)
            exact = mpmath.digamma(a) * a + mpmath.besselj(2.5, a) / 3 + mpmath.airyai(a) + mpmath.legendre(n_, a)
            assert abs(one - exact) < 3e-7


def test_coefficients_of_factors_are_one_coefficient():
    density = sp.exp(-(x**2) / 2) / sp.sqrt(2 * sp.pi)
    formula = 3 * (y * density) / 4
    function = sg.function(formula, inputs=[x, y])
    joined, exact = sg.compile(function), sg.compile(function, exact=True)
    with mpmath.workdps(60):
        assert repr(nearest(3 / (4 * mpmath.sqrt(2 * mpmath.pi)), float)) in joined.source
    for a, b in ((0.5, 2.0), (3.0, 1e-3)):
        wanted = float(formula.evalf(40, subs={x: a, y: b}))
        assert abs(joined(a, b) - wanted) <= 3 * np.spacing(abs(wanted))
        assert abs(exact(a, b) - wanted) <= 4 * np.spacing(abs(wanted))
