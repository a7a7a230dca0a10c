/* The limit for functions of scalars over many points: value and gradient derived by hand, on the widest vectors of the
 * machine where a point is an element, with glibc's vector functions and no flag that changes a result but contraction. */
#include <math.h>
#include <stdint.h>
#include <string.h>
#define VECTORISED __attribute__((simd("notinbranch"), const, nothrow, leaf))
#define CONCATENATED(a, b) a##b
#define OF(name, suffix) CONCATENATED(name, suffix)

/* price of a European call option and its five partial derivatives */
VECTORISED double exp_double(double) __asm__("exp");
VECTORISED double log_double(double) __asm__("log");
VECTORISED double erf_double(double) __asm__("erf");
VECTORISED float exp_float(float) __asm__("expf");
VECTORISED float log_float(float) __asm__("logf");
VECTORISED float erf_float(float) __asm__("erff");
#define BLACK_SCHOLES(real, root)                                                                                      \
    void black_scholes_##real(const real *restrict spot, const real *restrict strike, const real *restrict maturity,  \
                              const real *restrict rate, const real *restrict volatility, real *restrict price,       \
                              real *restrict d_spot, real *restrict d_strike, real *restrict d_maturity,              \
                              real *restrict d_rate, real *restrict d_volatility, int64_t n)                          \
    {                                                                                                                  \
        const real half = (real)0.5, root_half = (real)0.70710678118654752440, density = (real)0.39894228040143267794; \
        _Pragma("omp parallel for simd schedule(static)") for (int64_t i = 0; i < n; i++)                              \
        {                                                                                                              \
            real s = spot[i], k = strike[i], t = maturity[i], r = rate[i], v = volatility[i];                          \
            real q = root(t), spread = v * q, inverse = 1 / spread, drift = r + half * v * v;                          \
            real d1 = (log_##real(s / k) + drift * t) * inverse, d2 = d1 - spread;                                     \
            real n1 = half + half * erf_##real(d1 * root_half), n2 = half + half * erf_##real(d2 * root_half);         \
            real discount = exp_##real(-r * t), present = k * discount;                                               \
            real a1 = s * density * exp_##real(-half * d1 * d1), a2 = -present * density * exp_##real(-half * d2 * d2); \
            real a_top = (a1 + a2) * inverse, a_spread = -(a1 + a2) * d1 * inverse - a2, tail = present * n2;          \
            price[i] = s * n1 - tail;                                                                                  \
            d_spot[i] = n1 + a_top / s;                                                                                \
            d_strike[i] = -discount * n2 - a_top / k;                                                                  \
            d_maturity[i] = a_top * drift + a_spread * v * half / q + r * tail;                                        \
            d_rate[i] = t * (a_top + tail);                                                                            \
            d_volatility[i] = a_top * v * t + a_spread * q;                                                            \
        }                                                                                                              \
    }
BLACK_SCHOLES(double, sqrt)
BLACK_SCHOLES(float, sqrtf)

/* squared distance of the pose of a chain of joints to a target; `joints` has cos and sin of the twist, reach, offset */
enum { JOINTS = 7 };
static void arm_at(const double *joints, const double *target, const double *angles, double *result)
{
    double pose[JOINTS + 1][3][4] = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}}, cosine[JOINTS], sine[JOINTS];
    for (int k = 0; k < JOINTS; k++) {
        const double *p = joints + 4 * k;
        double c = cosine[k] = cos(angles[k]), s = sine[k] = sin(angles[k]);
        for (int row = 0; row < 3; row++) {
            const double *from = pose[k][row];
            double along = from[0] * c + from[1] * s, across = from[1] * c - from[0] * s, *to = pose[k + 1][row];
            to[0] = along, to[1] = across * p[0] + from[2] * p[1], to[2] = from[2] * p[0] - across * p[1];
            to[3] = from[3] + p[2] * along + from[2] * p[3];
        }
    }
    double adjoint[3][4], cost = 0;
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 4; column++) {
            double miss = pose[JOINTS][row][column] - target[4 * row + column];
            cost += miss * miss, adjoint[row][column] = 2 * miss;
        }
    result[0] = cost;
    for (int k = JOINTS - 1; k >= 0; k--) {
        const double *p = joints + 4 * k;
        double c = cosine[k], s = sine[k], slope = 0;
        for (int row = 0; row < 3; row++) {
            double *a = adjoint[row];
            const double *from = pose[k][row];
            double along = a[0] + p[2] * a[3], across = p[0] * a[1] - p[1] * a[2];
            double third = p[1] * a[1] + p[0] * a[2] + p[3] * a[3];
            slope += along * (from[1] * c - from[0] * s) - across * (from[1] * s + from[0] * c);
            a[0] = along * c - across * s, a[1] = along * s + across * c, a[2] = third;
        }
        result[1 + k] = slope;
    }
}
void arm(const double *joints, const double *target, const double *angles, double *results, int64_t n)
{
    for (int64_t i = 0; i < n; i++) arm_at(joints, target, angles + JOINTS * i, results + (JOINTS + 1) * i);
}

