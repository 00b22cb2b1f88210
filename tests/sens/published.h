/* tests/sens/published.h - published robots, where they are. */
#ifndef SOA_TESTS_SENS_PUBLISHED_H
#define SOA_TESTS_SENS_PUBLISHED_H

#include "sens/differences.h"
#include "soa/io.h"

/* At a random state of each. */
static inline void with_published_robots(void (*check)(kit *))
{
    const char *name[] = { "ur5/ur5_robot.urdf", "panda/panda.urdf", "iiwa14_mjcf/iiwa14.xml", "kinova/kinova.urdf",
        "baxter/baxter.urdf", "anymal_c/anymal.urdf", "go2/go2.xml", "g1/g1.xml", "solo12/solo12.urdf",
        "simple_humanoid/simple_humanoid.urdf", "cassie/cassie.xml", "talos/talos.xml" };
    int found = 0;
    for (size_t i = 0; i < sizeof name / sizeof name[0]; i++) {
        char path[1024];
        soa_model *model;
        snprintf(path, sizeof path, SOA_ROBOTS "/%s", name[i]);
        if (soa_load(path, NULL, &model, NULL) == SOA_OK) {
            kit k = kit_of(model, 7);
            check(&k);
            kit_close(&k);
            found++;
        }
    }
    print_message("%d robots\n", found);
}

#endif
