/* Built-in models from inside: bodies as the kernels see them, what names mean, configurations, beside what was approved. */
#include "approved_model.h"

static void put_found(FILE *out, const soa_model *m, const char *name)
{
    soa_point point;
    soa_body body;
    soa_error error;
    fprintf(out, "'%s': %d %d %d\n", name, soa_model_find_link(m, name), soa_model_find_joint(m, name),
        soa_model_find_frame(m, name));
    if (soa_model_find_point(m, name, &point, &error) == SOA_OK) {
        fprintf(out, "link %d node %d", point.link, point.node);
        put_pose(out, "at", &point.at);
    } else {
        put_error(out, &error);
    }
    if (soa_model_find_body(m, name, &body, &error) == SOA_OK) {
        fprintf(out, " body at q %d v %d\n", body.q, body.v);
    } else {
        put_error(out, &error);
    }
}

static void put_names(FILE *out, const soa_model *m)
{
    char name[256];
    for (int i = 0; i < soa_model_links(m) && i < 6; i++) {
        const soa_link *link = soa_model_link(m, i);
        put_found(out, m, link->name);
        put_found(out, m, link->joint.name ? link->joint.name : "");
        snprintf(name, sizeof name, "%sx", link->name);
        put_found(out, m, name);
        snprintf(name, sizeof name, "%.*s", (int)strlen(link->name) - 1, link->name);
        put_found(out, m, name);
        snprintf(name, sizeof name, "%s/flex", link->name);
        put_found(out, m, name);
    }
    put_found(out, m, "world");
    put_found(out, m, "nothing like it");
}

static void built_in_models(void **state)
{
    (void)state;
    static const char *const name[] = { "pendulum", "double-pendulum", "arm6", "arm7", "dual-arm", "quadruped",
        "humanoid", "satellite", "hexapod", "chain:1", "chain:9", "tree:20,1", "tree:20,2", "tree:20,3", "tree:40,5",
        "flexible-chain:1,1", "flexible-chain:3,4", "flexible-chain:3,9", "", "arm", "arm8", "chain",
        "chain:", "chain:0", "chain:-1", "chain:x", "chain:3x", "chain:99999999", "tree:5", "tree:5,", "tree:,5",
        "tree:5,1,2", "tree:0,1", "arm7:2", "flexible-chain:2", "flexible-chain:2,0", "flexible-chain:2,99",
        "pendulums", "humanoids", "builtin:arm7" };
    approved a = approved_open("model-built-in");
    for (int i = 0; i < COUNT_OF(name); i++) {
        char *text = NULL;
        size_t length;
        soa_model *model = NULL, *other = NULL;
        soa_error error;
        approved_case(&a, name[i]);
        if (soa_model_builtin(name[i], NULL, &model, &error) != SOA_OK) {
            approved_text(&a, NULL, error.text);
            approved_end(&a);
            continue;
        }
        FILE *out = open_memstream(&text, &length);
        put_model(out, model);
        approve(&a, "model", out, &text);
        out = open_memstream(&text, &length);
        put_names(out, model);
        put_states(out, model);
        approve(&a, "states", out, &text);
        out = open_memstream(&text, &length);
        soa_status status = soa_model_free_base(model, &other, &error);
        put_made(out, status, other, &error);
        status = soa_model_with_gravity(model, (double[3]){ 1, 2, i % 2 ? NAN : 3 }, &other, &error);
        put_made(out, status, other, &error);
        approve(&a, "changed", out, &text);
        approved_end(&a);
        soa_model_free(model);
    }
    approved_close(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(built_in_models) };
    return cmocka_run_group_tests_name("approved_models", tests, NULL, NULL);
}
