/* Derivatives of closed systems against differences of eighth order of their forward dynamics. */
#include "sens/closed_case.h"
#include "soa/sens.h"

enum { POINTS = 2 };

/* ---- comparison ------------------------------------------------------------------------------------- */

/* How many numbers were compared, and how many differences could not be trusted. */
typedef struct tally {
    long compared, doubtful;
} tally;

static tally count;

/* A column of nv rows and then the rows of the set, times a factor: to 2e-9 of what is largest in it or in the solution,
 * which is what differences are good for without fused operations. */
static void check_column(
    const change *x, const double *vdot, const double *lambda, int columns, int column, double factor)
{
    const int n = x->c->kit.nv, all = n + x->c->kit.rows;
    double *slope = numbers(all), *now = numbers(all);
    solve(&x->c->kit, x->c->kit.set, (const double *const[]){ x->c->kit.q, x->c->kit.v, x->c->kit.T, x->c->f }, now);
    const double doubt = best_difference(x, slope), near = 2e-9 * fmax(1.0 + largest(all, now), largest(all, slope));
    for (int i = 0; i < all; i++) {
        const double got = factor * (i < n ? vdot[i * columns + column] : lambda[(i - n) * columns + column]);
        const bool trusted = doubt < 0.3 * near;
        count.compared += trusted;
        count.doubtful += !trusted;
        if (trusted && !(fabs(got - slope[i]) <= near)) {
            print_error("number %d by %d: %.17g, expected %.17g, near %g\n", i, (int)x->by, got, slope[i], near);
            fail();
        }
    }
    free(slope);
    free(now);
}

static soa_closed_derivatives wanted(const closed_case *c, int links, int bodies)
{
    const int n = c->kit.nv, r = c->kit.rows;
    assert_int_equal(soa_closures_reserve_derivatives(c->kit.set, NULL), SOA_OK);
    return (soa_closed_derivatives){ .vdot_q = numbers(n * n),
        .vdot_v = numbers(n * n),
        .vdot_T = numbers(n * n),
        .lambda_q = numbers(r * n),
        .lambda_v = numbers(r * n),
        .lambda_T = numbers(r * n),
        .vdot_g = numbers(n * 3),
        .lambda_g = numbers(r * 3),
        .vdot_parameters = numbers(n * SOA_PARAMETERS * links),
        .lambda_parameters = numbers(r * SOA_PARAMETERS * links),
        .vdot_placement = numbers(n * 6 * bodies),
        .lambda_placement = numbers(r * 6 * bodies),
        .vdot_f = numbers(n * 6 * POINTS),
        .lambda_f = numbers(r * 6 * POINTS),
        .points = POINTS };
}

static void drop(const soa_closed_derivatives *d)
{
    double *const all[] = { d->vdot_q, d->vdot_v, d->vdot_T, d->lambda_q, d->lambda_v, d->lambda_T, d->vdot_g,
        d->lambda_g, d->vdot_parameters, d->lambda_parameters, d->vdot_placement, d->lambda_placement, d->vdot_f,
        d->lambda_f };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        free(all[i]);
    }
}

/* By q, v, T, gravity and forces. */
static void check_state(closed_case *c, const soa_closed_derivatives *d, const soa_closed_point *point)
{
    for (int j = 0; j < c->kit.nv; j++) {
        check_column(&(change){ c, BY_Q, j, 0, 0 }, d->vdot_q, d->lambda_q, c->kit.nv, j, 1.0);
        check_column(&(change){ c, BY_V, j, 0, 0 }, d->vdot_v, d->lambda_v, c->kit.nv, j, 1.0);
        check_column(&(change){ c, BY_T, j, 0, 0 }, d->vdot_T, d->lambda_T, c->kit.nv, j, 1.0);
    }
    for (int j = 0; j < 3; j++) {
        check_column(&(change){ c, BY_GRAVITY, j, 0, 0 }, d->vdot_g, d->lambda_g, 3, j, 1.0);
    }
    for (int j = 0; j < 6 * POINTS; j++) {
        const change x = { c, BY_FORCE, j % 6, point[j / 6].system, point[j / 6].point.link };
        check_column(&x, d->vdot_f, d->lambda_f, 6 * POINTS, j, 1.0);
    }
}

