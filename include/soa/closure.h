/* soa/closure.h - closed topologies: loops, grasps and contacts that change while a program runs.
 *
 *     soa_closures *set;
 *     soa_closures_new(1, &model, NULL, NULL, &set, &error);     has the closures that the model describes
 *     soa_closed_forward_dynamics(set, states, q, v, T, NULL, vdot, lambda, NULL, &error);
 *
 * A set of closures joins frames of one or several systems (models) to each other or to the world. Let W be the rows of
 * the closures and V_a - V_b the velocity of frame a relative to frame b, both at the origin of a. Then
 *     W (V_a - V_b) = U(t),   Mass vdot + C = T + J* lambda,   J = W (J_a - J_b)
 * The set holds all scratch memory; only soa_closures_new, soa_partition_new and functions named reserve allocate. A set
 * belongs to one thread at a time; threads may share models.
 *
 * If there are several systems, q, v, T and vdot hold the numbers of the first system, then those of the second, and so
 * on; f has six numbers per body, system after system. Arrays hold this for one state after another; the functions solve
 * the states in this order, soa_closed_forward_dynamics as many at a time as the processor has lanes. Each state has the bits
 * that it has alone. If some states fail, the status is that of the first, error->state is its number, and its
 * results are NaN unless a function says otherwise; the results of all other states are valid. v, vdot, T and f may
 * be NULL, which means zero. A result may be NULL if there are others that are not.
 *
 * The kinds hold these motions, in the axes of frame b (x y z of at_b), at the origin of a:
 *     rigid        rotations xyz, translations xyz
 *     revolute     all but the rotation about z
 *     prismatic    all but the translation along z
 *     cylindrical  all but rotation about and translation along z
 *     universal    translations, and z of b at right angles to x of a
 *     spherical    translations
 *     soft-finger  translations, rotation about z        one-sided
 *     point        translations                          one-sided
 *     line         all but the rotation about x          one-sided if so marked
 *     plane        translation along z
 *     distance     the distance of the two origins
 *     sliding      translation along z, with friction against the slip        one-sided
 *     general      Q (V_a - V_b)
 * Closures hold the rotation about the normal of a soft finger, and general rows marked nonholonomic, only in velocity;
 * they hold all other rows in position, too.
 *
 * The normal of a contact is z of at_b, which points out of b towards a. The normal force is the force on a along z; it is
 * positive while the contact is pressed. */
#ifndef SOA_CLOSURE_H
#define SOA_CLOSURE_H

#include "soa/dynamics.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct soa_closures soa_closures;

/* ---- the set ------------------------------------------------------------------------ */

/* How much a set has room for. Zeros mean the closures that the models describe and 16 more. */
typedef struct soa_closures_room {
    int closures; /* closures and couplings, enabled or not */
    int rows;     /* of all enabled ones */
    size_t bytes; /* of scratch memory for rows on their way inward; 0: what the described closures need */
} soa_closures_room;

/* Makes a set on the systems, which must outlive it. The set has the closures and then the couplings that the models
 * describe, system after system; those marked inactive are disabled. room NULL means zeros. allocator NULL means that of
 * the first model. */
SOA_API soa_status soa_closures_new(int systems, const soa_model *const *model, const soa_closures_room *room,
    const soa_allocator *allocator, soa_closures **set, soa_error *error);
SOA_API void soa_closures_free(soa_closures *set);

SOA_API int soa_closures_systems(const soa_closures *set);
SOA_API int soa_closures_nq(const soa_closures *set); /* of all systems */
SOA_API int soa_closures_nv(const soa_closures *set);
SOA_API int soa_closures_count(const soa_closures *set); /* numbers of closures are below this */
SOA_API int soa_closures_rows(const soa_closures *set);  /* of all enabled closures */

/* Adds a closure between a link of one system and a link of another or the same. It is enabled unless it is marked
 * inactive. *index (may be NULL) becomes its number, which it keeps until it is removed. The name must live as long as the
 * closure. SOA_E_LIMIT: the set is full. */
SOA_API soa_status soa_closure_add(
    soa_closures *set, const soa_closure *closure, int system_a, int system_b, int *index, soa_error *error);

/* Adds a coupling of joints as one row: beta(link) - slope beta(driver) = 0. */
SOA_API soa_status soa_closure_add_coupling(
    soa_closures *set, const soa_coupling *coupling, int system_link, int system_driver, int *index, soa_error *error);

