// The links of the ports, from APPL_DB: what was counted before a link went down, or at another speed, is not compared
// with what is counted after.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "device/sonic/layout.hpp"

namespace petrel::device::sonic {

class Links {
public:
    explicit Links(const Layout& layout) : links_(layout.ports.size()) {}

    Result<void> read(db::RedisStore&, const Layout&);

    bool up(std::uint16_t port) const { return links_[port].status != "down"; }  // also where nobody knows
    std::uint32_t changes(std::uint16_t port) const { return links_[port].changes; }

private:
    struct Link {
        std::string status;
        std::string flaps;  // counted by whoever sees them all, where somebody does
        std::uint32_t changes{};
    };

    std::vector<Link> links_;
};

}  // namespace petrel::device::sonic
