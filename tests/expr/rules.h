/* tests/expr/rules.h - the rules of the language, as the tests read them. */
#ifndef SOA_TEST_EXPR_RULES_H
#define SOA_TEST_EXPR_RULES_H

#include <stdbool.h>

typedef struct rule_text {
    const char *label;
    bool without; /* it needs a system without rotors */
    const char *text;
} rule_text;

enum { RULE_ANY, RULE_WITHOUT };

static const rule_text rule_texts[] = {
#define X(label, needs, role, text) { label, RULE_##needs == RULE_WITHOUT, text },
#define RULE(label, needs, text)    { label, RULE_##needs == RULE_WITHOUT, text },
#include "expr/rules.def"
#undef RULE
#undef X
};

enum { RULES = sizeof rule_texts / sizeof rule_texts[0] };

#endif
