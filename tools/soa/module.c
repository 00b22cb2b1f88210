/* module.c - modules, found and loaded. */
#include "module.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool.h"

const char *tool_own_folder(char *path, size_t size)
{
    const ssize_t n = readlink("/proc/self/exe", path, size - 1);
    path[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(path, '/');
    if (slash != NULL) {
        *slash = '\0';
    }
    return path;
}

const void *module_look(const char *name)
{
    char folder[PATH_MAX], path[PATH_MAX + 64];
    const char *own = tool_own_folder(folder, sizeof folder), *given = getenv("SOA_MODULES");
    const char *const place[] = { given != NULL ? given : "", "", "/../lib/soa", "/../../lib/soa" };
    void *module = NULL;
    for (size_t i = given != NULL && given[0] != '\0' ? 0 : 1; i < sizeof place / sizeof place[0] && module == NULL;
         i++) {
        snprintf(path, sizeof path, "%s%s/soa_%s.so", i == 0 ? "" : own, place[i], name);
        module = access(path, R_OK) == 0 ? dlopen(path, RTLD_NOW | RTLD_GLOBAL) : NULL;
    }
    return module != NULL ? dlsym(module, "soa_module") : NULL;
}

const void *module_find(const char *name, const char *package)
{
    const void *table = module_look(name);
    const char *why = table == NULL ? dlerror() : NULL; /* of a file that is there but cannot be loaded */
    if (why != NULL) {
        tool_fail("the module soa_%s.so cannot be loaded: %s", name, why);
    } else if (table == NULL) {
        tool_fail("the module soa_%s.so is not there; it is built where the package %s is installed", name, package);
    }
    return table;
}

const module_hdf5_table *module_hdf5(void)
{
    static const module_hdf5_table *table;
    table = table != NULL ? table : module_find("hdf5", "libhdf5-dev");
    return table;
}

soa_scenario *module_scenario(const char *path)
{
    soa_scenario *scenario;
    tool_must(soa_scenario_load(path, &TOOL_MEMORY, &scenario, tool_error()));
    if (soa_sim_method_outside(soa_scenario_setup(scenario)->method)) {
        const module_sundials_table *table = module_find("sundials", "libsundials-dev");
        soa_scenario_use(scenario, table->integrator);
    }
    return scenario;
}
