// The links of the ports, from APPL_DB (PORT_TABLE), and why they went down, from STATE_DB (PORT_OPERR_TABLE). Counters
// from before a link change are not compared with counters from after it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "device/sonic/layout.hpp"
#include "link/link_sample.hpp"
#include "link/raw_code.hpp"

namespace petrel::device::sonic {

class Links {
public:
    explicit Links(const Layout& layout) : links_(layout.ports.size()) {}

    Result<void> read(db::RedisStore&, const Layout&);

    bool up(std::uint16_t port) const { return links_[port].status != "down"; }  // also if the state is unknown
    std::uint32_t changes(std::uint16_t port) const { return links_[port].changes; }

    // As last read, with the errors of those that changed since the last samples. Ports whose state is unknown are left
    // out.
    Result<std::vector<link::LinkSample>> samples(db::RedisStore&, const Layout&);

private:
    struct Link {
        std::string status;
        std::string flaps;      // SONiC's flap_count; empty: SONiC does not count flaps
        std::string last_down;  // SONiC's last_down_time
        bool enabled{true};
        std::uint32_t changes{};
        std::optional<link::RawCode> error;  // with which it went down the last time

        // Of the last sample.
        bool was_up{};
        std::uint32_t changes_before{};
        std::string flaps_before;
    };

    Result<void> read_errors(db::RedisStore&, const Layout&);

    static std::uint32_t downs_since_sample(const Link&);

    std::vector<Link> links_;
};

}  // namespace petrel::device::sonic
