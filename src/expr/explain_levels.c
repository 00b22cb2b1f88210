/* expr/explain_levels.c - the seven levels from an expression down to coordinates (S1, Fig. 3). */
#include "expr/explain.h"

/* Which operators the steps of a graph use. */
static void operators_used(const soa_graph *graph, bool *used)
{
    for (int i = 0; i < SOA_OPERATORS; i++) {
        used[i] = false;
    }
    for (int i = 0; i < graph->steps.count; i++) {
        const soa_step *s = soa_graph_step(graph, i);
        if (s->kind == SOA_STEP_APPLY) {
            used[s->op] = true;
        }
    }
}

static void put_level(const soa_recursions *r, soa_page *text, int level, const char *title)
{
    soa_page_format(text, r->notation == SOA_LATEX ? "\\paragraph{Level %d: %s}\n" : "level %d  %s\n", level, title);
}

static void begin_line(const soa_recursions *r, soa_page *text)
{
    soa_page_put(text, r->notation == SOA_LATEX ? "\\par\\noindent " : "          ");
}

/* In LaTeX, mathematics stands between dollars. */
static void put_math(const soa_recursions *r, soa_page *text)
{
    soa_page_put(text, r->notation == SOA_LATEX ? "$" : "");
}

/* Words that may hold signs of LaTeX. */
static void put_words(const soa_recursions *r, const char *words, soa_page *text)
{
    for (; *words; words++) {
        const char one[2] = { *words, '\0' };
        const bool sign = r->notation == SOA_LATEX && (*words == '_' || *words == '^' || *words == '~');
        soa_page_put(text, !sign ? one : *words == '_' ? "\\_" : *words == '^' ? "\\^{}" : "\\~{}");
    }
}

/* What the outputs are called and are: level 1. */
static void put_expressions(const soa_recursions *r, soa_page *text)
{
    const soa_graph *graph = r->graph;
    for (int i = 0; i < graph->outputs.count; i++) {
        const soa_graph_output *out = soa_graph_output_at(graph, i);
        begin_line(r, text);
        put_math(r, text);
        soa_put_name(out->name, r->notation, text);
        soa_page_put(text, " = ");
        soa_print_term(graph->terms, out->term, r->notation, text);
        if (!soa_term_is_vector(out->term)) {
            soa_page_put(text, r->notation == SOA_LATEX ? " \\, x" : " x");
        }
        put_math(r, text);
        soa_page_put(text, "\n");
    }
}

static void put_operators(const soa_recursions *r, const bool *used, soa_page *text)
{
    for (int op = 0; op < SOA_OPERATORS; op++) {
        if (used[op]) {
            const soa_operator_info about = soa_operator_about((soa_operator)op, false);
            begin_line(r, text);
            put_math(r, text);
            soa_print_term(r->graph->terms, soa_term_operator(r->graph->terms, (soa_operator)op), r->notation, text);
            put_math(r, text);
            soa_page_put(text, ": ");
            put_words(r, about.meaning, text);
            soa_page_put(text, "\n");
        }
    }
}

/* What the operators are as systems: level 3. */
static void put_kinds(const soa_recursions *r, const bool *used, soa_page *text)
{
    static const struct {
        soa_operator op;
        const char *what;
    } kind[] = {
        { SOA_OP_PHI, "transition of the rigid links: causal, mechanized by a recursion inward; its adjoint outward" },
        { SOA_OP_PSI,
            "transition of the Kalman filter: causal, mechanized by filtering inward; its adjoint smooths outward" },
        { SOA_OP_E_PHI, "shift to the parent: strictly causal, one link" },
        { SOA_OP_E_PSI, "shift to the parent across a free joint: strictly causal, one link" },
        { SOA_OP_K, "Kalman gain, shifted to the parent: strictly causal, one link" },
        { SOA_OP_A, "couples the points: all of them at once" },
    };
    bool any = false;
    for (size_t i = 0; i < sizeof kind / sizeof kind[0]; i++) {
        if (used[kind[i].op]) {
            any = true;
            begin_line(r, text);
            put_math(r, text);
            soa_put_name(soa_operator_text(kind[i].op), r->notation, text);
            put_math(r, text);
            soa_page_format(text, ": %s\n", kind[i].what);
        }
    }
    begin_line(r, text);
    soa_page_put(
        text, any ? "all others are memoryless: body by body\n" : "all operators are memoryless: body by body\n");
}

/* Formulas in the notation of a level, for what is used. */
static void put_formulas(const soa_recursions *r, const char *const (*formula)[3], int count, soa_page *text)
{
    for (int i = 0; i < count; i++) {
        begin_line(r, text);
        soa_page_put(text, formula[i][r->notation]);
        soa_page_put(text, "\n");
    }
}

