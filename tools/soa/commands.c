/* commands.c - the commands of soa, with what their help says. */
#include "emit_list.h"
#include "tool.h"

const tool_option TOOL_NO_OPTIONS[] = { { NULL, 0, NULL, NULL } };

#define EMIT_1(third) "const double *q"
#define EMIT_2(third) "const double *q, const double *v"
#define EMIT_3(third) "const double *q, const double *v, const double *" third
#define EMIT_HELP(name, word, inputs, third, outputs, equation) \
    "  " #name ", " word "\n      void NAME(" EMIT_##inputs(third) ", double *...): " outputs "\n"

/* clang-format off */
#define EMIT_TEXT                                                                                                \
    "Writes one file of C99 for one robot. It has all constants folded in, no heap, no loops over bodies, no\n"  \
    "branches on data, and no header but <math.h>, for --libm or square roots. Outputs are arrays, row by row:\n" \
    EMIT_LIST(EMIT_HELP)                                                                                         \
    "EXPR is an expression as in 'soa eval'. Its inputs are q and those of v (beta), tau (T), vdot (betadot), f_c\n" \
    "and declared names that stand in it. The same input gives the same file, byte for byte.\n"                  \
    "--data --model MODEL writes the model itself as a constant, for programs that use the library without a heap.\n" \
    "Without --model soa writes the sweeps of EXPR for any tree, as C11 on the kernels of the library, with their\n" \
    "equations; of algorithms those of fd, fd:1 to fd:4, id, bias, gravity, mass, massinv, jacobian, osim."
/* clang-format on */

