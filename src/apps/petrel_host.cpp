#include "cli/host/petrel_host.hpp"

int main(int argc, char** argv) { return petrel::cli::run_petrel_host(argc, argv); }
