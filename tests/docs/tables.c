/* docs/tables.c - the lists of the public headers as Markdown tables, for docs/reference.md. */
#include <soa/io.h>
#include <soa/soa.h>
#include <stdio.h>

static void statuses(void)
{
    puts("## Statuses\n\n`soa_status`; `soa_status_text` gives the text.\n\n| status | number | text |\n|---|---|---|");
#define ROW(name, text) printf("| `%s` | %d | %s |\n", #name, (int)(name), text);
    SOA_STATUS_LIST(ROW)
#undef ROW
}

static void joints(void)
{
    puts("\n## Joint kinds\n\n`soa_joint_kind`; the word is that of native files.\n\n"
         "| word | nq | nv | coordinates |\n|---|---|---|---|");
#define ROW(name, text, nq, nv, coordinates) printf("| `%s` | %d | %d | %s |\n", text, nq, nv, coordinates);
    SOA_JOINT_LIST(ROW)
#undef ROW
}

static void closures(void)
{
    puts("\n## Closure kinds\n\n`soa_closure_kind`; rows: how many of the six relative motions it takes away. "
         "soa/closure.h\n"
         "solves them.\n\n| word | rows |\n|---|---|");
#define ROW(name, text, rows) printf("| `%s` | %d |\n", text, rows);
    SOA_CLOSURE_LIST(ROW)
#undef ROW
}

static void formats(void)
{
    puts("\n## File formats\n\n| format | ending | in C |\n|---|---|---|");
#define ROW(name, text, ending) printf("| %s | `%s` | `%s` |\n", text, ending, #name);
    SOA_FORMAT_LIST(ROW)
#undef ROW
}

static void space(soa_space space, soa_side side)
{
    if (space == SOA_SPACE_ANY) {
        printf("any");
    } else {
        printf("%s %s", soa_space_text(space), soa_side_text(side));
    }
}

static void operators(void)
{
    puts("\n## Operators\n\n`soa_operator`, as typed in `soa eval`; the labels are those of [theory.md](theory.md). An "
         "operator\n"
         "that is not its own adjoint has one, `phi'` (`soa_operators_apply` with `adjoint`).\n\n"
         "| operator | from | to | kind | symmetric | label | meaning |\n|---|---|---|---|---|---|---|");
    for (int i = 0; i < SOA_OPERATORS; i++) {
        const soa_operator_info about = soa_operator_about((soa_operator)i, false);
        printf("| `%s` | ", about.text);
        space(about.domain_space, about.domain_side);
        printf(" | ");
        space(about.codomain_space, about.codomain_side);
        printf(" | %s | %s | %s | `%s` |\n", soa_kind_text(about.kind), about.symmetric ? "yes" : "", about.label,
            about.meaning);
    }
}

static void vectors(void)
{
    puts("\n## Vectors\n\n`soa_vector_id`, as typed in expressions. Those of the state are given, the others follow "
         "from it.\n\n"
         "| vector | is | given | defined as | meaning |\n|---|---|---|---|---|");
    for (int i = 0; i < SOA_VECTORS; i++) {
        const soa_vector_info about = soa_vector_about((soa_vector_id)i);
        const char *quote = about.definition[0] ? "`" : "";
        printf("| `%s` | %s %s | %s | %s%s%s | %s |\n", about.text, soa_space_text(about.space), about.noun,
            about.origin == SOA_ORIGIN_STATE ? "yes" : "", quote, about.definition, quote, about.meaning);
    }
}

static void identities(void)
{
    puts("\n## Identities\n\nWhat `soa check` and `soa_check_identities` evaluate, both sides of each.\n\n"
         "| label | identity |\n|---|---|");
    for (int i = 0; i < soa_identities(); i++) {
        printf("| %s | `%s` |\n", soa_identity_label(i), soa_identity_text(i));
    }
}

static void builtins(void)
{
    puts("\n## Built-in models\n\n| model | what it is |\n|---|---|");
    for (int i = 0; i < soa_builtins(); i++) {
        printf("| `builtin:%s` | %s |\n", soa_builtin_name(i), soa_builtin_text(i));
    }
}

int main(void)
{
    statuses();
    joints();
    closures();
    formats();
    builtins();
    operators();
    vectors();
    identities();
    return 0;
}
