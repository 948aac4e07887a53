#include "base/assert.hpp"

#include <cstdlib>

namespace petrel {

void assertion_failed(const char* expression, const char* file, int line, const std::string& why)
{
    fmt::print(stderr, "petrel: {}:{}: cannot happen: {} ({})\n", file, line, why, expression);
    std::abort();
}

}  // namespace petrel
