/* bench_report.c - the measurements as tables and as JSON. */
#include <string.h>

#include "bench.h"
#include "json.h"

enum { MOST_LANES = 8, BASE = 1000 };

static bool is_skipped(const bench_result *r)
{
    return r->reason[0] != '\0';
}

static double per_body(const bench_result *r)
{
    return r->ns / (double)(r->bodies > 0 ? r->bodies : 1); /* of a model in which nothing moves: the call itself */
}

/* "chain" of "chain:1000" */
static bool same_family(const char *a, const char *b)
{
    const size_t n = strcspn(a, ":");
    return n == strcspn(b, ":") && strncmp(a, b, n) == 0;
}

/* ns per body over that of the model of the same family with 1000 bodies; 0: there is none. */
static double ratio_of(const bench_report *report, const bench_result *result)
{
    for (int i = 0; i < report->results; i++) {
        const bench_result *r = &report->result[i];
        const bool alike = r->algorithm == result->algorithm && r->lanes == result->lanes;
        if (alike && r->bodies == BASE && !is_skipped(r) && same_family(r->model, result->model)) {
            return per_body(result) / per_body(r);
        }
    }
    return 0.0;
}

/* ---- JSON ------------------------------------------------------------------------------ */

static json_t *result_json(const bench_report *report, const bench_result *r)
{
    json_t *object = json_pack("{s:o, s:i, s:i, s:s, s:i, s:i}", "model", json_text(r->model), "bodies", r->bodies,
        "nv", r->nv, "algorithm", r->algorithm->name, "lanes", r->lanes, "threads", r->threads);
    if (is_skipped(r)) {
        json_set(object, "reason", json_text(r->reason));
        return object;
    }
    json_set(object, "states", json_integer(r->states));
    json_set(object, "ns", json_number(r->ns));
    json_set(object, "ns_per_body", json_number(per_body(r)));
    json_set(object, "states_per_s", json_number(1e9 / r->ns));
    if (report->growth) {
        const double ratio = ratio_of(report, r);
        json_set(object, "ratio_to_1000", ratio > 0.0 ? json_number(ratio) : json_null());
    }
    return object;
}

static void put_list(json_writer *writer, const bench_report *report, const char *name, bool skipped)
{
    json_list(writer, name);
    for (int i = 0; i < report->results; i++) {
        if (is_skipped(&report->result[i]) == skipped) {
            json_item(writer, result_json(report, &report->result[i]));
        }
    }
    json_list_end(writer);
}

static const char *describe(const bench_machine *machine)
{
    return tool_text("%s, %d core%s, %s, soa %s, %s", machine->cpu, machine->cores, machine->cores == 1 ? "" : "s",
        machine->compiler, soa_version(), machine->date);
}

void bench_print_json(const tool_call *call, const bench_report *report)
{
    const bench_machine machine = bench_machine_of();
    json_writer writer = json_begin(call->out);
    json_field(&writer, "machine", json_text(describe(&machine)));
    json_field(&writer, "cpu", json_text(machine.cpu));
    json_field(&writer, "cores", json_integer(machine.cores));
    json_field(&writer, "compiler", json_text(machine.compiler));
    json_field(&writer, "version", json_text(soa_version()));
    json_field(&writer, "date", json_text(machine.date));
    json_field(&writer, "seed", json_integer((json_int_t)report->seed));
    put_list(&writer, report, "results", false);
    put_list(&writer, report, "skipped", true);
    json_end(&writer);
}

/* ---- tables ------------------------------------------------------------------------------ */

/* Four significant digits with a unit of time. */
static const char *time_text(double ns)
{
    static const char *const UNIT[] = { "ns", "us", "ms", "s" };
    int unit = 0;
    while (unit < 3 && ns >= 9999.5) {
        ns /= 1000.0;
        unit++;
    }
    const int decimals = ns < 9.9995 ? 3 : ns < 99.995 ? 2 : ns < 999.95 ? 1 : 0;
    return tool_text("%.*f %s", decimals, ns, UNIT[unit]);
}

static void put_skipped(const tool_call *call, const char *what, const bench_result *r)
{
    fprintf(call->out, "  %s: skipped: ", what);
    tool_put(call, INK_WARNING, soa_printable(tool_text("%s", r->reason)), 0);
    fputc('\n', call->out);
}