SOA_API soa_status soa_closure_remove(soa_closures *set, int closure, soa_error *error);
SOA_API soa_status soa_closure_enable(soa_closures *set, int closure, bool enabled, soa_error *error);
SOA_API bool soa_closure_enabled(const soa_closures *set, int closure);

/* Returns the closure as it was added, or NULL if the number is that of a coupling or of nothing. */
SOA_API const soa_closure *soa_closure_get(const soa_closures *set, int closure);
SOA_API const char *soa_closure_name(const soa_closures *set, int closure); /* "" if it has none */
SOA_API int soa_closure_find(const soa_closures *set, const char *name);    /* or SOA_NONE */
SOA_API int soa_closure_rows(const soa_closures *set, int closure);         /* its rows; 0: disabled, or none */
SOA_API int soa_closure_first_row(const soa_closures *set, int closure);    /* among those of the set */
SOA_API soa_status soa_closure_set_slip(soa_closures *set, int closure, const double slip[3], soa_error *error);

/* Sets the prescribed motion U of a closure, one number per row each: what the position and the velocity are to be, and
 * how the velocity changes. NULL means zeros. A new closure stands still. */
SOA_API soa_status soa_closure_set_motion(soa_closures *set, int closure, const double *position,
    const double *velocity, const double *acceleration, soa_error *error);

/* Lets the closure hold frame a where it is now, at q, whatever its frames said. This changes at_a of the closure. It is
 * for docking, and for feet that are set down. */
SOA_API soa_status soa_closure_hold_here(soa_closures *set, int closure, const double *q, soa_error *error);

/* ---- kinematics ---------------------------------------------------------------------- */

/* Computes by how much each row is missed, in metres and radians; rows without a position give 0. */
SOA_API soa_status soa_closure_violation(soa_closures *set, int states, const double *q, const double *v,
    double *position, double *velocity, soa_error *error);

/* Compute J, rows x nv, where J v is the velocity of the rows; its rate dJ/dt at v; and the bias (dJ/dt) v - dU/dt. */
SOA_API soa_status soa_closure_jacobian(soa_closures *set, int states, const double *q, double *J, soa_error *error);
SOA_API soa_status soa_closure_jacobian_rate(
    soa_closures *set, int states, const double *q, const double *v, double *J_dot, soa_error *error);

/* Lists the frames that the enabled closures join, as points of soa/operator.h: frame a and then frame b of each closure,
 * without those of the world. Returns how many there are. point may be NULL. */
SOA_API int soa_closure_points(const soa_closures *set, soa_point *point);

/* Computes A, rows x 6 points, which takes the velocities of these points, in world axes, to those of the rows. So J is A
 * times the Jacobian of the points. SOA_E_UNSUPPORTED: there are several systems, or a coupling, which joins no points. */
SOA_API soa_status soa_closure_operator(soa_closures *set, int states, const double *q, double *A, soa_error *error);

SOA_API soa_status soa_closure_bias(
    soa_closures *set, int states, const double *q, const double *v, double *bias, soa_error *error);

/* ---- forward dynamics ----------------------------------------------------------------- */

/* How a solution came about. Singular values are those of J in physical units: with l the longest lever in the loops
 * that share joints, rows and velocities are taken in radians and in metres over l; each as part of the largest. */
typedef struct soa_closed {
    int rows;       /* of the enabled closures */
    int rank;       /* rows that are independent */
    int eliminated; /* rows solved inside the tree, before the base was reached */
    double
        condition;  /* largest over smallest pivot of the independent rows, scaled; 1 / kept^2 where rows are rounded */
    double kept;    /* smallest singular value that counts, and the largest that does not. Where rows are */
    double dropped; /* not rounded both are estimates: roots of scaled pivots */
    bool rounded;   /* rows depend on each other but for rounding: see soa_closures_redundancy */
    double position; /* largest violation of a row */
    double velocity;
    double inconsistency; /* largest acceleration by which a dependent row is missed */
    int broken;           /* one-sided closures that pull or leave their cone; soa_closure_force says which */
} soa_closed;

