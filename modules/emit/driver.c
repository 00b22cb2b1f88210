/* emit/driver.c - what stands around an emitted function: its comment, its counts, a main that checks it. */
#include <math.h>

#include "core/number.h"
#include "emit/closed.h"

/* ---- comment ------------------------------------------------------------------------------------ */

static const char *const COUNT_NAME[COUNTS] = { [COUNT_ADD] = "additions",
    [COUNT_MUL] = "multiplications",
    [COUNT_DIV] = "divisions",
    [COUNT_SQRT] = "square roots",
    [COUNT_SINE] = "sines and cosines",
    [COUNT_SELECT] = "selections" };

/* "12 additions, 30 multiplications" */
static void put_counts(text *to, const emit_counts *counts)
{
    bool first = true;
    for (int i = COUNT_ADD; i < COUNTS; i++) {
        if (counts->operations[i] > 0) {
            put(to, "%s%d %s", first ? "" : ", ", counts->operations[i], COUNT_NAME[i]);
            first = false;
        }
    }
    put(to, first ? "no operation" : "");
}

void emit_clean(text *to, const char *name)
{
    for (const char *c = name; *c != '\0'; c++) {
        const unsigned char byte = (unsigned char)*c;
        if ((byte & 0xc0u) != 0x80u) { /* a character begins */
            put(to, "%c", byte < ' ' || byte > '~' || byte == '*' ? '?' : *c);
        }
    }
}

void emit_count_lines(text *to, const emit_job *job, const emit_algorithm *a, const emit_counts *counts)
{
    put(to, "%s of ", a->word);
    emit_clean(to, job->request->source);
    put(to, ": ");
    put_counts(to, counts);
    put(to, "; %d statements in %d function%s\n", counts->statements, counts->functions,
        counts->functions == 1 ? "" : "s");
}

static void put_joints(text *to, const soa_model *m)
{
    put(to, " * Joints, with their places in q and v:\n");
    for (int k = 0; k < m->bodies; k++) {
        const soa_body_data *body = &m->body[k];
        const soa_link *link = soa_description_link(&m->description, body->rest->link);
        const bool modal = body->joint_class == SOA_CLASS_MODAL;
        if (body->nv == 0) { /* a weld to a flexible link */
            continue;
        }
        put(to, " *     q[%d] v[%d]  ", body->q, body->v);
        emit_clean(to, modal ? link->name : link->joint.name != NULL ? link->joint.name : "");
        if (modal) {
            put(to, "/flex (%d mode%s)\n", body->nv, body->nv == 1 ? "" : "s");
        } else {
            put(to, " (%s)\n", soa_joint_kind_text(link->joint.kind));
        }
    }
}

/* What the model has and the functions leave out. */
static void put_open(text *to, const emit_job *job, const soa_model *m, const emit_algorithm *a)
{
    const int closures = soa_model_closures(m), couplings = soa_model_couplings(m);
    if (a->closed) {
        put(to,
            " * status is 0; 1: rows are no longer solved well in the order of this file, or depend on each other in\n"
            " * another way than in general states. Then use soa_closed_forward_dynamics of the library.\n");
    } else if (closures + couplings > 0) {
        put(to, " * LEFT OUT: %d closure%s and %d coupling%s of the model. These are the equations of the open tree.\n",
            closures, closures == 1 ? "" : "s", couplings, couplings == 1 ? "" : "s");
    }
    if (job->request->forces) {
        put(to, " * tau is what acts besides springs, damping and dry friction of joints and elastic forces of the "
                "model.\n");
    } else if (m->modes > 0) {
        put(to, " * LEFT OUT: the elastic forces of flexible links. They are forces tau on the modes, -K eta - C "
                "etadot.\n");
    }
}

