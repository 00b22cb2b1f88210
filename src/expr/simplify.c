/* expr/simplify.c - the cheapest equal expression. */
#include "expr/simplify.h"

#include "core/error.h"
#include "expr/graph.h"
#include "expr/parse.h"
#include "expr/theory.h"

/* ---- candidates ------------------------------------------------------------------------------- */

typedef struct search {
    soa_theory theory;
    soa_terms *terms;
    soa_type type;
    const soa_term *best;
    soa_cost cost;
    int size;            /* letters of the best, as written */
    int way, stage;      /* where it was found; way -1: it is the given one */
    soa_array stages[4]; /* of soa_stage, for each way */
    soa_array *forms;    /* of soa_form: all in O(N) that were found; NULL: only the best is wanted */
} search;

/* What each way of rewriting leaves alone; and what has derivatives expanded as they are written. */
enum { KEEP_ALL, KEEP_VECTORS, KEEP_NOTHING, REWRITTEN, EXPANDED = REWRITTEN, WAYS };

/* Longer sums on the way are not written in factors: only where it ends. */
enum { STAGE_MOST = 80 };

/* Letters as written: of two that cost the same the shorter is better. */
static int size_of(const soa_term *term, int depth)
{
    if (term->count == 0 || depth > 200) {
        return term->kind == SOA_TERM_IDENTITY ? 1 : 2;
    }
    int size = term->kind == SOA_TERM_PRODUCT || term->kind == SOA_TERM_ADJOINT ? 0 : 1;
    for (int i = 0; i < term->count && size < 100000; i++) {
        size += size_of(term->child[i], depth + 1);
    }
    return size;
}

/* Keeps a form with the labels of the steps that led to it, unless it is known. */
static void keep_form(search *s, const soa_term *term, const soa_cost *cost, int way, int stage)
{
    soa_arena *arena = &s->terms->arena;
    char labels[64] = "";
    for (int i = 0; i < s->forms->count; i++) {
        if (((const soa_form *)soa_array_at(s->forms, i))->term == term) {
            return;
        }
    }
    for (int i = 0; i <= stage && i < s->stages[way].count; i++) {
        soa_labels_add(labels, sizeof labels, ((const soa_stage *)soa_array_at(&s->stages[way], i))->label);
    }
    const char *kept = soa_arena_text(arena, labels);
    const soa_form made = { term, *cost, kept };
    (void)(kept && soa_arena_add(arena, s->forms, &made, sizeof made));
}

/* Takes the term if it is cheaper than the best so far. */
static void consider(search *s, const soa_term *term, int way, int stage)
{
    soa_cost cost;
    if (!term || term == s->best || soa_terms_expired(s->terms) || soa_cost_of(s->terms, term, &cost, NULL) != SOA_OK) {
        return;
    }
    if (s->forms && cost.order == 1) {
        keep_form(s, term, &cost, way, stage);
    }
    const int size = size_of(term, 0);
    const int order = soa_cost_compare(&cost, &s->cost);
    if (order < 0 || (order == 0 && size < s->size)) {
        s->best = term;
        s->cost = cost;
        s->size = size;
        s->way = way;
        s->stage = stage;
    }
}

/* ---- ways ----------------------------------------------------------------------------------------- */

static bool *letters_to_keep(search *s, int way, int *count)
{
    soa_algebra *algebra = &s->theory.algebra;
    *count = algebra->letters.count;
    bool *keep = soa_algebra_take(algebra, (size_t)*count, sizeof *keep);
    for (int i = 0; keep && i < *count; i++) {
        const soa_term *atom = soa_term_upright(soa_algebra_about(algebra, (soa_letter)i)->term);
        const bool vector = atom->kind == SOA_TERM_VARIABLE &&
                            soa_vector_find(soa_terms_about(s->terms, atom->variable)->name) != SOA_VECTORS;
        const bool inertia = soa_term_is(atom, SOA_OP_M) || soa_term_is(atom, SOA_OP_R);
        keep[i] = (way <= KEEP_VECTORS && vector) || (way == KEEP_ALL && inertia);
    }
    return keep;
}

static void try_way(search *s, soa_poly p, int way)
{
    int count;
    const bool *keep = letters_to_keep(s, way, &count);
    if (keep) {
        soa_theory_stages(&s->theory, p, keep, count, &s->stages[way]);
    }
    for (int i = 0; i < s->stages[way].count && soa_theory_ok(&s->theory); i++) {
        const soa_poly stage = ((const soa_stage *)soa_array_at(&s->stages[way], i))->poly;
        const bool tried = stage.count <= STAGE_MOST || i + 1 == s->stages[way].count;
        for (int how = 0; tried && how < SOA_FACTORINGS && soa_theory_ok(&s->theory); how++) {
            consider(s, soa_theory_factor(&s->theory, stage, s->type, (soa_factoring)how), way, i);
        }
    }
}

/* Derivatives by the rule of products, Mass^-1 in its factors, and nothing else. */
static void try_expanded(search *s, const soa_term *term, soa_poly given)
{
    soa_arena arena = soa_arena_on(&s->terms->allocator);
    soa_graph graph = soa_graph_begin(s->terms, &arena, NULL);
    const soa_term *open = soa_graph_factored(&graph, term);
    soa_arena_free(&arena);
    if (open && soa_theory_add(&s->theory, &s->stages[EXPANDED], &(soa_stage){ "d, I6", given })) {
        consider(s, open, EXPANDED, 1);
    }
}

