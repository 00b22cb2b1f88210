/* expr/program.c - programs: statements, one after another. */
#include "expr/program.h"

#include <string.h>

#include "core/error.h"
#include "expr/words.h"

soa_status soa_program_new(const soa_allocator *allocator, soa_program **program, soa_error *error)
{
    if (!program) {
        return soa_fail_null(error, "the program");
    }
    const soa_allocator from = allocator ? *allocator : soa_allocator_default();
    *program = NULL;
    soa_program *made = soa_allocate(&from, 1, sizeof *made);
    if (!made) {
        return soa_fail_memory(error);
    }
    *made = (soa_program){ .given = from,
        .statements = soa_array_of(sizeof(soa_statement)),
        .limits = { .seconds = 10.0 },
        .assumptions = soa_array_of(sizeof(soa_assumption)) };
    const soa_status status = soa_terms_new(&from, SOA_TERMS_MOST, &made->terms, error);
    if (status != SOA_OK) {
        soa_release(&from, made);
        return status;
    }
    made->allocator = *soa_terms_allocator(made->terms);
    made->scope.arena = soa_arena_on(&made->allocator);
    made->scope.definitions = soa_array_of(sizeof(soa_definition));
    made->scope.functions = soa_array_of(sizeof(soa_function));
    *program = made;
    return SOA_OK;
}

void soa_program_free(soa_program *program)
{
    if (program) {
        const soa_allocator from = program->given;
        soa_array_free(&program->statements, &program->allocator);
        soa_array_free(&program->assumptions, &program->allocator);
        soa_array_free(&program->scope.definitions, &program->allocator);
        soa_array_free(&program->scope.functions, &program->allocator);
        soa_arena_free(&program->scope.arena);
        soa_terms_free(program->terms);
        soa_release(&from, program);
    }
}

void soa_program_limit(soa_program *program, double seconds, soa_stop *stop, void *context)
{
    program->limits = (soa_limits){ seconds, stop, context };
}

void soa_program_begin(soa_program *program)
{
    soa_terms_limit(program->terms, &program->limits);
    soa_terms_assume(program->terms, &program->assumptions);
}

void soa_program_end(soa_program *program)
{
    soa_terms_limit(program->terms, NULL);
    soa_terms_assume(program->terms, NULL);
}

soa_terms *soa_program_terms(const soa_program *program)
{
    return program->terms;
}

const soa_scope *soa_program_scope(const soa_program *program)
{
    return &program->scope;
}

int soa_program_statements(const soa_program *program)
{
    return program->statements.count;
}

const soa_statement *soa_program_at(const soa_program *program, int statement)
{
    return soa_array_at(&program->statements, statement);
}
