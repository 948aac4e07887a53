// Ten thousand runs of the swarm.
#define PETREL_SWARM_RUNS 10'000
#include "swarm/swarm_law_test.cpp"
