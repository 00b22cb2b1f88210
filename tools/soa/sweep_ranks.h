/* sweep_ranks.h - the processes that mpirun has started. */
#ifndef SOA_TOOL_SWEEP_RANKS_H
#define SOA_TOOL_SWEEP_RANKS_H

#include "module.h"

typedef struct sweep_ranks {
    const module_mpi_table *mpi; /* NULL: this process is alone */
    int rank, size;
    int *socket; /* rank 0: to each other rank, from 1 on; -1: it has not called */
    int master;  /* others: to rank 0 */
} sweep_ranks;

/* The command ends if mpirun has started the program, but the module is not there, or ranks do not find each other. */
void sweep_ranks_begin(sweep_ranks *r);

/* all_there false: some rank has died, so that MPI cannot be ended in order. */
void sweep_ranks_end(sweep_ranks *r, bool all_there);

/* How many ranks share this machine. */
int sweep_ranks_local(void);

#endif
