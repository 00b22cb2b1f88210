/* tests/fuzz/attack.c - blunt mutators: broken model files and scenarios, odd states, random expressions.
 *
 *     soa_attack files|states|expressions|scenarios FIRST COUNT [FILE...]
 *
 * Trial number k is made of k alone, so a finding is repeated by FIRST k, COUNT 1. Trials run in a process that is replaced when
 * one dies; the end says how many did. FILE: URDF, MJCF or YAML to begin with, beside the built-in models. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "fuzz/fuzz.h"

#include <math.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "listed.h"
#include "profile.h"
#include "soa/scenario.h"

typedef unsigned long long random_state;

static size_t below(random_state *r, size_t n)
{
    return n == 0 ? 0 : (size_t)((soa_model_random_number(r) + 1.0) / 2.0 * (double)n) % n;
}

/* ---- model files ------------------------------------------------------------------------------------ */

enum { LONGEST = 1 << 18, MOST_SEEDS = 1000 };

typedef struct seed_text {
    soa_format format;
    char *text;
    size_t length;
} seed_text;

static seed_text seeds[MOST_SEEDS];
static size_t seed_count;

static void add_seed(soa_format format, const char *text, size_t length)
{
    if (seed_count < MOST_SEEDS && length < LONGEST / 2) {
        seeds[seed_count].format = format;
        seeds[seed_count].text = malloc(length + 1);
        memcpy(seeds[seed_count].text, text, length);
        seeds[seed_count++].length = length;
    }
}

static void seeds_of_builtins(void)
{
    for (int i = 0; i < soa_builtins() + 2; i++) {
        const char *name = i < soa_builtins() ? soa_builtin_name(i) : i == soa_builtins() ? "chain:4" : "tree:6,7";
        soa_model *model = NULL;
        if (soa_model_builtin(name, NULL, &model, NULL) != SOA_OK) {
            continue; /* the name of a family */
        }
        for (int format = 0; format < SOA_FORMATS; format++) {
            char *text;
            size_t length;
            if (soa_write(model, (soa_format)format, NULL, &text, &length, NULL) == SOA_OK) {
                add_seed((soa_format)format, text, length);
                soa_text_free(NULL, text);
            }
        }
        soa_model_free(model);
    }
}

static void seed_of_file(const char *path)
{
    static char text[LONGEST];
    FILE *f = fopen(path, "rb");
    const size_t n = f ? fread(text, 1, sizeof text, f) : 0;
    if (f) {
        fclose(f);
    }
    const char *end = strrchr(path, '.');
    add_seed(end && strcmp(end, ".urdf") == 0  ? SOA_URDF
             : end && strcmp(end, ".xml") == 0 ? SOA_MJCF
                                               : SOA_YAML,
        text, n);
}

/* Takes `cut` bytes out at a place and puts others there. */
static void splice(char *text, size_t *length, size_t at, size_t cut, const char *with, size_t n)
{
    if (*length - cut + n < LONGEST) {
        memmove(text + at + n, text + at + cut, *length - at - cut);
        memcpy(text + at, with, n);
        *length += n - cut;
    }
}