static const char *const link_rigid[][3] = {
    { "phi(k,j)   a force of body j, seen at body k", "φ(k,j)   a force of body j, seen at body k",
        "$\\phi(k,j)$: a force of body $j$, seen at body $k$" },
};
static const char *const link_filter[][3] = {
    { "psi(k,j) = phi(k,j) taubar(j)", "ψ(k,j) = φ(k,j) τ̄(j)", "$\\psi(k,j) = \\phi(k,j) \\bar{\\tau}(j)$" },
    { "K(k,j)   = phi(k,j) G(j)", "K(k,j) = φ(k,j) G(j)", "$K(k,j) = \\phi(k,j) G(j)$" },
};
static const char *const within[][3] = {
    { "within link k:    phi(k,j) = [ I  l~ ; 0  I ], l from O(k) to O(j)",
        "within link k:    φ(k,j) = [ I  l~ ; 0  I ], l from O(k) to O(j)",
        "within link $k$: $\\phi(k,j) = \\left[\\begin{smallmatrix} I & \\tilde{l} \\\\ 0 & I "
        "\\end{smallmatrix}\\right]$" },
};
static const char *const across[][3] = {
    { "across joint j:   taubar(j) = I - G(j) H(j)", "across joint j:   τ̄(j) = I - G(j) H(j)",
        "across joint $j$: $\\bar{\\tau}(j) = I - G(j) H(j)$" },
    { "                  P(k) = M(k) + sum_j psi(k,j) P(j) psi*(k,j)",
        "                  P(k) = M(k) + Σ_j ψ(k,j) P(j) ψ*(k,j)",
        "$P(k) = M(k) + \\sum_{j} \\psi(k,j) P(j) \\psi^{*}(k,j)$" },
    { "                  D(k) = H(k) P(k) H*(k),  G(k) = P(k) H*(k) D(k)^-1",
        "                  D(k) = H(k) P(k) H*(k),  G(k) = P(k) H*(k) D(k)⁻¹",
        "$D(k) = H(k) P(k) H^{*}(k), \\quad G(k) = P(k) H^{*}(k) D^{-1}(k)$" },
};
static const char *const along_q[][3] = {
    { "along q_i:        d(phi(k,j), q_i) = phi(k,j) S[h_i], h_i the column of q_i in H*(j); 0 for other joints",
        "along q_i:        d(φ(k,j), q_i) = φ(k,j) S[h_i], h_i the column of q_i in H*(j); 0 for other joints",
        "along $q_i$: $d(\\phi(k,j), q_i) = \\phi(k,j) S[h_i]$, $h_i$ the column of $q_i$ in $H^{*}(j)$; $0$ for other "
        "joints" },
    { "                  d(h, q_i) = -h_i~ h for a column h of the same joint that is fixed inboard, else 0",
        "                  d(h, q_i) = -h_i~ h for a column h of the same joint that is fixed inboard, else 0",
        "$d(h, q_i) = -\\tilde{h}_i h$ for a column $h$ of the same joint that is fixed inboard, else $0$" },
};
static const char *const turned[][3] = {
    { "phi(k,j) = [ I  l~ ; 0  I ] diag(R, R), R(q) from the axes of body j to those of body k",
        "φ(k,j) = [ I  l~ ; 0  I ] diag(R, R), R(q) from the axes of body j to those of body k",
        "$\\phi(k,j) = \\left[\\begin{smallmatrix} I & \\tilde{l} \\\\ 0 & I \\end{smallmatrix}\\right] "
        "\\mathrm{diag}(R, R)$, $R(q)$ from the axes of body $j$ to those of body $k$" },
    { "a joint about or along z: two plane rotations that are constant, one that is q",
        "a joint about or along z: two plane rotations that are constant, one that is q",
        "a joint about or along z: two plane rotations that are constant, one that is q" },
};

void soa_put_levels(const soa_recursions *r, soa_page *text)
{
    bool used[SOA_OPERATORS];
    operators_used(r->graph, used);
    const bool moves = used[SOA_OP_PHI] || used[SOA_OP_E_PHI] || r->graph->velocities;
    const bool filters = used[SOA_OP_PSI] || used[SOA_OP_E_PSI] || used[SOA_OP_K];
    const bool inertia = filters || used[SOA_OP_P] || used[SOA_OP_D] || used[SOA_OP_D_INV] || used[SOA_OP_G] ||
                         used[SOA_OP_TAU] || used[SOA_OP_TAUBAR];
    put_level(r, text, 1, "the expression");
    put_expressions(r, text);
    put_level(r, text, 2, "its operators");
    put_operators(r, used, text);
    put_level(r, text, 3, "what they are");
    put_kinds(r, used, text);
    put_level(r, text, 4, "the recursions");
    soa_put_sweeps(r, text);
    put_level(r, text, 5, "the transition of one link");
    put_formulas(r, link_filter, filters ? 2 : 0, text);
    put_formulas(r, link_rigid, moves || !filters ? 1 : 0, text);
    put_level(r, text, 6, "within a link, and across a joint");
    put_formulas(r, within, 1, text);
    put_formulas(r, across, inertia ? 3 : 0, text);
    put_formulas(r, along_q, r->graph->coordinates.count > 0 ? 2 : 0, text);
    put_level(r, text, 7, "coordinates");
    put_formulas(r, turned, 2, text);
}
