/* sim_resume.c - checkpoints of soa sim: a run that was killed goes on and writes the same bits. */
#include <errno.h>
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
void sim_find_origin(sim_job *j)
{
    soa_error error;
    unsigned long long h = START;
    const double *value = soa_sim_signal_values(j->sim, &error);
    if (value == NULL) {
        tool_fail("at t = 0: %s", error.text);
    }
    if (!hash_file(j->call->operand[0], &h)) {
        tool_fail("%s: the file cannot be read: %s", j->call->operand[0], strerror(errno));
    }
    h = hash(h, value, (size_t)soa_sim_signals(j->sim) * sizeof *value);
    for (int i = 0; i < j->columns; i++) {
        h = hash(h, j->name[i], strlen(j->name[i]) + 1);
    }
    j->origin = hash(h, &j->rows.formats, sizeof j->rows.formats);
}

/* ---- writing ----------------------------------------------------------------------------------------- */

typedef struct bytes {
    heading h;
    char *at;
    size_t size;
} bytes;

static void write_bytes(void *context, FILE *out)
{
    const bytes *b = context;
    fwrite(&b->h, 1, sizeof b->h, out);
    fwrite(b->at, 1, b->size, out);
}

void sim_checkpoint_write(sim_job *j)
{
    record_flush(&j->rows, true);
    if (soa_sim_method_outside(soa_scenario_setup(j->scenario)->method)) {
        return;
    }
    const size_t size = soa_sim_saved_size(j->sim), margins = (size_t)j->margins * sizeof *j->margin;
    bytes b = { .at = tool_take(size + margins, 1), .size = size + margins };
    char *path = record_path(j->out, "checkpoint");
    memcpy(b.at, j->margin, margins);
    tool_must(soa_sim_save(j->sim, b.at + margins, tool_error()));
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
    tool_file_write(path, write_bytes, &b);
    tool_return(b.at);
    tool_return(path);
}

/* ---- reading ------------------------------------------------------------------------------------------- */

TOOL_ENDS static void fail_checkpoint(const char *path, const char *why)
{
    tool_fail("%s: %s; run without --resume", path, why);
}

static void read_checkpoint(sim_job *j, const char *path, FILE *file, off_t *csv_bytes)
{
    heading h;
    soa_error error;
    const size_t margins = (size_t)j->margins * sizeof *j->margin, size = soa_sim_saved_size(j->sim) + margins;
    if (fread(&h, 1, sizeof h, file) != sizeof h || memcmp(h.mark, MARK, sizeof h.mark) != 0) {
        fail_checkpoint(path, "this is no checkpoint");
    }
    if (h.origin != j->origin || h.margins != j->margins) {
        fail_checkpoint(path, "it belongs to another scenario, model, format or version");
    }
    char *at = tool_take(size + 1, 1);
    if (fread(at, 1, size + 1, file) != size || hash(START, at, size) != h.sum) {
        fail_checkpoint(path, "it is damaged");
    }
    memcpy(j->margin, at, margins);
    if (soa_sim_restore(j->sim, at + margins, h.size, &error) != SOA_OK) {
        fail_checkpoint(path, error.text);
    }
    j->rows.rows = h.rows;
    j->next = h.next;
    j->before = h.seconds;
    *csv_bytes = (off_t)h.csv_bytes;
}

bool sim_checkpoint_read(sim_job *j, off_t *csv_bytes)
{
    const char *path = record_path(j->out, "checkpoint");
    FILE *file = fopen(path, "rb");
    if (file == NULL && errno != ENOENT) {
        tool_fail("%s: the file cannot be read: %s", path, strerror(errno));
    }
    if (file == NULL) {
        return false;
    }
    read_checkpoint(j, path, file, csv_bytes);
    (void)fclose(file);
    return true;
}

void sim_checkpoint_remove(const sim_job *j)
{
    if (j->out != NULL) {
        unlink(record_path(j->out, "checkpoint"));
    }
}
