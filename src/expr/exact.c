/* expr/exact.c - matrices modulo a prime, with nilpotent e0, e1, ... */
#include "expr/exact.h"

static int planes(const soa_field *f)
{
    return 1 << f->order;
}

static size_t plane_size(soa_exact a)
{
    return (size_t)a.rows * (size_t)a.cols;
}

static bool fine(const soa_field *f)
{
    return f->status == SOA_OK;
}

/* Large products and inverses look at the time. */
static void look_at_time(soa_field *f, int rows)
{
    if (rows > 60 && fine(f) && soa_terms_expired(f->terms)) {
        f->status = SOA_E_LIMIT;
    }
}

/* ---- numbers ------------------------------------------------------------------------------------ */

uint32_t soa_field_of(const soa_field *f, long long number)
{
    const long long prime = (long long)f->prime, rest = number % prime;
    return (uint32_t)(rest < 0 ? rest + prime : rest);
}

static uint32_t power(const soa_field *f, uint64_t base, uint64_t exponent)
{
    uint64_t made = 1;
    for (; exponent > 0; exponent >>= 1) {
        made = exponent & 1 ? made * base % f->prime : made;
        base = base * base % f->prime;
    }
    return (uint32_t)made;
}

/* a^(p-2), by Fermat. */
uint32_t soa_field_inverse(const soa_field *f, uint32_t a)
{
    return power(f, a, f->prime - 2);
}

uint32_t soa_field_ratio(soa_field *f, soa_ratio ratio)
{
    const uint32_t den = soa_field_of(f, ratio.den);
    if (den == 0) {
        f->status = SOA_E_SINGULAR;
        return 0;
    }
    const uint32_t ten = ratio.power < 0 ? soa_field_inverse(f, 10) : 10;
    const uint64_t scale = power(f, ten, (uint64_t)(ratio.power < 0 ? -ratio.power : ratio.power));
    return (uint32_t)(scale * soa_field_of(f, ratio.num) % f->prime * soa_field_inverse(f, den) % f->prime);
}

/* ---- matrices -------------------------------------------------------------------------------------- */

soa_exact soa_exact_zero(soa_field *f, int rows, int cols)
{
    soa_exact a = { rows, cols, NULL };
    const size_t count = plane_size(a) * (size_t)planes(f);
    a.at = fine(f) ? soa_arena_take(f->arena, count ? count : 1, sizeof *a.at) : NULL;
    f->status = fine(f) && !a.at ? SOA_E_MEMORY : f->status;
    return a;
}

uint32_t *soa_exact_entry(soa_exact a, int plane, int row, int col)
{
    return a.at + (size_t)plane * plane_size(a) + (size_t)row * (size_t)a.cols + (size_t)col;
}

soa_exact soa_exact_identity(soa_field *f, int rows)
{
    const soa_exact a = soa_exact_zero(f, rows, rows);
    for (int i = 0; fine(f) && i < rows; i++) {
        *soa_exact_entry(a, 0, i, i) = 1;
    }
    return a;
}

soa_exact soa_exact_add(soa_field *f, soa_exact a, uint32_t factor, soa_exact b)
{
    const soa_exact c = soa_exact_zero(f, a.rows, a.cols);
    for (size_t i = 0; fine(f) && i < plane_size(a) * (size_t)planes(f); i++) {
        c.at[i] = (uint32_t)((a.at[i] + (uint64_t)factor * b.at[i]) % f->prime);
    }
    return c;
}

soa_exact soa_exact_copy(soa_field *f, soa_exact a)
{
    return soa_exact_add(f, soa_exact_zero(f, a.rows, a.cols), 1, a);
}

/* c += a b, one plane of each. Sums are kept below twice the square of the prime, which is below 2^63. */
static void multiply_planes(
    const soa_field *f, soa_exact a, const uint32_t *x, soa_exact b, const uint32_t *y, uint32_t *c)
{
    const uint64_t square = f->prime * f->prime;
    for (int i = 0; i < a.rows; i++) {
        for (int j = 0; j < b.cols; j++) {
            uint64_t sum = c[(size_t)i * (size_t)b.cols + (size_t)j];
            for (int k = 0; k < a.cols; k++) {
                sum += (uint64_t)x[(size_t)i * (size_t)a.cols + (size_t)k] * y[(size_t)k * (size_t)b.cols + (size_t)j];
                sum = sum >= square ? sum - square : sum;
            }
            c[(size_t)i * (size_t)b.cols + (size_t)j] = (uint32_t)(sum % f->prime);
        }
    }
}

soa_exact soa_exact_multiply(soa_field *f, soa_exact a, soa_exact b)
{
    look_at_time(f, a.rows);
    const soa_exact c = soa_exact_zero(f, a.rows, b.cols);
    for (int s = 0; fine(f) && s < planes(f); s++) {
        for (int t = 0; t < planes(f); t++) {
            if ((s & t) == 0) { /* e_i e_i = 0 */
                multiply_planes(f, a, a.at + (size_t)s * plane_size(a), b, b.at + (size_t)t * plane_size(b),
                    c.at + (size_t)(s | t) * plane_size(c));
            }
        }
    }
    return c;
}

soa_exact soa_exact_transpose(soa_field *f, soa_exact a)
{
    const soa_exact c = soa_exact_zero(f, a.cols, a.rows);
    for (int i = 0; fine(f) && i < planes(f) * a.rows; i++) {
        for (int j = 0; j < a.cols; j++) {
            *soa_exact_entry(c, i / a.rows, j, i % a.rows) = *soa_exact_entry(a, i / a.rows, i % a.rows, j);
        }
    }
    return c;
}

