/* Scenarios, tables and finite-element models in files with one defect or oddity each, beside what was approved. */
#include "io/approved_edits.h"
#include "soa/io.h"
#include "soa/scenario.h"

/* ---- scenarios ---------------------------------------------------------------------------------------------------- */

static const char *word(const char *text)
{
    return text ? text : "-";
}

static void tell_numbers(FILE *out, const char *what, int count, const double *x)
{
    fprintf(out, " %s", what);
    for (int i = 0; x && i < count; i++) {
        fprintf(out, " %g", x[i]);
    }
}

static void tell_point(FILE *out, const soa_point *p)
{
    fprintf(out, " at %d node %d", p->link, p->node);
    tell_numbers(out, "position", 3, p->at.position);
    tell_numbers(out, "x", 3, p->at.rotation[0]);
}

static void tell_force(FILE *out, const soa_force *f)
{
    const double x[] = { f->stiffness, f->damping, f->reference, f->length, f->value, f->speed, f->exponent, f->lower,
        f->upper, f->restitution, f->holding, f->from, f->to };
    fprintf(out, "force %s: %d, link %d, shape %d, %d%d%d, table %d, field %d", word(f->name), (int)f->kind, f->link,
        (int)f->shape, f->stick, f->in_body, f->inactive, f->table.count, f->field ? f->field->rows : 0);
    tell_numbers(out, "numbers", 13, x);
    if (f->field) {
        tell_numbers(out, "field", 4, &f->field->x);
        tell_numbers(out, "heights", f->field->rows * f->field->columns, f->field->height);
    }
    tell_numbers(out, "size", 3, f->size);
    tell_numbers(out, "wrench", 6, f->wrench);
    tell_numbers(out, "hold", 6, f->hold);
    tell_numbers(out, "damp", 6, f->damp);
    tell_point(out, &f->a);
    tell_point(out, &f->b);
    fprintf(out, "\n");
}

static void tell_path(FILE *out, const soa_path *p)
{
    if (p) {
        fprintf(out, " path %d of %d", (int)p->timing, p->points.count);
        tell_numbers(out, "t", p->points.count, p->points.t);
        tell_numbers(out, "x", p->points.count, p->points.x);
    }
}

static void tell_controller(FILE *out, const soa_controller *c)
{
    fprintf(
        out, "controller %s: %d, '%s'%s", word(c->name), (int)c->kind, word(c->expression), c->inactive ? " off" : "");
    for (int i = 0; i < c->joints; i++) {
        fprintf(out, "; link %d by %d", c->link[i], c->sensor ? c->sensor[i] : -1);
        tell_path(out, c->reference ? &c->reference[i] : NULL);
    }
    tell_numbers(out, "kp", c->joints, c->kp);
    tell_numbers(out, "ki", c->joints, c->ki);
    tell_numbers(out, "kd", c->joints, c->kd);
    tell_numbers(out, "limit", c->joints, c->limit);
    fprintf(out, "\n");
}

static void tell_rest(FILE *out, const soa_sim_setup *s)
{
    for (int i = 0; i < s->actuators; i++) {
        const soa_actuator *a = &s->actuator[i];
        fprintf(out, "actuator %s: %d, link %d, %g %g %g %g %g %g", word(a->name), (int)a->kind, a->link, a->gear,
            a->limit, a->speed, a->lag, a->kp, a->kd);
        tell_path(out, a->reference);
    }
    for (int i = 0; i < s->sensors; i++) {
        const soa_sensor *x = &s->sensor[i];
        fprintf(out, "\nsensor %s: %d, link %d, closure %d, force %d, %g %g %g %g %g %g %g, seed %llu", word(x->name),
            (int)x->kind, x->link, x->closure, x->force, x->rate, x->delay, x->bias[0], x->bias[1], x->noise[0],
            x->noise[1], x->resolution, x->seed);
    }
    for (int i = 0; i < s->signals; i++) {
        fprintf(out, "\nsignal %s: %s", s->signal[i].name, s->signal[i].formula);
    }
    for (int i = 0; i < s->events; i++) {
        const soa_event *e = &s->event[i];
        fprintf(out, "\nevent %s: %s crosses %g, direction %d%s: %d of %d, %g", word(e->name), word(e->signal),
            e->value, e->direction, e->once ? ", once" : "", (int)e->action, e->target, e->impulse);
    }
}

static void tell_scenario(FILE *out, const soa_scenario *scenario)
{
    const soa_sim_setup *s = soa_scenario_setup(scenario);
    const soa_model *model = soa_scenario_model(scenario);
    double gravity[3];
    soa_model_gravity(model, gravity);
    fprintf(out, "%s: %g s, every %g s, method %d, %d%d%d%d", soa_scenario_name(scenario),
        soa_scenario_duration(scenario), soa_scenario_every(scenario), (int)s->method, s->consistent, s->open, s->bare,
        s->stick);
    tell_numbers(out, "gravity", 3, gravity);
    tell_numbers(out, "q", soa_model_nq(model), s->q);
    tell_numbers(out, "v", soa_model_nv(model), s->v);
    fprintf(out, " %g %g %g %g %g;", s->step, s->rtol, s->atol, s->largest, s->shut);
    for (int i = 0; i < soa_scenario_signals(scenario); i++) {
        fprintf(out, " %s", soa_scenario_signal(scenario, i));
    }
    fprintf(out, "\n");
    for (int i = 0; i < s->forces; i++) {
        tell_force(out, &s->force[i]);
    }
    for (int i = 0; i < s->controllers; i++) {
        tell_controller(out, &s->controller[i]);
    }
    tell_rest(out, s);
    for (int i = 0; i < s->events; i++) {
        fprintf(out, "\nevent %d is %s", i, soa_scenario_event_name(scenario, i));
    }
    fprintf(out, "\n");
}

