/* operator/info.c - what the list of operators says, and its texts. */
#include <string.h>

#include "soa/operator.h"

static const soa_operator_info list[SOA_OPERATORS] = {
#define ENTRY(name, text, space, side, to_space, to_side, kind, symmetric, label, meaning)                            \
    { text, SOA_SPACE_##space, SOA_SIDE_##side, SOA_SPACE_##to_space, SOA_SIDE_##to_side, SOA_KIND_##kind, symmetric, \
        label, meaning },
    SOA_OPERATOR_LIST(ENTRY)
#undef ENTRY
};

static bool is_operator(soa_operator op)
{
    return (unsigned)op < SOA_OPERATORS;
}

static soa_side dual(soa_side side)
{
    return side == SOA_SIDE_ANY ? SOA_SIDE_ANY : side == SOA_SIDE_MOTION ? SOA_SIDE_FORCE : SOA_SIDE_MOTION;
}

static soa_kind reflected(soa_kind kind)
{
    static const soa_kind of[] = {
        [SOA_KIND_MEMORYLESS] = SOA_KIND_MEMORYLESS,
        [SOA_KIND_CAUSAL] = SOA_KIND_ANTICAUSAL,
        [SOA_KIND_STRICTLY_CAUSAL] = SOA_KIND_STRICTLY_ANTICAUSAL,
        [SOA_KIND_ANTICAUSAL] = SOA_KIND_CAUSAL,
        [SOA_KIND_STRICTLY_ANTICAUSAL] = SOA_KIND_STRICTLY_CAUSAL,
        [SOA_KIND_FULL] = SOA_KIND_FULL,
    };
    return of[kind];
}

soa_operator_info soa_operator_about(soa_operator op, bool adjoint)
{
    const soa_operator_info info = list[is_operator(op) ? op : SOA_OP_I];
    if (!adjoint) {
        return info;
    }
    soa_operator_info about = info;
    about.domain_space = info.codomain_space;
    about.domain_side = dual(info.codomain_side);
    about.codomain_space = info.domain_space;
    about.codomain_side = dual(info.domain_side);
    about.kind = reflected(info.kind);
    return about;
}

soa_operator soa_operator_find(const char *text)
{
    int op = 0;
    while (op < SOA_OPERATORS && (!text || strcmp(list[op].text, text) != 0)) {
        op++;
    }
    return (soa_operator)op;
}

const char *soa_operator_text(soa_operator op)
{
    return is_operator(op) ? list[op].text : "unknown operator";
}

const char *soa_space_text(soa_space space)
{
    static const char *const text[] = { "any", "joint", "body", "point", "constraint", "number" };
    return (unsigned)space < sizeof text / sizeof text[0] ? text[space] : "unknown space";
}

const char *soa_side_text(soa_side side)
{
    static const char *const text[] = { "vector", "motion", "force" };
    return (unsigned)side < sizeof text / sizeof text[0] ? text[side] : "unknown side";
}

const char *soa_kind_text(soa_kind kind)
{
    static const char *const text[] = { "memoryless", "causal", "strictly causal", "anticausal", "strictly anticausal",
        "full" };
    return (unsigned)kind < sizeof text / sizeof text[0] ? text[kind] : "unknown kind";
}
