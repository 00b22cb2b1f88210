/* Uses the installed libsoa alone: a pendulum, described and asked for its size. */
#include <math.h>
#include <soa/soa.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    soa_error error;
    soa_model *model = NULL;
    soa_builder *builder = soa_builder_new(NULL);
    soa_link link = soa_link_default("arm", SOA_WORLD, SOA_REVOLUTE);
    link.inertia.mass = 2.0;
    link.inertia.moment[0] = link.inertia.moment[3] = link.inertia.moment[5] = 0.1;
    if (!builder || soa_builder_add_link(builder, &link, NULL, &error) || soa_builder_finish(builder, &model, &error)) {
        return 1;
    }
    const int right = strcmp(soa_version(), SOA_VERSION) == 0 && soa_model_nv(model) == 1 &&
                      fabs(soa_model_mass(model) - 2.0) < 1e-12;
    printf("soa %s, nv %d\n", soa_version(), soa_model_nv(model));
    soa_model_free(model);
    soa_builder_free(builder);
    return right ? 0 : 1;
}
