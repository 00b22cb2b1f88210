/* emit/print.c - a tape as a C function: a statement for each value that is used more than once, the others inside. */
#include "emit/printer.h"

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

/* Sines and cosines of all angles at once; the arrays are whole vectors. */
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
        done = make_layout(&p, room + 8 * n, flag);
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
