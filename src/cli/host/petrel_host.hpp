// The program `petrel-host` without main(): the agent for the NICs of a server and its commands, without switches,
// SONiC and the lab. It is linked statically, so that one file runs on every distribution.
#pragma once

namespace petrel::cli {

// Takes arguments, returns the exit code.
int run_petrel_host(int argc, const char* const* argv);

}  // namespace petrel::cli
