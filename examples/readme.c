#include <soa/io.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    soa_model *model;
    soa_error error;
    if (argc != 2 || soa_load(argv[1], NULL, &model, &error) != SOA_OK) {
        fprintf(stderr, "%s\n", argc != 2 ? "usage: readme MODEL" : error.text);
        return 1;
    }
    printf("%s: %d bodies, nv %d, %g kg\n", soa_model_name(model), soa_model_bodies(model), soa_model_nv(model),
        soa_model_mass(model));
    soa_model_free(model);
    return 0;
}
