// The newest events of each device as the lines of docs/events.md, for answers: the control thread's own copy, so that
// a long history costs the loop nothing.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/ids.hpp"
#include "runtime/state_format.hpp"

namespace petrel::daemon {

class EventHistory {
public:
    explicit EventHistory(std::size_t most) : most_(most) {}

    void add(const std::string& device, std::uint64_t seq, std::string json);

    // The last of one device, or of all (`device` is empty), in the order of their times; 0 = all of them. Each with
    // the end of its line.
    struct Lines {
        std::string text;
        std::size_t count{};
    };
    Lines last(const std::string& device, std::size_t count) const;

    // Empty: there is none any more.
    std::string find(const std::string& device, std::uint64_t seq) const;
    std::string last_about(const std::string& device, std::string_view port, std::optional<Priority>) const;

private:
    using Events = std::deque<runtime::StoredEvent>;  // of one device, by sequence number

    const Events& of(const std::string& device) const;

    std::size_t most_;
    std::map<std::string, Events> devices_;
};

}  // namespace petrel::daemon
