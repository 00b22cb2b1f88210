/* tests/bits/main.c - prints the table of hashes: soa_bits [MODEL...]
 *
 * Before and after a change that is to keep every bit, the tables are compared with diff. */
#include "bits.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const way WAY[WAYS] = {
    { "lanes 1", 1, false, false },
    { "lanes 2", 2, false, false }, /* WebAssembly */
    { "lanes 4", 4, false, false },
    { "lanes 8", 8, false, false },
    { "singly", 0, true, false },
    { "threads", 0, false, true },
};

/* ---- hashes ----------------------------------------------------------------------------------- */

/* FNV-1a over the bytes of the number, lowest first. */
static hash hash_word(hash h, uint64_t word)
{
    for (int i = 0; i < 8; i++) {
        h = (h ^ (word >> (8 * i) & 0xff)) * 0x100000001b3ull;
    }
    return h;
}

hash hash_begin(soa_status status)
{
    return hash_word(0xcbf29ce484222325ull, (uint64_t)status);
}

hash hash_numbers(hash h, size_t n, const double *x)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t word = 0x7ff8000000000000ull;
        if (!isnan(x[i])) {
            memcpy(&word, &x[i], sizeof word);
        }
        h = hash_word(h, word);
    }
    return h;
}

void print_row(const char *model, const char *algorithm, const bool *done, const hash *h, soa_status status)
{
    const bool result = status == SOA_OK || status == SOA_E_SINGULAR || status == SOA_E_CLOSURE;
    if (result) {
        (void)printf("%-14s %-44s %016llx", model, algorithm, h[0]);
    } else {
        (void)printf("%-14s %-44s %s", model, algorithm, soa_status_text(status));
    }
    for (int i = 1; i < WAYS; i++) {
        if (done[i] && h[i] != h[0]) {
            (void)printf("  DIFFERS: %s", WAY[i].name);
        }
    }
    (void)printf("\n");
}

void print_single(const char *model, const char *algorithm, soa_status status, hash h)
{
    const bool done[WAYS] = { true };
    const hash hashes[WAYS] = { h };
    print_row(model, algorithm, done, hashes, status);
}

/* ---- numbers ------------------------------------------------------------------------------------ */

double *bits_numbers(size_t n)
{
    double *x = calloc(n + 1, sizeof *x);
    if (!x) {
        (void)fprintf(stderr, "soa_bits: out of memory\n");
        exit(1);
    }
    return x;
}

void bits_random(unsigned long long *seed, size_t n, double *x)
{
    for (size_t i = 0; i < n; i++) {
        x[i] = soa_model_random_number(seed);
    }
}

soa_pose bits_pose(unsigned long long *seed, double far)
{
    double x[7];
    bits_random(seed, 7, x);
    for (int i = 0; i < 3; i++) {
        x[i] *= far;
    }
    x[3] += 1.5;
    return soa_pose_from_quaternion(x, x + 3);
}

void bits_points(const soa_model *model, unsigned long long *seed, int points, soa_point *point)
{
    for (int i = 0; i < points; i++) {
        point[i].link = (int)((soa_model_random_number(seed) + 1.0) / 2.0 * soa_model_links(model));
        point[i].at = bits_pose(seed, 1.0);
        point[i].node = SOA_LINK_FRAME;
    }
}

/* ---- models --------------------------------------------------------------------------------------- */

/* arm7 with its last but one joint coupled to another. */
static soa_model *coupled_arm(void)
{
    soa_builder *b = soa_builder_new(NULL);
    soa_model *arm = bits_model("arm7"), *model = NULL;
    const soa_pose here = soa_pose_identity();
    const double g[3] = { 0.0, 0.0, -9.81 };
    soa_builder_set_gravity(b, g);
    (void)soa_builder_attach(b, arm, NULL, SOA_WORLD, &here, NULL);
    const int links = soa_builder_links(b);
    const soa_coupling c = { .name = "c", .link = links - 2, .driver = links - 4, .coefficient = { 0.1, 0.5, 0.2 } };
    (void)soa_builder_add_coupling(b, &c, NULL, NULL);
    (void)soa_builder_finish(b, &model, NULL);
    soa_builder_free(b);
    soa_model_free(arm);
    return model;
}

soa_model *bits_model(const char *name)
{
    soa_error error;
    soa_model *model = NULL;
    if (strcmp(name, "coupled-arm") == 0) {
        model = coupled_arm();
    } else if (soa_model_builtin(name, NULL, &model, &error) != SOA_OK) {
        (void)fprintf(stderr, "soa_bits: %s\n", error.text);
    }
    if (!model) {
        exit(1);
    }
    return model;
}

/* Every built-in with a fixed size, some of the others, and a coupled one. */
static void rows_of(const char *name)
{
    soa_model *model = bits_model(name);
    bits_configurations(name, model);
    bits_states(name, model);
    if (soa_model_bodies(model) <= 100) {
        bits_operators(name, model);
        bits_expressions(name, model);
    }
    soa_model_free(model);
}

int main(int argc, char **argv)
{
    static const char *const more[] = { "coupled-arm", "chain:12", "chain:40", "tree:9,2", "tree:14,1", "tree:25,6",
        "tree:40,7", "tree:70,5", "chain:5000", "tree:5000,3" };
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "closed") == 0) {
            bits_closures();
        } else {
            rows_of(argv[i]);
        }
    }
    for (int i = 0; argc == 1 && i < soa_builtins(); i++) {
        if (!strchr(soa_builtin_name(i), ':')) {
            rows_of(soa_builtin_name(i));
        }
    }
    for (size_t i = 0; argc == 1 && i < sizeof more / sizeof more[0]; i++) {
        rows_of(more[i]);
    }
    if (argc == 1) {
        bits_closures();
    }
    return 0;
}