/* ---- rows that depend on each other but for rounding -----------------------------------------------------
 * A file gives numbers to a few digits. Rows of an over-constrained mechanism then depend on each other only nearly, and
 * taken literally they lock it. So the rank of closures that share joints is found once, in general configurations
 * that satisfy them: singular values below `rank` do not count; if rank is 0, those below the widest gap between two
 * that follow each other, looked for below SOA_CLOSURE_ACCURACY. A direction that does not count is left out of every
 * solution: J is replaced by the nearest matrix, in the units of soa_closed, whose rows depend on each other exactly.
 * Positions are projected to where the sum of squares of the rows (metres over l, radians) is least. */

#define SOA_CLOSURE_ACCURACY 5e-3

typedef struct soa_closure_tolerances {
    double rank;          /* singular values below it do not count; 0: by the gap */
    double contradiction; /* what rounded rows may miss in a projection, metres over l and radians; 0: 1e-2 */
    double velocity;      /* what rows may miss in a projection, as part of the largest velocity; 0: 1e-9 */
} soa_closure_tolerances;

/* NULL: zeros, which a new set has. */
SOA_API soa_status soa_closures_set_tolerances(
    soa_closures *set, const soa_closure_tolerances *tolerances, soa_error *error);

enum { SOA_CLOSURE_NOTE = 192 };

/* What has been found. */
typedef struct soa_redundancy {
    int rows, rank;                  /* of all enabled closures, in general configurations */
    bool rounded;                    /* rows depend on each other, but for rounding */
    bool undecided;                  /* rows nearly depend on each other and no gap tells whether they are to */
    bool unmet;                      /* no configuration that satisfies them was found, so every row counts */
    double kept, dropped;            /* smallest singular value that counts, largest that does not */
    char closures[SOA_CLOSURE_NOTE]; /* whose rows they are: "'left', 'right' and 2 more" */
} soa_redundancy;

SOA_API soa_status soa_closures_redundancy(soa_closures *set, soa_redundancy *redundancy, soa_error *error);

/* Computes vdot and lambda (rows numbers, may be NULL) of the closed system for joint forces T and external forces f, and
 * tells in closed (one per state, may be NULL) how. If redundant rows agree with the others, lambda has the least norm, and
 * closed->rank is smaller than closed->rows. SOA_E_CLOSURE: rows contradict each other; the error names their closures,
 * vdot satisfies the independent rows, and all results are given. SOA_E_CLOSURE also if it is undecided whether rows depend
 * on each other; vdot is then NaN, and soa_closures_set_tolerances takes a rank that decides. soa_closure_force gives the
 * forces of single closures at the last state.  [CC] */
SOA_API soa_status soa_closed_forward_dynamics(soa_closures *set, int states, const double *q, const double *v,
    const double *T, const double *f, double *vdot, double *lambda, soa_closed *closed, soa_error *error);

/* Returns how many states soa_closed_forward_dynamics computes at a time: 1, 2 (WebAssembly), 4 or 8; 1 where a model has
 * flexible links or more than 4096 bodies. */
SOA_API int soa_closures_lanes(const soa_closures *set);

/* Sets the number of lanes, for measuring: 1, or one that the set had room for when it was made. The results are the same. */
SOA_API soa_status soa_closures_set_lanes(soa_closures *set, int lanes, soa_error *error);

/* Returns the multipliers of the last state that was solved, rows numbers: the force on a along each row. */
SOA_API const double *soa_closure_multipliers(const soa_closures *set);

/* What a closure does at the last state that was solved. */
typedef struct soa_closure_load {
    double point[3];       /* origin of frame a in the world */
    double wrench_on_a[6]; /* moment, force: world axes, at the point; the one on b is opposite */
    bool contact;          /* one-sided: the rest is meant */
    double normal;         /* force on a along the normal: positive presses */
    double tangential;     /* size of the force in the tangent plane */
    double twist;          /* moment about the normal */
    double cone_margin;    /* friction * normal - tangential, or for a soft finger with a bound
                            * min(that, bound * normal - |twist|); negative: it would slip */
    bool holds;            /* presses, and inside the cone (sliding: presses) */
} soa_closure_load;

SOA_API soa_status soa_closure_force(const soa_closures *set, int closure, soa_closure_load *load, soa_error *error);

/* ---- consistent positions and velocities -------------------------------------------------- */

