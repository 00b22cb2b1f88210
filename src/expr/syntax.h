/* expr/syntax.h - the syntax tree of an expression, with the places of its parts.
 *
 *     program   = { [ statement ] ( ";" | newline ) }
 *     statement = name ":" type { "," trait } | name "=" sum | sum
 *               | "let" name "(" name { "," name } ")" "=" sum | "assume" ( sum "=" sum | "no" "rotors" | name "constant" )
 *     equation  = sum "=" sum
 *     sum       = [ "+" | "-" ] product { ( "+" | "-" ) product }
 *     product   = factor { [ "*" | "/" number ] factor }
 *     factor    = atom { "'" | "*" | "^" exponent | block }
 *     exponent  = "T" | "*" | [ "-" ] number [ "/" number ] | "(" exponent ")" | "{" exponent "}"
 *     atom      = number | name | ( "I" | "0" ) [ "[" type "]" ] | "(" sum ")"
 *               | ( "inv" | "sqrt" | "trace" | "diag" | "logdet" | "pinv" | "dot" ) "(" sum ")"
 *               | "d" "(" sum "," name ")" | "sum" "(" name "," sum ")" | name "(" sum { "," sum } ")"
 *     block     = "[" body [ "," body ] "]" | "(" number [ "," number ] ")"
 *     type      = place [ "->" place ]
 *     place     = ( "joint" | "body" | "point" | "constraint" ) ( "force" | "motion" | "velocity" | ... ) */
#ifndef SOA_EXPR_SYNTAX_H
#define SOA_EXPR_SYNTAX_H

#include "expr/lex.h"
#include "expr/parse.h"

typedef enum soa_syntax_kind {
    SOA_SYNTAX_NUMBER,
    SOA_SYNTAX_IDENTITY,
    SOA_SYNTAX_ATOM, /* an operator, a vector, a definition: its term */
    SOA_SYNTAX_SUM,
    SOA_SYNTAX_PRODUCT,
    SOA_SYNTAX_ADJOINT,
    SOA_SYNTAX_INVERSE,
    SOA_SYNTAX_ROOT,
    SOA_SYNTAX_POWER, /* value times itself */
    SOA_SYNTAX_DERIVATIVE,
    SOA_SYNTAX_MEASURE,     /* trace( ), diag( ), logdet( ), pinv( ) */
    SOA_SYNTAX_BLOCK,       /* [row,col] */
    SOA_SYNTAX_OVER_BODIES, /* the sum over all bodies, which are called row in it */
} soa_syntax_kind;

/* A place that the checker looks for: found, or the same as another one (or its dual), or free. */
typedef struct soa_unknown {
    bool found;
    soa_place place;
    struct soa_unknown *same; /* NULL: none */
    bool dual;
} soa_unknown;

/* One end of what a node goes between. */
typedef struct soa_end {
    soa_unknown *at;
    bool dual;
} soa_end;

typedef struct soa_syntax {
    soa_syntax_kind kind;
    int begin, end;                  /* bytes of the text */
    struct soa_syntax *first, *next; /* child, and next child of the parent */
    int height;                      /* of the tree below; at most SOA_PARSE_HEIGHT, so that recursions over it end */
    soa_ratio value;                 /* NUMBER; POWER: a whole number */
    int sign;                        /* of this child of a sum */
    bool typed;                      /* NUMBER 0, IDENTITY: type is given */
    bool scales;                     /* a number that multiplies the other factors of its product, wherever it stands */
    soa_type type;                   /* the one given; of any after checking */
    const soa_term *term;            /* ATOM; DERIVATIVE: the coordinate; of a part of a sum or product when built */
    soa_measure measure;
    const char *row, *col;        /* BLOCK, OVER_BODIES: bodies by number or name */
    soa_end from, to;             /* while checking */
    soa_unknown own[2];           /* what from and to are when nothing else is known */
    struct soa_syntax *next_root; /* ROOT: the next whose direction is open */
} soa_syntax;

/* Definitions by name, in the order in which they were made. */
typedef struct soa_definition {
    const char *name;
    const soa_term *term;
} soa_definition;

/* let name(parameter, ...) = body: a call is replaced by the body, token by token, before it is parsed. */
enum { SOA_PARAMETERS = 8 };

typedef struct soa_function {
    const char *name;
    int parameters;
    const char *parameter[SOA_PARAMETERS];
    int count; /* tokens of the body */
    const soa_token *body;
} soa_function;

/* What a user has defined so far. Names live in the pool of the terms. */
struct soa_scope {
    soa_array definitions; /* of soa_definition */
    soa_array functions;   /* of soa_function */
};

