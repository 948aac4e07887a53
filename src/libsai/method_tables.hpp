// The tables of functions that a caller asks for, one for each API.
#pragma once

#include "sai/api.hpp"

namespace petrel::libsai {

// Null where the library has no such API.
const void* method_table(sai::Api);

}  // namespace petrel::libsai