typedef struct soa_projection {
    int iterations;  /* done */
    int rank;        /* of the rows at the end */
    double position; /* largest violation left; of rounded rows it is what no position can mend */
    double velocity;
    bool rounded;        /* rows depend on each other but for rounding, and q is where they are missed least */
    bool branch_kept;    /* soa_closure_project_from: the nearest q was on another branch and was not taken */
    bool branch_changed; /* the same, and none was found on the branch of q_from: q is on another one */
} soa_projection;

typedef enum soa_metric {
    SOA_METRIC_MASS,     /* nearest in kinetic energy; where a motion has none, as below */
    SOA_METRIC_IDENTITY, /* nearest in the numbers of v */
} soa_metric;

/* Moves q to the nearest position that satisfies the closures to `tolerance` (0: 1e-12), or that misses rounded rows
 * least, by Gauss-Newton steps on the manifold; then, if v is not NULL, v to the nearest velocity at that q. projection
 * (one per state, may be NULL) tells how. SOA_E_CLOSURE: no such position was reached; q is the best one found, and the
 * error names the closure missed most. */
SOA_API soa_status soa_closure_project(soa_closures *set, soa_metric metric, double tolerance, int states, double *q,
    double *v, soa_projection *projection, soa_error *error);
SOA_API soa_status soa_closure_project_velocity(soa_closures *set, soa_metric metric, int states, const double *q,
    double *v, soa_projection *projection, soa_error *error);

/* Projects q and v while a mechanism moves; q_from is the state before and satisfies the closures. Where branches of
 * positions cross (at dead points: a parallelogram laid flat) the nearest q may lie on another branch. The way from q_from
 * to q must be a motion that the closures allow, for each loop by itself; if it is not, the function looks for q along the
 * tangent at q_from. */
SOA_API soa_status soa_closure_project_from(soa_closures *set, soa_metric metric, double tolerance, int states,
    const double *q_from, double *q, double *v, soa_projection *projection, soa_error *error);

/* ---- inverse dynamics, internal forces ------------------------------------------------------ */

/* Computes T that gives vdot, which must satisfy the closures, and lambda (may be NULL). Of the many T it is the one with
 * the least sum of weight[i] T[i]^2 and with T[i] = 0 where weight[i] is infinite (a passive joint). weight has nv numbers
 * for all states; NULL means all 1. SOA_E_CLOSURE: no forces of the driven joints give vdot. */
SOA_API soa_status soa_closed_inverse_dynamics(soa_closures *set, int states, const double *q, const double *v,
    const double *vdot, const double *f, const double *weight, double *T, double *lambda, soa_error *error);

/* Splits lambda (rows numbers) at the closures of one link into `motion`, which has the least weighted norm and the same
 * resultant on the link, and `internal`, a squeeze without resultant. Rows of other closures are zero in both. weight says
 * for each closure of the set how much it costs to load it; NULL means all 1. wrench (six numbers, may be NULL) is the
 * resultant at the origin of the link frame, in world axes. */
SOA_API soa_status soa_grasp_split(soa_closures *set, int system, int link, int states, const double *q,
    const double *weight, const double *lambda, double *motion, double *internal, double *wrench, soa_error *error);

/* Computes lambda at the closures of one link that gives it the resultant `wrench` (six numbers, at the origin of the link
 * frame, in world axes) with the least weighted norm: it shares a load among arms. */
SOA_API soa_status soa_grasp_balance(soa_closures *set, int system, int link, int states, const double *q,
    const double *weight, const double *wrench, double *lambda, soa_error *error);

/* Finds out whether internal forces can press every one-sided closure of the link into the inside of its friction cone,
 * a pyramid of `edges` sides (4 to 16), while the closures can resist every wrench on the link; closed has one answer per
 * state. If they can, lambda (rows numbers, may be NULL) is such a squeeze, with normal forces of order 1. */
SOA_API soa_status soa_force_closure(soa_closures *set, int system, int link, int edges, int states, const double *q,
    bool *closed, double *lambda, soa_error *error);

/* ---- effective inertia ---------------------------------------------------------------------------- */

/* A point of one of the systems. */
typedef struct soa_closed_point {
    int system;
    soa_point point;
} soa_closed_point;

/* Computes what forces at the points do to the closed system,
 *     Lambda_closed = J_x (Mass^-1 - Mass^-1 J* (J Mass^-1 J*)^+ J Mass^-1) J_x*,
 * 6 points square, in mixed axes; and, if inertia is not NULL, its inverse. SOA_E_SINGULAR: there is no inverse, and
 * inertia is NaN. */
