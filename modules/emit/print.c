/* emit/print.c - a tape as a C function: a statement for each value that is used more than once, the others inside. */
#include "emit/print.h"

#include <math.h>

#include "core/number.h"

enum {
    MOST_STATEMENTS = 2000, /* of one function: compilers take longer than in proportion */
    MOST_NESTED = 6         /* operations in one expression */
};

typedef struct printer {
    const emit_function *f;
    const tape *t;
    text *to;
    int count, *order, *uses;
    int *statement; /* of each node: its number among the statements; -1: inside another */
    int *nested;    /* operations of a node's expression */
    int *part;      /* of each statement node: in which function it stands */
    int *slot;      /* of each node: where it is handed on, or -1 */
    int *name;      /* of each node: its number in the part that is printed, or -1 */
    int *angle;     /* of SIN and COS: which angle */
    int angles, parts, slots, names;
    double *argument; /* of each angle */
    int values;
    double *value; /* all outputs, one after another */
} printer;

static const char *type_of(const emit_style *s)
{
    return s->lanes > 1 ? "real" : s->single ? "float" : "double";
}

static const char *number_type(const emit_style *s)
{
    return s->single ? "float" : "double";
}

void emit_signature(text *to, const emit_function *f)
{
    put(to, "void %s(", f->name);
    for (int i = 0; i < f->inputs; i++) {
        put(to, "const %s *%s, ", number_type(&f->style), f->in[i].name);
    }
    for (int i = 0; i < f->outputs; i++) {
        put(to, "%s *%s%s", number_type(&f->style), f->out[i].name, i + 1 < f->outputs ? ", " : ")");
    }
}

/* ---- expressions ---------------------------------------------------------------------------- */

static void put_number(printer *p, double x)
{
    char digits[SOA_NUMBER_SIZE + 2];
    if (p->f->style.single) {
        x = (double)(float)x;
        snprintf(digits, sizeof digits, "%.9g", x);
        for (char *c = digits; *c != '\0'; c++) {
            *c = *c == ',' ? '.' : *c;
        }
    } else {
        soa_number_write(digits, x);
    }
    put(p->to, "%s%s%s", digits, strpbrk(digits, ".e") == NULL ? ".0" : "", p->f->style.single ? "f" : "");
}

static const tape_node *node_at(const printer *p, double x)
{
    return &p->t->node[tape_node_of(x)];
}

/* A node whose expression stands inside that of another. */
static bool is_inside(const printer *p, double x)
{
    return tape_is_node(x) && p->statement[tape_node_of(x)] < 0;
}

static bool is_op(const printer *p, double x, int op)
{
    return is_inside(p, x) && node_at(p, x)->op == op;
}

static bool is_sum(const printer *p, double x)
{
    return is_op(p, x, TAPE_ADD) || is_op(p, x, TAPE_SUB) || is_op(p, x, TAPE_NEG);
}

static void put_expression(printer *p, const tape_node *n);

static void put_value(printer *p, double x, bool brackets)
{
    if (!tape_is_node(x)) {
        put_number(p, x);
    } else if (!is_inside(p, x)) {
        put(p->to, "t%d", p->name[tape_node_of(x)]);
    } else {
        put(p->to, brackets ? "(" : "");
        put_expression(p, node_at(p, x));
        put(p->to, brackets ? ")" : "");
    }
}

/* x + c y with a negative number c is x - |c| y, to the bit. */
static bool put_less(printer *p, double x)
{
    if (!is_op(p, x, TAPE_MUL) || tape_is_node(node_at(p, x)->x[0]) || !(node_at(p, x)->x[0] < 0.0)) {
        return false;
    }
    put(p->to, " - ");
    put_number(p, -node_at(p, x)->x[0]);
    put(p->to, "*");
    put_value(p, node_at(p, x)->x[1], is_sum(p, node_at(p, x)->x[1]) || is_op(p, node_at(p, x)->x[1], TAPE_DIV));
    return true;
}

static void put_sum(printer *p, double a, double b)
{
    if (is_inside(p, a) && !is_inside(p, b)) { /* the product last */
        const double c = a;
        a = b, b = c;
    }
    put_value(p, a, false);
    if (!put_less(p, b)) {
        put(p->to, " + ");
        put_value(p, b, is_sum(p, b));
    }
}

