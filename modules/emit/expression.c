/* emit/expression.c - a value of the tape as an expression of C. */
#include <math.h>
#include <string.h>

#include "core/number.h"
#include "emit/printer.h"

void put_number(printer *p, double x)
{
    char digits[SOA_NUMBER_SIZE + 2];
    if (isnan(x)) {
        put(p->to, "(0.0%s / 0.0%s)", p->f->style.single ? "f" : "", p->f->style.single ? "f" : "");
        return;
    }
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

static bool is_op(const printer *p, double x, int op)
{
    return is_inside(p, x) && node_at(p, x)->op == op;
}

static bool is_sum(const printer *p, double x)
{
    return is_op(p, x, TAPE_ADD) || is_op(p, x, TAPE_SUB) || is_op(p, x, TAPE_NEG);
}

void put_value(printer *p, double x, bool brackets)
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

/* a < b, or a ? b : c; of lanes by a function. The types of lanes may be those of the sines alone. */
static void put_choice(printer *p, const char *function, const char *sign, const tape_node *n)
{
    if (p->f->style.lanes > 1) {
        put_call(p, function, n);
        return;
    }
    put(p->to, "(");
    for (int i = 0; i < tape_operands(n->op); i++) {
        put(p->to, "%s", i == 0 ? "" : i == 1 ? sign : " : ");
        put_value(p, n->x[i], false);
    }
    put(p->to, ")");
}

/* |x| */
static void put_absolute(printer *p, const tape_node *n)
{
    if (p->f->style.lanes > 1) {
        put_call(p, "real_abs", n);
        return;
    }
    put(p->to, "(");
    put_value(p, n->x[0], true);
    put(p->to, " < 0 ? -");
    put_value(p, n->x[0], true);
    put(p->to, " : ");
    put_value(p, n->x[0], true);
    put(p->to, ")");
}

void put_expression(printer *p, const tape_node *n)
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
        put_absolute(p, n);
        return;
    case TAPE_LESS:
        put_choice(p, "real_less", " < ", n);
        return;
    case TAPE_SELECT:
        put_choice(p, "real_select", " ? ", n);
        return;
    case TAPE_SIN:
    case TAPE_COS:
    case TAPE_INPUT:
    case TAPE_OPS:
        break;
    }
}