soa_exact soa_exact_block(soa_field *f, soa_exact a, int row, int col, int rows, int cols)
{
    const soa_exact c = soa_exact_zero(f, rows, cols);
    for (int i = 0; fine(f) && i < planes(f) * rows; i++) {
        for (int j = 0; j < cols; j++) {
            *soa_exact_entry(c, i / rows, i % rows, j) = *soa_exact_entry(a, i / rows, row + i % rows, col + j);
        }
    }
    return c;
}

void soa_exact_put(soa_field *f, soa_exact to, int row, int col, soa_exact block)
{
    for (int i = 0; fine(f) && i < planes(f) * block.rows; i++) {
        for (int j = 0; j < block.cols; j++) {
            uint32_t *at = soa_exact_entry(to, i / block.rows, row + i % block.rows, col + j);
            *at = (uint32_t)(((uint64_t)*at + *soa_exact_entry(block, i / block.rows, i % block.rows, j)) % f->prime);
        }
    }
}

soa_exact soa_exact_tilde(soa_field *f, soa_exact a, int row)
{
    static const int place[3][3] = { { -1, 2, 1 }, { 2, -1, 0 }, { 1, 0, -1 } };
    const soa_exact t = soa_exact_zero(f, 3, 3);
    for (int e = 0; fine(f) && e < 9 << f->order; e++) {
        const int i = e / 3 % 3, j = e % 3;
        if (i != j) {
            const uint32_t x = *soa_exact_entry(a, e / 9, row + place[i][j], 0);
            const bool minus = (j - i + 3) % 3 == 1;
            *soa_exact_entry(t, e / 9, i, j) = minus && x ? (uint32_t)f->prime - x : x;
        }
    }
    return t;
}

/* ---- inverses ---------------------------------------------------------------------------------------- */

/* row += factor other, of both halves */
static void add_row(const soa_field *f, soa_exact a, soa_exact b, int row, uint64_t factor, int other)
{
    for (int j = 0; j < a.cols; j++) {
        uint32_t *x = soa_exact_entry(a, 0, row, j), *y = soa_exact_entry(b, 0, row, j);
        *x = (uint32_t)((*x + factor * *soa_exact_entry(a, 0, other, j)) % f->prime);
        *y = (uint32_t)((*y + factor * *soa_exact_entry(b, 0, other, j)) % f->prime);
    }
}

/* Plane 0 of a becomes the identity and that of b the inverse: Gauss and Jordan. false: it has none. */
static bool eliminate(const soa_field *f, soa_exact a, soa_exact b)
{
    for (int k = 0; k < a.rows; k++) {
        int pivot = k;
        while (pivot < a.rows && *soa_exact_entry(a, 0, pivot, k) == 0) {
            pivot++;
        }
        if (pivot == a.rows) {
            return false;
        }
        if (pivot != k) {
            add_row(f, a, b, k, 1, pivot);
        }
        const uint64_t inverse = soa_field_inverse(f, *soa_exact_entry(a, 0, k, k));
        add_row(f, a, b, k, inverse + f->prime - 1, k);
        for (int i = 0; i < a.rows; i++) {
            if (i != k && *soa_exact_entry(a, 0, i, k) != 0) {
                add_row(f, a, b, i, f->prime - *soa_exact_entry(a, 0, i, k), k);
            }
        }
    }
    return true;
}

/* a^((p+1)/4) for p = 3 modulo 4; with e by Newton, x = (x + a / x) / 2: what is wrong has one e more each time. */
soa_exact soa_exact_root(soa_field *f, soa_exact a)
{
    soa_exact root = soa_exact_zero(f, a.rows, a.cols);
    for (int e = 0; fine(f) && e < planes(f) * a.rows * a.cols; e++) {
        const uint64_t x = a.at[e], r = power(f, x, (f->prime + 1) / 4);
        if (x != 0 && e / a.cols % a.rows != e % a.cols) {
            f->status = SOA_E_UNSUPPORTED;
        } else if (e < a.rows * a.cols && r * r % f->prime != x) {
            f->status = SOA_E_NUMBER;
        } else if (e < a.rows * a.cols) {
            root.at[e] = (uint32_t)r;
        }
    }
    const uint32_t half = soa_field_inverse(f, 2);
    for (int i = 0; i < f->order && fine(f); i++) {
        const soa_exact zero = soa_exact_zero(f, a.rows, a.cols);
        const soa_exact both = soa_exact_add(f, root, 1, soa_exact_multiply(f, a, soa_exact_inverse(f, root)));
        root = soa_exact_add(f, zero, half, both);
    }
    return root;
}

soa_exact soa_exact_inverse(soa_field *f, soa_exact a)
{
    look_at_time(f, a.rows);
    const soa_exact work = soa_exact_copy(f, a), twice = soa_exact_zero(f, a.rows, a.rows);
    soa_exact x = soa_exact_identity(f, a.rows);
    if (fine(f) && (a.rows != a.cols || !eliminate(f, work, x))) {
        f->status = SOA_E_SINGULAR;
    }
    for (int i = 0; fine(f) && i < a.rows; i++) {
        *soa_exact_entry(twice, 0, i, i) = 2;
    }
    for (int i = 0; i < f->order; i++) { /* Newton: what is wrong has one e more each time */
        x = soa_exact_multiply(f, x, soa_exact_add(f, twice, (uint32_t)f->prime - 1, soa_exact_multiply(f, a, x)));
    }
    return x;
}
