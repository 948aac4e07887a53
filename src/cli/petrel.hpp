// The program `petrel`, without main(): arguments in, exit code out.
#pragma once

#include "twin/peers.hpp"

namespace petrel::cli {

// `peers`: other processes that run the same command on one twin.
int run_petrel(int argc, const char* const* argv, twin::Peers* peers = nullptr);

}  // namespace petrel::cli
