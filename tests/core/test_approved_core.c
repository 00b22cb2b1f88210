/* Numbers and fractions as text, words that are alike, texts made safe, messages, and the ranks and results of dense solvers to six
 * digits, beside what was approved. */
#include "approved.h"
#include "core/dense.h"
#include "core/edits.h"
#include "core/eigen.h"
#include "core/error.h"
#include "core/names.h"
#include "core/number.h"
#include "core/random.h"
#include "core/ratio.h"

#define COUNT_OF(list) ((int)(sizeof(list) / sizeof(list)[0]))

static const char *const NUMBERS[] = { "0", "-0", "+0", "1", "-1", "+1", "1.", ".5", "-.5", ".", "", "-", "+", "e5",
    "1e", "1e+", "1e5", "1E5", "1e-5", "1e+05", "1.5e3x", "12abc", "0x10", "nan", "inf", "1e308", "1e309",
    "1.7976931348623157e308", "1.7976931348623159e308", "1e-308", "4.9e-324", "2e-324", "1e-400", "0.1", "0.2",
    "0.30000000000000004", "123456789012345678", "999999999999999999", "9999999999999999999", "0.000000000000000001",
    "1234567890.0987654321", "100", "1000000", "1e15", "1e16", "1e17", "1e22", "1e23", "3.14159265358979", "2.5",
    "0.125", "00012", "0.50", "1..2", "1.2.3", "1,5", " 1", "1 2", "--1", "9007199254740993", "1e18", "1e19", "7e20",
    "-4e-7", "12e-7", "1/3", "144", "0.0009765625", "2e400", "1e-999", "0e999" };

static void numbers_are_text(void **state)
{
    (void)state;
    approved a = approved_open("core-numbers");
    for (int i = 0; i < COUNT_OF(NUMBERS); i++) {
        double value = -77.0;
        char text[256], word[SOA_NUMBER_SIZE], fraction[SOA_RATIO_SIZE], root[SOA_RATIO_SIZE], sum[SOA_RATIO_SIZE],
            quotient[SOA_RATIO_SIZE], inverse[SOA_RATIO_SIZE];
        const char *end = soa_number_read(NUMBERS[i], &value);
        const soa_ratio r = soa_ratio_read(NUMBERS[i]), third = soa_ratio_divide(soa_ratio_of(1), soa_ratio_of(3));
        approved_case(&a, NUMBERS[i]);
        snprintf(text, sizeof text, "%s at %d, fraction %s, root %s, + 1/3 %s, over -6 %s, 1 over it %s, %d%d, %s",
            soa_number_write(word, value), end ? (int)(end - NUMBERS[i]) : -1, soa_ratio_write(fraction, r),
            soa_ratio_write(root, soa_ratio_root(r)), soa_ratio_write(sum, soa_ratio_add(r, third)),
            soa_ratio_write(quotient, soa_ratio_divide(soa_ratio_multiply(r, r), soa_ratio_of(-6))),
            soa_ratio_write(inverse, soa_ratio_divide(soa_ratio_of(1), r)), soa_ratio_is_number(r),
            soa_ratio_is_zero(r), soa_ratio_equal(soa_ratio_negative(r), r) ? "its negative" : "");
        approved_text(&a, NULL, text);
        approved_end(&a);
    }
    approved_close(&a);
}

/* ---- words ------------------------------------------------------------------------------------------------------------ */

static void words_are_alike(void **state)
{
    (void)state;
    static const char *const word[] = { "", "a", "b", "ab", "ba", "abc", "acb", "elbow", "elbwo", "elbows", "below",
        "shoulder", "a_word_of_very_many_letters_indeed_more_than_are_looked_at" };
    static const char *const bytes[] = { "plain", "tab\there", "line\nfeed", "\x1b[31m", "\x7f", "\xc2\x9b", "\xc2\xa0",
        "\xe2\x80\xae", "\xe2\x81\xa6", "\xef\xbb\xbf", "\xff", "\xc0\x80", "\xed\xa0\x80", "\xf0\x9f\x98\x80",
        "\xf4\x90\x80\x80", "\xe2\x82", "ü", "\xc3" };
    approved a = approved_open("core-words");
    for (int i = 0; i < COUNT_OF(word); i++) {
        char text[256] = "", one[16];
        soa_nearest near = soa_nearest_to(word[i]);
        approved_case(&a, word[i]);
        for (int k = 0; k < COUNT_OF(word); k++) {
            snprintf(one, sizeof one, "%d ", soa_edits(word[i], word[k]));
            strcat(text, one);
            if (k != i) {
                soa_nearest_offer(&near, word[k]);
            }
        }
        strcat(text, near.found ? near.found : "none");
        approved_text(&a, NULL, text);
        approved_end(&a);
    }
    for (int i = 0; i < COUNT_OF(bytes); i++) {
        char text[64], shown[64];
        unsigned code = 0;
        const int length = soa_utf8_decode(bytes[i], &code);
        snprintf(text, sizeof text, "%s", bytes[i]);
        snprintf(shown, sizeof shown, "%d %x '%s'", length, length ? code : 0, soa_printable(text));
        snprintf(text, sizeof text, "text %d", i);
        approved_case(&a, text);
        approved_text(&a, NULL, shown);
        approved_end(&a);
    }
    for (int i = 0; i < 20; i++) { /* the vectors of the paper begin so */
        const uint64_t key[2] = { 0x0706050403020100u, 0x0f0e0d0c0b0a0908u };
        unsigned char message[32];
        char name[32], text[32];
        for (int k = 0; k < 32; k++) {
            message[k] = (unsigned char)k;
        }
        snprintf(name, sizeof name, "hash of %d bytes", i);
        snprintf(text, sizeof text, "%016llx", (unsigned long long)soa_siphash(key, message, (size_t)i));
        approved_case(&a, name);
        approved_text(&a, NULL, text);
        approved_end(&a);
    }
    approved_close(&a);
}

