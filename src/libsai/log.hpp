// What the library has to say to a person, on stderr: a NOS shows it among its own lines. The last error is kept for
// whoever cannot see them (petrel_sai_last_error).
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
