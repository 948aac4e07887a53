// The newest events of each device as lines of docs/events.md, for answers. The control thread has its own copy, so
// that answers with a long history cost the loop nothing.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/ids.hpp"
#include "control/request.hpp"
#include "runtime/state_format.hpp"

namespace petrel::daemon {

class EventHistory {
public:
    explicit EventHistory(std::size_t most) : most_(most) {}

    void add(const std::string& device, std::uint64_t seq, std::string json);

    // The last events that a request for events wants, in the order of time. Each ends with a line feed.
    struct Lines {
        std::string text;
        std::size_t count{};
    };
    Lines last(const control::ControlRequest&) const;

    // Empty if the history has no such event, or does not have it any more.
    std::string find(const std::string& device, std::uint64_t seq) const;
    std::string last_about(const std::string& device, std::string_view port, std::optional<Priority>) const;

private:
    using Events = std::deque<runtime::StoredEvent>;  // of one device, by sequence number

    const Events& of(const std::string& device) const;

    std::size_t most_;
    std::map<std::string, Events> devices_;
};

}  // namespace petrel::daemon
