/* flex/plate.c - rectangular plates of Bogner-Fox-Schmit elements.
 *
 * The deflection w of an element is a product of cubic Hermite polynomials in x and y; a node has w, its slopes
 * w_y = theta_x and w_x = -theta_y, and the twist w_xy. The slopes fit together along all edges, so frequencies converge from
 * above, and fast. A particle at height z moves by (-z w_x, -z w_y, w). */
#include <math.h>
#include <string.h>

#include "core/error.h"
#include "flex/fe.h"

enum { WIDTH = 16, TWIST = 6 };

soa_plate soa_plate_default(void)
{
    return (soa_plate){ .elements = { 8, 4 }, .nu = 0.3 };
}

static soa_status check_plate(const void *shape, soa_error *error)
{
    const soa_plate *plate = shape;
    soa_status status = soa_positive(plate->length, "length", error);
    SOA_NEXT(status, soa_positive(plate->width, "width", error));
    SOA_NEXT(status, soa_positive(plate->thickness, "thickness", error));
    SOA_NEXT(status, soa_positive(plate->E, "E", error));
    SOA_NEXT(status, soa_positive(plate->rho, "rho", error));
    if (status != SOA_OK) {
        return status;
    }
    if (!(plate->nu > -1.0 && plate->nu <= 0.5)) {
        return soa_fail(
            error, SOA_E_NUMBER, -1, "'nu' is %g; give Poisson's ratio, at most 0.5, such as 0.3", plate->nu);
    }
    for (int i = 0; i < 2; i++) {
        if (plate->elements[i] < 1 || plate->elements[i] > SOA_MAX_ELEMENTS) {
            return soa_fail(error, SOA_E_LIMIT, -1, "'elements' has %d along %c; give 1 to %d", plate->elements[i],
                "xy"[i], SOA_MAX_ELEMENTS);
        }
    }
    if (plate->at_point && plate->elements[1] % 2) {
        return soa_fail(error, SOA_E_ARGUMENT, -1,
            "a plate clamped at a point has %d elements along y and no node in the middle; give an even number",
            plate->elements[1]);
    }
    return SOA_OK;
}

/* ---- an element ------------------------------------------------------------------------------------------- */

/* Hermite's cubics for (value, slope) at both ends of a side of length h, at s of it; row d: their derivative d. */
static void hermite(double s, double h, double H[3][4])
{
    const double s2 = s * s, s3 = s2 * s;
    const double value[3][4] = { { 1.0 - 3.0 * s2 + 2.0 * s3, h * (s - 2.0 * s2 + s3), 3.0 * s2 - 2.0 * s3,
                                     h * (s3 - s2) },
        { (6.0 * s2 - 6.0 * s) / h, 1.0 - 4.0 * s + 3.0 * s2, (6.0 * s - 6.0 * s2) / h, 3.0 * s2 - 2.0 * s },
        { (12.0 * s - 6.0) / h / h, (6.0 * s - 4.0) / h, (6.0 - 12.0 * s) / h / h, (6.0 * s - 2.0) / h } };
    memcpy(H, value, sizeof value);
}

/* The derivative of w, dx times by x and dy times by y, for the dofs (theta_x, theta_y, w, twist) of the nodes (x, y) =
 * (0, 0), (0, 1), (1, 0), (1, 1). */
static void w_row(double X[3][4], double Y[3][4], int dx, int dy, double *row)
{
    for (int node = 0; node < 4; node++) {
        const double *x = &X[dx][2 * (node / 2)], *y = &Y[dy][2 * (node % 2)];
        row[4 * node] = x[0] * y[1];
        row[4 * node + 1] = -x[1] * y[0];
        row[4 * node + 2] = x[0] * y[0];
        row[4 * node + 3] = x[1] * y[1];
    }
}

/* K += D (xx* xx + yy* yy + nu (xx* yy + yy* xx) + 2 (1 - nu) xy* xy), bending stiffness times area D */
static void add_bending(double D, double nu, double X[3][4], double Y[3][4], double *K)
{
    double xx[WIDTH], yy[WIDTH], xy[WIDTH];
    w_row(X, Y, 2, 0, xx);
    w_row(X, Y, 0, 2, yy);
    w_row(X, Y, 1, 1, xy);
    for (int i = 0; i < WIDTH; i++) {
        for (int j = 0; j <= i; j++) {
            K[i * WIDTH + j] += D * (xx[i] * xx[j] + yy[i] * yy[j] + nu * (xx[i] * yy[j] + yy[i] * xx[j]) +
                                        2.0 * (1.0 - nu) * xy[i] * xy[j]);
        }
    }
}

