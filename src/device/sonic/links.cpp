#include "device/sonic/links.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

namespace petrel::device::sonic {

Result<void> Links::read(db::RedisStore& store, const Layout& layout)
{
    redis::Pipeline get;
    for (const auto& port : layout.ports) {
        get.add({"HMGET", "PORT_TABLE:" + port.name, "oper_status", "flap_count", "admin_status"});
    }
    return run(store, db::Db::appl, get, [&](std::size_t port, redis::View reply) {
        if (reply.size() != 3) {
            return;
        }
        auto& link = links_[port];
        if (reply[0].text() != link.status || reply[1].text() != link.flaps) {
            link.status = reply[0].text();
            link.flaps = reply[1].text();
            ++link.changes;
        }
        link.enabled = reply[2].text() != "down";
    });
}

std::vector<link::LinkSample> Links::samples(const Layout& layout)
{
    std::vector<link::LinkSample> all;
    for (std::size_t port = 0; port != links_.size(); ++port) {
        auto& link = links_[port];
        const bool up = link.status == "up";
        if (!up && link.status != "down") {
            continue;
        }
        all.push_back({layout.ports[port].name, up, !up && !link.enabled, downs_since_sample(link), {}, {}});
        link.was_up = up;
        link.flaps_before = link.flaps;
    }
    return all;
}

// flap_count increases with each change. From up, every other change is one to down, and the first is one.
std::uint32_t Links::downs_since_sample(const Link& link)
{
    const auto number = [](const std::string& text) {
        std::uint64_t count = 0;
        const auto* end = text.data() + text.size();
        const auto [stop, error] = std::from_chars(text.data(), end, count);
        return error == std::errc{} && stop == end ? std::optional{count} : std::nullopt;
    };
    const auto before = number(link.flaps_before);
    const auto now = number(link.flaps);
    if (!before || !now || *now < *before) {
        return 0;
    }
    const auto downs = (*now - *before + (link.was_up ? 1 : 0)) / 2;
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(downs, std::numeric_limits<std::uint32_t>::max()));
}

}  // namespace petrel::device::sonic
