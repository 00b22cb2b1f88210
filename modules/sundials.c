/* modules/sundials.c - integrators of SUNDIALS: CVODE (BDF and Adams), ARKODE, IDA.
 *
 * Jacobians are differences of rates. IDA solves y' - f(t, y) = 0. */
#include <arkode/arkode_arkstep.h>
#include <cvode/cvode.h>
#include <ida/ida.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "module.h"

typedef struct outer {
    soa_integration task;
    SUNContext context;
    N_Vector y, yp;
    SUNMatrix A;
    SUNLinearSolver linear;
    SUNNonlinearSolver nonlinear;
    void *memory;
    soa_error *error; /* of the call */
    soa_status status;
} outer;

static soa_status fail(soa_error *error, soa_status status, const char *format, ...)
{
    if (error) {
        va_list list;
        va_start(list, format);
        memset(error, 0, sizeof *error);
        error->status = status;
        vsnprintf(error->text, sizeof error->text, format, list);
        va_end(list);
    }
    return status;
}

static bool is_ida(const outer *o)
{
    return o->task.method == SOA_IDA;
}

static bool is_arkode(const outer *o)
{
    return o->task.method == SOA_ARKODE;
}

/* ---- what they call -------------------------------------------------------------------------------- */

/* A positive number: the integrator tries a shorter step. */
static int rate(realtype t, N_Vector y, N_Vector out, void *self)
{
    outer *o = self;
    o->status = o->task.rate(o->task.context, t, N_VGetArrayPointer(y), N_VGetArrayPointer(out), o->error);
    return o->status == SOA_OK ? 0 : 1;
}

static int residual(realtype t, N_Vector y, N_Vector yp, N_Vector out, void *self)
{
    const int failed = rate(t, y, out, self);
    N_VLinearSum(1.0, yp, -1.0, out, out);
    return failed;
}

/* What moves y onto the closures. The error estimate is left as it is. */
static int projection(realtype t, N_Vector y, N_Vector change, realtype limit, N_Vector estimate, void *self)
{
    outer *o = self;
    (void)limit, (void)estimate;
    o->status = o->task.project(o->task.context, t, N_VGetArrayPointer(y), N_VGetArrayPointer(change), o->error);
    N_VLinearSum(1.0, change, -1.0, y, change);
    return o->status == SOA_OK ? 0 : 1;
}

static void be_silent(int code, const char *module, const char *function, char *text, void *self)
{
    (void)code, (void)module, (void)function, (void)text, (void)self;
}

/* ---- made ---------------------------------------------------------------------------------------------- */

static bool make_cvode(outer *o)
{
    const bool adams = o->task.method == SOA_CVODE_ADAMS;
    void *m = o->memory = CVodeCreate(adams ? CV_ADAMS : CV_BDF, o->context);
    if (m == NULL || CVodeSetErrHandlerFn(m, be_silent, NULL) != 0 || CVodeInit(m, rate, 0.0, o->y) != 0 ||
        CVodeSStolerances(m, o->task.rtol, o->task.atol) != 0 || CVodeSetUserData(m, o) != 0 ||
        CVodeSetMaxStep(m, o->task.largest) != 0) {
        return false;
    }
    if (adams) {
        o->nonlinear = SUNNonlinSol_FixedPoint(o->y, 0, o->context);
        return o->nonlinear != NULL && CVodeSetNonlinearSolver(m, o->nonlinear) == 0;
    }
    return CVodeSetLinearSolver(m, o->linear, o->A) == 0 &&
           (o->task.project == NULL || CVodeSetProjFn(m, projection) == 0);
}

static bool make_arkode(outer *o)
{
    void *m = o->memory = ARKStepCreate(NULL, rate, 0.0, o->y, o->context);
    return m != NULL && ARKStepSetErrHandlerFn(m, be_silent, NULL) == 0 &&
           ARKStepSStolerances(m, o->task.rtol, o->task.atol) == 0 && ARKStepSetUserData(m, o) == 0 &&
           ARKStepSetLinearSolver(m, o->linear, o->A) == 0 && ARKStepSetOrder(m, 4) == 0 &&
           ARKStepSetMaxStep(m, o->task.largest) == 0 && ARKStepSetInterpolantType(m, ARK_INTERP_HERMITE) == 0 &&
           ARKStepSetInterpolantDegree(m, 5) == 0;
}

static bool make_ida(outer *o)
{
    void *m = o->memory = IDACreate(o->context);
    return m != NULL && IDASetErrHandlerFn(m, be_silent, NULL) == 0 && IDAInit(m, residual, 0.0, o->y, o->yp) == 0 &&
           IDASStolerances(m, o->task.rtol, o->task.atol) == 0 && IDASetUserData(m, o) == 0 &&
           IDASetLinearSolver(m, o->linear, o->A) == 0 &&
           (o->task.largest == 0.0 || IDASetMaxStep(m, o->task.largest) == 0);
}