static void mutate(random_state *r, char *text, size_t *length)
{
    static const char *const odd[] = { "nan", "inf", "-inf", "1e999", "-1", "0", "1e308", "4e-324", "-0", "99999999999",
        "0 0 0", "", " ", "\"", "<", ">", "&", "/>", "</", "-->", "[", "]", "{", "}", ":", "- ", "\n", "\t", "\xff",
        "\xc2\x9b", "''", "world", "&amp;", "&#0;", "1 2 3 4 5 6 7 8 9" };
    const size_t at = below(r, *length + 1), rest = *length - at, other = below(r, *length + 1);
    const size_t some = below(r, (rest < 64 ? rest : 64) + 1),
                 many = below(r, (*length - other < 400 ? *length - other : 400) + 1);
    char part[400];
    size_t from = at, n = 0;
    const char *replace;
    switch (below(r, 14)) {
    case 0: /* a bit */
        if (rest > 0) {
            text[at] = (char)(text[at] ^ (1 << below(r, 8)));
        }
        break;
    case 1: /* something left out */
        splice(text, length, at, some, "", 0);
        break;
    case 2: /* something put in */
        n = below(r, sizeof odd / sizeof odd[0]);
        splice(text, length, at, 0, odd[n], strlen(odd[n]));
        break;
    case 3: /* a part of the text once more */
        memcpy(part, text + other, many);
        splice(text, length, at, 0, part, many);
        break;
    case 4: /* the end left out */
        *length = below(r, 20) == 0 ? at : *length;
        break;
    default: /* a number, or a word, replaced */
        while (from < *length && !strchr("0123456789", text[from])) {
            from++;
        }
        while (from + n < *length && strchr("0123456789.eE+-", text[from + n])) {
            n++;
        }
        replace = odd[below(r, 11)];
        splice(text, length, from, n, replace, strlen(replace));
        break;
    }
}

static void file_trial(random_state *r)
{
    static char text[LONGEST];
    const seed_text *seed = &seeds[below(r, seed_count)];
    size_t length = seed->length;
    memcpy(text, seed->text, length);
    for (size_t n = 1 + below(r, 3); n > 0; n--) {
        mutate(r, text, &length);
    }
    (void)fuzz(seed->format, (const uint8_t *)text, length);
}

/* ---- scenarios ---------------------------------------------------------------------------------------- */

/* Of each part a few. */
static const char scenario_text[] =
    "soa: 1\nscenario: all\nmodel: builtin:arm7\nduration: 0.5\ngravity: [0, 0, -9.81]\n"
    "initial: {q: {joint2: 0.5}, v: {joint4: 0.1}}\nintegrator: {method: rk45, rtol: 1e-6, atol: 1e-9}\nforces:\n"
    "  - {kind: joint-friction, name: dry, joint: joint3, force: 0.5, stick: true, holding: 0.6}\n"
    "  - {kind: joint-stop, joint: joint5, lower: -0.1, upper: 0.1, restitution: 0.5}\n"
    "  - {kind: spring, a: link3, b: world, stiffness: 10, length: 0.2, damping: 1, from: 0.1, to: 0.2}\n"
    "  - {kind: contact, name: ground, a: {link: link7, at: [0, 0, 0]}, b: world, radius: 0.1}\nsensors:\n"
    "  - {kind: encoder, name: turn, joint: joint2, rate: 100, delay: 0.01, noise: 0.01, resolution: 0.001, seed: 3}\n"
    "  - {kind: imu, name: feel, at: {link: link6, at: [0, 0, 0], rpy: [0, 0, 1]}, rate: 200}\ncontrollers:\n"
    "  - {kind: pd, name: hold, joints: [joint2, joint4], kp: 100, kd: [10, 5], target: {joint2: 1.0}, limit: 50}\n"
    "  - {kind: pid, joints: [joint6], kp: 10, kd: 1, ki: 3, waypoints: {t: [0, 1], joint6: [0, 1]}}\n"
    "  - {kind: expression, joints: [joint7], torque: \"Mass (qdd_ref - 100 e - 20 edot) + C\"}\nactuators:\n"
    "  - {kind: torque, name: motor, joint: joint2, gear: 50, limit: 2, speed: 300, lag: 0.01}\nevents:\n"
    "  - {when: {time: 0.02}, do: {halt: hold}}\n"
    "  - {when: {signal: q.joint2, crosses: 0.7}, once: true, do: {stop: true}}\n"
    "record: {every: 0.01, signals: [q, v, energy, contact, sensor, actuator]}\n";

