// The method tables that a caller requests, one for each API.
#pragma once

#include "sai/api.hpp"

namespace petrel::libsai {

// Null if the library does not have this API.
const void* method_table(sai::Api);

}  // namespace petrel::libsai
