/* sim_resume.c - checkpoints of soa sim: a run that was killed goes on and writes the same bits. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim_job.h"
#include "vary.h"

static const char MARK[8] = "soackpt";

/* The beginning of the file; margins, then the simulation follow. */
typedef struct heading {
    char mark[8];
    unsigned long long origin, sum; /* sum: of all that follows the heading */
    long rows, next;
    long long csv_bytes;
    double seconds; /* that the run has taken */
    size_t size;    /* of the simulation */
    int margins;
} heading;

/* FNV-1a: tells apart what differs by accident. */
static unsigned long long hash(unsigned long long h, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++) {
        h = (h ^ at[i]) * 0x100000001b3ull;
    }
    return h;
}

static const unsigned long long START = 0xcbf29ce484222325ull;

static bool hash_file(const char *path, unsigned long long *h)
{
    char bytes[4096];
    FILE *file = fopen(path, "rb");
    for (size_t n; file != NULL && (n = fread(bytes, 1, sizeof bytes, file)) > 0;) {
        *h = hash(*h, bytes, n);
    }
    return file != NULL && fclose(file) == 0;
}

/* The scenario file, the columns, and all signals at the beginning: they change with the model. */
int sim_find_origin(sim_job *j)
{
    soa_error error;
    unsigned long long h = START;
    const double *value = soa_sim_signal_values(j->sim, &error);
    if (value == NULL) {
        return tool_fail("at t = 0: %s", error.text);
    }
    if (!hash_file(j->call->operand[0], &h)) {
        return tool_fail("%s: the file cannot be read: %s", j->call->operand[0], strerror(errno));
    }
    h = hash(h, value, (size_t)soa_sim_signals(j->sim) * sizeof *value);
    for (int i = 0; i < j->columns; i++) {
        h = hash(h, j->name[i], strlen(j->name[i]) + 1);
    }
    j->origin = hash(h, &j->rows.formats, sizeof j->rows.formats);
    return TOOL_OK;
}

/* ---- writing ----------------------------------------------------------------------------------------- */

typedef struct bytes {
    heading h;
    char *at;
    size_t size;
} bytes;

static int write_bytes(void *context, FILE *out)
{
    const bytes *b = context;
    fwrite(&b->h, 1, sizeof b->h, out);
    fwrite(b->at, 1, b->size, out);
    return TOOL_OK;
}

int sim_checkpoint_write(sim_job *j)
{
    soa_error error;
    int status = record_flush(&j->rows, true);
    if (soa_sim_method_outside(soa_scenario_setup(j->scenario)->method)) {
        return status;
    }
    const size_t size = soa_sim_saved_size(j->sim), margins = (size_t)j->margins * sizeof *j->margin;
    bytes b = { .at = malloc(size + margins), .size = size + margins };
    char *path = record_path(j->out, "checkpoint");
    if (status == TOOL_OK && (b.at == NULL || path == NULL)) {
        status = tool_fail_memory();
    }
    if (status == TOOL_OK) {
        memcpy(b.at, j->margin, margins);
        status = soa_sim_save(j->sim, b.at + margins, &error) == SOA_OK ? TOOL_OK : tool_fail_error(&error);
    }
    if (status == TOOL_OK) {
        memset(&b.h, 0, sizeof b.h);
        memcpy(b.h.mark, MARK, sizeof b.h.mark);
        b.h.origin = j->origin;
        b.h.sum = hash(START, b.at, b.size);
        b.h.rows = j->rows.rows;
        b.h.next = j->next;
        b.h.csv_bytes = (long long)j->rows.csv.whole;
        b.h.seconds = j->before + tool_clock() - j->began;
        b.h.size = size;
        b.h.margins = j->margins;
        status = tool_file_write(path, write_bytes, &b);
    }
    free(b.at);
    free(path);
    return status;
}

/* ---- reading ------------------------------------------------------------------------------------------- */

static int fail_checkpoint(const char *path, const char *why)
{
    return tool_fail("%s: %s; run without --resume", path, why);
}

static int take(sim_job *j, const char *path, const heading *h, const char *at, off_t *csv_bytes)
{
    soa_error error;
    const size_t margins = (size_t)j->margins * sizeof *j->margin;
    memcpy(j->margin, at, margins);
    if (soa_sim_restore(j->sim, at + margins, h->size, &error) != SOA_OK) {
        return fail_checkpoint(path, error.text);
    }
    j->rows.rows = h->rows;
    j->next = h->next;
    j->before = h->seconds;
    *csv_bytes = (off_t)h->csv_bytes;
    return TOOL_OK;
}

static int read_checkpoint(sim_job *j, const char *path, FILE *file, off_t *csv_bytes)
{
    heading h;
    const size_t size = soa_sim_saved_size(j->sim) + (size_t)j->margins * sizeof *j->margin;
    if (fread(&h, 1, sizeof h, file) != sizeof h || memcmp(h.mark, MARK, sizeof h.mark) != 0) {
        return fail_checkpoint(path, "this is no checkpoint");
    }
    if (h.origin != j->origin || h.margins != j->margins) {
        return fail_checkpoint(path, "it belongs to another scenario, model, format or version");
    }
    char *at = malloc(size + 1);
    if (at == NULL) {
        return tool_fail_memory();
    }
    const bool whole = fread(at, 1, size + 1, file) == size && hash(START, at, size) == h.sum;
    const int status = whole ? take(j, path, &h, at, csv_bytes) : fail_checkpoint(path, "it is damaged");
    free(at);
    return status;
}

int sim_checkpoint_read(sim_job *j, bool *found, off_t *csv_bytes)
{
    char *path = record_path(j->out, "checkpoint");
    FILE *file = path != NULL ? fopen(path, "rb") : NULL;
    int status = path == NULL ? tool_fail_memory() : TOOL_OK;
    *found = file != NULL;
    if (file != NULL) {
        status = read_checkpoint(j, path, file, csv_bytes);
        (void)fclose(file);
    } else if (path != NULL && errno != ENOENT) {
        status = tool_fail("%s: the file cannot be read: %s", path, strerror(errno));
    }
    free(path);
    return status;
}

void sim_checkpoint_remove(const sim_job *j)
{
    char *path = j->out != NULL ? record_path(j->out, "checkpoint") : NULL;
    if (path != NULL) {
        unlink(path);
    }
    free(path);
}
