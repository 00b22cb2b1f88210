/* eval_part_numbers.c - blocks, traces, diagonals, determinants and rates of operators, by what they make of vectors. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "eval.h"

/* How many numbers a body has in a vector of bodies or joints. */
static int count_of(const soa_model *model, soa_space space, int body)
{
    const soa_body b = soa_model_body(model, body);
    return space == SOA_SPACE_BODY ? 6 + (b.flexible ? b.nv : 0) : b.nv;
}

/* Where number i of a body is; modes come behind the six numbers of all bodies. */
static int place_of(const soa_model *model, soa_space space, int body, int i)
{
    if (space != SOA_SPACE_BODY) {
        return soa_model_body(model, body).v + i;
    }
    if (i < 6) {
        return 6 * body + i;
    }
    int first = 6 * soa_model_bodies(model) - 6;
    for (int k = 0; k < body; k++) {
        first += count_of(model, space, k) - 6;
    }
    return first + i;
}

/* The most numbers of a body. */
static int most_of(const soa_model *model)
{
    int most = 6;
    for (int k = 0; k < soa_model_bodies(model); k++) {
        const int n = count_of(model, SOA_SPACE_BODY, k);
        most = n > most ? n : most;
    }
    return most;
}

/* The numbers of all columns: those of one block, of all blocks of a memoryless operator, or of the matrix. */
typedef struct columns {
    const soa_model *model;
    tool_evaluation *e;
    int rows; /* of the operator */
    int most; /* numbers of a body */
    double *block;
} columns;

static const double *ask(const columns *c)
{
    soa_error error;
    if (soa_runner_run(c->e->runner, 1, c->e->q, &error) != SOA_OK) {
        (void)tool_fail_error(&error);
        return NULL;
    }
    return c->e->value[0];
}

/* Block (row, col), row by row. */
static int get_block(const columns *c, const tool_part *part)
{
    const int rows = count_of(c->model, part->about.to_space, part->row);
    const int cols = count_of(c->model, part->about.from_space, part->col);
    for (int i = 0; i < cols; i++) {
        double *probe = &c->e->probe[place_of(c->model, part->about.from_space, part->col, i)];
        *probe = 1.0;
        const double *y = ask(c);
        if (y == NULL) {
            return TOOL_FAILED;
        }
        for (int k = 0; k < rows; k++) {
            c->block[k * cols + i] = y[place_of(c->model, part->about.to_space, part->row, k)];
        }
        *probe = 0.0;
    }
    return TOOL_OK;
}

/* Column i of all blocks at once: most x most numbers for each. */
static int get_blocks(const columns *c, const tool_part *part)
{
    const soa_space space = part->about.to_space;
    for (int i = 0; i < c->most; i++) {
        for (int set = 1; set >= 0; set--) {
            for (int k = 0; k < soa_model_bodies(c->model); k++) {
                if (i < count_of(c->model, space, k)) {
                    c->e->probe[place_of(c->model, space, k, i)] = set;
                }
            }
            if (set == 1 && ask(c) == NULL) {
                return TOOL_FAILED;
            }
        }
        for (int k = 0; k < soa_model_bodies(c->model); k++) {
            const int n = count_of(c->model, space, k);
            for (int row = 0; row < n && i < n; row++) {
                c->block[(size_t)c->most * (size_t)c->most * (size_t)k + (size_t)(row * n + i)] =
                    c->e->value[0][place_of(c->model, space, k, row)];
            }
        }
    }
    return TOOL_OK;
}

static int get_matrix(const columns *c)
{
    for (int i = 0; i < c->rows; i++) {
        c->e->probe[i] = 1.0;
        const double *y = ask(c);
        if (y == NULL) {
            return TOOL_FAILED;
        }
        for (int k = 0; k < c->rows; k++) {
            c->block[(size_t)k * (size_t)c->rows + (size_t)i] = y[k];
        }
        c->e->probe[i] = 0.0;
    }
    return TOOL_OK;
}

/* log det of a square matrix by elimination with the largest pivots; NaN: it is not positive. Overwrites it. */
static double log_determinant(int n, double *a)
{
    double sum = 0.0, sign = 1.0;
    for (int i = 0; i < n; i++) {
        int best = i;
        for (int k = i + 1; k < n; k++) {
            best = fabs(a[k * n + i]) > fabs(a[best * n + i]) ? k : best;
        }
        for (int j = 0; best != i && j < n; j++) {
            const double other = a[i * n + j];
            a[i * n + j] = a[best * n + j];
            a[best * n + j] = other;
        }
        const double pivot = a[i * n + i];
        sign *= (best != i ? -1.0 : 1.0) * (pivot > 0.0 ? 1.0 : pivot < 0.0 ? -1.0 : 0.0);
        sum += log(fabs(pivot));
        for (int k = i + 1; k < n && pivot != 0.0; k++) {
            const double factor = a[k * n + i] / pivot;
            for (int j = i; j < n; j++) {
                a[k * n + j] -= factor * a[i * n + j];
            }
        }
    }
    return sign > 0.0 ? sum : NAN;
}