static void add_particles(
    soa_generated *model, double mass, const double at[3], double X[3][4], double Y[3][4], const int *dof)
{
    double w[WIDTH], w_x[WIDTH], w_y[WIDTH];
    w_row(X, Y, 0, 0, w);
    w_row(X, Y, 1, 0, w_x);
    w_row(X, Y, 0, 1, w_y);
    for (int side = 0; side < 2; side++) {
        const double z = side ? -at[2] : at[2];
        double *N = soa_particles_add(&model->particles, 0.5 * mass, (const double[3]){ at[0], at[1], z }, dof);
        for (int k = 0; k < WIDTH; k++) {
            N[k] = -z * w_x[k];
            N[WIDTH + k] = -z * w_y[k];
            N[2 * WIDTH + k] = w[k];
        }
    }
}

static void add_element(soa_generated *model, const soa_plate *plate, int i, int j)
{
    const int *size = plate->elements, directions[4] = { 0, 1, 5, TWIST };
    const double a = plate->length / size[0], b = plate->width / size[1], h = plate->thickness;
    const double D = plate->E * h * h * h / (12.0 * (1.0 - plate->nu * plate->nu));
    int dof[WIDTH];
    double K[WIDTH * WIDTH] = { 0.0 };
    for (int k = 0; k < WIDTH; k++) {
        const int node = (i + k / 8) * (size[1] + 1) + j + k / 4 % 2;
        dof[k] = model->dof[(size_t)node * SOA_NODE_DOFS + (size_t)directions[k % 4]];
    }
    for (int g = 0; g < SOA_GAUSS * SOA_GAUSS; g++) {
        const double s = soa_gauss_point[g / SOA_GAUSS], t = soa_gauss_point[g % SOA_GAUSS];
        const double area = a * b * soa_gauss_weight[g / SOA_GAUSS] * soa_gauss_weight[g % SOA_GAUSS];
        const double at[3] = { a * (i + s), b * (j + t) - 0.5 * plate->width, h / sqrt(12.0) };
        double X[3][4], Y[3][4];
        hermite(s, a, X);
        hermite(t, b, Y);
        add_bending(D * area, plate->nu, X, Y, K);
        add_particles(model, plate->rho * h * area, at, X, Y, dof);
    }
    soa_triplets_add(&model->K, WIDTH, dof, K);
}

/* ---- the plate ---------------------------------------------------------------------------------------------- */

/* Clamped along the edge: all dofs of its nodes; at a point: w and its slopes. */
static bool is_clamped(const soa_plate *plate, int i, int j, int direction)
{
    return i == 0 && (!plate->at_point || (2 * j == plate->elements[1] && direction != TWIST));
}

static void number_nodes(soa_generated *model, const soa_plate *plate)
{
    const int nx = plate->elements[0], ny = plate->elements[1];
    for (int node = 0; node < model->nodes; node++) {
        const int i = node / (ny + 1), j = node % (ny + 1);
        model->position[3 * node] = i == nx ? plate->length : plate->length / nx * i;
        model->position[3 * node + 1] = plate->width / ny * j - 0.5 * plate->width;
        for (int d = 0; d < SOA_NODE_DOFS; d++) {
            const bool none = (d >= 2 && d <= 4) || is_clamped(plate, i, j, d);
            model->dof[(size_t)node * SOA_NODE_DOFS + (size_t)d] = none ? -1 : model->dofs++;
        }
    }
}

static void fill_plate(soa_generated *model, const void *shape)
{
    const soa_plate *plate = shape;
    const int nx = plate->elements[0], ny = plate->elements[1];
    if (soa_generated_take(model, (nx + 1) * (ny + 1), nx * ny, WIDTH, SOA_GAUSS * SOA_GAUSS * 2)) {
        number_nodes(model, plate);
        for (int i = 0; i < nx * ny; i++) {
            add_element(model, plate, i / ny, i % ny);
        }
    }
}

soa_status soa_flexible_plate(const soa_plate *plate, const soa_reduction *reduction, const soa_allocator *allocator,
    soa_flexible **flexible, soa_error *error)
{
    static const soa_generator plates = { "the plate", check_plate, fill_plate, NULL };
    return soa_generate(&plates, plate, reduction, allocator, flexible, error);
}
