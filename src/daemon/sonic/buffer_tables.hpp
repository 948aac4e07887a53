// The buffers of devices as SONiC's tables BUFFER_POOL and BUFFER_PROFILE, for an agent that keeps the tables itself. A
// row shows what the device shows. A change of a row is a request to the device.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "daemon/nos.hpp"
#include "sonic/store.hpp"

namespace petrel::daemon {

class BufferTables {
public:
    // Both tables begin with it, and no other table does.
    static constexpr std::string_view kPrefix = "BUFFER_";

    void update(std::span<const NosBuffers>);
    control::TableContent rows() const;

    // What the change requests from a device. The only possible change is another dynamic_th of a profile.
    Result<Nos::Answer::Threshold> threshold(const sonic::Change&) const;

private:
    std::map<std::string, NosBuffers> devices_;  // by name
};

}  // namespace petrel::daemon
