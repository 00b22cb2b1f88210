/* model/builtin.h - what the built-in models are made with. */
#ifndef SOA_MODEL_BUILTIN_H
#define SOA_MODEL_BUILTIN_H

#include "model/kit.h"

/* One link of a table: a box of even density on a one-axis joint. */
typedef struct soa_part {
    const char *link;
    const char *joint;
    int parent; /* row of the same table; -1: what the table hangs on */
    char axis;  /* of the revolute joint: 'x', 'y', 'z'; 'w': a weld */
    double at[3];
    double turn[3]; /* roll, pitch, yaw */
    double limit[2];
    double velocity, effort;
    double mass;
    double com[3], size[3];
} soa_part;

#define SOA_KIT_NAME 64

/* Adds link k of a chain, named after k; the joints turn about y and x in turn. `link` has the rest. */
int soa_kit_chain_link(soa_kit *kit, int k, soa_link *link);

/* A link welded to its parent at a place, a box. */
int soa_kit_weld(soa_kit *kit, const char *name, int parent, const double at[3], const soa_inertia *inertia);

/* The rows of a table, names prefixed with `prefix`, hung on link `root`; side -1
 * mirrors the table in its x-z plane. Returns the link of the first row. */
int soa_kit_parts(soa_kit *kit, const soa_part *part, int count, const char *prefix, int root, double side);

/* A frame with the axes of its link. */
void soa_kit_mark(soa_kit *kit, const char *prefix, const char *name, int link, const double at[3]);

/* The built-in model `name` with its parts called "name/...". */
void soa_kit_attach(soa_kit *kit, const char *builtin, const char *name, int link, const soa_pose *at);

/* Bodies of even density; the rod is a cylinder about z. */
soa_inertia soa_box(double mass, const double com[3], const double size[3]);
soa_inertia soa_rod(double mass, const double com[3], double radius, double length);

/* The makers. Arguments are those after the colon of a name. */
typedef void soa_builtin_maker(soa_kit *kit, const unsigned long long *argument);

soa_builtin_maker soa_build_pendulum, soa_build_double_pendulum, soa_build_arm6, soa_build_arm7, soa_build_dual_arm,
    soa_build_quadruped, soa_build_humanoid, soa_build_satellite, soa_build_hexapod, soa_build_chain,
    soa_build_flexible_chain, soa_build_tree;

#endif