/* One text while it is parsed, checked and built. */
typedef struct soa_parser {
    soa_terms *pool;
    const soa_scope *scope; /* NULL: none */
    const char *text;
    soa_arena arena;
    soa_array tokens; /* of soa_token */
    int at;           /* the token looked at */
    soa_arena tree;   /* the nodes of one reading */
    int nodes;        /* how many they are */
    int depth;
    unsigned stars;      /* which of the ambiguous stars are adjoints, bit by bit */
    int star_count;      /* how many there were */
    int star_at;         /* where the first of them is */
    const soa_term *q_i; /* the coordinate of this name; NULL: one like others */
    soa_error *error;
    soa_status status;
} soa_parser;

typedef struct soa_sides {
    const soa_term *left, *right; /* right NULL: no equation */
} soa_sides;

/* ---- parser.c: tokens, nodes, types, and the readings of a text ------------------------------------------ */

/* Ready to parse the text: its tokens are made. A line goes on after or before a sign that needs a second operand and
 * within parentheses; with `joined` all of them do. */
soa_status soa_parser_begin(
    soa_parser *p, soa_terms *pool, const soa_scope *scope, const char *text, bool joined, soa_error *error);
void soa_parser_end(soa_parser *p);

/* The expression or equation at the token looked at, up to the end of the statement. */
soa_status soa_parser_sides(soa_parser *p, bool equation, soa_sides *sides);

/* The token of that number (the last is END); the one looked at, and the one behind it. */
const soa_token *soa_parser_token_at(const soa_parser *p, int at);
const soa_token *soa_parser_token(const soa_parser *p);
const soa_token *soa_parser_after(const soa_parser *p);

/* Whether the token looked at is of a kind, ends a statement, is the first of an operand; and if of a kind, to go on. */
bool soa_parser_looks_at(const soa_parser *p, soa_token_kind kind);
bool soa_parser_accept(soa_parser *p, soa_token_kind kind);
bool soa_token_ends(const soa_token *token);

/* Keeps the first thing that went wrong, at a byte of the text; at the token looked at. Both give NULL, which is false. */
void *soa_parser_fail(soa_parser *p, soa_status status, int at, const char *format, ...) SOA_PRINTF(4, 5);
void *soa_parser_fail_token(soa_parser *p, const char *what);

/* The block; if it is NULL there is no memory, and that is the failure. */
void *soa_parser_given(soa_parser *p, void *block);

/* A node that ends with the token before the one looked at; NULL: the parser has failed, now or before. */
soa_syntax *soa_parser_new(soa_parser *p, soa_syntax node);

/* A type at the token looked at; the type in brackets behind 0 or I, if there is one. (words.c) */
bool soa_parser_type(soa_parser *p, soa_type *type);
bool soa_parser_bracket_type(soa_parser *p, soa_syntax *node);

/* ---- grammar: syntax.c, atom.c, function.c ------------------------------------------------------------------ */

/* The sum, and the atom, that begins at the token looked at. */
soa_syntax *soa_parser_sum(soa_parser *p);
soa_syntax *soa_parser_atom(soa_parser *p);

/* The parenthesis that closes this one. */
bool soa_parser_close(soa_parser *p, const soa_token *open);

/* Whether the bodies of a block stand here, as in [link4] or (4); that block of a node. */
bool soa_parser_at_block(const soa_parser *p);
soa_syntax *soa_parser_block(soa_parser *p, soa_syntax *of);

/* At the name of a function that is called: its body, with what is given for its parameters, takes the place of the call.
 * The name looked at may be that of another function then. False after an error. */
bool soa_parser_call(soa_parser *p);

/* "let" name "(" names ")" "=" body, at the name. */
bool soa_parser_function(soa_parser *p, soa_scope *scope);

/* ---- meaning: meaning.c, type.c, mismatch.c, build.c ---------------------------------------------------------- */

/* The term of a name; the error names the nearest known one. */
const soa_term *soa_names_term(soa_parser *p, const soa_token *token);
bool soa_names_reserved(const char *name); /* it is a word of the language */
const soa_definition *soa_scope_find(const soa_scope *scope, const char *name);

/* Gives every node below (of an equation: both sides, else right is NULL) its type. */
bool soa_parser_check(soa_parser *p, soa_syntax *left, soa_syntax *right);

/* A node and what is known of its type. */
typedef struct soa_typed {
    const soa_syntax *node;
    soa_type type;
    bool from_known, to_known;
} soa_typed;

/* Why two nodes do not fit, in words: a factor on the next one; two of which is said that they cannot be added, or equal. */
void *soa_explain_product(soa_parser *p, soa_typed a, soa_typed b);
void *soa_explain_pair(soa_parser *p, soa_typed a, soa_typed b, const char *conclusion);

/* The term of a checked node. */
const soa_term *soa_parser_build(soa_parser *p, const soa_syntax *node);

#endif
