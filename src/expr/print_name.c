/* expr/print_name.c - names as text: phi, φ, \phi. */
#include <ctype.h>
#include <string.h>

#include "expr/print.h"

/* Names with letters of their own. */
typedef struct sign {
    const char *name, *unicode, *latex;
} sign;

static const sign *find_sign(const char *name, size_t length)
{
    static const sign list[] = {
        { "Mass", "𝓜", "\\mathcal{M}" },
        { "E_phi", "E_φ", "\\mathcal{E}_{\\phi}" },
        { "E_psi", "E_ψ", "\\mathcal{E}_{\\psi}" },
        { "phi~", "φ\xcc\x83", "\\tilde{\\phi}" },
        { "psi~", "ψ\xcc\x83", "\\tilde{\\psi}" },
        { "taubar", "τ\xcc\x84", "\\bar{\\tau}" },
        { "betadot", "β\xcc\x87", "\\dot{\\beta}" },
        { "Ups", "Υ", "\\Upsilon" },
        { "alpha", "α", "\\alpha" },
        { "beta", "β", "\\beta" },
        { "gamma", "γ", "\\gamma" },
        { "delta", "δ", "\\delta" },
        { "epsilon", "ε", "\\epsilon" },
        { "zeta", "ζ", "\\zeta" },
        { "eta", "η", "\\eta" },
        { "theta", "θ", "\\theta" },
        { "iota", "ι", "\\iota" },
        { "kappa", "κ", "\\kappa" },
        { "lambda", "λ", "\\lambda" },
        { "mu", "μ", "\\mu" },
        { "nu", "ν", "\\nu" },
        { "xi", "ξ", "\\xi" },
        { "pi", "π", "\\pi" },
        { "rho", "ρ", "\\rho" },
        { "sigma", "σ", "\\sigma" },
        { "tau", "τ", "\\tau" },
        { "upsilon", "υ", "\\upsilon" },
        { "phi", "φ", "\\phi" },
        { "chi", "χ", "\\chi" },
        { "psi", "ψ", "\\psi" },
        { "omega", "ω", "\\omega" },
        { "Gamma", "Γ", "\\Gamma" },
        { "Delta", "Δ", "\\Delta" },
        { "Theta", "Θ", "\\Theta" },
        { "Lambda", "Λ", "\\Lambda" },
        { "Pi", "Π", "\\Pi" },
        { "Sigma", "Σ", "\\Sigma" },
        { "Phi", "Φ", "\\Phi" },
        { "Psi", "Ψ", "\\Psi" },
        { "Omega", "Ω", "\\Omega" },
    };
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        if (strlen(list[i].name) == length && strncmp(list[i].name, name, length) == 0) {
            return &list[i];
        }
    }
    return NULL;
}

/* A part of a name between its underscores. */
static void put_part(soa_page *text, const char *name, size_t length, bool latex)
{
    const sign *found = find_sign(name, length);
    if (found) {
        soa_page_put(text, latex ? found->latex : found->unicode);
    } else if (latex && length > 1 && !isdigit((unsigned char)name[0])) {
        soa_page_format(text, "\\mathrm{%.*s}", (int)length, name);
    } else {
        soa_page_format(text, "%.*s", (int)length, name);
    }
}

void soa_print_name(const char *name, soa_notation notation, soa_page *text)
{
    const bool latex = notation == SOA_LATEX;
    const sign *whole = find_sign(name, strlen(name));
    if (notation == SOA_ASCII || whole) {
        soa_page_put(text, notation == SOA_ASCII ? name : latex ? whole->latex : whole->unicode);
        return;
    }
    int braces = 0;
    for (const char *at = name; *at;) {
        const size_t length = strcspn(at, "_");
        put_part(text, at, length, latex);
        at += length;
        if (*at == '_') {
            soa_page_put(text, latex ? "_{" : "_");
            braces += latex;
            at++;
        }
    }
    for (; braces > 0; braces--) {
        soa_page_put(text, "}");
    }
}
