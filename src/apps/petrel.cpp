#include "cli/petrel.hpp"

int main(int argc, char** argv) { return petrel::cli::run_petrel(argc, argv); }
