// The program `petrel`, without main(): arguments in, exit code out.
#pragma once

namespace petrel::cli {

int run_petrel(int argc, const char* const* argv);

}  // namespace petrel::cli
