/* Compares what soa compute says of a model with couplings with the reduction of the open tree, densely:
 *
 *     reduced_check SYSTEM.json OPEN.json POINT FOLLOWER:DRIVER:RATIO...
 *
 * Both files hold the same states; FOLLOWER and DRIVER are numbers in v, couplings are linear. With G the matrix of the
 * couplings, v = G v_i, every quantity of the first file must be G* X G, G* x or X G of the second. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 16 };

static double G[MOST][MOST];
static int nv, m, independent[MOST];
static int failures;

static void compare(const char *what, double a, double b, double scale)
{
    if (!(fabs(a - b) <= 1e-9 * (1.0 + scale))) {
        printf("%s: %.15g is not %.15g\n", what, a, b);
        failures++;
    }
}

static double at(const json_t *list, int i)
{
    return json_number_value(json_array_get(list, (size_t)i));
}

static double at2(const json_t *list, int i, int j)
{
    return at(json_array_get(list, (size_t)i), j);
}

static json_t *field(const json_t *result, const char *name, size_t size)
{
    json_t *found = json_object_get(result, name);
    if (json_array_size(found) != size) {
        printf("%s has %zu items, not %zu\n", name, json_array_size(found), size);
        failures++;
    }
    return found;
}

static void read_couplings(int count, char **text)
{
    int follower[MOST], driver[MOST];
    double ratio[MOST];
    m = 0;
    for (int i = 0; i < count; i++) {
        char *end;
        follower[i] = (int)strtol(text[i], &end, 10);
        driver[i] = (int)strtol(end + 1, &end, 10);
        ratio[i] = strtod(end + 1, NULL);
    }
    for (int v = 0; v < nv; v++) {
        int root = v, turns = 0;
        double product = 1.0;
        for (int i = 0; i < count && turns < 2 * MOST; i++) {
            if (follower[i] == root) {
                product *= ratio[i];
                root = driver[i];
                i = -1;
                turns++;
            }
        }
        if (root == v) {
            independent[m++] = v;
        }
        G[v][root] = product;
    }
}

/* G as seen from independent velocity j. */
static double g(int v, int j)
{
    return G[v][independent[j]];
}

static void check_vector(const json_t *own, const json_t *open, const char *name)
{
    const json_t *x = field(own, name, (size_t)m), *y = field(open, name, (size_t)nv);
    for (int i = 0; i < m; i++) {
        double sum = 0.0, scale = 0.0;
        for (int v = 0; v < nv; v++) {
            sum += g(v, i) * at(y, v);
            scale += fabs(g(v, i) * at(y, v));
        }
        compare(name, at(x, i), sum, scale);
    }
}

static double reduced(const json_t *matrix, int i, int j, double *scale)
{
    double sum = 0.0;
    *scale = 0.0;
    for (int a = 0; a < nv; a++) {
        for (int b = 0; b < nv; b++) {
            sum += g(a, i) * at2(matrix, a, b) * g(b, j);
            *scale += fabs(g(a, i) * at2(matrix, a, b) * g(b, j));
        }
    }
    return sum;
}

static void check_matrix(const json_t *own, const json_t *open, const char *name)
{
    const json_t *x = field(own, name, (size_t)m), *y = field(open, name, (size_t)nv);
    for (int i = 0; i < m * m; i++) {
        double scale;
        const double wanted = reduced(y, i / m, i % m, &scale);
        compare(name, at2(x, i / m, i % m), wanted, scale);
    }
}

static void check_tensor(const json_t *own, const json_t *open, const char *name)
{
    const json_t *x = field(own, name, (size_t)m), *y = field(open, name, (size_t)nv);
    for (int i = 0; i < m; i++) {
        for (int jk = 0; jk < m * m; jk++) {
            double sum = 0.0, scale = 0.0, part;
            for (int a = 0; a < nv; a++) {
                sum += g(a, i) * reduced(json_array_get(y, (size_t)a), jk / m, jk % m, &part);
                scale += fabs(g(a, i)) * part;
            }
            compare(name, at2(json_array_get(x, (size_t)i), jk / m, jk % m), sum, scale);
        }
    }
}

