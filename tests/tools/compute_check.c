/* Reads what soa compute --json wrote, strictly, and checks laws on its numbers:
 *
 *     compute_check tau         "tau" is "tau_in"
 *     compute_check motion      "mass" "vdot" + "bias" is "tau_in" + "joint_force"
 *     compute_check coriolis    "coriolis" "v" + "gravity_force" is "bias"
 *     compute_check christoffel "christoffel" summed with "v" is "coriolis"
 *     compute_check jacobian    "jacobian" "v" is the "velocity" of every link in it; with
 *                               a name, that of this point is the velocity of the first link
 *     compute_check same        "bias" is the same in states 0 and 1
 *     compute_check matrix FIELD FILE    the matrix in the first state is the "value" in FILE
 *     compute_check again       prints the states with vdot as computed
 *     compute_check states      prints the states as they were
 *
 * each to a part in 1e9 of the largest number of the sum. */
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 256 };

/* Numbers of a list; their count, or -1. */
static int numbers(const json_t *list, double *to)
{
    const size_t count = json_array_size(list);
    if (!json_is_array(list) || count > MOST) {
        return -1;
    }
    for (size_t i = 0; i < count; i++) {
        if (!json_is_number(json_array_get(list, i))) {
            return -1;
        }
        to[i] = json_number_value(json_array_get(list, i));
    }
    return (int)count;
}

/* y = A x for a list of rows; -1 if the sizes differ. scale grows to the largest product. */
static int multiply(const json_t *A, const double *x, int n, double *y, double *scale)
{
    double row[MOST];
    const size_t rows = json_array_size(A);
    if (rows == 0 || rows > MOST) {
        return -1;
    }
    for (size_t i = 0; i < rows; i++) {
        if (numbers(json_array_get(A, i), row) != n) {
            return -1;
        }
        y[i] = 0.0;
        for (int j = 0; j < n; j++) {
            y[i] += row[j] * x[j];
            *scale = fmax(*scale, fabs(row[j] * x[j]));
        }
    }
    return (int)rows;
}

static int near(const double *a, const double *b, int n, double scale)
{
    for (int i = 0; i < n; i++) {
        scale = fmax(scale, fmax(fabs(a[i]), fabs(b[i])));
    }
    for (int i = 0; i < n; i++) {
        if (!(fabs(a[i] - b[i]) <= 1e-9 * scale)) {
            fprintf(stderr, "compute_check: number %d is %.17g, not %.17g\n", i, a[i], b[i]);
            return 0;
        }
    }
    return n > 0;
}

static int check_tau(const json_t *result)
{
    double a[MOST], b[MOST];
    const int n = numbers(json_object_get(result, "tau"), a);
    return n == numbers(json_object_get(result, "tau_in"), b) && near(a, b, n, 0.0);
}

/* matrix x + add = sum, by their names */
static int check_sum(const json_t *result, const char *matrix, const char *x, const char *add, const char *sum)
{
    double a[MOST], b[MOST], c[MOST], y[MOST], scale = 0.0;
    const int n = numbers(json_object_get(result, x), a);
    if (numbers(json_object_get(result, add), b) != n || numbers(json_object_get(result, sum), c) != n ||
        multiply(json_object_get(result, matrix), a, n, y, &scale) != n) {
        return 0;
    }
    double push[MOST] = { 0 };
    const bool forces = strcmp(sum, "tau_in") == 0 && json_object_get(result, "joint_force") != NULL;
    if (forces && numbers(json_object_get(result, "joint_force"), push) != n) {
        return 0;
    }
    for (int i = 0; i < n; i++) {
        y[i] += b[i];
        c[i] += push[i];
    }
    return near(y, c, n, scale);
}

static int check_jacobian(const json_t *result, const char *only)
{
    const json_t *jacobian = json_object_get(result, "jacobian"), *bodies = json_object_get(result, "bodies");
    double v[MOST], y[MOST], V[MOST];
    const int n = numbers(json_object_get(result, "v"), v);
    int found = 0;
    for (void *i = json_object_iter((json_t *)jacobian); i != NULL; i = json_object_iter_next((json_t *)jacobian, i)) {
        const char *name = json_object_iter_key(i);
        double scale = 0.0;
        if (only != NULL && strcmp(only, name) != 0) {
            continue;
        }
        const json_t *body = json_object_get(bodies, only != NULL ? "link3" : name);
        found++;
        if (multiply(json_object_iter_value(i), v, n, y, &scale) != 6 ||
            numbers(json_object_get(body, "velocity"), V) != 6 || !near(y, V, 6, scale)) {
            return 0;
        }
    }
    return found > 0;
}