void emit_comment(text *to, const emit_job *job, const emit_algorithm *a, const emit_counts *counts)
{
    const emit_function *f = &job->f;
    const soa_model *m = job->model;
    put(to, "/* %s of the model '", a->word);
    emit_clean(to, m->description.name != NULL ? m->description.name : "");
    put(to, "' (");
    emit_clean(to, job->request->source);
    put(to, "), written by soa %s.\n *\n *     %s\n *\n *     ", SOA_VERSION, a->equation);
    emit_signature(to, f);
    put(to, ";\n *\n * ");
    for (int i = 0; i < f->inputs; i++) {
        put(to, "%s[%d], ", f->in[i].name, f->in[i].size);
    }
    put(to, "out: ");
    for (int i = 0; i < f->outputs; i++) {
        put(to, "%s[%d]%s", f->out[i].name, f->out[i].size, i + 1 < f->outputs ? ", " : "");
    }
    put(to, ": %s.\n", a->outputs);
    if (f->style.lanes > 1) {
        put(to, " * Of %d states at once: number i of all states, then number i + 1.\n", f->style.lanes);
    }
    put(to,
        " * Metres, kilograms, seconds, radians. Spatial vectors are angular, then linear; velocities of a joint are\n"
        " * those of the outboard link, in its axes; quaternions are w x y z of unit length. Points and links: world\n"
        " * axes, at their origin. Gravity: ");
    for (int i = 0; i < 3; i++) {
        char digits[SOA_NUMBER_SIZE];
        put(to, "%s%s", soa_number_write(digits, m->description.gravity[i]), i < 2 ? " " : ".\n");
    }
    put_joints(to, m);
    put_open(to, job, m, a);
    put(to, " * Operations: ");
    put_counts(to, counts);
    put(to, ".\n * Model %016llx. Outputs may be inputs. No heap, no table of bodies, no branch on data.\n",
        job->request->hash);
    if (f->style.literal) {
        put(to, " * The bits of the library: build with -ffp-contract=off, and without -ffast-math.\n");
    }
    put(to, " */\n");
}

/* ---- driver ---------------------------------------------------------------------------------------- */

enum { DRIVER_STATES = 16 }; /* a multiple of all lanes */

static void put_table(text *to, const char *name, const char *type, int size, const double *x)
{
    put(to, "static const %s %s[STATES][%d] = {\n", type, name, size);
    for (int s = 0; s < DRIVER_STATES; s++) {
        put(to, "    { ");
        for (int i = 0; i < size; i++) {
            char digits[SOA_NUMBER_SIZE];
            put(to, "%s%s", soa_number_write(digits, x[(size_t)s * (size_t)size + (size_t)i]),
                i + 1 < size ? ", " : "");
        }
        put(to, " },\n");
    }
    put(to, "};\n\n");
}

/* A random state of the inputs. */
static bool make_state(const emit_job *job, emit_reference *r, double *const *in, int s, unsigned long long *seed)
{
    const emit_function *f = &job->f;
    double *x[EMIT_ARRAYS] = { NULL };
    for (int i = 0; i < f->inputs; i++) {
        x[i] = in[i] + (size_t)s * (size_t)f->in[i].size;
        for (int k = 0; k < f->in[i].size; k++) {
            x[i][k] = soa_model_random_number(seed);
        }
        r->in[i] = x[i];
    }
    soa_random_configuration(job->model, seed, x[IN_Q]);
    const bool good = r->closures == NULL || closed_state(r->closures, job->model, seed, x[IN_Q], x[IN_V], &r->error);
    for (int i = 0; i < f->inputs; i++) {
        for (int k = 0; job->request->single && k < f->in[i].size; k++) {
            x[i][k] = (double)(float)x[i][k];
        }
    }
    return good;
}

/* How far the outputs of the library move, each beside its largest number, when q moves by a unit in the last place. Of flexible
 * links the integrals are rounded too: up to three times as much was seen. */
