// What the library has to say to a person, on stderr: a NOS shows it among its own lines.
#pragma once

#include <string_view>

#include "sai/ids.hpp"

namespace petrel::libsai {

void set_log_level(sai::LogLevel);
void log(sai::LogLevel, std::string_view);

}  // namespace petrel::libsai
