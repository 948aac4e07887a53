// Messages of the library for the operator, on stderr, where a NOS collects them. The last error is kept for callers
// that cannot read stderr (petrel_sai_last_error).
#pragma once

#include <string>
#include <string_view>

#include "sai/ids.hpp"

namespace petrel::libsai {

void set_log_level(sai::LogLevel);
void log(sai::LogLevel, std::string_view);

std::string last_error();
void forget_last_error();

}  // namespace petrel::libsai