SOA_API soa_status soa_closed_operational_inertia(soa_closures *set, int points, const soa_closed_point *point,
    int states, const double *q, double *lambda, double *inertia, soa_error *error);

/* ---- primary and secondary systems, step by step ------------------------------------------------------
 * The same solution taken apart, each step where its inputs change: (A) to (C) belong to one system and know nothing of
 * closures; (D) brings them together; (E) and (F) belong to one system again. A change of what is enabled repeats (D);
 * a change of one system repeats its own (A) to (C) and (D). soa_closed_forward_dynamics is faster where all changes. */

typedef struct soa_partition soa_partition;

/* For the systems and closures of a set, which must outlive it; closures added later are not in it.
 * Couplings of joints are refused: SOA_E_UNSUPPORTED. */
SOA_API soa_status soa_partition_new(soa_closures *set, soa_partition **partition, soa_error *error);
SOA_API void soa_partition_free(soa_partition *partition);

/* (A) vdot of the system without closures, (B) accelerations of its ends of closures, (C) its Lambda there.
 * q, v, T are those of this system alone; f as in soa_forward_dynamics. */
SOA_API soa_status soa_partition_system(soa_partition *partition, int system, const double *q, const double *v,
    const double *T, const double *f, soa_error *error);

/* (D) lambda of the enabled closures, as soa_closure_multipliers gives it; of redundant rows the least. Rows that depend on
 * each other but for rounding are taken as one, as soa_closed_forward_dynamics does. */
SOA_API soa_status soa_partition_closures(soa_partition *partition, soa_closed *closed, soa_error *error);

/* (E), (F) vdot of one system, lambda acting. */
SOA_API soa_status soa_partition_correct(soa_partition *partition, int system, double *vdot, soa_error *error);

/* How often each step has been done: systems (A) to (C), blocks of Lambda put together in (D), solutions (D),
 * corrections (E). */
typedef struct soa_partition_work {
    long systems, blocks, solutions, corrections;
} soa_partition_work;

SOA_API soa_partition_work soa_partition_work_done(const soa_partition *partition);

/* ---- arms that hold one rigid object ------------------------------------------------------------------- */

/* A free rigid body in the world: where its frame is, how it moves (angular; linear, world axes, at its origin). */
typedef struct soa_object {
    soa_inertia inertia;
    soa_pose pose;
    double velocity[6];
} soa_object;

/* Groupings of the same solution. */
typedef enum soa_grasp_method {
    SOA_RCCFD1, /* open-loop vdot, contact forces, then the correction of vdot by them */
    SOA_RCCFD2, /* contact forces, then one filtering of T and them together */
    SOA_RCCFD3, /* vdot in two parts: with the inertia of the object, and with its bias */
} soa_grasp_method;

/* Who holds what. All arms are in one model; arm i holds the object rigidly at tip[i], wherever that point is. */
typedef struct soa_grasp {
    int tips; /* at most SOA_MAX_ARMS */
    const soa_point *tip;
    const soa_object *object; /* one per state */
} soa_grasp;

#define SOA_MAX_ARMS 64

/* Results, in arrays of the caller. */
typedef struct soa_grasp_motion {
    double *vdot;         /* nv numbers per state */
    double *contact;      /* 6 per tip: what the arms exert on the object, world axes, at the tips */
    double *acceleration; /* 6 per state, may be NULL: of the object's frame, the derivative of its velocity */
} soa_grasp_motion;

/* Makes room in the workspace of the arms for a grasp with this many tips. Call it once before. */
SOA_API soa_status soa_workspace_reserve_grasp(soa_workspace *workspace, int tips, soa_error *error);

/* SOA_E_SINGULAR: the arms and the object cannot give way in every direction; use a set of closures. SOA_E_LIMIT: the
 * workspace has no room for so many tips; call soa_workspace_reserve_grasp.  [RCCFD1..3] */
SOA_API soa_status soa_grasp_forward_dynamics(const soa_model *arms, soa_workspace *workspace, soa_grasp_method method,
    const soa_grasp *grasp, int states, const double *q, const double *v, const double *T,
    const soa_grasp_motion *motion, soa_error *error);

#ifdef __cplusplus
}
#endif
#endif