static void read_scenario(FILE *out, const char *text, const char *file)
{
    soa_scenario *scenario = NULL;
    soa_error error;
    (void)file;
    edited_write("run.yaml", text);
    if (soa_scenario_load("run.yaml", &edited_memory, &scenario, &error) == SOA_OK) {
        char *is = NULL;
        size_t length = 0;
        FILE *told = open_memstream(&is, &length);
        tell_scenario(told, scenario);
        fclose(told);
        fprintf(out, "read\n");
        edited_new_lines(out, is);
    } else {
        edited_refused(out, &error);
    }
    soa_scenario_free(scenario);
}

/* ---- recordings and finite elements ---------------------------------------------------------------------------------- */

static void read_recording(FILE *out, const char *text, const char *file)
{
    soa_recording *recording = NULL;
    soa_error error;
    edited_write(file, text);
    if (soa_recording_load(file, &edited_memory, &recording, &error) == SOA_OK) {
        const int columns = soa_recording_columns(recording);
        assert_null(soa_recording_column(recording, -1));
        assert_null(soa_recording_column(recording, columns));
        for (int i = 0; i < columns; i++) {
            tell_numbers(out, soa_recording_name(recording, i), soa_recording_rows(recording),
                soa_recording_column(recording, i));
        }
        fprintf(out, "\n");
    } else {
        edited_refused(out, &error);
    }
    soa_recording_free(recording);
}

static void tell_matrix(FILE *out, const char *what, const soa_fe_matrix *m)
{
    fprintf(out, "%s%s:", what, m->both ? " both" : "");
    for (int i = 0; i < m->entries; i++) {
        fprintf(out, " %d,%d %g", m->row[i], m->column[i], m->value[i]);
    }
    fprintf(out, "\n");
}

static void tell_fe(FILE *out, const soa_fe *fe)
{
    for (int i = 0; i < fe->nodes; i++) {
        fprintf(out, "node %s", word(fe->node_name[i]));
        tell_numbers(out, "at", 3, fe->position + 3 * i);
    }
    for (int i = 0; i < fe->dofs; i++) {
        fprintf(out, " %d.%d", fe->node[i], fe->direction[i]);
    }
    for (int i = 0; i < fe->sets; i++) {
        fprintf(out, " set %s", fe->set_name[i]);
        for (int k = fe->set_start[i]; k < fe->set_start[i + 1]; k++) {
            fprintf(out, " %d", fe->set_node[k]);
        }
    }
    tell_matrix(out, " K", &fe->stiffness);
    tell_matrix(out, " M", &fe->mass);
}

/* The file is one of those of a model, which is loaded by its main one. */
static void read_fe(FILE *out, const char *text, const char *file)
{
    static const char *const main_file[][2] = { { ".dof", "part.inp" }, { ".sti", "part.inp" }, { ".mas", "part.inp" },
        { ".nodes", "part.op4" }, { ".mass.mtx", "part.stiffness.mtx" } };
    const char *path = file;
    soa_fe *fe = NULL;
    soa_error error;
    for (size_t i = 0; i < sizeof main_file / sizeof main_file[0]; i++) {
        path = strcmp(strchr(file, '.'), main_file[i][0]) == 0 ? main_file[i][1] : path;
    }
    edited_write(file, text);
    if (soa_fe_load(path, &edited_memory, &fe, &error) == SOA_OK) {
        tell_fe(out, fe);
    } else {
        edited_refused(out, &error);
    }
    soa_fe_free(fe);
}

/* ---- cases ------------------------------------------------------------------------------------------------------------ */

static void scenarios_are_read(void **state)
{
    (void)state;
    static const char *const file[] = { "run.yaml" };
    edited_approve_files("io-scenario", 1, file, read_scenario);
}

static void the_schema_is_written(void **state)
{
    (void)state;
    char *schema = NULL;
    assert_int_equal(soa_scenario_schema(&edited_memory, &schema, NULL), SOA_OK);
    assert_int_equal(chdir(".."), 0);
    approved a = approved_open("io-schema");
    assert_int_equal(chdir(edited_folder), 0);
    approved_case(&a, "schema");
    approved_text(&a, "text", schema);
    approved_end(&a);
    approved_close(&a);
    soa_text_free(&edited_memory, schema);
    assert_int_equal(edited_blocks.open, 0);
}

static void recordings_are_read(void **state)
{
    (void)state;
    static const char *const file[] = { "run-push.csv", "run-path.csv", "run-field.csv" };
    edited_approve_files("io-recording", 3, file, read_recording);
}

static void finite_elements_are_read(void **state)
{
    (void)state;
    static const char *const file[] = { "part.inp", "part.dof", "part.sti", "part.mas", "part.bdf", "part.op4",
        "part.nodes", "part.stiffness.mtx", "part.mass.mtx" };
    edited_approve_files("io-elements", 9, file, read_fe);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenarios_are_read),
        cmocka_unit_test(the_schema_is_written),
        cmocka_unit_test(recordings_are_read),
        cmocka_unit_test(finite_elements_are_read),
    };
    return cmocka_run_group_tests_name("approved_scenarios", tests, edited_enter, edited_leave);
}
