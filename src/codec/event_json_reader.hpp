// Reads an event that is parsed already. For the .cpp files of codec and its folders only: it includes the JSON
// library.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "base/result.hpp"
#include "codec/event_reader.hpp"

namespace petrel::codec {

Result<EventLine> event_in(const nlohmann::json& object);

}  // namespace petrel::codec
