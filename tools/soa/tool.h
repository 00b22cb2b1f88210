/* tool.h - what the commands of the program share.
 *
 * A command writes its result into call->out, which is kept in memory and goes to
 * standard output only when the command succeeded: a failure leaves one line on
 * standard error and nothing else. A failure ends the command at once; memory that
 * was taken by tool_take is returned then, or when the command is done. */
#ifndef SOA_TOOL_H
#define SOA_TOOL_H

#include <stdbool.h>
#include <stdio.h>

#include "soa/soa.h"

/* Exit status. */
enum { TOOL_OK = 0, TOOL_FAILED = 1, TOOL_USAGE = 2 };

/* ---- commands ------------------------------------------------------------------ */

#define TOOL_MAX_OPTIONS 32
#define TOOL_ANY         0x7fffffff /* as many operands as one likes */
#define TOOL_MAX_GIVEN   256
#define TOOL_MAX_NOTES   16

/* A list of options ends with a row without a name. */
typedef struct tool_option {
    const char *name;     /* of "--name" */
    char letter;          /* of "-l", or 0 */
    const char *argument; /* what the value is called; NULL: it takes none */
    const char *text;
} tool_option;

typedef struct tool_call tool_call;

typedef struct tool_command {
    const char *name;
    const char *summary; /* one line without a full stop */
    const char *usage;   /* what follows "soa NAME " */
    int least, most;     /* operands */
    const tool_option *options;
    const char *text; /* more help, or NULL */
    void (*run)(tool_call *call);
} tool_command;

/* How people are to see the output. */
typedef struct tool_style {
    bool colour;
    bool utf8;
} tool_style;

struct tool_call {
    const tool_command *command;
    int operands;
    char **operand;
    const char *value[TOOL_MAX_OPTIONS]; /* of each option; NULL if not given, "" if it takes none */
    int given;                           /* values of all options in the order of the command line, repeated ones too */
    struct {
        int option;
        const char *value;
    } value_given[TOOL_MAX_GIVEN];
    bool help;
    bool keep; /* the output says why the command failed: it is let out all the same */
    FILE *out;
    tool_style style;
    int notes;                  /* that were made */
    char *note[TOOL_MAX_NOTES]; /* for JSON */
};

void tool_info(tool_call *call);
void tool_models(tool_call *call);
void tool_convert(tool_call *call);
void tool_bench(tool_call *call);
void tool_demo(tool_call *call);
void tool_completion(tool_call *call);
void tool_compute(tool_call *call);
void tool_check(tool_call *call);
void tool_eval(tool_call *call);
void tool_project(tool_call *call);
void tool_flex(tool_call *call);
void tool_prove(tool_call *call);
void tool_simplify(tool_call *call);
void tool_derive(tool_call *call);
void tool_tutor(tool_call *call);
void tool_explain(tool_call *call);
void tool_emit(tool_call *call);
void tool_repl(tool_call *call);
void tool_sim(tool_call *call);
void tool_plot(tool_call *call);
void tool_view(tool_call *call);
void tool_sweep(tool_call *call);

extern const tool_option TOOL_INFO_OPTIONS[], TOOL_MODELS_OPTIONS[], TOOL_CONVERT_OPTIONS[], TOOL_BENCH_OPTIONS[],
    TOOL_NO_OPTIONS[], TOOL_FLEX_OPTIONS[];
extern const tool_option TOOL_COMPUTE_OPTIONS[], TOOL_CHECK_OPTIONS[], TOOL_EVAL_OPTIONS[], TOOL_PROJECT_OPTIONS[];
extern const tool_option TOOL_PROVE_OPTIONS[], TOOL_SIMPLIFY_OPTIONS[], TOOL_EXPLAIN_OPTIONS[], TOOL_SIM_OPTIONS[],
    TOOL_PLOT_OPTIONS[], TOOL_SWEEP_OPTIONS[], TOOL_EMIT_OPTIONS[], TOOL_VIEW_OPTIONS[];

int tool_commands(void);
const tool_command *tool_command_at(int index);

/* Operands and options of a command. */
void tool_parse(tool_call *call, int count, char **word);

/* The value of an option of the command; NULL if it was not given. */
const char *tool_value(const tool_call *call, const char *option);

/* Value number i of an option that may be repeated; NULL if there are fewer. */
const char *tool_value_at(const tool_call *call, const char *option, int i);
void tool_help(FILE *out, const tool_command *command);

/* ---- the way out, and memory ------------------------------------------------------ */

/* Marks a function that does not return: it ends the command. */
#define TOOL_ENDS __attribute__((noreturn))

/* Ends what tool_try runs, with a status. */
TOOL_ENDS void tool_end(int status);

/* Runs something. TOOL_OK: it came to its end; else the status with which it was ended. */
int tool_try(void (*run)(void *context), void *context);

/* Zeros; a larger block in place of one (NULL: of none); a copy of a text. There is memory, or the command ends. */
void *tool_take(size_t count, size_t size);
void *tool_grow(void *memory, size_t size);
char *tool_copy(const char *text);

