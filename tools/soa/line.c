/* line.c - lines that someone types. With libedit (SOA_EDIT) on a terminal: history in
 * ~/.soa_history and completion; otherwise plain lines of standard input. */
#include "line.h"

#include <stdbool.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *plain_line(void)
{
    char *line = NULL;
    size_t size = 0;
    const ssize_t length = getline(&line, &size, stdin);
    if (length < 0) {
        free(line);
        return NULL;
    }
    line[strcspn(line, "\r\n")] = '\0';
    return line;
}

#ifdef SOA_EDIT
#include <editline/readline.h>

static const char *(*words)(int index);

/* The words that begin with the text, one per call. */
static char *next_word(const char *text, int state)
{
    static int index;
    const char *word;
    index = state == 0 ? 0 : index;
    while ((word = words(index)) != NULL) {
        index++;
        if (word[0] != '\0' && strncmp(word, text, strlen(text)) == 0) {
            return strdup(word);
        }
    }
    return NULL;
}

static char **complete(const char *text, int start, int end)
{
    (void)start;
    (void)end;
    rl_attempted_completion_over = 1;
    return rl_completion_matches(text, next_word);
}

static const char *history_file(char *path, size_t size)
{
    const char *home = getenv("HOME");
    snprintf(path, size, "%s/.soa_history", home != NULL ? home : ".");
    return path;
}

static bool edits(void)
{
    return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

void tool_line_begin(const char *(*word)(int index))
{
    char path[4096];
    words = word;
    if (edits()) {
        rl_readline_name = "soa";
        rl_attempted_completion_function = complete;
        rl_basic_word_break_characters = " \t()[]+-*'^=;";
        using_history();
        (void)read_history(history_file(path, sizeof path));
    }
}

char *tool_line_read(const char *prompt)
{
    if (!edits()) {
        return plain_line();
    }
    char *line = readline(prompt);
    if (line != NULL && line[0] != '\0') {
        (void)add_history(line);
    }
    return line;
}

void tool_line_end(void)
{
    char path[4096];
    if (edits()) {
        stifle_history(1000);
        (void)write_history(history_file(path, sizeof path));
    }
}

#else

void tool_line_begin(const char *(*word)(int index))
{
    (void)word;
}

char *tool_line_read(const char *prompt)
{
    if (isatty(STDIN_FILENO)) {
        fputs(prompt, stdout);
        fflush(stdout);
    }
    return plain_line();
}

void tool_line_end(void)
{
}

#endif