static const tool_command COMMAND[] = {
    { "info", "show bodies, joints, dofs, masses, closures and warnings of a model",
        "MODEL [--json] [--all] [--frames] [--base fixed|free] [--ascii]", 1, 1, TOOL_INFO_OPTIONS,
        "Prints what a model is made of and the tree of its links.", tool_info },
    { "models", "list the built-in models", "[--json]", 0, 0, TOOL_MODELS_OPTIONS, NULL, tool_models },
    { "convert", "write a model in another format", "MODEL (-o FILE | --to FORMAT)", 1, 1, TOOL_CONVERT_OPTIONS,
        "The format follows from the ending of FILE: .yaml, .urdf, or .xml for MJCF. YAML says\n"
        "everything; soa refuses what URDF or MJCF cannot describe.",
        tool_convert },
    { "compute", "compute dynamics and kinematics of one or many states",
        "MODEL --what LIST (--states FILE | --random N | --from NAME | --q NUMBERS ...)\n            [--base "
        "fixed|free] "
        "[--at LINK[:x,y,z]]... [--open] [--out FILE | --json | --csv] [OPTION]...",
        1, 1, TOOL_COMPUTE_OPTIONS,
        "LIST: fd (accelerations under tau; fd:1 to fd:4 by a certain algorithm), id (forces for\n"
        "vdot), mass, massinv, bias, gravity, coriolis, kinematics, jacobian, osim, energy, momentum,\n"
        "dmass (dMass/dq), christoffel (symbols), linear (derivatives, A B C D; with --step also Ad Bd),\n"
        "grasp (of the link --held).\n"
        "States: {\"states\": [{\"q\": [...], \"v\": [...], \"tau\": [...], \"vdot\": [...]}]}, each a list in the\n"
        "order of the model or an object by joint names; what is missing is zero, q neutral.\n"
        "Closures and couplings affect every quantity: masses, forces and symbols are those of the\n"
        "independent velocities, which each result lists. --open computes only the tree.",
        tool_compute },
    { "project", "find the nearest states that satisfy the closures",
        "MODEL (--states FILE | --random N | --from NAME | --q NUMBERS ...)\n            [--base fixed|free] [--metric "
        "mass|identity] [--tolerance X] [--out FILE | --json]",
        1, 1, TOOL_PROJECT_OPTIONS,
        "Moves q as little as possible until it satisfies the closures and couplings of the model, then\n"
        "v. Distances are measured by kinetic energy (mass) or by the numbers of v (identity). 'soa\n"
        "compute' reads the output. If a state cannot be reached, soa names it, and the exit status is 1.",
        tool_project },
    { "bench", "measure the speed of every algorithm",
        "[MODEL]... [--json] [--only ALGORITHM] [--lanes N] [--threads N] [--states N]\n            [--growth] "
        "[--seconds S] [--seed N]",
        0, TOOL_ANY, TOOL_BENCH_OPTIONS,
        "Measures the processor time per state of each algorithm on random states, one state at a time\n"
        "and in batches of lanes. Without a MODEL it takes some built-in ones. The algorithms:\n"
        "  inverse-dynamics forward-dynamics mass-matrix mass-inverse mass-solve kinematics\n"
        "  jacobian operational-inertia centroidal-matrix energy coriolis-matrix christoffel\n"
        "  inverse-dynamics-derivatives forward-dynamics-derivatives dynamics-derivatives, for models\n"
        "  with closures also closed-forward-dynamics, for files also loading.",
        tool_bench },
    { "check", "validate a model and verify the laws of dynamics on it", "MODEL [--json] [--base fixed|free]", 1, 1,
        TOOL_CHECK_OPTIONS,
        "Evaluates both sides of every operator identity, and the algorithms against each other, at\n"
        "random states. The exit status is 1 if one of them is off by more than rounding, or if there\n"
        "is nothing to verify.",
        tool_check },
    { "eval", "evaluate operator expressions on a model",
        "MODEL \"EXPR\" [--q NUMBERS] [--v NUMBERS] [--tau NUMBERS] [--from NAME | --random N]\n"
        "         [--at LINK[:x,y,z]]... [--let STATEMENT]... [--file FILE]... [--base fixed|free] [--jit] [--json]",
        2, 2, TOOL_EVAL_OPTIONS,
        "EXPR is an expression, statements with ; between them, or a file that ends in .soa: operators\n"
        "(phi psi H M P D G K R J Mass Lambda ...), vectors (T beta betadot V a b f_c ...), numbers, + - and\n"
        "products, ' for the adjoint, ^-1, ^(1/2), d(A, q_2) for derivatives. Joints are in the order of the\n"
        "model; a body has six numbers, angular then linear, in the frame of its link; a point the same in\n"
        "world axes; behind all bodies are the modes of flexible links. An expression may begin with a sign.",
        tool_eval },
    { "emit", "write C for one robot, or the sweeps for any",
        "(ALGORITHM | \"EXPR\" | --data) [--model MODEL] [-o FILE.c] [--name NAME] [--at LINK[:x,y,z]]... [--float] "
        "[--lanes 4|8|16]\n            [--literal] [--libm] [--driver] [--count] [--base fixed|free]",
        0, 1, TOOL_EMIT_OPTIONS, EMIT_TEXT, tool_emit },
    { "explain", "show type, cost and sweeps of an expression",
        "\"EXPR\" [--levels] [--unicode | --latex] [--dot FILE] [--svg FILE] [--let STATEMENT]... [--file FILE]...", 1,
        1, TOOL_EXPLAIN_OPTIONS,
        "Needs no model: the cost of an expression and its recursions are the same for all models.", tool_explain },
    { "simplify", "find the cheapest equal expression",
        "\"EXPR\" [--let STATEMENT]... [--file FILE]... [--unicode | --latex] [--seconds S]", 1, 1,
        TOOL_SIMPLIFY_OPTIONS,
        "The first line is the cheapest expression that soa finds. Its cost before and after follows, and\n"
        "the steps with the labels of their identities.",
        tool_simplify },
    { "derive", "find every form of an expression in O(N)",
        "\"EXPR\" [--let STATEMENT]... [--file FILE]... [--unicode | --latex] [--seconds S]", 1, 1,
        TOOL_SIMPLIFY_OPTIONS,
        "Prints a table, the cheapest form first: sweeps over the bodies, flops per body, the form, and the\n"
        "labels of the identities that make it equal; with --latex the table is a tabular for a paper.",
        tool_derive },
    { "tutor", "show the derivations of the papers step by step on a robot", "[dynamics | operational | closed]", 0, 1,
        TOOL_NO_OPTIONS,
        "Each step is an equation: what it says, its proof, and both sides on a robot at a random state.\n"
        "Without an argument it shows all three derivations: forward dynamics, the operational-space\n"
        "inertia, and closed chains.",
        tool_tutor },
    { "prove", "prove or refute an equation of operators",
        "\"A = B\" [--let STATEMENT]... [--file FILE]... [--unicode | --latex] [--seconds S]", 1, 1, TOOL_PROVE_OPTIONS,
        "Derives the equation from the defining relations of the operators and shows the steps with\n"
        "their labels, or gives a system on which it is false. The first line is 'proved in N\n"
        "steps', 'false: ...' or 'not proved; ...'; the exit status is 0 only if it is proved.",
        tool_prove },
    { "repl", "evaluate expressions on a model as you type them", "MODEL [options of eval]", 1, 1, TOOL_EVAL_OPTIONS,
        "Type an expression, a definition, a declaration, or :help.", tool_repl },
    { "sim", "simulate a scenario and record it",
        "SCENARIO.yaml [--out DIR] [--format LIST] [--resume] [--check] [--json] [--view] [--jit]", 0, 1,
        TOOL_SIM_OPTIONS,
        "Moves the model of a scenario through time: forces, controllers, closures and events act. --out\n"
        "writes DIR/result.csv (t and the signals that the scenario records) and DIR/summary.json (steps,\n"
        "energy balance, violation of closures, events). Other formats: result.npz for numpy.load, result.h5\n"
        "for HDF5. A run that is killed leaves result.csv, or result.npy for numpy.load, with what it has\n"
        "recorded, and a checkpoint from which --resume goes on with the same bits. Ctrl-C ends the run,\n"
        "keeps what is recorded and leaves a checkpoint.\n"
        "docs/scenario-format.md describes scenario files.",
        tool_sim },
    { "sweep", "run a scenario many times with random parameters",
        "SCENARIO.yaml --vary PATH=DISTRIBUTION... -n N --out DIR [--seed S] [--threads N] [--only RUN] [--jit]", 1, 1,
        TOOL_SWEEP_OPTIONS,
        "PATH: q.JOINT, v.JOINT, mass.LINK (its moments of inertia follow in proportion), gravity.x (y, z),\n"
        "force.NAME.WORD (a number of the force as the scenario names it: stiffness, damping, friction, ...).\n"
        "DISTRIBUTION: uniform(LOW,HIGH), normal(MEAN,DEVIATION). Writes DIR/runs.csv (a row per run: its\n"
        "number, the values that vary, the recorded signals at the end) and DIR/statistics.json (means,\n"
        "quantiles, extremes, runs that failed).\n"
        "Runs with method rk4, without closures and events, go in lanes. With 'mpirun soa sweep'\n"
        "the ranks share the runs; with 'mpirun --enable-recovery' the others take over the runs of a rank\n"
        "that dies. The numbers of a run depend only on the seed and the number of the run, not on lanes,\n"
        "threads or ranks. --only repeats one run.",
        tool_sweep },
    { "flex", "reduce a finite-element model to a flexible link",
        "FE-FILE [-o FILE.yaml] [--modes N] [--clamp NAME] [--interface NAME]... [--node NAME]... [--damping R] "
        "[--json]",
        1, 1, TOOL_FLEX_OPTIONS,
        "FE-FILE: NAME.inp of CalculiX with its matrix export NAME.sti, .mas, .dof beside it; NAME.bdf with GRID\n"
        "and DMIG cards; NAME.op4 or NAME.stiffness.mtx and NAME.mass.mtx with NAME.nodes beside them. Keeps the\n"
        "lowest clamped modes and, for each interface, the shapes that forces and moments there produce; reports\n"
        "frequencies and effective masses. A link uses the result by 'flexible: {file: FILE.yaml}'.",
        tool_flex },
    { "plot", "draw signals of a recording", "RESULT SIGNAL... [-o FILE.svg|FILE.png]", 2, TOOL_ANY, TOOL_PLOT_OPTIONS,
        "RESULT is a folder of 'soa sim --out' or a CSV, .npz, .npy or .h5 file. SIGNAL is a column, or the first "
        "words of\n"
        "several (q, energy). Without -o the plot is drawn on the terminal.",
        tool_plot },
    { "view", "show a model in a browser", "MODEL [RESULT] [-o FILE.html] [--base fixed|free]", 1, 2, TOOL_VIEW_OPTIONS,
        "Writes one page with the model, its meshes, the recording RESULT (of 'soa sim --out') and the library\n"
        "itself: no server, no network. Joints move, links are pulled with the mouse, simulations run,\n"
        "recordings play, expressions are explained on the robot. 'make web' builds the page.",
        tool_view },
    { "demo", "take a short tour on a built-in model", "", 0, 0, TOOL_NO_OPTIONS, NULL, tool_demo },
    { "completion", "print a script that completes command lines in a shell", "bash", 1, 1, TOOL_NO_OPTIONS,
        "To use it in this shell:  eval \"$(soa completion bash)\"", tool_completion },
};

int tool_commands(void)
{
    return (int)(sizeof COMMAND / sizeof COMMAND[0]);
}

const tool_command *tool_command_at(int index)
{
    return &COMMAND[index];
}
