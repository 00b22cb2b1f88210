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

/* A space and side not known yet: one of the checker's variables, or its dual. */
typedef struct soa_end {
    int variable;
    bool dual;
} soa_end;

typedef struct soa_syntax {
    soa_syntax_kind kind;
    int begin, end;       /* bytes of the text */
    int first, next;      /* child, and next child of the parent; -1: none */
    int height;           /* of the tree below; at most SOA_PARSE_HEIGHT, so that recursions over it end */
    soa_ratio value;      /* NUMBER; POWER: a whole number */
    int sign;             /* of this child of a sum */
    bool typed;           /* NUMBER 0, IDENTITY: type is given */
    bool scales;          /* a number that multiplies the other factors of its product, wherever it stands */
    soa_type type;        /* the one given; of any after checking */
    const soa_term *term; /* ATOM; DERIVATIVE: the coordinate; of any when built */
    soa_measure measure;
    const char *row, *col; /* BLOCK, OVER_BODIES: bodies by number or name */
    soa_end from, to;      /* while checking */
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

struct soa_scope {
    soa_allocator allocator;
    soa_arena arena;
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
    soa_array nodes;  /* of soa_syntax */
    int depth;
    unsigned stars; /* which of the ambiguous stars are adjoints, bit by bit */
    int star_count; /* how many there were */
    int star_at;    /* where the first of them is */
    soa_error *error;
    soa_status status;
} soa_parser;

/* Ready to parse the text: its tokens are made. */
soa_status soa_parser_begin(soa_parser *p, soa_terms *pool, const soa_scope *scope, const char *text, soa_error *error);
void soa_parser_end(soa_parser *p);

/* The token behind the one looked at; whether that one is of a kind; and if so, to go on. */
const soa_token *soa_parser_after(const soa_parser *p);
bool soa_parser_looks_at(const soa_parser *p, soa_token_kind kind);
bool soa_parser_accept(soa_parser *p, soa_token_kind kind);

/* At the name of a function that is called: its body, with what is given for its parameters, takes the place of the call.
 * The name looked at may be that of another function then. -1 after an error; 0: it is no call. (function.c) */
int soa_parser_call(soa_parser *p);

/* "let" name "(" names ")" "=" body, at the name. */
bool soa_parser_function(soa_parser *p, soa_scope *scope);

/* A node of its own; -1 after an error. */
int soa_parser_new(soa_parser *p, soa_syntax node);

/* The node of the sum that begins at the token looked at; -1 after an error. */
int soa_parser_sum(soa_parser *p);

/* The node of the atom at the token looked at; -1 after an error. (atom.c) */
int soa_parser_atom(soa_parser *p);

/* Whether the bodies of a block stand here, as in [link4] or (4); the node of that block of a node. */
bool soa_parser_at_block(const soa_parser *p);
int soa_parser_block(soa_parser *p, int node);

/* The parenthesis that closes this one; false after an error. */
bool soa_parser_close(soa_parser *p, const soa_token *open);

/* A type at the token looked at. */
bool soa_parser_type(soa_parser *p, soa_type *type);

/* The type in brackets behind 0 or I, if there is one. */
bool soa_parser_bracket_type(soa_parser *p, soa_syntax *node);

soa_syntax *soa_parser_node(const soa_parser *p, int node);
const soa_token *soa_parser_token(const soa_parser *p);

/* -1, with the first thing that went wrong at a byte of the text. */
int soa_parser_fail(soa_parser *p, soa_status status, int at, const char *format, ...) SOA_PRINTF(4, 5);

/* The same at the token looked at. */
int soa_parser_fail_token(soa_parser *p, const char *what);

/* Gives every node below (of an equation: both sides, right -1 if it is none) its type. */
bool soa_parser_check(soa_parser *p, int left, int right);

/* The term of a checked node; NULL after an error. */
const soa_term *soa_parser_build(soa_parser *p, int node);

/* Whether a built term may be inverted; false after an error at the node. */
bool soa_parser_invertible(soa_parser *p, int node, const soa_term *term);

#endif
