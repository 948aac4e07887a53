// docs/openapi.yaml as part of the program.
#pragma once

#include <string_view>

namespace petrel::api {

std::string_view openapi();

}  // namespace petrel::api
