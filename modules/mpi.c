/* modules/mpi.c - what soa sweep asks of MPI: who there is, and one message from rank 0 to all. */
#include <mpi.h>

#include "module.h"

static void begin(int *rank, int *size)
{
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, rank);
    MPI_Comm_size(MPI_COMM_WORLD, size);
}

static void share(void *bytes, size_t size)
{
    MPI_Bcast(bytes, (int)size, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static void end(bool all_there)
{
    if (all_there) {
        MPI_Finalize();
    }
}

__attribute__((visibility("default"))) extern const module_mpi_table soa_module;
const module_mpi_table soa_module = { begin, share, end };
