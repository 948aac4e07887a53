#include "device/sonic/links.hpp"

#include <time.h>

#include <algorithm>
#include <ctime>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "device/sonic/number.hpp"

namespace petrel::device::sonic {

namespace {

// A time in UTC, in seconds since 1970.
std::optional<std::time_t> time_of(const std::string& text, const char* format)
{
    std::tm parts{};
    const auto* end = ::strptime(text.c_str(), format, &parts);
    return end != nullptr && *end == '\0' ? std::optional{::timegm(&parts)} : std::nullopt;
}

}  // namespace

Result<void> Links::read(db::RedisStore& store, const Layout& layout)
{
    redis::Pipeline get;
    for (const auto& port : layout.ports) {
        get.add({"HMGET", "PORT_TABLE:" + port.name, "oper_status", "flap_count", "admin_status", "last_down_time"});
    }
    return run(store, db::Db::appl, get, [&](std::size_t port, redis::View reply) {
        if (reply.size() != 4) {
            return;
        }
        auto& link = links_[port];
        if (reply[0].text() != link.status || reply[1].text() != link.flaps) {
            link.status = reply[0].text();
            link.flaps = reply[1].text();
            ++link.changes;
        }
        link.enabled = reply[2].text() != "down";
        link.last_down = reply[3].text();
    });
}

// orchagent records the error of a notification after it has changed oper_status and last_down_time, and keeps it when
// the link comes up. So an error that is older than last_down_time belongs to an earlier time.
Result<void> Links::read_errors(db::RedisStore& store, const Layout& layout)
{
    static const auto kList = link::list_named("sonic.oper_error_status");
    std::vector<std::size_t> changed;
    redis::Pipeline get;
    for (std::size_t port = 0; port != links_.size(); ++port) {
        if (links_[port].changes != links_[port].changes_before) {
            changed.push_back(port);
            get.add({"HMGET", "PORT_OPERR_TABLE|" + layout.ports[port].name, "oper_error_status",
                     "oper_error_status_time"});
        }
    }
    if (changed.empty()) {
        return {};
    }
    return run(store, db::Db::state, get, [&](std::size_t i, redis::View reply) {
        auto& link = links_[changed[i]];
        link.error.reset();
        const auto went_down = time_of(link.last_down, "%a %b %d %H:%M:%S %Y");
        const auto code = reply.size() == 2 ? number(reply[0].text()) : std::nullopt;
        const auto recorded = code ? time_of(std::string{reply[1].text()}, "%Y-%m-%d %H:%M:%S") : std::nullopt;
        if (went_down && recorded && *recorded >= *went_down) {
            link.error = link::RawCode{kList.value(), *code};
        }
    });
}

Result<std::vector<link::LinkSample>> Links::samples(db::RedisStore& store, const Layout& layout)
{
    if (auto read = read_errors(store, layout); !read) {
        return tl::unexpected(std::move(read.error()));
    }
    std::vector<link::LinkSample> all;
    for (std::size_t port = 0; port != links_.size(); ++port) {
        auto& link = links_[port];
        const bool up = link.status == "up";
        if (!up && link.status != "down") {
            continue;
        }
        all.push_back({layout.ports[port].name, up, !up && !link.enabled, downs_since_sample(link), link.error, {}});
        link.was_up = up;
        link.changes_before = link.changes;
        link.flaps_before = link.flaps;
    }
    return all;
}

// flap_count increases with each change. From up, every other change is one to down, and the first is one.
std::uint32_t Links::downs_since_sample(const Link& link)
{
    const auto before = number(link.flaps_before);
    const auto now = number(link.flaps);
    if (!before || !now || *now < *before) {
        return 0;
    }
    const auto downs = (*now - *before + (link.was_up ? 1 : 0)) / 2;
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(downs, std::numeric_limits<std::uint32_t>::max()));
}

}  // namespace petrel::device::sonic