/* Each reason once, however many lanes it stops. */
static void put_reasons(const tool_call *call, const bench_result *r, int count)
{
    for (int i = 0; i < count; i++) {
        const bool again = i > 0 && r[i].algorithm == r[i - 1].algorithm && strcmp(r[i].reason, r[i - 1].reason) == 0;
        if (is_skipped(&r[i]) && !again) {
            put_skipped(call, r[i].algorithm->name, &r[i]);
        }
    }
}

/* One line: an algorithm with 1, 2, 4 and 8 lanes, then threads. results begin at r. */
static int put_row(const tool_call *call, const bench_result *r, int left, const bool *used, int threads)
{
    int n = 0;
    const bench_result *best = NULL;
    fputs("  ", call->out);
    tool_put(call, INK_PLAIN, r->algorithm->name, 28);
    for (int lanes = 1; lanes <= 2 * MOST_LANES; lanes *= 2) { /* beyond the lanes: threads */
        const bool by_threads = lanes > MOST_LANES;
        const bool same = n < left && r[n].algorithm == r->algorithm && r[n].model == r->model;
        const bool here = same && (by_threads ? r[n].threads > 1 : r[n].lanes == lanes && r[n].threads == 1);
        const bool shown = here && !is_skipped(&r[n]);
        if (by_threads ? threads > 1 : used[lanes]) {
            fprintf(call->out, "%12s", shown ? time_text(r[n].ns) : "-");
        }
        best = shown && (best == NULL || r[n].ns < best->ns) ? &r[n] : best;
        n += here;
    }
    if (best == NULL) {
        fprintf(call->out, "%12s%14s\n", "-", "-");
    } else {
        fprintf(call->out, "%12s%14.4g\n", time_text(per_body(best)), 1e9 / best->ns);
    }
    return n;
}

static void put_heading(const tool_call *call, const bench_result *r, const bool *used, int threads)
{
    fputc('\n', call->out);
    tool_put(call, INK_BOLD, tool_clean(r->model), 0);
    fprintf(call->out, "   %d bod%s, nv %d\n", r->bodies, r->bodies == 1 ? "y" : "ies", r->nv);
    tool_put(call, INK_FAINT, tool_text("  %-28s", "algorithm"), 0);
    for (int lanes = 1; lanes <= MOST_LANES; lanes *= 2) {
        if (used[lanes]) {
            fprintf(call->out, "%12s", lanes == 1 ? "one state" : tool_text("%d lanes", lanes));
        }
    }
    if (threads > 1) {
        fprintf(call->out, "%12s", tool_text("%d threads", threads));
    }
    tool_put(call, INK_FAINT, "    per body  states per s\n", 0);
}

static void put_models(const tool_call *call, const bench_report *report, const bool *used)
{
    const bench_result *r = report->result;
    int i = 0;
    while (i < report->results) {
        const int first = i;
        put_heading(call, &r[i], used, report->threads);
        while (i < report->results && r[i].model == r[first].model) {
            i += put_row(call, &r[i], report->results - i, used, report->threads);
        }
        put_reasons(call, &r[first], i - first);
    }
}

static void put_growth(const tool_call *call, const bench_report *report)
{
    for (int a = 0; a < bench_algorithms(); a++) {
        bool titled = false;
        for (int i = 0; i < report->results; i++) {
            const bench_result *r = &report->result[i];
            if (r->algorithm != bench_algorithm_at(a)) {
                continue;
            }
            if (!titled) {
                fputc('\n', call->out);
                tool_put(call, INK_BOLD, r->algorithm->name, 22);
                tool_put(call, INK_FAINT, " lanes       state    per body  to 1000 bodies\n", 0);
                titled = true;
            }
            if (is_skipped(r)) {
                put_skipped(call, r->model, r);
                continue;
            }
            fprintf(call->out, "  %-20s%6d%12s%12s%16.3f\n", r->model, r->lanes, time_text(r->ns),
                time_text(per_body(r)), ratio_of(report, r));
        }
    }
}

void bench_print(const tool_call *call, const bench_report *report)
{
    const bench_machine machine = bench_machine_of();
    bool used[MOST_LANES + 1] = { false };
    for (int i = 0; i < report->results; i++) {
        used[report->result[i].lanes] = true;
    }
    fprintf(
        call->out, "%s\nProcessor time of one thread per state, the median of repeated runs.\n", describe(&machine));
    if (report->threads > 1) {
        fprintf(call->out, "With %d threads and the most lanes: time by the clock.\n", report->threads);
    }
    if (report->growth) {
        put_growth(call, report);
    } else {
        put_models(call, report, used);
    }
}
