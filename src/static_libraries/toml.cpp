// toml++'s code as part of a static program: Debian has it as a shared library and as headers only.
#define TOML_IMPLEMENTATION
#include <toml++/toml.h>