static void release(void *self)
{
    outer *o = self;
    if (o->memory != NULL && is_ida(o)) {
        IDAFree(&o->memory);
    } else if (o->memory != NULL && is_arkode(o)) {
        ARKStepFree(&o->memory);
    } else if (o->memory != NULL) {
        CVodeFree(&o->memory);
    }
    if (o->nonlinear != NULL) {
        SUNNonlinSolFree(o->nonlinear);
    }
    if (o->linear != NULL) {
        SUNLinSolFree(o->linear);
    }
    if (o->A != NULL) {
        SUNMatDestroy(o->A);
    }
    if (o->yp != NULL) {
        N_VDestroy(o->yp);
    }
    if (o->y != NULL) {
        N_VDestroy(o->y);
    }
    if (o->context != NULL) {
        SUNContext_Free(&o->context);
    }
    free(o);
}

static bool make_parts(outer *o)
{
    const sunindextype size = o->task.size;
    if (SUNContext_Create(NULL, &o->context) != 0) {
        return false;
    }
    o->y = N_VNew_Serial(size, o->context);
    o->yp = N_VNew_Serial(size, o->context);
    o->A = SUNDenseMatrix(size, size, o->context);
    o->linear = o->y != NULL && o->A != NULL ? SUNLinSol_Dense(o->y, o->A, o->context) : NULL;
    if (o->linear == NULL || o->yp == NULL) {
        return false;
    }
    N_VConst(0.0, o->y);
    N_VConst(0.0, o->yp);
    return is_ida(o) ? make_ida(o) : is_arkode(o) ? make_arkode(o) : make_cvode(o);
}

static soa_status make(const soa_integration *task, void **self, soa_error *error)
{
    *self = NULL;
    if (task->project != NULL && (task->method == SOA_CVODE_ADAMS || task->method == SOA_IDA)) {
        return fail(error, SOA_E_UNSUPPORTED, "method %s does not keep closures; take cvode, arkode, rk853 or stiff",
            task->name);
    }
    outer *o = calloc(1, sizeof *o);
    if (o == NULL) {
        return fail(error, SOA_E_MEMORY, "out of memory");
    }
    o->task = *task;
    if (!make_parts(o)) {
        release(o);
        return fail(error, SOA_E_MEMORY, "SUNDIALS cannot make method %s", task->name);
    }
    *self = o;
    return SOA_OK;
}

/* ---- run ------------------------------------------------------------------------------------------------- */

/* What SUNDIALS has returned, as a status: that of the last rate if it has failed. */
static soa_status status_of(const outer *o, int flag, double t)
{
    if (flag >= 0) {
        return SOA_OK;
    }
    return o->status != SOA_OK
               ? o->status
               : fail(o->error, SOA_E_NUMBER,
                     "method %s gives up after t = %.9g with code %d of SUNDIALS; try larger tolerances", o->task.name,
                     t, flag);
}

static soa_status begin(void *self, double t, const double *y, soa_error *error)
{
    outer *o = self;
    o->error = error;
    memcpy(N_VGetArrayPointer(o->y), y, (size_t)o->task.size * sizeof *y);
    if (is_ida(o)) {
        const int failed = rate(t, o->y, o->yp, o);
        return failed ? o->status : status_of(o, IDAReInit(o->memory, t, o->y, o->yp), t);
    }
    return status_of(o, is_arkode(o) ? ARKStepReset(o->memory, t, o->y) : CVodeReInit(o->memory, t, o->y), t);
}

/* A step that does not pass `until`; the stop of an earlier step, which may lie behind, is always replaced. */
static int one_step(outer *o, double until, double *t)
{
    const double goal = isfinite(until) ? until : *t + 1e9;
    if (is_ida(o)) {
        const int flag = IDASetStopTime(o->memory, goal);
        return flag < 0 ? flag : IDASolve(o->memory, goal, t, o->y, o->yp, IDA_ONE_STEP);
    }
    if (is_arkode(o)) {
        const int flag = ARKStepSetStopTime(o->memory, goal);
        return flag < 0 ? flag : ARKStepEvolve(o->memory, goal, o->y, t, ARK_ONE_STEP);
    }
    const int flag = CVodeSetStopTime(o->memory, goal);
    return flag < 0 ? flag : CVode(o->memory, goal, o->y, t, CV_ONE_STEP);
}

static soa_status step(void *self, double until, double *t, double *y, soa_error *error)
{
    outer *o = self;
    const double from = *t;
    o->error = error;
    o->status = SOA_OK;
    const int flag = one_step(o, until, t);
    memcpy(y, N_VGetArrayPointer(o->y), (size_t)o->task.size * sizeof *y);
    return status_of(o, flag, from);
}

static soa_status at(void *self, double t, double *y, soa_error *error)
{
    outer *o = self;
    o->error = error;
    o->status = SOA_OK;
    const int flag = is_ida(o)      ? IDAGetDky(o->memory, t, 0, o->yp)
                     : is_arkode(o) ? ARKStepGetDky(o->memory, t, 0, o->yp)
                                    : CVodeGetDky(o->memory, t, 0, o->yp);
    memcpy(y, N_VGetArrayPointer(o->yp), (size_t)o->task.size * sizeof *y);
    return status_of(o, flag, t);
}

static const soa_integrator INTEGRATOR = { make, release, begin, step, at };

__attribute__((visibility("default"))) extern const module_sundials_table soa_module;
const module_sundials_table soa_module = { &INTEGRATOR };
