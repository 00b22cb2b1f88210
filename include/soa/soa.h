/* soa/soa.h - everything in libsoa. Reading and writing files: soa/io.h. */
#ifndef SOA_H
#define SOA_H

#include "soa/batch.h"
#include "soa/christoffel.h"
#include "soa/closure.h"
#include "soa/core.h"
#include "soa/dynamics.h"
#include "soa/expr.h"
#include "soa/flex.h"
#include "soa/flexible.h"
#include "soa/force.h"
#include "soa/joint.h"
#include "soa/linear.h"
#include "soa/model.h"
#include "soa/operator.h"
#include "soa/parameters.h"
#include "soa/sens.h"
#include "soa/sens_batch.h"
#include "soa/sim.h"
#include "soa/spatial.h"
#include "soa/system.h"

#endif