/* A broken scenario: refused with a message, or a simulation whose signals at the start are finite. */
static void scenario_trial(random_state *r)
{
    static char text[LONGEST];
    const char *folder = getenv("TMPDIR");
    char path[4096];
    size_t length = sizeof scenario_text - 1;
    memcpy(text, scenario_text, length);
    const size_t changes = below(r, 4);
    for (size_t n = 0; n < changes; n++) {
        mutate(r, text, &length);
    }
    snprintf(path, sizeof path, "%s/soa_attack.%ld.yaml", folder ? folder : "/tmp", (long)getpid());
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(text, 1, length, file) != length || fclose(file) != 0) {
        stop("scenarios", "no room to write", NULL);
    }
    soa_scenario *scenario = NULL;
    soa_sim *sim = NULL;
    soa_error error = { 0 };
    soa_status status = soa_scenario_load(path, NULL, &scenario, &error);
    remove(path);
    if (status == SOA_OK && !soa_sim_method_outside(soa_scenario_setup(scenario)->method)) {
        status = soa_sim_new(soa_scenario_model(scenario), soa_scenario_setup(scenario), NULL, &sim, &error);
        const double *signal = status == SOA_OK ? soa_sim_signal_values(sim, &error) : NULL;
        for (int i = 0; signal && i < soa_sim_signals(sim); i++) {
            if (!isfinite(signal[i])) {
                stop("scenarios", "success with a signal that is not finite", NULL);
            }
        }
    }
    if (status != SOA_OK && (error.text[0] == '\0' || changes == 0)) {
        stop("scenarios", "a status without a message, or for a text that is as it should be", NULL);
    }
    soa_sim_free(sim);
    soa_scenario_free(scenario);
}

/* ---- states ------------------------------------------------------------------------------------------- */

static double odd_number(random_state *r)
{
    static const double odd[] = { NAN, INFINITY, -INFINITY, 1e308, -1e308, 1e160, 5e-324, 1e-310, -0.0, 0.0 };
    return below(r, 3) == 0 ? odd[below(r, sizeof odd / sizeof odd[0])]
                            : soa_model_random_number(r) * pow(10.0, (double)below(r, 40));
}

/* One function on some states with odd numbers: finite results, or a status with a message and a state. */
static void state_trial(random_state *r)
{
    static const char *const names[] = { "pendulum", "arm7", "quadruped", "satellite", "tree:5,3", "tree:9,2",
        "tree:12,8" };
    const listed_function *f = &LISTED[below(r, LISTED_COUNT)];
    soa_model *model = NULL;
    soa_point point[LISTED_POINTS];
    listed_call c = { .states = 1 + (int)below(r, 9), .points = LISTED_POINTS, .point = point };
    if (soa_model_builtin(names[below(r, sizeof names / sizeof names[0])], NULL, &model, NULL) != SOA_OK ||
        soa_workspace_new(model, NULL, &c.w, NULL) != SOA_OK) {
        stop("states", "no memory", NULL);
    }
    c.m = model;
    f->measure(&c);
    for (int i = 0; i < LISTED_POINTS; i++) {
        point[i] = (soa_point){ (int)below(r, (size_t)soa_model_links(model)), soa_pose_identity() };
    }
    const size_t states = (size_t)c.states, nq = (size_t)soa_model_nq(model);
    double *input[INPUTS], *output[LISTED_OUTPUTS];
    bool *prescribed = calloc((size_t)soa_model_nv(model) + 1, sizeof *prescribed);
    c.prescribed = prescribed;
    for (int i = 0; i < INPUTS; i++) {
        input[i] = malloc((states * c.reads[i] + 1) * sizeof(double));
        for (size_t k = 0; k < states * c.reads[i]; k++) {
            input[i][k] = soa_model_random_number(r);
        }
        for (size_t k = 0; i == INPUT_q && k < states; k++) {
            soa_random_configuration(model, r, input[i] + k * nq);
        }
        for (size_t n = below(r, 4); n > 0 && c.reads[i] > 0; n--) {
            input[i][below(r, states * c.reads[i])] = odd_number(r);
        }
        c.input[i] = input[i];
    }
    for (int o = 0; o < c.outputs; o++) {
        c.output[o] = output[o] = calloc(states * c.writes[o] + 1, sizeof(double));
    }
    soa_error_clear(&c.error);
    const soa_status status = f->run(&c);
    if (status != SOA_OK && c.error.text[0] == '\0') {
        stop(f->name, "a status without a message", NULL);
    }
    for (int o = 0; o < c.outputs; o++) {
        for (size_t k = 0; k < states * c.writes[o] && status == SOA_OK; k++) {
            if (!isfinite(output[o][k])) {
                stop(f->name, "success with a number that is not finite", NULL);
            }
        }
        free(output[o]);
    }
    for (int i = 0; i < INPUTS; i++) {
        free(input[i]);
    }
    free(prescribed);
    soa_workspace_free(c.w);
    soa_model_free(model);
}