static void put_call(printer *p, const char *function, const tape_node *n)
{
    put(p->to, "%s(", function);
    for (int i = 0; i < tape_operands(n->op); i++) {
        const bool number = p->f->style.lanes > 1 && !tape_is_node(n->x[i]);
        put(p->to, "%s%s", i > 0 ? ", " : "", number ? "real_set(" : "");
        put_value(p, n->x[i], false);
        put(p->to, number ? ")" : "");
    }
    put(p->to, ")");
}

static void put_product(printer *p, const char *sign, const tape_node *n)
{
    put_value(p, n->x[0], is_sum(p, n->x[0]));
    put(p->to, "%s", sign);
    put_value(p, n->x[1], is_inside(p, n->x[1]));
}

static void put_expression(printer *p, const tape_node *n)
{
    const bool lanes = p->f->style.lanes > 1;
    switch ((tape_op)n->op) {
    case TAPE_NEG:
        put(p->to, "-");
        put_value(p, n->x[0], is_inside(p, n->x[0]));
        return;
    case TAPE_ADD:
        put_sum(p, n->x[0], n->x[1]);
        return;
    case TAPE_SUB:
        put_value(p, n->x[0], false);
        put(p->to, " - ");
        put_value(p, n->x[1], is_sum(p, n->x[1]));
        return;
    case TAPE_MUL:
        put_product(p, "*", n);
        return;
    case TAPE_DIV:
        put_product(p, "/", n);
        return;
    case TAPE_FMA:
        put_call(p, "FMA", n);
        return;
    case TAPE_SQRT:
        put_call(p, lanes ? "real_sqrt" : p->f->style.single ? "sqrtf" : "sqrt", n);
        return;
    case TAPE_ABS:
        put_call(p, "real_abs", n);
        return;
    case TAPE_LESS:
        put_call(p, "real_less", n);
        return;
    case TAPE_SELECT:
        put_call(p, "real_select", n);
        return;
    case TAPE_SIN:
    case TAPE_COS:
    case TAPE_INPUT:
    case TAPE_OPS:
        break;
    }
}

/* ---- what stands where ----------------------------------------------------------------------- */

static bool may_stand_inside(const printer *p, int k)
{
    const int op = p->t->node[k].op;
    if (op == TAPE_LESS) {
        return true;
    }
    return p->uses[k] == 1 && (op == TAPE_NEG || op == TAPE_ADD || op == TAPE_SUB || op == TAPE_MUL || op == TAPE_FMA);
}

/* Where a node stands: inputs and what angles are made of, then sines, which are taken of all at once, then the others. */
static int rank_of(const printer *p, const bool *early, int k)
{
    const int op = p->t->node[k].op;
    return op == TAPE_SIN || op == TAPE_COS ? 1 : early[k] ? 0 : 2;
}

static void angles_first(printer *p, const bool *early, int *room)
{
    int n = 0;
    for (int rank = 0; rank < 3; rank++) {
        for (int i = 0; i < p->count; i++) {
            if (rank_of(p, early, p->order[i]) == rank) {
                room[n++] = p->order[i];
            }
        }
    }
    memcpy(p->order, room, (size_t)n * sizeof *room);
}

static void find_angles(printer *p)
{
    for (int i = 0; i < p->count; i++) {
        const int k = p->order[i];
        const tape_node *n = &p->t->node[k];
        if (n->op != TAPE_SIN && n->op != TAPE_COS) {
            continue;
        }
        int a = 0;
        while (a < p->angles && tape_bits(p->argument[a]) != tape_bits(n->x[0])) {
            a++;
        }
        p->argument[a] = n->x[0];
        p->angles += a == p->angles;
        p->angle[k] = a;
    }
}

