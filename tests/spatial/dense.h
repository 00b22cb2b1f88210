/* tests/spatial/dense.h - 6x6 matrices written out from MATH.md, nothing saved.
 *
 * Shares no code with the kernels: plain arrays and loops. */
#ifndef SOA_TEST_DENSE_H
#define SOA_TEST_DENSE_H

#include <math.h>
#include <string.h>

typedef struct dense {
    double a[6][6];
} dense;

typedef double cross3[3][3];

static inline void dense_tilde(const double x[3], cross3 t)
{
    const cross3 r = { { 0, -x[2], x[1] }, { x[2], 0, -x[0] }, { -x[1], x[0], 0 } };
    memcpy(t, r, sizeof r);
}

static inline dense dense_mul(dense a, dense b)
{
    dense r;
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) {
            long double s = 0;
            for (int k = 0; k < 6; k++) {
                s += (long double)a.a[i][k] * b.a[k][j];
            }
            r.a[i][j] = (double)s;
        }
    }
    return r;
}

static inline dense dense_transpose(dense a)
{
    dense r;
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) {
            r.a[i][j] = a.a[j][i];
        }
    }
    return r;
}

static inline void dense_apply(dense a, const double x[6], double y[6])
{
    for (int i = 0; i < 6; i++) {
        long double s = 0;
        for (int k = 0; k < 6; k++) {
            s += (long double)a.a[i][k] * x[k];
        }
        y[i] = (double)s;
    }
}

/* [s_xx A  s_xy B; s_yx B'  s_yy C] from four 3x3 blocks */
static inline dense dense_blocks(cross3 xx, cross3 xy, cross3 yx, cross3 yy)
{
    dense r;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            r.a[i][j] = xx[i][j];
            r.a[i][j + 3] = xy[i][j];
            r.a[i + 3][j] = yx[i][j];
            r.a[i + 3][j + 3] = yy[i][j];
        }
    }
    return r;
}

/* phi(l) = [I l~; 0 I] followed by the change of axes diag(R, R) */
static inline dense dense_phi(cross3 R, const double l[3])
{
    cross3 I = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, O = { { 0 } }, t;
    dense_tilde(l, t);
    return dense_mul(dense_blocks(I, t, O, I), dense_blocks(R, O, O, R));
}

/* M = [J m p~; -m p~ m I] */
static inline dense dense_rigid(double m, const double h[3], cross3 J)
{
    cross3 t, minus, mI = { { m, 0, 0 }, { 0, m, 0 }, { 0, 0, m } };
    dense_tilde(h, t);
    for (int i = 0; i < 9; i++) {
        minus[i / 3][i % 3] = -t[i / 3][i % 3];
    }
    return dense_blocks(J, t, minus, mI);
}

/* z~ = [x~ 0; y~ x~], S[z] = [x~ y~; 0 x~], Q[z] = [x~ y~; y~ 0] */
static inline dense dense_cross(char which, const double z[6])
{
    cross3 x, y, O = { { 0 } };
    dense_tilde(z, x);
    dense_tilde(z + 3, y);
    return which == '~' ? dense_blocks(x, O, y, x) : which == 'S' ? dense_blocks(x, y, O, x) : dense_blocks(x, y, y, O);
}

/* P - s u u* */
static inline dense dense_sub_outer(dense P, const double u[6], double s)
{
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) {
            P.a[i][j] -= s * u[i] * u[j];
        }
    }
    return P;
}

#endif