/* an expansion in solid harmonics by the recurrences in degree and order, vectors along the order; tables have rows of
 * `width` entries, one for each degree */
void harmonics(int64_t degree, int64_t width, const double *first, const double *second, const double *even,
               const double *odd, const double *diagonal, const double *positions, double *results, int64_t n)
{
    double table[(degree + 1) * width], cosines[width], sines[width], a_cosines[width + 1], a_sines[width + 1];
    double rows[3][width];
    for (int64_t i = 0; i < n; i++) {
        double x = positions[3 * i], y = positions[3 * i + 1], z = positions[3 * i + 2], square = x * x + y * y + z * z;
        memset(table, 0, sizeof table), memset(a_cosines, 0, sizeof a_cosines), memset(a_sines, 0, sizeof a_sines);
        memset(rows, 0, sizeof rows);
        cosines[0] = 1, sines[0] = 0;
        for (int64_t m = 0; m < degree; m++)
            cosines[m + 1] = x * cosines[m] - y * sines[m], sines[m + 1] = x * sines[m] + y * cosines[m];
        for (int64_t l = 0; l <= degree; l++) {
            double *restrict own = table + l * width;
            const double *restrict up = own - (l > 0) * width, *restrict above = up - (l > 1) * width;
            const double *restrict f = first + l * width, *restrict g = second + l * width;
            _Pragma("omp simd") for (int64_t m = 0; m < l; m++) own[m] = f[m] * z * up[m] - g[m] * square * above[m];
            own[l] = diagonal[l];
        }
        double total = 0, a_z = 0, a_square = 0, *now = rows[0], *next = rows[1], *last = rows[2];
        for (int64_t l = degree; l >= 0; l--) {
            const double *restrict own = table + l * width, *restrict up = own - (l > 0) * width;
            const double *restrict above = up - (l > 1) * width, *restrict f = first + l * width;
            const double *restrict g = second + l * width, *restrict e = even + l * width, *restrict o = odd + l * width;
            _Pragma("omp simd reduction(+ : total, a_z, a_square)") for (int64_t m = 0; m <= l; m++)
            {
                double weight = e[m] * cosines[m] + o[m] * sines[m], value = own[m], a = now[m] + weight;
                total += weight * value, a_cosines[m] += e[m] * value, a_sines[m] += o[m] * value;
                a_z += a * f[m] * up[m], a_square -= a * g[m] * above[m];
                next[m] += a * f[m] * z, last[m] = -a * g[m] * square;
            }
            double *free = now;
            now = next, next = last, last = free;
            memset(last, 0, 8 * width);
        }
        double a_x = 0, a_y = 0;
        for (int64_t m = degree - 1; m >= 0; m--) {
            a_x += a_cosines[m + 1] * cosines[m] + a_sines[m + 1] * sines[m];
            a_y += a_sines[m + 1] * cosines[m] - a_cosines[m + 1] * sines[m];
            a_cosines[m] += x * a_cosines[m + 1] + y * a_sines[m + 1];
            a_sines[m] += x * a_sines[m + 1] - y * a_cosines[m + 1];
        }
        double *result = results + 4 * i;
        result[0] = total, result[1] = a_x + 2 * x * a_square, result[2] = a_y + 2 * y * a_square;
        result[3] = a_z + 2 * z * a_square;
    }
}
