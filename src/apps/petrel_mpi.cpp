// petrel for several processes, on one machine or many, that run one twin: mpirun -n 4 petrel-mpi lab run FILE. It is a
// separate program, so that petrel itself does not depend on MPI.
#include "cli/petrel.hpp"
#include "twin_mpi/mpi_peers.hpp"

int main(int argc, char** argv)
{
    petrel::twin_mpi::MpiPeers peers{argc, argv};
    return petrel::cli::run_petrel(argc, argv, &peers);
}