static void mark_early(const printer *p, bool *early)
{
    for (int i = 0; i < p->count; i++) { /* outputs may lie over inputs, which the first function reads */
        early[p->order[i]] = p->t->node[p->order[i]].op == TAPE_INPUT;
    }
    for (int a = 0; a < p->angles; a++) {
        if (tape_is_node(p->argument[a])) {
            early[tape_node_of(p->argument[a])] = true;
            p->uses[tape_node_of(p->argument[a])] += 2; /* it is a statement */
        }
    }
    for (int k = p->t->count - 1; k >= 0; k--) {
        for (int i = 0; early[k] && i < tape_operands(p->t->node[k].op); i++) {
            if (tape_is_node(p->t->node[k].x[i])) {
                early[tape_node_of(p->t->node[k].x[i])] = true;
            }
        }
    }
}

/* Statements, numbered, and dealt to functions. */
static void make_statements(printer *p)
{
    int statements = 0;
    for (int i = 0; i < p->values; i++) { /* an output is a statement */
        if (tape_is_node(p->value[i])) {
            p->nested[tape_node_of(p->value[i])] = MOST_NESTED;
        }
    }
    for (int i = 0; i < p->count; i++) {
        const int k = p->order[i];
        const bool output = p->nested[k] == MOST_NESTED;
        int nested = 1;
        for (int j = 0; j < tape_operands(p->t->node[k].op); j++) {
            const double x = p->t->node[k].x[j];
            nested += is_inside(p, x) ? p->nested[tape_node_of(x)] : 0;
        }
        const bool inside = !output && nested < MOST_NESTED && may_stand_inside(p, k);
        p->nested[k] = nested;
        p->statement[k] = inside ? -1 : statements++;
        p->part[k] = inside ? -1 : p->statement[k] / MOST_STATEMENTS;
        p->parts = inside ? p->parts : p->part[k] + 1;
    }
}

/* Calls use(p, node, part) for each statement that the expression of a node names. */
static void each_named(printer *p, const tape_node *n, int part, void (*use)(printer *, int, int))
{
    for (int i = 0; i < tape_operands(n->op); i++) {
        if (is_inside(p, n->x[i])) {
            each_named(p, node_at(p, n->x[i]), part, use);
        } else if (tape_is_node(n->x[i])) {
            use(p, tape_node_of(n->x[i]), part);
        }
    }
}

static void note_last(printer *p, int k, int part)
{
    p->slot[k] = part > p->part[k] && part > p->slot[k] ? part : p->slot[k];
}

/* slot: first the last part that needs the value, then its place. A place is free again after that part. */
static bool make_slots(printer *p)
{
    for (int i = 0; i < p->count; i++) {
        const int k = p->order[i];
        if (p->statement[k] >= 0) {
            each_named(p, &p->t->node[k], p->part[k], note_last);
        }
    }
    int *until = calloc((size_t)p->count + 1, sizeof *until), first = 0;
    for (int i = 0; until != NULL && i < p->count; i++) {
        const int k = p->order[i];
        if (p->slot[k] < 0) {
            continue;
        }
        int s = first;
        while (s < p->slots && until[s] >= p->part[k]) {
            s++;
        }
        first = s; /* places before are taken, until the next part */
        if (i + 1 < p->count && p->part[p->order[i + 1]] > p->part[k]) {
            first = 0;
        }
        until[s] = p->slot[k];
        p->slots = s < p->slots ? p->slots : s + 1;
        p->slot[k] = s;
    }
    const bool done = until != NULL;
    free(until);
    return done;
}

/* ---- functions --------------------------------------------------------------------------------- */

static void load_shared(printer *p, int k, int part)
{
    if (p->part[k] < part && p->name[k] < 0) {
        p->name[k] = p->names++;
        put(p->to, "    const %s t%d = w[%d];\n", type_of(&p->f->style), p->name[k], p->slot[k]);
    }
}

static void put_outputs(printer *p, int k, bool named)
{
    int at = 0;
    for (int o = 0; o < p->f->outputs; o++) {
        for (int i = 0; i < p->f->out[o].size; i++, at++) {
            const double x = p->value[at];
            if (k < 0 ? tape_is_node(x) : !tape_is_node(x) || tape_node_of(x) != k) {
                continue;
            }
            const bool lanes = p->f->style.lanes > 1;
            put(p->to, lanes ? "    real_store(%s + %d, " : "    %s[%d] = ", p->f->out[o].name,
                lanes ? i * p->f->style.lanes : i);
            if (k < 0) {
                put(p->to, lanes ? "real_set(" : "");
                put_number(p, x);
                put(p->to, lanes ? ")" : "");
            } else if (named) {
                put(p->to, "t%d", p->name[k]);
            } else {
                put_expression(p, &p->t->node[k]);
            }
            put(p->to, lanes ? ");\n" : ";\n");
            if (k >= 0 && !named) {
                return;
            }
        }
    }
}