/* The memory of tool_take for objects of the library, which then need not be freed. Any thread may use it; only the first may
 * call what ends the command. */
extern const soa_allocator TOOL_MEMORY;

/* Returns a block, as loops do with what each round takes; at the end of the program, all that are left. */
void tool_return(void *memory);
void tool_return_all(void);

/* ---- messages and output --------------------------------------------------------- */

/* "soa: text" on standard error. tool_fail then ends the command with TOOL_FAILED. */
void tool_say(const char *format, ...) SOA_PRINTF(1, 2);
TOOL_ENDS void tool_fail(const char *format, ...) SOA_PRINTF(1, 2);

/* A call of the library that must go well: tool_must(soa_load(..., tool_error())). tool_say_error says what went wrong in the
 * last one that was given tool_error(). */
soa_error *tool_error(void);
void tool_must(soa_status status);

/* tool_must for a call on states, of which the first has the number `first`: the message names that number plus `state`, or, if
 * that is -1, plus the one that the error names. */
void tool_must_for(int first, int state, soa_status status);
void tool_say_error(void);

/* "soa: FILE: out of memory", FILE being the one that tool_set_subject named last. */
TOOL_ENDS void tool_fail_memory(void);
void tool_set_subject(const char *file);

/* "soa: text" and where to find help; ends the command with TOOL_USAGE. command may be NULL. */
TOOL_ENDS void tool_wrong_usage(const tool_command *command, const char *format, ...) SOA_PRINTF(2, 3);

/* "soa: note: text" on standard error; kept in the call, for JSON. */
void tool_note(tool_call *call, const char *format, ...) SOA_PRINTF(2, 3);

tool_style tool_style_of(int descriptor);

/* Seconds by a clock that only goes on. */
double tool_clock(void);

/* Text that a stream gathers in memory; to be freed. NULL: out of memory. */
typedef struct tool_gathered {
    char *text;
    size_t length, room;
} tool_gathered;
FILE *tool_gather(tool_gathered *g);
/* Closes the stream (NULL: none). Whether it holds all that was written. */
bool tool_gather_end(tool_gathered *g, FILE *out);

/* All of a text to standard output. A reader who has gone away is no failure. */
int tool_write(const char *text, size_t length);

/* The nearest of `count` words (by edits), or NULL if none is near. */
const char *tool_nearest(const char *word, int count, const char *(*at)(int index));

/* ---- text for people --------------------------------------------------------------- */

typedef enum tool_ink { INK_PLAIN, INK_BOLD, INK_FAINT, INK_WARNING } tool_ink;

#define TOOL_CELL 128

/* A copy with '?' for control characters, for those that turn the direction of
 * writing and for what is not UTF-8, so that a name in a file cannot drive the
 * terminal; cut to size. Returns buffer. */
char *tool_clean_into(char *buffer, size_t size, const char *text);

/* What a format says, and a clean copy cut to TOOL_CELL: each stays until fifteen others have been made. */
char *tool_text(const char *format, ...) SOA_PRINTF(1, 2);
char *tool_clean(const char *text);

/* Columns of the terminal; 160 where there is none. */
int tool_columns(const tool_call *call);

/* Columns that a text takes: characters, not bytes. */
int tool_width(const char *text);

/* text, then blanks up to `width` columns. */
void tool_put(const tool_call *call, tool_ink ink, const char *text, int width);

/* ---- models -------------------------------------------------------------------------- */

/* A file, or "builtin:NAME". */
soa_model *tool_load(const char *name);

/* What to call the link in output: its name, "world" for SOA_WORLD. */
const char *tool_link_name(const soa_model *model, int link);

/* The name of a closure, or the links that it joins. */
const char *tool_closure_label(const soa_model *model, const soa_closure *closure);

/* A joint of the file: it moves or has a name. */
bool tool_is_joint(const soa_link *link);
bool tool_is_virtual(const soa_model *model, int link);
bool tool_has_axis(soa_joint_kind kind);

/* Whether a link moves with another one, or not at all. */
bool tool_is_merged(const soa_model *model, int link);

/* The tree of the links that are in the file. Virtual ones stand between a link and
 * its parent: parent skips them, and owner[virtual] is the link they belong to. */
typedef struct tool_tree {
    int links;
    int *parent, *child, *sibling, *owner;
    int root;
} tool_tree;

tool_tree tool_tree_make(const soa_model *model);

/* "FILE:LINE: text" of a warning, as much as is known. */
char *tool_warning(const soa_model *model, int index);

/* How many links have a mass that depends on absent files. */
int tool_unknown_masses(const soa_model *model);

void tool_info_header(const tool_call *call, const soa_model *model, const char *source);
/* Rows of the closures that depend on others, and what would do without them. */
void tool_info_redundancy(const tool_call *call, const soa_model *model);
/* How many velocities couplings and closures hold in general configurations; 0 if that is not known. */
int tool_info_rank(const soa_model *model);
void tool_info_tree(const tool_call *call, const soa_model *model, const tool_tree *tree, bool all);
void tool_info_json(const tool_call *call, const soa_model *model, const tool_tree *tree);

#endif
