// NATS with JetStream as a bus: a stream is the log, a bucket of its key-value store has the cells.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bus/bus.hpp"

namespace petrel::bus {

struct NatsOptions {
    std::vector<std::string> servers;  // "nats://10.0.0.5:4222", "tls://..."
    std::string credentials_file;      // "USER:PASSWORD" in one line, or a .creds file; empty: none
    std::string ca_file;               // the certificates that servers may have; empty: those of the machine
    unsigned replicas{3};              // of the log and the cells
    std::int64_t log_bytes{std::int64_t{4} << 30U};  // of entries that are kept
    std::size_t largest_entry{std::size_t{4} << 20U};
    // How long managers agree which one makes the log: longer than the nodes need to create a stream.
    std::chrono::milliseconds choose{3000};
};

// Does not wait for a server. Fails if the options cannot work.
Result<std::unique_ptr<Bus>> connect_to_nats(const NatsOptions&);

}  // namespace petrel::bus