static bool is_output_alone(const printer *p, int k)
{
    const int op = p->t->node[k].op;
    return p->uses[k] == 1 && p->slot[k] < 0 && p->part[k] >= 0 && op != TAPE_INPUT && op != TAPE_SIN && op != TAPE_COS;
}

static void put_source(printer *p, int k)
{
    const tape_node *n = &p->t->node[k];
    const emit_style *s = &p->f->style;
    if (n->op == TAPE_INPUT) {
        const char *name = p->f->in[(int)n->x[0]].name;
        put(p->to, s->lanes > 1 ? "real_load(%s + %d)" : "%s[%d]", name, (int)n->x[1] * s->lanes);
    } else if (n->op == TAPE_SIN || n->op == TAPE_COS) {
        if (s->libm) {
            put(p->to, "%s%s(", n->op == TAPE_SIN ? "sin" : "cos", s->single ? "f" : "");
            put_value(p, n->x[0], false);
            put(p->to, ")");
        } else {
            put(p->to, "%s[%d]", n->op == TAPE_SIN ? "sine" : "cosine", p->angle[k]);
        }
    } else {
        put_expression(p, n);
    }
}

static void put_statement(printer *p, int k, bool output)
{
    each_named(p, &p->t->node[k], p->part[k], load_shared);
    if (output && is_output_alone(p, k)) {
        put_outputs(p, k, false);
        return;
    }
    p->name[k] = p->names++;
    put(p->to, "    const %s t%d = ", type_of(&p->f->style), p->name[k]);
    put_source(p, k);
    put(p->to, ";\n");
    if (p->slot[k] >= 0) {
        put(p->to, "    w[%d] = t%d;\n", p->slot[k], p->name[k]);
    }
    if (output) {
        put_outputs(p, k, true);
    }
}

/* Of all angles at once; the arrays are whole vectors. */
static void put_sines(printer *p)
{
    const char *type = type_of(&p->f->style);
    const int whole = p->f->style.single ? 16 : 8,
              size = p->f->style.lanes > 1 ? p->angles : (p->angles + whole - 1) / whole * whole;
    put(p->to, "    %s angle[%d] = { ", type, size);
    for (int a = 0; a < p->angles; a++) {
        put(p->to, "%s", a > 0 ? ", " : "");
        put_value(p, p->argument[a], false);
    }
    put(p->to, " }, sine[%d], cosine[%d];\n", size, size);
    put(p->to, "    sines_of(%d, angle, sine, cosine);\n", p->angles);
}

static void put_part_name(printer *p, int part)
{
    const emit_function *f = p->f;
    put(p->to, "static void %s_%d(", f->name, part + 1);
    for (int i = 0; part == 0 && i < f->inputs; i++) {
        put(p->to, "const %s *%s, ", number_type(&f->style), f->in[i].name);
    }
    put(p->to, "%s *w", type_of(&f->style));
    for (int i = 0; i < f->outputs; i++) {
        put(p->to, ", %s *%s", number_type(&f->style), f->out[i].name);
    }
    put(p->to, ")");
}

static void put_void(printer *p, int part)
{
    const emit_function *f = p->f;
    for (int i = 0; part <= 0 && i < f->inputs; i++) {
        put(p->to, "    (void)%s;\n", f->in[i].name);
    }
    for (int i = 0; part >= 0 && i < f->outputs; i++) {
        put(p->to, "    (void)%s;\n", f->out[i].name);
    }
}

