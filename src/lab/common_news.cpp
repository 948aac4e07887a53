#include "lab/common_news.hpp"

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

void append(std::string& to, const Said& said)
{
    const Head head{said.at.time_since_epoch().count(), said.seq, said.device.size(), said.text.size()};
    to.append(reinterpret_cast<const char*>(&head), sizeof head).append(said.device).append(said.text);
}

Said take(std::string_view& from)
{
    Head head{};
    std::memcpy(&head, from.data(), sizeof head);
    from.remove_prefix(sizeof head);
    Said said{Instant{Instant::duration{head.at_ns}}, std::string{from.substr(0, head.device_bytes)}, head.seq,
              std::string{from.substr(head.device_bytes, head.text_bytes)}};
    from.remove_prefix(head.device_bytes + head.text_bytes);
    return said;
}

}  // namespace

std::string common_news(const std::vector<Said>& ours, twin::Peers& peers)
{
    std::string bytes;
    for (const auto& said : ours) {
        append(bytes, said);
    }
    std::vector<Said> all;
    for (const auto& heard : peers.gather(bytes)) {
        for (std::string_view left = heard; !left.empty();) {
            all.push_back(take(left));
        }
    }
    std::sort(all.begin(), all.end(), [](const Said& a, const Said& b) {
        return std::tie(a.at, a.device, a.seq) < std::tie(b.at, b.device, b.seq);
    });
    std::string text;
    for (const auto& said : all) {
        text += said.text;
    }
    return text;
}

}  // namespace petrel::lab
