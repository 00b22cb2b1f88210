/* expr/graph_part.c - parts of operators as steps: selectors of bodies, and numbers that are made before all sweeps. */
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "expr/graph.h"
#include "model/model.h"

int soa_model_find_part(const soa_model *model, soa_space space, const char *name, soa_error *error)
{
    soa_point point;
    const int bodies = soa_model_bodies(model);
    if (strspn(name, "0123456789") == strlen(name)) {
        const long number = strlen(name) < 9 ? strtol(name, NULL, 10) : 0;
        if (number < 1 || (space != SOA_SPACE_POINT && number > bodies)) {
            (void)soa_fail(error, SOA_E_NAME, -1, "there is no body %s; bodies count from 1 to %d", name, bodies);
            return -1;
        }
        return (int)number - 1;
    }
    if (soa_model_find_point(model, name, &point, error) != SOA_OK) {
        return -1;
    }
    const int body = soa_model_link_body(model, point.link, NULL);
    if (body < 0) {
        (void)soa_fail(error, SOA_E_NAME, -1, "'%s' is welded to the world; it is no body that moves", name);
    }
    return body;
}

soa_graph_matrix soa_graph_selector(soa_graph *graph, const soa_term *term)
{
    soa_graph_matrix made = { .kind = SOA_MATRIX_SELECT, .term = term, .index = -1 };
    const char *name = soa_term_selects(graph->terms, term);
    made.blocks = soa_kind_is_blocks(term->causality, term->type);
    if (graph->model) {
        soa_error error;
        made.index = soa_model_find_part(graph->model, term->type.to.space, name, &error);
        if (made.index < 0) {
            soa_graph_fail(graph, error.status, error.text);
        }
    }
    return made;
}

int soa_graph_measured(soa_graph *graph, soa_graph_matrix like, const char *name, soa_place place)
{
    like.block = like.kind == SOA_MATRIX_MEASURE ? soa_term_is_block(graph->terms, like.term) : (soa_block){ 0 };
    like.blocks = like.kind == SOA_MATRIX_MEASURE && soa_kind_is_blocks(like.term->causality, like.term->type);
    const int matrix = soa_graph_matrix_use(graph, like);
    return matrix < 0
               ? -1
               : soa_graph_make(graph,
                     (soa_step){
                         .kind = SOA_STEP_INPUT, .place = place, .name = name, .matrix = matrix + 1, .need = -1 });
}
