/* info_closures.c - rows of closures that say nothing, and which closure would do without them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compute.h"

enum { STATES = 3 };

/* The rows of the kinds whose rows are single motions, in the axes of at_b; "": of other kinds. */
static const char *row_name(soa_closure_kind kind, int row)
{
    static const char *const MOTION[] = { "rotation x", "rotation y", "rotation z", "translation x", "translation y",
        "translation z" };
    static const struct {
        soa_closure_kind kind;
        int motion[6];
    } ROWS[] = {
        { SOA_CLOSE_RIGID, { 0, 1, 2, 3, 4, 5 } },
        { SOA_CLOSE_REVOLUTE, { 0, 1, 3, 4, 5 } },
        { SOA_CLOSE_PRISMATIC, { 0, 1, 2, 3, 4 } },
        { SOA_CLOSE_CYLINDRICAL, { 0, 1, 3, 4 } },
        { SOA_CLOSE_SPHERICAL, { 3, 4, 5 } },
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        if (ROWS[i].kind == kind) {
            return MOTION[ROWS[i].motion[row]];
        }
    }
    return "";
}

/* The largest number of every row of J at a few closed states; false: none was found. */
static bool measure_rows(const soa_model *model, soa_closures *set, double *largest)
{
    const size_t rows = (size_t)soa_closures_rows(set), nv = (size_t)soa_model_nv(model);
    const size_t nq = (size_t)soa_model_nq(model);
    double *q = tool_take(nq + rows * nv + 1, sizeof *q), *J = q + nq;
    unsigned long long seed = 1;
    bool found = false;
    for (int s = 0; s < STATES; s++) {
        soa_random_configuration(model, &seed, q);
        if (tool_close_state(model, set, q, NULL) && soa_closure_jacobian(set, 1, q, J, NULL) == SOA_OK) {
            found = true;
            for (size_t i = 0; i < rows * nv; i++) {
                largest[i / nv] = fmax(largest[i / nv], fabs(J[i]));
            }
        }
    }
    return found;
}

/* What would do in place of a closure some of whose rows say nothing. */
static void put_proposal(const tool_call *call, const soa_model *model, const soa_closures *set, int closure,
    const double *row, double limit)
{
    const soa_closure *c = soa_closure_get(set, closure);
    const int rows = soa_closure_rows(set, closure);
    const char *list = "";
    int left = 0;
    for (int i = 0; i < rows && c != NULL; i++) {
        if (row[i] > limit) {
            list = tool_text("%s%s%s", list, list[0] != '\0' ? ", " : "", row_name(c->kind, i));
            left++;
        }
    }
    if (c != NULL && left > 0 && left < rows && row_name(c->kind, 0)[0] != '\0') {
        fprintf(call->out, "  %s: %d of its %d rows say nothing here; kind general with the rows %s would do\n",
            tool_closure_label(model, c), rows - left, rows, list);
    }
}

int tool_info_rank(const soa_model *model)
{
    soa_closures *set = NULL;
    soa_redundancy found = { 0 };
    if (tool_closures_on(model) + soa_model_couplings(model) > 0 &&
        soa_closures_new(1, &model, NULL, &TOOL_MEMORY, &set, NULL) == SOA_OK) {
        const soa_status status = soa_closures_redundancy(set, &found, NULL);
        found.rank = status == SOA_OK && !found.undecided ? found.rank : 0;
    }
    return found.rank;
}

void tool_info_redundancy(const tool_call *call, const soa_model *model)
{
    soa_closures *set = NULL;
    soa_redundancy found;
    if (tool_closures_on(model) == 0 || soa_closures_new(1, &model, NULL, &TOOL_MEMORY, &set, NULL) != SOA_OK) {
        return;
    }
    const int rows = soa_closures_rows(set);
    double *largest = tool_take((size_t)rows + 1, sizeof *largest);
    const bool known = soa_closures_redundancy(set, &found, NULL) == SOA_OK;
    if (known && found.unmet) {
        fputs("  no configuration that satisfies all rows was found: look at the frames of the closures\n", call->out);
    } else if (known && found.undecided) {
        fprintf(call->out,
            "  whether rows of %s depend on each other is not clear: forward dynamics needs --rank-tolerance\n",
            found.closures);
    } else if (known && found.rank < found.rows) {
        fprintf(call->out, "  %d rows have rank %d%s\n", found.rows, found.rank,
            found.rounded ? ": some depend on others but for rounding" : "");
        if (measure_rows(model, set, largest)) {
            for (int i = 0; i < soa_model_closures(model); i++) {
                if (soa_closure_enabled(set, i)) {
                    put_proposal(call, model, set, i, largest + soa_closure_first_row(set, i),
                        found.rounded ? SOA_CLOSURE_ACCURACY : 1e-9);
                }
            }
        }
    }
}