static int check_same(const json_t *results)
{
    double a[MOST], b[MOST];
    const int n = numbers(json_object_get(json_array_get(results, 0), "bias"), a);
    return n == numbers(json_object_get(json_array_get(results, 1), "bias"), b) && near(a, b, n, 0.0);
}

static int check_matrix(const json_t *results, const char *field, const char *file)
{
    json_t *other = json_load_file(file, JSON_REJECT_DUPLICATES, NULL);
    const json_t *A = json_object_get(json_array_get(results, 0), field), *B = json_object_get(other, "value");
    const size_t rows = json_array_size(A);
    int good = rows > 0 && rows == json_array_size(B);
    for (size_t i = 0; good && i < rows; i++) {
        double a[MOST], b[MOST];
        const int n = numbers(json_array_get(A, i), a);
        good = n == numbers(json_array_get(B, i), b) && near(a, b, n, 0.0);
    }
    json_decref(other);
    return good;
}

/* Row i of "coriolis" is "v" times the matrix number i of "christoffel". */
static int check_christoffel(const json_t *result)
{
    const json_t *symbols = json_object_get(result, "christoffel"), *C = json_object_get(result, "coriolis");
    double v[MOST], row[MOST], sum[MOST], x[MOST];
    const int n = numbers(json_object_get(result, "v"), v);
    int good = n > 0 && json_array_size(symbols) == (size_t)n;
    for (int i = 0; good && i < n; i++) {
        const json_t *matrix = json_array_get(symbols, (size_t)i);
        double scale = 1.0;
        memset(sum, 0, sizeof sum);
        for (int j = 0; good && j < n; j++) {
            good = numbers(json_array_get(matrix, (size_t)j), x) == n;
            for (int k = 0; good && k < n; k++) {
                sum[k] += v[j] * x[k];
                scale = fmax(scale, fabs(v[j] * x[k]));
            }
        }
        good = good && numbers(json_array_get(C, (size_t)i), row) == n && near(row, sum, n, scale);
    }
    return good;
}

static int print_again(const json_t *results, const char *vdot)
{
    json_t *list = json_array(), *root = json_pack("{s:o}", "states", list);
    for (size_t i = 0; i < json_array_size(results); i++) {
        const json_t *r = json_array_get(results, i);
        json_array_append_new(
            list, json_pack("{s:O, s:O, s:O, s:O}", "q", json_object_get(r, "q"), "v", json_object_get(r, "v"), "tau",
                      json_object_get(r, "tau_in"), "vdot", json_object_get(r, vdot)));
    }
    const int good = json_array_size(list) > 0 && json_dumpf(root, stdout, JSON_REAL_PRECISION(17)) == 0;
    json_decref(root);
    return good;
}

static int check(const json_t *result, const char *what, const char *only)
{
    if (strcmp(what, "tau") == 0) {
        return check_tau(result);
    }
    if (strcmp(what, "motion") == 0) {
        return check_sum(result, "mass", "vdot", "bias", "tau_in");
    }
    if (strcmp(what, "coriolis") == 0) {
        return check_sum(result, "coriolis", "v", "gravity_force", "bias");
    }
    if (strcmp(what, "christoffel") == 0) {
        return check_christoffel(result);
    }
    return strcmp(what, "jacobian") == 0 && check_jacobian(result, only);
}

int main(int count, char **word)
{
    json_error_t error;
    json_t *root = json_loadf(stdin, JSON_REJECT_DUPLICATES, &error);
    const json_t *results = json_object_get(root, "results");
    int good = count > 1 && json_array_size(results) > 0;
    if (good && strcmp(word[1], "same") == 0) {
        good = check_same(results);
    } else if (good && strcmp(word[1], "matrix") == 0) {
        good = count > 3 && check_matrix(results, word[2], word[3]);
    } else if (good && strcmp(word[1], "again") == 0) {
        good = print_again(results, "vdot");
    } else if (good && strcmp(word[1], "states") == 0) {
        good = print_again(results, "vdot_in");
    } else {
        for (size_t i = 0; good && i < json_array_size(results); i++) {
            good = check(json_array_get(results, i), word[1], count > 2 ? word[2] : NULL);
        }
    }
    json_decref(root);
    return !good;
}