/* ---- inside inverses ---------------------------------------------------------------------------------- */

/* An inverse of which nothing is known stays, but what is inverted may be cheaper. */
static void try_inverse(search *s, const soa_opaque *opaque)
{
    soa_algebra *algebra = &s->theory.algebra;
    soa_letter_info *about = soa_array_at(&algebra->letters, opaque->letter);
    const soa_term *child = about->term->kind == SOA_TERM_INVERSE ? about->term->child[0] : NULL;
    search inner = { .terms = s->terms, .best = child, .way = -1 };
    if (!child || soa_cost_of(s->terms, child, &inner.cost, NULL) != SOA_OK) {
        return;
    }
    for (int how = 0; how < SOA_FACTORINGS && soa_theory_ok(&s->theory); how++) {
        consider(&inner, soa_theory_factor(&s->theory, opaque->of, child->type, (soa_factoring)how), 0, 0);
    }
    const soa_term *inverse = inner.way < 0 ? NULL : soa_term_inverse(s->terms, inner.best);
    const soa_term *adjoint = inverse ? soa_term_adjoint(s->terms, inverse) : NULL;
    if (adjoint) {
        about->term = inverse;
        if (about->adjoint != opaque->letter) {
            ((soa_letter_info *)soa_array_at(&algebra->letters, about->adjoint))->term = adjoint;
        }
    }
}

/* ---- the result ------------------------------------------------------------------------------------------ */

static soa_status write_result(search *s, soa_simplified *result)
{
    const soa_term *given = result->term;
    result->term = s->best;
    result->after = s->cost;
    if (s->way < 0) {
        return SOA_OK;
    }
    const int first = s->stage > 0; /* multiplying out is no step of its own, unless it is the only one */
    const soa_chain chain = { s->stage + 1 - first, soa_array_at(&s->stages[s->way], first) };
    result->step = soa_theory_steps(&s->theory, chain, given, s->best, &result->steps);
    return s->theory.algebra.status;
}

/* First "": products multiplied out and factored again. */
static void push_given(search *s, soa_poly p)
{
    for (int way = 0; way < WAYS; way++) {
        (void)soa_theory_add(&s->theory, &s->stages[way], &(soa_stage){ "", p });
    }
}

static soa_status run(search *s, const soa_term *term, soa_simplified *result)
{
    soa_algebra *algebra = &s->theory.algebra;
    const soa_poly given = soa_theory_poly(&s->theory, term);
    for (int i = 0; i < s->theory.opaques.count && soa_theory_ok(&s->theory); i++) {
        try_inverse(s, soa_array_at(&s->theory.opaques, i));
    }
    push_given(s, given);
    if (term->derived && soa_theory_ok(&s->theory)) {
        try_expanded(s, term, given);
    }
    for (int way = 0; way < REWRITTEN && soa_theory_ok(&s->theory); way++) {
        try_way(s, given, way);
    }
    result->budget_spent = algebra->status == SOA_E_LIMIT;
    result->inverses = s->theory.opaques.count > 0;
    if (!soa_theory_ok(&s->theory) && !result->budget_spent) {
        return algebra->status;
    }
    algebra->status = SOA_OK;
    if (s->way >= 0 && !soa_theory_equal(&s->theory, term, s->best)) { /* no rewriting is trusted */
        s->best = term;
        s->cost = result->before;
        s->way = -1;
        result->budget_spent = true;
        algebra->status = algebra->status == SOA_E_LIMIT ? SOA_OK : algebra->status;
    }
    return soa_theory_ok(&s->theory) ? write_result(s, result) : algebra->status;
}

soa_status soa_ask_equal(
    soa_terms *terms, soa_theory_kind kind, const soa_term *a, const soa_term *b, bool *equal, soa_error *error)
{
    soa_theory theory;
    const soa_status status = soa_theory_init(&theory, kind, terms, error);
    if (status != SOA_OK) {
        return status;
    }
    *equal = soa_theory_equal(&theory, a, b);
    soa_theory_clear(&theory);
    return SOA_OK;
}

soa_status soa_rewrite(soa_terms *terms, const soa_term *term, soa_theory_kind kind, soa_array *forms,
    soa_simplified *result, soa_error *error)
{
    *result = (soa_simplified){ .term = term };
    soa_status status = soa_cost_of(terms, term, &result->before, error);
    if (status != SOA_OK) {
        return status;
    }
    result->after = result->before;
    search s = {
        .terms = terms, .type = term->type, .best = term, .cost = result->before, .size = size_of(term, 0), .way = -1
    };
    s.forms = forms;
    status = soa_theory_init(&s.theory, kind, terms, error);
    if (status == SOA_OK) {
        status = run(&s, term, result);
        if (status != SOA_OK) {
            (void)soa_fail(error, status, -1, "%s", soa_status_text(status));
        }
        soa_theory_clear(&s.theory);
    }
    return status;
}
