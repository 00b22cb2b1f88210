/* core/eigen.c - symmetric eigenproblem: Householder reflections to a tridiagonal matrix, then QL with implicit shifts.
 *
 *     A = Q T Q*,  T = Z diag(value) Z*,  W = (Q Z)*
 *
 * Rows of W are what both steps work on, so that all inner loops run along rows. Golub and Van Loan, Matrix
 * Computations, 8.3. */
#include "core/eigen.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/dense.h"

enum { MOST_STEPS = 60 }; /* of QL per eigenvalue; three are usual */

static double dot(size_t n, const double *x, const double *y)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        sum += x[i] * y[i];
    }
    return sum;
}

/* y += a x */
static void add(size_t n, double a, const double *x, double *y)
{
    for (size_t i = 0; i < n; i++) {
        y[i] += a * x[i];
    }
}

/* ---- tridiagonal ------------------------------------------------------------------------------- */

/* x becomes v of H = I - v v* with H x = (alpha, 0, ...): |v|^2 = 2. Returns alpha; v = 0 if x is (alpha, 0, ...). */
static double reflection(size_t n, double *x)
{
    double rest = 0.0, largest = 0.0;
    for (size_t i = 0; i < n; i++) {
        largest = fmax(largest, fabs(x[i]));
    }
    for (size_t i = 1; i < n && largest > 0.0; i++) {
        rest += (x[i] / largest) * (x[i] / largest);
    }
    if (rest == 0.0) {
        const double alpha = x[0];
        memset(x, 0, n * sizeof *x);
        return alpha;
    }
    const double first = x[0] / largest;
    const double norm = sqrt(first * first + rest);
    const double alpha = first > 0.0 ? -norm : norm;
    const double scale = sqrt(norm * (norm + fabs(first))); /* |x - alpha e1| / sqrt 2 */
    for (size_t i = 0; i < n; i++) {
        x[i] = (x[i] / largest - (i == 0 ? alpha : 0.0)) / scale;
    }
    return alpha * largest;
}

/* A22 = H A22 H = A22 - v w* - w v*,  w = A22 v - v (v* A22 v) / 2 */
static void reflect_block(size_t n, size_t row, double *A22, const double *v, double *w)
{
    for (size_t i = 0; i < n; i++) {
        w[i] = dot(n, A22 + i * row, v);
    }
    add(n, -0.5 * dot(n, v, w), v, w);
    for (size_t i = 0; i < n; i++) {
        add(n, -v[i], w, A22 + i * row);
        add(n, -w[i], v, A22 + i * row);
    }
}

/* The diagonal of T to d, what stands beside it to e. A becomes Q*. */
static void make_tridiagonal(size_t n, double *A, double *d, double *e)
{
    for (size_t k = 0; k + 1 < n; k++) {
        double *v = A + k * n + k + 1;
        const size_t m = n - k - 1;
        d[k] = A[k * n + k];
        double *w = d + k + 1; /* not yet in use */
        e[k] = reflection(m, v);
        reflect_block(m, n, A + (k + 1) * n + k + 1, v, w);
    }
    d[n - 1] = A[n * n - 1];
    e[n - 1] = 0.0;
    /* W = H(n-2) ... H(0): row k of A holds the v of H(k), the block below it the W so far. */
    A[n * n - 1] = 1.0;
    for (size_t k = n - 1; k-- > 0;) {
        const double *v = A + k * n + k + 1;
        for (size_t i = k + 1; i < n; i++) {
            double *row = A + i * n + k + 1;
            add(n - k - 1, -dot(n - k - 1, row, v), v, row);
            A[i * n + k] = 0.0;
        }
        A[k * n + k] = 1.0;
        memset(A + k * n + k + 1, 0, (n - k - 1) * sizeof *A);
    }
}

/* ---- QL ------------------------------------------------------------------------------------------- */

/* Rows i and i + 1 of W turned by (c, s). */
static void turn_rows(size_t n, double *W, size_t i, double c, double s)
{
    double *x = W + i * n, *y = x + n;
    for (size_t k = 0; k < n; k++) {
        const double f = y[k];
        y[k] = s * x[k] + c * f;
        x[k] = c * x[k] - s * f;
    }
}

