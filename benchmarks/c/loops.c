/* The limit for loops over data: value and gradients in one pass, derived by hand, on the widest vectors of the machine,
 * with glibc's vector functions and no flag that changes a result but contraction. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#if defined(__AVX512F__)
#define WIDTH 8
#elif defined(__AVX__)
#define WIDTH 4
#else
#define WIDTH 2
#endif
#define VECTORISED __attribute__((simd("notinbranch"), const, nothrow, leaf))
VECTORISED double vector_exp(double) __asm__("exp");
VECTORISED double vector_log(double) __asm__("log");
VECTORISED double vector_log1p(double) __asm__("log1p");
typedef double vector __attribute__((vector_size(8 * WIDTH), aligned(8)));
#define UNROLLED _Pragma("GCC unroll 16")

static inline double sum(vector v)
{
    double total = 0;
    for (int q = 0; q < WIDTH; q++) total += v[q];
    return total;
}

/* log likelihood of a mixture of 10-dimensional Gaussians without its prior: ADBench's objective for gamma = m = 0 */
enum { D = 10, PACKED = 55, BLOCK = 64, VECTORS = BLOCK / WIDTH, MOST = 64 };
double mixture(const double *alpha, const double *mu, const double *icf, const double *x, double *ga, double *gm,
               double *gi, int64_t n, int64_t k_all)
{
    double(*Q)[D][D] = calloc(k_all, sizeof *Q), (*S)[D + 1][D] = calloc(k_all, sizeof *S);
    double *weights = calloc(k_all, 8), *logs = calloc(k_all, 8), total = 0;
    for (int64_t k = 0; k < k_all; k++) {
        const double *packed = icf + k * PACKED;
        int c = D;
        for (int i = 0; i < D; i++) logs[k] += packed[i], Q[k][i][i] = exp(packed[i]);
        for (int j = 0; j < D; j++)
            for (int i = j + 1; i < D; i++) Q[k][i][j] = packed[c++];
    }
    for (int64_t first = 0; first < n; first += BLOCK) {
        int64_t m = n - first < BLOCK ? n - first : BLOCK;
        vector rows[D][VECTORS];
        double *flat = (double *)rows, e[MOST][BLOCK] __attribute__((aligned(64))), most[BLOCK], mass[BLOCK], l = 0;
        for (int p = 0; p < BLOCK; p++)
            for (int j = 0; j < D; j++) flat[j * BLOCK + p] = x[(first + (p < m ? p : m - 1)) * D + j];
        for (int64_t k = 0; k < k_all; k++)
            for (int v = 0; v < VECTORS; v++) {
                vector c[D], s = {0};
                UNROLLED for (int j = 0; j < D; j++) c[j] = rows[j][v] - mu[k * D + j];
                UNROLLED for (int i = 0; i < D; i++) {
                    vector t = Q[k][i][i] * c[i];
                    UNROLLED for (int j = 0; j < i; j++) t += Q[k][i][j] * c[j];
                    s += t * t;
                }
                *(vector *)(e[k] + WIDTH * v) = alpha[k] + logs[k] - 0.5 * s;
            }
        for (int p = 0; p < BLOCK; p++) most[p] = e[0][p], mass[p] = 0;
        for (int64_t k = 1; k < k_all; k++)
            for (int p = 0; p < BLOCK; p++) most[p] = e[k][p] > most[p] ? e[k][p] : most[p];
        for (int64_t k = 0; k < k_all; k++) {
            _Pragma("omp simd") for (int p = 0; p < BLOCK; p++)
            {
                double t = vector_exp(e[k][p] - most[p]);
                e[k][p] = t;
                mass[p] += t;
            }
        }
        _Pragma("omp simd") for (int p = 0; p < BLOCK; p++) most[p] += vector_log(mass[p]);
        for (int p = 0; p < m; p++) l += most[p];
        total += l;
        for (int p = 0; p < BLOCK; p++) mass[p] = p < m ? 1.0 / mass[p] : 0.0;
        for (int64_t k = 0; k < k_all; k++) {
            vector wt[D][VECTORS], apart[D][VECTORS], w_all = {0};
            for (int v = 0; v < VECTORS; v++) {
                vector w = *(vector *)(e[k] + WIDTH * v) * *(vector *)(mass + WIDTH * v);
                w_all += w;
                UNROLLED for (int j = 0; j < D; j++) apart[j][v] = rows[j][v] - mu[k * D + j];
                UNROLLED for (int i = 0; i < D; i++) {
                    vector t = Q[k][i][i] * apart[i][v];
                    UNROLLED for (int j = 0; j < i; j++) t += Q[k][i][j] * apart[j][v];
                    wt[i][v] = w * t;
                }
            }
            weights[k] += sum(w_all);
            for (int i = 0; i < D; i++) {
                vector a = {0}, row[D] = {{0}};
                for (int v = 0; v < VECTORS; v++) {
                    a += wt[i][v];
                    for (int j = 0; j <= i; j++) row[j] += wt[i][v] * apart[j][v];
                }
                S[k][D][i] += sum(a);
                for (int j = 0; j <= i; j++) S[k][i][j] += sum(row[j]);
            }
        }
    }
    double top = alpha[0], norm = 0;
    for (int64_t k = 1; k < k_all; k++) top = alpha[k] > top ? alpha[k] : top;
    for (int64_t k = 0; k < k_all; k++) norm += exp(alpha[k] - top);
    for (int64_t k = 0; k < k_all; k++) {
        int c = D;
        ga[k] = weights[k] - n * exp(alpha[k] - top) / norm;
        for (int j = 0; j < D; j++) {
            double t = 0;
            for (int i = j; i < D; i++) t += Q[k][i][j] * S[k][D][i];
            gm[k * D + j] = t;
            gi[k * PACKED + j] = weights[k] - Q[k][j][j] * S[k][j][j];
        }
        for (int j = 0; j < D; j++)
            for (int i = j + 1; i < D; i++) gi[k * PACKED + c++] = -S[k][i][j];
    }
    free(Q), free(S), free(weights), free(logs);
    return total - n * (top + log(norm));
}