static double ill_conditioned(const emit_job *job, const emit_algorithm *a, const emit_reference *r)
{
    const emit_function *f = &job->f;
    size_t n = (size_t)f->in[IN_Q].size;
    for (int i = 0; i < f->outputs; i++) {
        n += (size_t)f->out[i].size;
    }
    double *q = calloc(n + 1, sizeof *q), *y = q + f->in[IN_Q].size, worst = 0.0;
    emit_reference moved = *r;
    for (int i = 0; q != NULL && i < f->in[IN_Q].size; i++) {
        q[i] = nextafter(r->in[IN_Q][i], i % 2 == 0 ? 10.0 : -10.0);
    }
    moved.in[IN_Q] = q;
    for (int i = 0; i < f->outputs; y += f->out[i].size, i++) {
        moved.out[i] = y;
    }
    if (q != NULL && a->reference(&moved) == SOA_OK) {
        for (int i = 0; i < f->outputs; i++) {
            double change = 0.0, most = 1e-3;
            for (int k = 0; k < f->out[i].size; k++) {
                change = fmax(change, fabs(moved.out[i][k] - r->out[i][k]));
                most = fmax(most, fabs(r->out[i][k]));
            }
            worst = fmax(worst, change / most);
        }
    }
    free(q);
    return worst;
}

/* Random states and what the library says of them. */
static bool make_states(emit_job *job, const emit_algorithm *a, double *const *in, double *const *out, soa_error *error)
{
    const emit_function *f = &job->f;
    unsigned long long seed = 1;
    emit_reference r = { .model = job->request->model,
        .points = job->request->points,
        .point = job->request->point,
        .runner = job->runner };
    bool good = soa_workspace_new(r.model, NULL, &r.workspace, error) == SOA_OK &&
                soa_workspace_reserve(r.workspace, r.points, error) == SOA_OK && emit_push_begin(job, &r);
    if (good && a->closed) {
        good = soa_closures_new(1, &r.model, NULL, NULL, &r.closures, error) == SOA_OK;
    }
    for (int s = 0; good && s < DRIVER_STATES; s++) {
        good = make_state(job, &r, in, s, &seed);
        for (int i = 0; i < f->outputs; i++) {
            r.out[i] = out[i] + (size_t)s * (size_t)f->out[i].size;
        }
        soa_error_clear(&r.error);
        good = good && emit_push_state(&r) && a->reference(&r) == SOA_OK;
        *error = r.error;
        if (good && (a->closed || r.model->flexible)) {
            job->limit = fmax(job->limit, (r.model->flexible ? 10.0 : 1.0) * ill_conditioned(job, a, &r));
        }
    }
    emit_push_end(&r);
    soa_closures_free(r.closures);
    soa_workspace_free(r.workspace);
    return good;
}

static void put_main(text *to, const emit_function *f)
{
    const int lanes = f->style.lanes;
    const char *type = f->style.single ? "float" : "double";
    put(to, "int main(void)\n{\n    double worst = 0.0;\n    for (int s = 0; s < STATES; s += %d) {\n", lanes);
    for (int i = 0; i < f->inputs + f->outputs; i++) {
        const emit_array *a = i < f->inputs ? &f->in[i] : &f->out[i - f->inputs];
        put(to, "        %s %s_%s[%d];\n", type, i < f->inputs ? "in" : "out", a->name, lanes * a->size);
    }
    put(to, "        for (int lane = 0; lane < %d; lane++) {\n", lanes);
    for (int i = 0; i < f->inputs; i++) {
        put(to,
            "            for (int i = 0; i < %d; i++) {\n                in_%s[i * %d + lane] = (%s)given_%s[s + "
            "lane][i];\n"
            "            }\n",
            f->in[i].size, f->in[i].name, lanes, type, f->in[i].name);
    }
    put(to, "        }\n        %s(", f->name);
    for (int i = 0; i < f->inputs; i++) {
        put(to, "in_%s, ", f->in[i].name);
    }
    for (int i = 0; i < f->outputs; i++) {
        put(to, "out_%s%s", f->out[i].name, i + 1 < f->outputs ? ", " : ");\n");
    }
    put(to, "        for (int lane = 0; lane < %d; lane++) {\n", lanes);
    for (int i = 0; i < f->outputs; i++) {
        put(to, "            worst = worse(worst, %d, out_%s + lane, expected_%s[s + lane]);\n", f->out[i].size,
            f->out[i].name, f->out[i].name);
    }
    put(to, "        }\n    }\n"
            "    printf(\"%%s: largest error %%.2g of %%g; bits %%016llx\\n\", worst <= LIMIT ? \"good\" : \"BAD\", "
            "worst, LIMIT, bits);\n"
            "    return worst <= LIMIT ? 0 : 1;\n}\n");
}

