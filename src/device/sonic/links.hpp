// The links of the ports, from APPL_DB (PORT_TABLE). Counters from before a link change are not compared with counters
// from after it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "device/sonic/layout.hpp"
#include "link/link_sample.hpp"

namespace petrel::device::sonic {

class Links {
public:
    explicit Links(const Layout& layout) : links_(layout.ports.size()) {}

    Result<void> read(db::RedisStore&, const Layout&);

    bool up(std::uint16_t port) const { return links_[port].status != "down"; }  // also if the state is unknown
    std::uint32_t changes(std::uint16_t port) const { return links_[port].changes; }

    // As last read. Ports whose state is unknown are left out.
    std::vector<link::LinkSample> samples(const Layout&);

private:
    struct Link {
        std::string status;
        std::string flaps;  // SONiC's flap_count; empty: SONiC does not count flaps
        bool enabled{true};
        std::uint32_t changes{};

        // Of the last sample.
        bool was_up{};
        std::string flaps_before;
    };

    static std::uint32_t downs_since_sample(const Link&);

    std::vector<Link> links_;
};

}  // namespace petrel::device::sonic
