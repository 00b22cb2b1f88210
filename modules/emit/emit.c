/* emit/emit.c - the module: C for one robot. */
#include <math.h>

#include "emit/sweeps.h" /* first: a header of the language has a name that soa/parameters.h gives a number */

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

static bool is_taken(const emit_function *f, const char *name)
{
    bool taken = strcmp(name, f->name) == 0;
    for (int i = 0; i < f->inputs; i++) {
        taken = taken || (f->in[i].name != NULL && strcmp(f->in[i].name, name) == 0);
    }
    for (int i = 0; i < f->outputs; i++) {
        taken = taken || strcmp(f->out[i].name, name) == 0;
    }
    return taken;
}

const char *emit_name(emit_job *job, const char *prefix, const char *name)
{
    char *to = job->name[job->names++];
    snprintf(to, EMIT_NAME - 16, "%s%s", prefix, name);
    for (char *c = to; *c != '\0'; c++) {
        const bool letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9');
        *c = letter ? *c : '_';
    }
    const size_t length = strlen(to);
    for (int i = 2; is_taken(&job->f, to) && i < 100; i++) {
        snprintf(to + length, 16, "_%d", i);
    }
    return to;
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

/* q, v and a third one. */
static void name_inputs(emit_job *job, const emit_algorithm *a)
{
    const char *const name[IN_STATE] = { "q", "v", a->third };
    const int size[IN_STATE] = { job->model->nq, job->model->nv, job->model->nv };
    job->f.inputs = a->inputs;
    for (int i = 0; i < a->inputs; i++) {
        job->f.in[i] = (emit_array){ name[i], size[i], NULL };
    }
}

static bool make_inputs(emit_job *job)
{
    for (int i = 0; i < job->f.inputs; i++) {
        const int size = job->f.in[i].size;
        job->in[i] = malloc(((size_t)size + 1) * sizeof *job->in[i]);
        if (job->in[i] == NULL) {
            return false;
        }
        for (int k = 0; k < size; k++) {
            job->in[i][k] = tape_input(&job->t, i, k);
        }
    }
    return true;
}

/* ---- what can be emitted ------------------------------------------------------------------------ */

#define NOT_A_NAME "'%s' is not a name of C; use letters, digits and _"

static bool is_identifier(const char *name)
{
    const char *letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    bool good = name[0] != '\0' && strchr(letters, name[0]) != NULL && strlen(name) < 64;
    for (const char *c = name; good && *c != '\0'; c++) {
        good = strchr(letters, *c) != NULL || (*c >= '0' && *c <= '9');
    }
    return good;
}

/* Words of C99, and names that an emitted file has for something else. */
static bool is_reserved(const char *name)
{
    static const char *const WORD[] = { "auto", "break", "case", "char", "const", "continue", "default", "do", "double",
        "else", "enum", "extern", "float", "for", "goto", "if", "inline", "int", "long", "register", "restrict",
        "return", "short", "signed", "sizeof", "static", "struct", "switch", "typedef", "union", "unsigned", "void",
        "volatile", "while", "main", "sin", "cos", "sinf", "cosf", "sqrt", "sqrtf", "fma", "fmaf", "LANES", "rest",
        "body", "place", "quaternion", "angle", "angle_zero", "order", "root", "column", "link", "frame", "coupling",
        "coupled", "closure", "configuration" };
    for (size_t i = 0; i < sizeof WORD / sizeof WORD[0]; i++) {
        if (strcmp(WORD[i], name) == 0) {
            return true;
        }
    }
    static const char *const BEGINS[] = { "_", "flexible_", "modal_", "ports_" };
    for (size_t i = 0; i < sizeof BEGINS / sizeof BEGINS[0]; i++) {
        if (strncmp(BEGINS[i], name, strlen(BEGINS[i])) == 0) {
            return true;
        }
    }
    return false;
}

static bool check_name(emit_job *job, const char *name)
{
    if (!is_identifier(name)) {
        return emit_refuse(job, NOT_A_NAME, name);
    }
    return !is_reserved(name) || emit_refuse(job, "'%s' has a meaning in C or in the file; choose another name", name);
}

static bool check_request(emit_job *job, const emit_algorithm *a)
{
    const module_emit_request *r = job->request;
    if (!check_name(job, job->f.name)) {
        return false;
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
    if (r->forces && !a->pushed) {
        return emit_refuse(job, "--forces adds forces to tau of fd and closed-fd; leave it out for '%s'", a->word);
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

static void put_table_function(text *to, const emit_function *f)
{
    const char *type = f->style.single ? "float" : "double";
    put(to,
        "\nvoid %s_table(const %s *const *in, %s *const *out);\n\nvoid %s_table(const %s *const *in, %s *const "
        "*out)\n{\n    %s(",
        f->name, type, type, f->name, type, type, f->name);
    for (int i = 0; i < f->inputs; i++) {
        put(to, "in[%d], ", i);
    }
    for (int i = 0; i < f->outputs; i++) {
        put(to, "out[%d]%s", i, i + 1 < f->outputs ? ", " : ");\n}\n");
    }
}

/* Common factors outside, in all outputs; twice, because a sum that was factored may have a factor in common with another. */
static bool factor_outputs(emit_job *job)
{
    emit_function *f = &job->f;
    size_t n = 0;
    for (int i = 0; i < f->outputs; i++) {
        n += (size_t)f->out[i].size;
    }
    double *value = malloc((n + 1) * sizeof *value);
    bool good = value != NULL;
    for (int times = 0; good && times < 2; times++) {
        size_t at = 0;
        for (int i = 0; i < f->outputs; at += (size_t)f->out[i].size, i++) {
            memcpy(value + at, f->out[i].value, (size_t)f->out[i].size * sizeof *value);
        }
        good = tape_factor(&job->t, (int)n, value);
        at = 0;
        for (int i = 0; i < f->outputs; at += (size_t)f->out[i].size, i++) {
            memcpy(f->out[i].value, value + at, (size_t)f->out[i].size * sizeof *value);
        }
    }
    free(value);
    return good;
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
    emit_prelude(to, &job->f, counts.operations[COUNT_SINE] > 0, counts.operations[COUNT_SQRT] > 0);
    emit_signature(to, &job->f);
    put(to, ";\n\n");
    if (!emit_body(to, &job->f, &counts)) {
        return false;
    }
    if (job->request->table) {
        put_table_function(to, &job->f);
    }
    return (!job->request->driver || emit_driver(to, job, a));
}

/* The model as a constant. */
static bool run_data(emit_job *job, text *to)
{
    const char *name = job->request->name != NULL ? job->request->name : "robot";
    if (!check_name(job, name)) {
        return false;
    }
    if (job->model->bodies == 0) {
        return emit_refuse(job, "the model has no body that moves; there is nothing to emit");
    }
    emit_data(to, job, name);
    return !to->failed || emit_refuse(job, "out of memory");
}

static bool run(emit_job *job, text *to)
{
    emit_algorithm a;
    if (job->request->program != NULL) {
        if (!emit_plan_begin(job, &a)) {
            return false;
        }
    } else if (emit_find(job->request->what, &a)) {
        name_inputs(job, &a);
    } else {
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
    const bool good = tape_begin(&job->t, r->literal, MOST_NODES) && make_inputs(job) && a.trace(job) &&
                      (r->literal || factor_outputs(job)) && put_file(to, job, &a) && !to->failed;
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
    if (request->model == NULL) {
        if (request->name != NULL && !is_identifier(request->name)) {
            emit_refuse(&job, NOT_A_NAME, request->name);
            return NULL;
        }
        return (request->kernel ? kernel_sweeps_emit : sweeps_emit)(request, why, size);
    }
    const bool good = request->data ? run_data(&job, &to) : run(&job, &to);
    tape_end(&job.t);
    free(job.regrouped.body);
    free(job.push);
    emit_plan_end(&job);
    for (int i = 0; i < EMIT_ARRAYS; i++) {
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