/* What an output may be off, beside its largest number. Literal code has the bits of the profile that wrote its numbers. */
static void put_limit(text *to, const emit_job *job, const emit_algorithm *a)
{
    put(to,
        "\n/* ---- against the library --------------------------------------------------------------- */\n\n"
        "#include <stdio.h>\n\n#define STATES %d\n",
        DRIVER_STATES);
    const emit_style *style = &job->f.style;
    const double limit = style->single ? 1e-3 : fmax(a->solves ? 1e-12 : 1e-13, job->limit);
    if (style->literal) {
        put(to, "#define LIMIT  (SOA_FMA == %d ? 0.0 : 1e-13)\n\n", soa_cpu_features().fma ? 1 : 0);
    } else {
        put(to, "#define LIMIT  %.2g\n\n", limit);
    }
}

static void put_worse(text *to, const emit_function *f)
{
    const int lanes = f->style.lanes;
    put(to,
        "static unsigned long long bits = 0xcbf29ce484222325u; /* a hash of all outputs */\n\n"
        "/* The larger of worst and the largest error of n numbers, beside the largest of them; NaN is worse than any. "
        "*/\n"
        "static double worse(double worst, int n, const %s *y, const double *expected)\n{\n"
        "    double error = 0.0, most = 1e-3;\n"
        "    for (int i = 0; i < n; i++) {\n"
        "        const unsigned char *byte = (const unsigned char *)&y[i * %d];\n"
        "        const double e = expected[i], d = y[i * %d] < e ? e - y[i * %d] : y[i * %d] - e;\n"
        "        error = d <= error ? error : d;\n        most = e > most ? e : -e > most ? -e : most;\n"
        "        for (unsigned k = 0; k < sizeof *y; k++) {\n"
        "            bits = (bits ^ byte[k]) * 0x100000001b3u;\n        }\n    }\n"
        "    return error / most <= worst ? worst : error / most;\n}\n\n",
        f->style.single ? "float" : "double", lanes, lanes, lanes, lanes);
}

static void put_tables(text *to, const char *what, int count, const emit_array *array, double *const *x)
{
    for (int i = 0; i < count && x[i] != NULL; i++) {
        char name[SOA_ERROR_TEXT];
        snprintf(name, sizeof name, "%s_%s", what, array[i].name);
        put_table(to, name, "double", array[i].size, x[i]);
    }
}

static bool make_tables(int count, const emit_array *array, double **x)
{
    bool good = true;
    for (int i = 0; i < count; i++) {
        x[i] = calloc(DRIVER_STATES * (size_t)array[i].size + 1, sizeof **x);
        good = good && x[i] != NULL;
    }
    return good;
}

bool emit_driver(text *to, emit_job *job, const emit_algorithm *a)
{
    const emit_function *f = &job->f;
    double *in[EMIT_ARRAYS] = { NULL }, *out[EMIT_ARRAYS] = { NULL };
    soa_error error;
    soa_error_clear(&error);
    bool good = make_tables(f->inputs, f->in, in) && make_tables(f->outputs, f->out, out);
    if (good && !make_states(job, a, in, out, &error)) {
        good = emit_refuse(job, "%s", error.text);
    }
    if (good) {
        put_limit(to, job, a);
        put_tables(to, "given", f->inputs, f->in, in);
        put_tables(to, "expected", f->outputs, f->out, out);
        put_worse(to, f);
        put_main(to, f);
    }
    for (int i = 0; i < EMIT_ARRAYS; i++) {
        free(in[i]);
        free(out[i]);
    }
    return good;
}