/* ---- expressions ---------------------------------------------------------------------------------------- */

/* Words of the language one after another, mostly such as may follow each other. */
static void expression_trial(random_state *r)
{
    static const char *const words[] = { "phi", "psi", "H", "M", "Mass", "Mass^-1", "D", "D^-1", "K", "G", "P", "R",
        "J", "B", "A", "Lambda", "Omega", "Ups", "T", "beta", "betadot", "C", "V", "a", "b", "f_c", "alpha", "I",
        "E_phi", "E_psi", "taubar" };
    static const char *const signs[] = { " ", " ", " ", " + ", " - ", "'", "^-1", "^(1/2)", " (", ")", " = ", "; ",
        " d(", ", q_1)", "2 ", "x: joint force; ", "*", "^T", "1e400 ", "0 ", "/", "~", ",", "\n", "((((((((",
        "''''''''", "=", "x", "#" };
    char text[280] = "";
    size_t length = 0;
    for (size_t n = 1 + below(r, 14); n > 0 && length < 240; n--) {
        const char *word = words[below(r, sizeof words / sizeof words[0])];
        const char *sign = signs[below(r, below(r, 4) == 0 ? sizeof signs / sizeof signs[0] : 9)];
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%s", word, sign);
    }
    (void)LLVMFuzzerTestOneInput((const uint8_t *)text, length);
}

/* ---- trials ------------------------------------------------------------------------------------------------ */

typedef void trial(random_state *r);

/* Runs trials in a child until all are done or one dies; the number of the next one. */
static long part(trial *t, long first, long end, volatile long *at)
{
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        for (*at = first; *at < end; (*at)++) {
            random_state r = (random_state)*at * 0x9e3779b97f4a7c15ull + 1;
            (void)alarm(300);
            t(&r);
        }
        write_profile();
        _exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child) {
        return end;
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? end : *at;
}

int main(int count, char **argument)
{
    static const struct {
        const char *name;
        trial *run;
    } modes[] = { { "files", file_trial }, { "states", state_trial }, { "expressions", expression_trial },
        { "scenarios", scenario_trial } };
    trial *t = NULL;
    const char *mode = count > 3 ? argument[1] : "";
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        t = strcmp(mode, modes[i].name) == 0 ? modes[i].run : t;
    }
    if (!t) {
        fprintf(stderr, "usage: soa_attack files|states|expressions|scenarios FIRST COUNT [FILE...]\n");
        return 2;
    }
    const long first = strtol(argument[2], NULL, 10), end = first + strtol(argument[3], NULL, 10);
    volatile long *at = mmap(NULL, sizeof *at, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    long found = 0;
    seeds_of_builtins();
    for (int i = 4; i < count; i++) {
        seed_of_file(argument[i]);
    }
    for (long next = first; next < end;) {
        next = part(t, next, end, at);
        if (next < end) {
            printf("%s: trial %ld died\n", mode, next++);
            (void)fflush(stdout);
            found++;
        }
    }
    printf("%s: %ld trials, %ld findings\n", mode, end - first, found);
    return found > 0;
}
