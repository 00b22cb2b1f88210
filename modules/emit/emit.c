/* emit/emit.c - the module: C for one robot. */
#include <math.h>

#include "emit/job.h"

/* The most operations: some ten million characters of C. */
enum { MOST_NODES = 2000000 };

bool emit_refuse(emit_job *job, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(job->why, job->room, format, arguments);
    va_end(arguments);
    return false;
}

double *emit_output(emit_job *job, const char *name, int size)
{
    emit_function *f = &job->f;
    double *value = calloc((size_t)size + 1, sizeof *value);
    if (value != NULL) {
        f->out[f->outputs++] = (emit_array){ name, size, value };
    }
    return value;
}

/* ---- inputs ---------------------------------------------------------------------------------- */

static bool make_inputs(emit_job *job, const emit_algorithm *a)
{
    const char *const name[IN_ARRAYS] = { "q", "v", a->third };
    const int size[IN_ARRAYS] = { job->model->nq, job->model->nv, job->model->nv };
    job->f.inputs = a->inputs;
    for (int i = 0; i < a->inputs; i++) {
        job->f.in[i] = (emit_array){ name[i], size[i], NULL };
        job->in[i] = malloc(((size_t)size[i] + 1) * sizeof *job->in[i]);
        if (job->in[i] == NULL) {
            return false;
        }
        for (int k = 0; k < size[i]; k++) {
            job->in[i][k] = tape_input(&job->t, i, k);
        }
    }
    return true;
}

/* ---- what can be emitted ------------------------------------------------------------------------ */

static bool is_identifier(const char *name)
{
    const char *letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    bool good = name[0] != '\0' && strchr(letters, name[0]) != NULL && strlen(name) < 64;
    for (const char *c = name; good && *c != '\0'; c++) {
        good = strchr(letters, *c) != NULL || (*c >= '0' && *c <= '9');
    }
    return good;
}

static bool check_request(emit_job *job, const emit_algorithm *a)
{
    const module_emit_request *r = job->request;
    if (!is_identifier(job->f.name)) {
        return emit_refuse(job, "'%s' is not a name of C; use letters, digits and _", job->f.name);
    }
    if (r->lanes != 1 && r->lanes != 4 && r->lanes != 8 && r->lanes != 16) {
        return emit_refuse(job, "--lanes %d; choose 4, 8 or 16", r->lanes);
    }
    if (r->libm && r->lanes > 1) {
        return emit_refuse(job, "<math.h> has no sine of lanes; leave out --libm");
    }
    if (r->literal && !a->exact) {
        return emit_refuse(job, "'%s' is made of other operations than in the library; leave out --literal", a->name);
    }
    if (r->literal && r->libm) {
        return emit_refuse(job, "--literal keeps the bits of the library's own sine and cosine; leave out --libm");
    }
    if (r->literal && r->single) {
        return emit_refuse(
            job, "--literal keeps the bits of the library, which has no float; leave out one of the two");
    }
    if (a->needs_points && r->points == 0) {
        return emit_refuse(job, "'%s' needs points; give '--at LINK' for each", a->name);
    }
    if (job->model->nv == 0) {
        return emit_refuse(job, "the model has no joint that moves; there is nothing to emit");
    }
    return true;
}

/* ---- the file -------------------------------------------------------------------------------------- */

static bool uses_op(const tape *t, int op, int other)
{
    for (int k = 0; k < t->count; k++) {
        if (t->node[k].op == op || t->node[k].op == other) {
            return true;
        }
    }
    return false;
}

static bool put_file(text *to, emit_job *job, const emit_algorithm *a)
{
    emit_counts counts;
    if (!emit_body(NULL, &job->f, &counts)) {
        return false;
    }
    if (job->request->count) {
        emit_count_lines(to, job, a, &counts);
        return true;
    }
    emit_comment(to, job, a, &counts);
    emit_prelude(to, &job->f, uses_op(&job->t, TAPE_SIN, TAPE_COS), uses_op(&job->t, TAPE_SQRT, TAPE_SQRT));
    emit_signature(to, &job->f);
    put(to, ";\n\n");
    return emit_body(to, &job->f, &counts) && (!job->request->driver || emit_driver(to, job, a));
}

static bool run(emit_job *job, text *to)
{
    emit_algorithm a;
    if (!emit_find(job->request->what, &a)) {
        return emit_refuse(job, "'%s' is not an algorithm", job->request->what);
    }
    char name[128];
    snprintf(name, sizeof name, "%s", a.word);
    for (char *c = name; *c != '\0'; c++) {
        *c = *c == '-' ? '_' : *c;
    }
    const module_emit_request *r = job->request;
    job->f.name = r->name != NULL ? r->name : name;
    job->f.style = (emit_style){ r->single, r->lanes, r->literal, r->libm };
    job->f.t = &job->t;
    if (!check_request(job, &a)) {
        return false;
    }
    const bool good = tape_begin(&job->t, r->literal, MOST_NODES) && make_inputs(job, &a) && a.trace(job) &&
                      put_file(to, job, &a) && !to->failed;
    if (!good && job->t.count >= MOST_NODES) {
        return emit_refuse(job, "more than %d operations: the model is too large for one file of C", MOST_NODES);
    }
    return good || (job->why[0] != '\0' ? false : emit_refuse(job, "out of memory"));
}

static char *emit(const module_emit_request *request, char *why, size_t size)
{
    emit_job job = { .request = request, .model = request->model, .room = size, .why = why };
    text to = { NULL, 0, 0, false };
    why[0] = '\0';
    const bool good = run(&job, &to);
    tape_end(&job.t);
    free(job.regrouped.body);
    for (int i = 0; i < IN_ARRAYS; i++) {
        free(job.in[i]);
    }
    for (int i = 0; i < job.f.outputs; i++) {
        free(job.f.out[i].value);
    }
    if (!good) {
        free(to.at);
    }
    return good ? to.at : NULL;
}

extern __attribute__((visibility("default"))) const module_emit_table soa_module;
const module_emit_table soa_module = { emit };