/* By some parameters and places of each system. */
static void check_models(closed_case *c, const soa_closed_derivatives *d, int links, int bodies)
{
    for (int s = 0, link = 0, body = 0; s < c->kit.systems; s++) {
        const soa_model *m = c->kit.model[s];
        const int own = soa_model_links(m), some_link = some_of(&c->kit, own);
        const int some_body = some_of(&c->kit, soa_model_bodies(m));
        for (int e = 0; e < SOA_PARAMETERS; e++) {
            const int column = SOA_PARAMETERS * (link + some_link) + e;
            check_column(&(change){ c, BY_PARAMETER, e, s, some_link }, d->vdot_parameters, d->lambda_parameters,
                SOA_PARAMETERS * links, column, SMALL);
        }
        for (int e = 0; e < 6; e++) {
            check_column(&(change){ c, BY_PLACE, e, s, soa_model_body(m, some_body).link }, d->vdot_placement,
                d->lambda_placement, 6 * bodies, 6 * (body + some_body) + e, 1.0);
        }
        link += own;
        body += soa_model_bodies(m);
    }
}

static void check_case(closed_case *c)
{
    int links = 0, bodies = 0;
    for (int s = 0; s < c->kit.systems; s++) {
        links += soa_model_links(c->kit.model[s]);
        bodies += soa_model_bodies(c->kit.model[s]);
    }
    soa_closed_derivatives d = wanted(c, links, bodies);
    soa_closed_point point[POINTS];
    for (int i = 0; i < POINTS; i++) {
        change x = { .c = c, .system = some_of(&c->kit, c->kit.systems) };
        x.item = some_of(&c->kit, soa_model_links(c->kit.model[x.system]));
        point[i] = point_of(&x);
    }
    d.point = point;
    OK(&c->kit,
        soa_closed_forward_dynamics_derivatives(c->kit.set, 1, c->kit.q, c->kit.v, c->kit.T, c->f, &d, &c->kit.error));
    check_state(c, &d, point);
    check_models(c, &d, links, bodies);
    drop(&d);
}

static void derivatives_are_differences(void **state)
{
    (void)state;
    int done = 0, of_kind[SOA_CLOSURE_KINDS] = { 0 };
    for (int n = 0; n < 200; n++) {
        closed_case c = case_of(n);
        if (is_plain(&c)) {
            check_case(&c);
            done++;
            for (int i = 0; i < c.closures; i++) {
                of_kind[c.closure[i].kind]++;
            }
        }
        free(c.f);
        kit_end(&c.kit);
    }
    print_message("%d closed systems, %ld numbers, %ld doubtful\n", done, count.compared, count.doubtful);
    assert_true(count.doubtful < count.compared / 50);
    for (int kind = 0; kind < SOA_CLOSURE_KINDS; kind++) {
        assert_true(of_kind[kind] > 2);
    }
}

/* Couplings as rows, of one system or two. */
static void couplings_too(void **state)
{
    (void)state;
    int done = 0;
    for (int n = 0; n < 60; n++) {
        closed_case c = { .kit = { .seed = 900ull + (unsigned)n, .systems = 1 + n % 2 } };
        for (int s = 0; s < c.kit.systems; s++) {
            make_tree(&c.kit, s, 8);
        }
        kit_begin(&c.kit, NULL);
        kit_state(&c.kit);
        add_kind(&c, (soa_closure_kind)(n % SOA_CLOSURE_KINDS));
        if (couple_some(&c.kit) && is_plain(&c)) {
            const soa_closed_derivatives whole = wanted(&c, 1, 1);
            soa_closed_derivatives d = whole;
            d.vdot_parameters = d.lambda_parameters = d.vdot_placement = d.lambda_placement = NULL;
            d.points = 0;
            OK(&c.kit, soa_closed_forward_dynamics_derivatives(
                           c.kit.set, 1, c.kit.q, c.kit.v, c.kit.T, NULL, &d, &c.kit.error));
            for (int j = 0; j < c.kit.nv; j++) {
                check_column(&(change){ &c, BY_Q, j, 0, 0 }, d.vdot_q, d.lambda_q, c.kit.nv, j, 1.0);
                check_column(&(change){ &c, BY_V, j, 0, 0 }, d.vdot_v, d.lambda_v, c.kit.nv, j, 1.0);
            }
            drop(&whole);
            done++;
        }
        kit_end(&c.kit);
    }
    print_message("%d coupled systems\n", done);
    assert_true(done > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_are_differences),
        cmocka_unit_test(couplings_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
