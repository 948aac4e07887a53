#include "lab/merged_events.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <tuple>

namespace petrel::lab {

namespace {

// The head of a record that processes of one program exchange, in the machine's byte order. The two texts follow it.
struct Head {
    std::int64_t at_ns;
    std::uint64_t seq;
    std::uint64_t device_bytes;
    std::uint64_t text_bytes;
};

void append(std::string& to, const EventText& event)
{
    const Head head{event.at.time_since_epoch().count(), event.seq, event.device.size(), event.text.size()};
    to.append(reinterpret_cast<const char*>(&head), sizeof head).append(event.device).append(event.text);
}

EventText take(std::string_view& from)
{
    Head head{};
    std::memcpy(&head, from.data(), sizeof head);
    from.remove_prefix(sizeof head);
    EventText event{Instant{Instant::duration{head.at_ns}}, std::string{from.substr(0, head.device_bytes)}, head.seq,
                    std::string{from.substr(head.device_bytes, head.text_bytes)}};
    from.remove_prefix(head.device_bytes + head.text_bytes);
    return event;
}

}  // namespace

std::string merged_events(const std::vector<EventText>& ours, twin::Peers& peers)
{
    std::string bytes;
    for (const auto& event : ours) {
        append(bytes, event);
    }
    std::vector<EventText> all;
    for (const auto& part : peers.gather(bytes)) {
        for (std::string_view left = part; !left.empty();) {
            all.push_back(take(left));
        }
    }
    std::sort(all.begin(), all.end(), [](const EventText& a, const EventText& b) {
        return std::tie(a.at, a.device, a.seq) < std::tie(b.at, b.device, b.seq);
    });
    std::string text;
    for (const auto& event : all) {
        text += event.text;
    }
    return text;
}

}  // namespace petrel::lab