/* massinv mass = I, osim = (J G) massinv (J G)*. */
static void check_inverse(const json_t *own, const json_t *open, const char *point)
{
    const json_t *mass = field(own, "mass", (size_t)m), *inverse = field(own, "massinv", (size_t)m);
    const json_t *J = json_object_get(json_object_get(own, "jacobian"), point);
    const json_t *tree = json_object_get(json_object_get(open, "jacobian"), point);
    const json_t *lambda = json_object_get(json_object_get(own, "osim"), "inverse");
    for (int i = 0; i < m * m; i++) {
        double sum = 0.0;
        for (int k = 0; k < m; k++) {
            sum += at2(mass, i / m, k) * at2(inverse, k, i % m);
        }
        compare("mass massinv", sum, i / m == i % m, 1.0);
    }
    for (int r = 0; r < 6; r++) {
        for (int j = 0; j < m; j++) {
            double sum = 0.0;
            for (int v = 0; v < nv; v++) {
                sum += at2(tree, r, v) * g(v, j);
            }
            compare("jacobian", at2(J, r, j), sum, 1.0);
        }
        for (int s = 0; s < 6; s++) {
            double sum = 0.0, scale = 0.0;
            for (int ij = 0; ij < m * m; ij++) {
                const double x = at2(J, r, ij / m) * at2(inverse, ij / m, ij % m) * at2(J, s, ij % m);
                sum += x;
                scale += fabs(x);
            }
            compare("osim", at2(lambda, r, s), sum, scale);
        }
    }
}

/* G* (Mass vdot + bias - tau_in) = 0 and vdot = G vdot_i; G* tau is that of the tree, followers carry nothing. */
static void check_forces(const json_t *own, const json_t *open)
{
    const json_t *vdot = field(own, "vdot", (size_t)nv), *tau = field(own, "tau", (size_t)nv);
    const json_t *mass = field(open, "mass", (size_t)nv), *bias = field(open, "bias", (size_t)nv);
    const json_t *given = field(own, "tau_in", (size_t)nv), *tree = field(open, "tau", (size_t)nv);
    for (int i = 0; i < m; i++) {
        double left = 0.0, forces = 0.0, wanted = 0.0, scale = 0.0;
        for (int v = 0; v < nv; v++) {
            double F = at(bias, v) - at(given, v);
            for (int k = 0; k < nv; k++) {
                F += at2(mass, v, k) * at(vdot, k);
            }
            left += g(v, i) * F;
            scale += fabs(g(v, i)) * (fabs(at(bias, v)) + fabs(at(given, v)));
            forces += g(v, i) * at(tau, v);
            wanted += g(v, i) * at(tree, v);
        }
        compare("fd", left, 0.0, scale);
        compare("id", forces, wanted, fabs(wanted) + scale);
    }
    for (int v = 0; v < nv; v++) {
        double sum = 0.0;
        for (int i = 0; i < m; i++) {
            sum += g(v, i) * at(vdot, independent[i]);
        }
        compare("vdot of a follower", at(vdot, v), sum, fabs(sum));
        compare("tau of a follower", G[v][v] == 1.0 ? 0.0 : at(tau, v), 0.0, 1.0);
    }
}

static void check_same(const json_t *own, const json_t *open, const char *outer, const char *inner)
{
    const json_t *a = json_object_get(json_object_get(own, outer), inner);
    const json_t *b = json_object_get(json_object_get(open, outer), inner);
    if (json_is_number(a)) {
        compare(outer, json_number_value(a), json_number_value(b), fabs(json_number_value(b)));
    } else if (a == NULL || !json_equal(a, b)) {
        printf("%s.%s differs\n", outer, inner);
        failures++;
    }
}

static void check_result(const json_t *own, const json_t *open, const char *point)
{
    static const char *const VECTOR[] = { "bias", "gravity_force" }, *const MATRIX[] = { "mass", "coriolis" },
                             *const TENSOR[] = { "dmass", "christoffel" };
    for (int i = 0; i < m; i++) {
        compare("independent", at(field(own, "independent", (size_t)m), i), independent[i], 0.0);
    }
    for (int i = 0; i < 2; i++) {
        check_vector(own, open, VECTOR[i]);
        check_matrix(own, open, MATRIX[i]);
        check_tensor(own, open, TENSOR[i]);
    }
    check_inverse(own, open, point);
    check_forces(own, open);
    check_same(own, open, "energy", "kinetic");
    check_same(own, open, "energy", "potential");
    check_same(own, open, "momentum", "spatial");
    check_same(own, open, "bodies", point);
}

int main(int count, char **word)
{
    json_t *own = count > 3 ? json_load_file(word[1], 0, NULL) : NULL;
    json_t *open = count > 3 ? json_load_file(word[2], 0, NULL) : NULL;
    const json_t *results = json_object_get(own, "results"), *trees = json_object_get(open, "results");
    nv = (int)json_integer_value(json_object_get(own, "nv"));
    if (json_array_size(results) == 0 || json_array_size(results) != json_array_size(trees) || nv < 1 || nv > MOST) {
        printf("reduced_check: nothing to compare\n");
        return 1;
    }
    read_couplings(count - 4, word + 4);
    for (size_t i = 0; i < json_array_size(results) && failures == 0; i++) {
        check_result(json_array_get(results, i), json_array_get(trees, i), word[3]);
    }
    json_decref(own);
    json_decref(open);
    return failures > 0;
}