/* sum of log(1 + exp(-y x.w)) over the rows of X, 32 columns, and its gradient in w: one pass, 16 rows at a time */
enum { COLUMNS = 32, ROWS = 16 };
double logistic(const double *restrict X, const double *restrict y, const double *restrict w, double *restrict g,
                int64_t n)
{
    vector gradient[COLUMNS / WIDTH] = {{0}};
    double total = 0;
    for (int64_t first = 0; first < n; first += ROWS) {
        int64_t m = n - first < ROWS ? n - first : ROWS;
        double z[ROWS] = {0}, slope[ROWS], loss[ROWS];
        for (int64_t i = 0; i < m; i++) {
            vector s = {0};
            UNROLLED for (int j = 0; j < COLUMNS / WIDTH; j++)
                s += *(const vector *)(X + (first + i) * COLUMNS + WIDTH * j) * *(const vector *)(w + WIDTH * j);
            z[i] = sum(s) * y[first + i];
        }
        _Pragma("omp simd") for (int i = 0; i < ROWS; i++)
        {
            double e = vector_exp(-fabs(z[i])), q = 1.0 / (1.0 + e);
            loss[i] = vector_log1p(e) + 0.5 * (fabs(z[i]) - z[i]);
            slope[i] = z[i] > 0 ? -e * q : -q;
        }
        for (int64_t i = 0; i < m; i++) {
            double c = slope[i] * y[first + i];
            total += loss[i];
            UNROLLED for (int j = 0; j < COLUMNS / WIDTH; j++)
                gradient[j] += c * *(const vector *)(X + (first + i) * COLUMNS + WIDTH * j);
        }
    }
    memcpy(g, gradient, sizeof gradient);
    return total;
}

/* Lennard-Jones energy of all pairs and its gradient; coordinates as three rows */
double pairs(const double *restrict p, double *restrict g, int64_t n)
{
    const double *restrict x = p, *restrict y = p + n, *restrict z = p + 2 * n;
    double *restrict gx = g, *restrict gy = g + n, *restrict gz = g + 2 * n, energy = 0;
    memset(g, 0, 3 * n * sizeof *g);
    for (int64_t i = 0; i < n; i++) {
        double ax = 0, ay = 0, az = 0, e = 0;
        _Pragma("omp simd reduction(+ : ax, ay, az, e)") for (int64_t j = i + 1; j < n; j++)
        {
            double dx = x[i] - x[j], dy = y[i] - y[j], dz = z[i] - z[j];
            double r = 1.0 / (dx * dx + dy * dy + dz * dz), s = r * r * r, f = 24 * s * (1.0 - 2.0 * s) * r;
            e += s * (s - 1.0);
            ax += f * dx, ay += f * dy, az += f * dz;
            gx[j] -= f * dx, gy[j] -= f * dy, gz[j] -= f * dz;
        }
        gx[i] += ax, gy[i] += ay, gz[i] += az, energy += 4 * e;
    }
    return energy;
}
