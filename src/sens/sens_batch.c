/* sens/sens_batch.c - the functions of soa/sens_batch.h. */
#include "soa/sens_batch.h"

#include "dynamics/batch.h"

SOA_SENS_BATCH_LIST(SOA_BATCH_FUNCTION)
