// The hashes of SONiC's COUNTERS_DB as readings, from a dump or from the database itself.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codec/import/recording.hpp"
#include "control/table_change.hpp"

namespace petrel::codec {

// The hashes that name the ports, queues and priority groups, with the object of each.
inline constexpr std::array<std::string_view, 3> kSonicNameMaps{"COUNTERS_PORT_NAME_MAP", "COUNTERS_QUEUE_NAME_MAP",
                                                                "COUNTERS_PG_NAME_MAP"};

class SonicCounters {
public:
    explicit SonicCounters(std::array<control::TableHash, 3> name_maps);

    // What read() may add.
    static std::vector<Column> columns();

    // The keys of the hashes with counters.
    const std::vector<std::string>& keys() const { return keys_; }

    // `hashes`: one for each key, empty if the database has none.
    void read(std::int64_t at_us, const std::vector<control::TableHash>& hashes, const std::string& device,
              Recording&) const;

private:
    struct Object {
        std::string port;
        std::optional<std::uint8_t> priority;
    };

    std::vector<std::string> keys_;
    std::vector<Object> objects_;  // by key
};

}  // namespace petrel::codec
