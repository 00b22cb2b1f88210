/* tests/io/approved_edits.h - what becomes of a file in which one thing was changed, beside what was approved: every word of
 * every line is left out, misspelled, doubled or replaced in turn, and every line is left out and doubled. */
#ifndef SOA_TESTS_IO_APPROVED_EDITS_H
#define SOA_TESTS_IO_APPROVED_EDITS_H

#include <unistd.h>

#include "approved.h"
#include "counting.h"

/* Tells what became of the text. */
typedef void edited_reader(FILE *out, const char *text, const char *file);

static char *edited_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t length = 0;
    assert_non_null(file);
    FILE *copy = open_memstream(&text, &length);
    for (int c; (c = fgetc(file)) != EOF;) {
        fputc(c, copy);
    }
    fclose(file);
    fclose(copy);
    return text;
}

static inline void edited_write(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_true(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

/* Where readers take their memory; all of it is given back. */
static counting edited_blocks;
static soa_allocator edited_memory;

/* What became of the file as it is: readers may tell what is new beside it. */
static char *edited_was;

/* The inputs in a folder of their own, where the program goes on; files may be changed there. */
static char edited_folder[] = "approved-XXXXXX";

static int edited_enter(void **state)
{
    (void)state;
    char command[1024];
    edited_memory = counting_on(&edited_blocks, COUNTING_PLENTY);
    if (!mkdtemp(edited_folder)) {
        return -1;
    }
    snprintf(command, sizeof command, "cp '%s'/tests/approved/inputs/* %s", SOA_SOURCE, edited_folder);
    return system(command) == 0 ? chdir(edited_folder) : -1;
}

static int edited_leave(void **state)
{
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", edited_folder);
    return chdir("..") == 0 ? system(command) : -1;
}

static int edited_word(const char *at)
{
    int length = 0;
    while (isalnum((unsigned char)at[length]) || (at[length] && strchr("_.+-", at[length]))) {
        length++;
    }
    return length;
}

static void edited_try(
    FILE *out, edited_reader *read, const char *file, const char *text, size_t at, size_t length, const char *instead)
{
    char *edited = malloc(strlen(text) + strlen(instead) + 1);
    assert_non_null(edited);
    sprintf(edited, "%.*s%s%s", (int)at, text, instead, text + at + length);
    fprintf(out, "'%.*s' -> '%s': ", (int)length, text + at, instead);
    read(out, edited, file);
    edited_blocks.left = COUNTING_PLENTY;
    assert_int_equal(edited_blocks.open, 0);
    free(edited);
}

static void edited_line(FILE *out, edited_reader *read, const char *file, const char *text, size_t begin, size_t end)
{
    char twice[1024];
    assert_true(end - begin < sizeof twice / 2);
    snprintf(twice, sizeof twice, "%.*s%.*s", (int)(end - begin), text + begin, (int)(end - begin), text + begin);
    edited_try(out, read, file, text, begin, end - begin, "");
    edited_try(out, read, file, text, begin, end - begin, twice);
    for (size_t at = begin, length; at < end; at += length) {
        length = (size_t)edited_word(text + at);
        if (length == 0) {
            length = 1;
            continue;
        }
        char more[2][512];
        snprintf(more[0], sizeof more[0], "%.*sx", (int)length, text + at);
        snprintf(more[1], sizeof more[1], "%.*s %.*s", (int)length, text + at, (int)length, text + at);
        const char *const instead[] = { "", more[0], more[1], "-1", "0", "nan", "1e999" };
        for (size_t i = 0; i < sizeof instead / sizeof instead[0]; i++) {
            edited_try(out, read, file, text, at, length, instead[i]);
        }
    }
}

/* A case for the file as it is, and one for each of its lines. */
static void edited_approve(approved *a, const char *file, edited_reader *read)
{
    char *text = edited_text(file);
    size_t begin = 0, end;
    for (int line = 0; line == 0 || text[begin]; line++, begin = end) {
        char name[1200], *said = NULL;
        size_t length = 0;
        FILE *out = open_memstream(&said, &length);
        end = line == 0 ? 0 : begin + strcspn(text + begin, "\n") + 1;
        snprintf(name, sizeof name, "%s:%d: %.*s", file, line, line == 0 ? 0 : (int)(end - begin) - 1, text + begin);
        name[150] = '\0';
        approved_case(a, name);
        if (line == 0) {
            read(out, text, file);
        } else {
            edited_line(out, read, file, text, begin, end);
        }
        fclose(out);
        char *rounded = approved_round(said);
        approved_text(a, "said", rounded);
        approved_end(a);
        free(rounded);
        free(said);
    }
    free(text);
}

/* The cases of some files, which are as they were behind it. */
static inline void edited_approve_files(const char *name, int count, const char *const *file, edited_reader *read)
{
    assert_int_equal(chdir(".."), 0);
    approved a = approved_open(name);
    assert_int_equal(chdir(edited_folder), 0);
    for (int i = 0; i < count; i++) {
        char *text = edited_text(file[i]);
        edited_was = NULL;
        edited_approve(&a, file[i], read);
        edited_write(file[i], text);
        free(edited_was);
        free(text);
    }
    approved_close(&a);
}

/* The lines of a text that was made by malloc and that the file as it is has not. */
static inline void edited_new_lines(FILE *out, char *is)
{
    int lines = 0;
    for (char *line = is, *end; *line; line = end + 1, lines++) {
        end = strchr(line, '\n');
        *end = '\0';
        const char *found = edited_was ? strstr(edited_was, line) : NULL;
        if (!found || found[end - line] != '\n') {
            fprintf(out, "%s\n", line);
        }
        *end = '\n';
    }
    fprintf(out, "%d lines\n", lines);
    if (edited_was) {
        free(is);
    } else {
        edited_was = is;
    }
}

/* The message; of other libraries it tells the line alone, since their words are theirs. */
static inline void edited_refused(FILE *out, const soa_error *error)
{
    const bool theirs = strncmp(error->text, "XML: ", 5) == 0 || strncmp(error->text, "not YAML: ", 10) == 0;
    fprintf(out, "%d %s:%d:%d: %s\n", (int)error->status, error->file, error->line, error->column,
        theirs ? "malformed" : error->text);
}

#endif