static void messages_are_made(void **state)
{
    (void)state;
    approved a = approved_open("core-messages");
    for (int i = 0; i < 40; i++) {
        static const char *const file[] = { NULL, "", "a.urdf", "a folder/with a\nline.xml" };
        char text[300], small[24], name[32];
        soa_error error;
        snprintf(text, sizeof text, "%0*d", i < 20 ? i : 250, i);
        soa_fail_at(&error, (soa_status)(i % 18), file[i % 4], i % 3, "%s", i % 2 ? text : "what is wrong; what to do");
        snprintf(name, sizeof name, "message %d", i);
        approved_case(&a, name);
        approved_text(&a, NULL, soa_error_message(&error, text, sizeof text));
        approved_text(&a, NULL, soa_error_message(&error, small, (size_t)i < sizeof small ? (size_t)i : sizeof small));
        approved_text(&a, NULL, soa_status_text(error.status));
        approved_end(&a);
    }
    approved_close(&a);
}

/* ---- dense matrices ------------------------------------------------------------------------------------------------------- */

enum { MOST = 7 };

static void put(FILE *out, const char *what, size_t count, const double *x)
{
    fprintf(out, " %s", what);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, " %.6g", fabs(x[i]) < 1e-9 ? 0.0 : x[i]);
    }
}

/* Random, m x n, of this rank; symmetric and semidefinite if m is n and so it is wished. */
static void matrix(unsigned long long *seed, size_t m, size_t n, size_t rank, bool symmetric, double *A)
{
    double left[MOST * MOST], right[MOST * MOST];
    for (size_t i = 0; i < MOST * MOST; i++) {
        left[i] = soa_random_next(seed) + 0.1;
        right[i] = soa_random_next(seed) - 0.2;
    }
    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j < n; j++) {
            A[n * i + j] = 0.0;
            for (size_t k = 0; k < rank; k++) {
                A[n * i + j] += left[MOST * i + k] * (symmetric ? left[MOST * j + k] : right[MOST * k + j]);
            }
        }
    }
}

static void put_square(FILE *out, unsigned long long *seed, size_t n, size_t rank)
{
    double A[MOST * MOST], B[MOST * MOST], x[MOST], work[MOST];
    size_t order[MOST];
    matrix(seed, n, n, rank, true, A);
    memcpy(B, A, sizeof B);
    soa_factored f = soa_cholesky(n, A, SOA_COMPUTED);
    fprintf(out, "cholesky %zu", f.rank);
    for (size_t i = 0; i < n; i++) {
        x[i] = (double)i + 1.0;
    }
    if (f.rank == n) {
        soa_cholesky_solve(n, A, x);
        put(out, "condition", 1, &f.condition);
        put(out, "x", n, x);
        f = soa_cholesky_inverse(n, 1, B, A, SOA_COMPUTED);
        put(out, "inverse", n * n, A);
    }
    memcpy(A, B, sizeof B);
    fprintf(out, " eigen %d", soa_eigen(n, A, x, work));
    put(out, "values", n, x);
    for (size_t i = 0; i < n * n; i++) {
        memcpy(A, B, sizeof B);
        A[i] = NAN;
        fprintf(out, " %d", soa_eigen(n, A, x, work));
    }
    matrix(seed, n, n, rank, false, A);
    f = soa_lu(n, A, order, SOA_COMPUTED);
    fprintf(out, " lu %zu", f.rank);
    if (f.rank == n) {
        soa_lu_solve(n, A, order, n, NULL, B);
        put(out, "inverse", n * n, B);
    }
}

static void put_any(FILE *out, unsigned long long *seed, size_t m, size_t n, size_t rank)
{
    double A[MOST * MOST], tau[MOST], b[MOST], x[MOST], work[MOST * (MOST + 4)];
    size_t column[MOST];
    matrix(seed, m, n, rank, false, A);
    const soa_factored f = soa_qr(m, n, A, tau, column, SOA_COMPUTED);
    fprintf(out, "\nqr %zu", f.rank);
    for (size_t j = 0; j < n; j++) {
        fprintf(out, " %zu", column[j]);
    }
    for (size_t i = 0; i < m; i++) {
        b[i] = (double)i - 1.5;
    }
    matrix(seed, m, n, rank, false, A);
    fprintf(out, " least squares %zu", soa_least_squares(m, n, A, b, x, work, SOA_COMPUTED));
    put(out, "x", n, x);
}

static void matrices_are_factored(void **state)
{
    (void)state;
    unsigned long long seed = 1;
    approved a = approved_open("core-dense");
    for (size_t m = 1; m <= MOST; m++) {
        for (size_t n = 1; n <= MOST; n++) {
            char *text = NULL, name[32];
            size_t length;
            FILE *out = open_memstream(&text, &length);
            for (size_t rank = 0; rank <= (m < n ? m : n); rank++) {
                if (m == n) {
                    put_square(out, &seed, n, rank);
                }
                put_any(out, &seed, m, n, rank);
            }
            fclose(out);
            snprintf(name, sizeof name, "%zu x %zu", m, n);
            approved_case(&a, name);
            approved_text(&a, "said", text);
            approved_end(&a);
            free(text);
        }
    }
    approved_close(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_text),
        cmocka_unit_test(words_are_alike),
        cmocka_unit_test(messages_are_made),
        cmocka_unit_test(matrices_are_factored),
    };
    return cmocka_run_group_tests_name("approved_core", tests, NULL, NULL);
}
