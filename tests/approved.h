/* tests/approved.h - outputs of the libraries beside those that were approved.
 *
 * tests/approved/NAME.txt has one line for each case: its input, and what came out, a short text as it is and a long one as a hash.
 * A test ends at the first case that differs and shows all of its text. With SOA_APPROVE=1 in the environment (make approve) the
 * test writes the file instead, and all texts into approved-NAME.txt beside the program. */
#ifndef SOA_TESTS_APPROVED_H
#define SOA_TESTS_APPROVED_H

#include <ctype.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "soa/core.h"

enum { APPROVED_LINE = 4096, APPROVED_SHORT = 200 };

/* Cases of one file, one after another. */
typedef struct approved {
    char path[512];
    bool writing;
    FILE *file, *whole; /* the approved lines; all that was said */
    long begin;         /* of the case, in whole */
    char line[APPROVED_LINE];
    int cases;
} approved;

static inline approved approved_open(const char *name)
{
    approved a = { .writing = getenv("SOA_APPROVE") };
    char whole[256];
    snprintf(a.path, sizeof a.path, "%s/tests/approved/%s.txt", SOA_SOURCE, name);
    snprintf(whole, sizeof whole, "approved-%s.txt", name);
    a.file = fopen(a.path, a.writing ? "w" : "r");
    a.whole = a.writing ? fopen(whole, "w+") : tmpfile();
    if (!a.file || !a.whole) {
        fail_msg("%s: cannot be opened; make approve writes it", a.path);
    }
    return a;
}

/* Appends to the line of the case. */
static inline void approved_add(approved *a, const char *separator, const char *more)
{
    const size_t used = strlen(a->line);
    if ((size_t)snprintf(a->line + used, sizeof a->line - used, "%s%s", separator, more) >= sizeof a->line - used) {
        fail_msg("%s: the line is too long", a->line);
    }
}

/* Begins a case, named by its input; bytes that are not printed become escapes. */
static inline void approved_case(approved *a, const char *name)
{
    a->begin = ftell(a->whole);
    a->line[0] = '\0';
    for (const char *c = name; *c; c++) {
        char one[8] = { *c };
        if (*c == '\n') {
            strcpy(one, "\\n");
        } else if (!isprint((unsigned char)*c) && (*c & 0x80) == 0) {
            snprintf(one, sizeof one, "\\x%02x", (unsigned)*c);
        }
        approved_add(a, "", one);
    }
    fprintf(a->whole, "==== %s\n", a->line);
}

/* Adds a text to the case: as it is if it is one short line and no part is named, else by the hash (FNV) of it. */
static inline void approved_text(approved *a, const char *part, const char *text)
{
    fprintf(a->whole, "---- %s\n%s\n", part ? part : "", text);
    if (!part && strlen(text) <= APPROVED_SHORT && !strchr(text, '\n')) {
        approved_add(a, "  ", text);
        return;
    }
    uint32_t hash = 2166136261u;
    for (const char *c = text; *c; c++) {
        hash = (hash ^ (unsigned char)*c) * 16777619u;
    }
    char word[64];
    snprintf(word, sizeof word, "%s%s%08x", part ? part : "", part ? "=" : "", (unsigned)hash);
    approved_add(a, "  ", word);
}

static inline void approved_show(approved *a)
{
    int c;
    fseek(a->whole, a->begin, SEEK_SET);
    while ((c = fgetc(a->whole)) != EOF) {
        fputc(c, stderr);
    }
}

/* Ends the case: its line is the next one of the file, or becomes it. */
static inline void approved_end(approved *a)
{
    char approved_line[APPROVED_LINE + 2] = "";
    a->cases++;
    if (a->writing) {
        fprintf(a->file, "%s\n", a->line);
        return;
    }
    if (fgets(approved_line, sizeof approved_line, a->file)) {
        approved_line[strcspn(approved_line, "\n")] = '\0';
    }
    if (strcmp(approved_line, a->line) != 0) {
        approved_show(a);
        fail_msg("%s:%d: what came out (above) is not what was approved; if it is better, say make approve\nis   "
                 "%s\nwas  %s",
            a->path, a->cases, a->line, approved_line);
    }
}

/* Ends the file: there is no other case in it. */
static inline void approved_close(approved *a)
{
    char rest[2];
    if (!a->writing && fgets(rest, sizeof rest, a->file)) {
        fail_msg("%s: has more lines than the %d cases that there are; say make approve", a->path, a->cases);
    }
    fclose(a->file);
    fclose(a->whole);
}

/* The text with its decimal numbers rounded to 6 digits, which no compiler and no library changes; to be freed. */
static inline char *approved_round(const char *text)
{
    char *out = malloc(2 * strlen(text) + 1), *to = out;
    assert_non_null(out);
    while (*text) {
        char *end = NULL;
        const bool begins = isdigit((unsigned char)*text) || (*text == '.' && isdigit((unsigned char)text[1]));
        const double x = begins ? strtod(text, &end) : 0.0;
        const bool word = begins && to > out && (isalnum((unsigned char)to[-1]) || to[-1] == '_');
        if (!begins || word || end - text < 8) {
            do {
                *to++ = *text++;
            } while (begins && text < end);
            continue;
        }
        if (x < 1e-9 && to > out && to[-1] == '-') {
            to--;
        }
        to += sprintf(to, "%.6g", x < 1e-9 ? 0.0 : x);
        text = end;
    }
    *to = '\0';
    return out;
}

#endif
