/* program.h - what the commands of the operator language share. */
#ifndef SOA_TOOL_PROGRAM_H
#define SOA_TOOL_PROGRAM_H

#include "tool.h"

/* The options of these commands that say what names mean. */
#define TOOL_PROGRAM_OPTIONS                                                                            \
    { "let", 'l', "STATEMENT", "a declaration or definition, as \"x: joint force\"; may be repeated" }, \
    {                                                                                                   \
        "file", 'f', "FILE", "a file of definitions; may be repeated"                                   \
    }

/* A program of all --file and --let, then of the text (or the file of that name, if it
 * ends in .soa; NULL: nothing). */
soa_program *tool_program_read(const tool_call *call, const char *text, soa_reading reading);

/* Adds a text, or the file of that name. */
void tool_program_read_more(const char *text, soa_reading reading, soa_program *program);

/* Adds a text; `file` names it in messages, NULL for the command line. */
void tool_program_add(soa_program *program, const char *text, const char *file, soa_reading reading);

/* By --unicode and --latex. */
soa_notation tool_notation(const tool_call *call);

/* Writes a text to a file, whole or not at all. */
void tool_write_text(const char *path, char *text);

/* A text of the library to the output; freed. */
void tool_put_text(const tool_call *call, soa_program *program, char *text);

/* How long proofs and simplifications may take. */
#define TOOL_SECONDS_OPTION                                                 \
    {                                                                       \
        "seconds", 0, "S", "give up after S seconds (default 10; 0: never)" \
    }

/* Holds a program to --seconds, and lets Ctrl-C end a proof until tool_limits_end, which may come without it. */
void tool_limits_begin(const tool_call *call, soa_program *program);
void tool_limits_end(void);

#endif