/* Of blocks on the diagonal, or of one matrix: the diagonal in value, its sum or the logarithm in value[0]. */
static int reduce(const columns *c, const tool_part *part, double *value)
{
    double sum = 0.0;
    const int count = part->blocks ? soa_model_bodies(c->model) : 1;
    for (int k = 0; k < count; k++) {
        const int n = part->blocks ? count_of(c->model, part->about.to_space, k) : c->rows;
        double *a = c->block + (size_t)c->most * (size_t)c->most * (size_t)k;
        for (int i = 0; i < n && part->kind != TOOL_PART_LOGDET; i++) {
            value[part->blocks ? place_of(c->model, part->about.to_space, k, i) : i] = a[i * n + i];
            sum += a[i * n + i];
        }
        sum += part->kind == TOOL_PART_LOGDET ? log_determinant(n, a) : 0.0;
    }
    if (part->kind != TOOL_PART_DIAGONAL) {
        value[0] = sum;
    }
    return isfinite(sum) ? TOOL_OK : tool_fail("'%s': the determinant is not positive", part->shown);
}

/* sum beta_i d(A, q_i), of what depends on q alone. */
static int add_rates(tool_evaluation *e, int numbers)
{
    for (int i = 0; i < soa_compiled_inputs(e->compiled); i++) {
        const char *name = soa_compiled_input_info(e->compiled, i).name;
        if (soa_vector_find(name) != SOA_VECTORS) {
            return tool_fail(
                "'%s': dot( ) is for what depends on q alone; %s changes with time, too", e->part->shown, name);
        }
    }
    const double *beta = e->given[TOOL_GIVEN_BETA];
    for (int k = 0; k < numbers; k++) {
        double sum = 0.0;
        for (int i = 0; i < e->statements; i++) {
            sum += beta[i] * e->value[i][k];
        }
        e->shown[k] = sum;
    }
    return TOOL_OK;
}

static int get_columns(tool_evaluation *e, int rows, const tool_part *part)
{
    const int most = most_of(e->model);
    const size_t one = (size_t)(most * most), n = (size_t)rows;
    const bool whole = part->kind != TOOL_PART_BLOCK && !part->blocks;
    if (whole && n * n > TOOL_MOST_NUMBERS) {
        return tool_fail("a matrix of %d x %d numbers is too large to write out", rows, rows);
    }
    columns c = { .model = e->model, .e = e, .rows = rows, .most = most };
    c.block = calloc(whole ? n * n + 1 : one * (size_t)(soa_model_bodies(e->model) + 1), sizeof *c.block);
    if (c.block == NULL) {
        return tool_fail_memory();
    }
    int status = whole                                           ? get_matrix(&c)
                 : part->blocks && part->kind != TOOL_PART_BLOCK ? get_blocks(&c, part)
                                                                 : get_block(&c, part);
    if (status == TOOL_OK && part->kind == TOOL_PART_BLOCK) {
        memcpy(e->shown, c.block, one * sizeof *c.block);
    } else if (status == TOOL_OK) {
        status = reduce(&c, part, e->shown);
    }
    free(c.block);
    return status;
}

/* The rows and columns of what is shown. */
static void shape(tool_evaluation *e, int rows, int numbers)
{
    const tool_part *part = e->part;
    e->about = part->about;
    e->rows = rows;
    e->cols = rows > 0 ? numbers / rows : 0;
    if (part->kind == TOOL_PART_BLOCK) {
        e->rows = count_of(e->model, e->about.to_space, part->row);
        e->cols = e->about.from_space == SOA_SPACE_ONE ? 1 : count_of(e->model, e->about.from_space, part->col);
    } else if (part->kind != TOOL_PART_DOT) {
        e->rows = part->kind == TOOL_PART_DIAGONAL ? rows : 1;
        e->cols = 1;
        e->about.from_space = SOA_SPACE_ONE;
        e->about.to_space = part->kind == TOOL_PART_DIAGONAL ? e->about.to_space : SOA_SPACE_ONE;
    }
}

int tool_part_numbers(tool_evaluation *e)
{
    const tool_part *part = e->part;
    const char *name = soa_compiled_output_info(e->compiled, 0).name;
    const int rows = soa_runner_rows(e->runner, name), numbers = soa_runner_numbers(e->runner, name);
    const int most = most_of(e->model);
    int status = TOOL_OK;
    e->shown = calloc((size_t)(numbers > most * most ? numbers : most * most) + 1, sizeof *e->shown);
    if (e->shown == NULL) {
        return tool_fail_memory();
    }
    if (part->kind == TOOL_PART_DOT) {
        status = add_rates(e, numbers);
    } else if (part->kind == TOOL_PART_BLOCK && part->about.from_space == SOA_SPACE_ONE) {
        for (int i = 0; i < count_of(e->model, part->about.to_space, part->row); i++) {
            e->shown[i] = e->value[0][place_of(e->model, part->about.to_space, part->row, i)];
        }
    } else {
        status = get_columns(e, rows, part);
    }
    shape(e, rows, numbers);
    return status;
}