/* One implicit QL step on rows first..last of T, shifted by the eigenvalue of its corner. */
static void ql_step(size_t n, size_t first, size_t last, double *d, double *e, double *W)
{
    double g = (d[first + 1] - d[first]) / (2.0 * e[first]);
    g = d[last] - d[first] + e[first] / (g + copysign(hypot(g, 1.0), g));
    double s = 1.0, c = 1.0, p = 0.0;
    for (size_t i = last; i-- > first;) {
        const double f = s * e[i], b = c * e[i];
        const double r = hypot(f, g);
        e[i + 1] = r;
        if (r == 0.0) { /* T has come apart here */
            d[i + 1] -= p;
            e[last] = 0.0;
            return;
        }
        s = f / r;
        c = g / r;
        g = d[i + 1] - p;
        const double t = (d[i] - g) * s + 2.0 * c * b;
        p = s * t;
        d[i + 1] = g + p;
        g = c * t - b;
        turn_rows(n, W, i, c, s);
    }
    d[first] -= p;
    e[first] = g;
    e[last] = 0.0;
}

static bool diagonalise(size_t n, double *d, double *e, double *W)
{
    for (size_t first = 0; first < n; first++) {
        for (int step = 0;; step++) {
            size_t last = first;
            while (last + 1 < n && fabs(e[last]) > 0.5 * DBL_EPSILON * (fabs(d[last]) + fabs(d[last + 1]))) {
                last++;
            }
            if (last == first) {
                break;
            }
            if (step == MOST_STEPS) {
                return false;
            }
            ql_step(n, first, last, d, e, W);
        }
    }
    return true;
}

static void sort_rows(size_t n, double *d, double *W)
{
    for (size_t i = 0; i + 1 < n; i++) {
        size_t least = i;
        for (size_t k = i + 1; k < n; k++) {
            least = d[k] < d[least] ? k : least;
        }
        const double value = d[least];
        d[least] = d[i];
        d[i] = value;
        for (size_t k = 0; k < n && least != i; k++) {
            const double x = W[i * n + k];
            W[i * n + k] = W[least * n + k];
            W[least * n + k] = x;
        }
    }
}

bool soa_eigen(size_t n, double *A, double *value, double *work)
{
    if (n == 0) {
        return true;
    }
    for (size_t i = 0; i < n * n; i++) {
        if (!isfinite(A[i])) {
            return false;
        }
    }
    make_tridiagonal(n, A, value, work);
    if (!diagonalise(n, value, work, A)) {
        return false;
    }
    sort_rows(n, value, A);
    return true;
}

/* ---- pencils --------------------------------------------------------------------------------------- */

/* X = L^-1 X */
static void forward_substitute(size_t n, const double *L, double *X)
{
    for (size_t i = 0; i < n; i++) {
        double *row = X + i * n;
        for (size_t k = 0; k < i; k++) {
            add(n, -L[i * n + k], X + k * n, row);
        }
        for (size_t k = 0; k < n; k++) {
            row[k] /= L[i * n + i];
        }
    }
}

/* x = L^-* x */
static void back_substitute(size_t n, const double *L, double *x)
{
    for (size_t i = n; i-- > 0;) {
        x[i] /= L[i * n + i];
        add(i, -x[i], L + i * n, x);
    }
}

static void transpose(size_t n, double *X)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++) {
            const double x = X[i * n + k];
            X[i * n + k] = X[k * n + i];
            X[k * n + i] = x;
        }
    }
}

/* C = L^-1 B L^-* has the values, C y = value y, x = L^-* y. */
soa_pencil_result soa_pencil(size_t n, double *A, double *B, double *value, double *work)
{
    if (soa_cholesky(n, A, SOA_ROUNDED).rank < n) {
        return SOA_PENCIL_INDEFINITE;
    }
    forward_substitute(n, A, B);
    transpose(n, B);
    forward_substitute(n, A, B);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++) {
            B[i * n + k] = B[k * n + i] = 0.5 * (B[i * n + k] + B[k * n + i]);
        }
    }
    if (!soa_eigen(n, B, value, work)) {
        return SOA_PENCIL_NOT_FINITE;
    }
    for (size_t i = 0; i < n; i++) {
        back_substitute(n, A, B + i * n);
    }
    return SOA_PENCIL_OK;
}
