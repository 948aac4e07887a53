// The ports that face servers, for an agent that keeps SONiC's tables itself: a hash in STATE_DB with a field for each.
#pragma once

#include <string>

namespace petrel::sonic {

inline const std::string kServerPortsKey = "PETREL_PFC_WD|server_ports";

}  // namespace petrel::sonic