static void put_part(printer *p, int part, bool whole, const bool *output)
{
    bool sines = p->angles > 0 && !p->f->style.libm && part == 0;
    memset(p->name, -1, (size_t)p->t->count * sizeof *p->name);
    p->names = 0;
    put(p->to, "{\n");
    put_void(p, whole ? -1 : part);
    for (int i = 0; i < p->count; i++) {
        const int k = p->order[i];
        if (p->statement[k] < 0 || p->part[k] != part) {
            continue;
        }
        if (sines && (p->t->node[k].op == TAPE_SIN || p->t->node[k].op == TAPE_COS)) {
            put_sines(p);
            sines = false;
        }
        put_statement(p, k, output[k]);
    }
    if (part == p->parts - 1) {
        put_outputs(p, -1, false);
    }
    put(p->to, "}\n\n");
}

static void put_parts(printer *p, const bool *output)
{
    const emit_function *f = p->f;
    for (int part = 0; part < p->parts; part++) {
        put_part_name(p, part);
        put(p->to, "\n");
        put_part(p, part, false, output);
    }
    emit_signature(p->to, f);
    put(p->to, "\n{\n    %s w[%d];\n", type_of(&f->style), p->slots + 1);
    for (int part = 0; part < p->parts; part++) {
        put(p->to, "    %s_%d(", f->name, part + 1);
        for (int i = 0; part == 0 && i < f->inputs; i++) {
            put(p->to, "%s, ", f->in[i].name);
        }
        put(p->to, "w");
        for (int i = 0; i < f->outputs; i++) {
            put(p->to, ", %s", f->out[i].name);
        }
        put(p->to, ");\n");
    }
    put(p->to, "}\n");
}

static void count_operations(const printer *p, emit_counts *counts)
{
    *counts = (emit_counts){ .functions = p->parts, .shared = p->slots };
    for (int i = 0; i < p->count; i++) {
        const int k = p->order[i], op = p->t->node[k].op;
        counts->operations[tape_count_of(op)]++;
        if (op == TAPE_FMA) {
            counts->operations[COUNT_ADD]++;
            counts->operations[COUNT_MUL]++;
        }
        counts->statements += p->statement[k] >= 0;
    }
}

static void print_all(printer *p, bool *output)
{
    for (int i = 0; i < p->values; i++) {
        if (tape_is_node(p->value[i])) {
            output[tape_node_of(p->value[i])] = true;
        }
    }
    if (p->parts > 1) {
        put_parts(p, output);
    } else {
        emit_signature(p->to, p->f);
        put(p->to, "\n");
        p->parts = 1;
        put_part(p, 0, true, output);
    }
}

/* ---- all of it ----------------------------------------------------------------------------------- */

static bool gather_values(printer *p)
{
    for (int o = 0; o < p->f->outputs; o++) {
        p->values += p->f->out[o].size;
    }
    p->value = malloc(((size_t)p->values + 1) * sizeof *p->value);
    int at = 0;
    for (int o = 0; p->value != NULL && o < p->f->outputs; o++) {
        memcpy(p->value + at, p->f->out[o].value, (size_t)p->f->out[o].size * sizeof *p->value);
        at += p->f->out[o].size;
    }
    return p->value != NULL;
}

bool emit_body(text *to, const emit_function *f, emit_counts *counts)
{
    const size_t n = (size_t)f->t->count + 1;
    int *room = malloc(9 * n * sizeof *room);
    bool *flag = calloc(2 * n, sizeof *flag);
    printer p = { .f = f, .t = f->t, .to = to, .argument = malloc(n * sizeof *p.argument) };
    bool done = room != NULL && flag != NULL && p.argument != NULL && gather_values(&p);
    if (done) {
        memset(room, -1, 9 * n * sizeof *room);
        int **const arrays[] = { &p.order, &p.uses, &p.statement, &p.nested, &p.part, &p.slot, &p.name, &p.angle };
        for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
            *arrays[i] = room + i * n;
        }
        p.count = tape_order(f->t, p.values, p.value, p.order, p.uses);
        done = p.count >= 0;
    }
    if (done) {
        find_angles(&p);
        mark_early(&p, flag);
        angles_first(&p, flag, room + 8 * n);
        make_statements(&p);
        done = make_slots(&p);
    }
    if (done && to != NULL) {
        print_all(&p, flag + n);
        done = !to->failed;
    }
    if (done) {
        count_operations(&p, counts);
    }
    free(room);
    free(flag);
    free(p.argument);
    free(p.value);
    return done;
}
