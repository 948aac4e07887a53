// Any bytes as the manager's files of tokens, cables and agents, and as the address of a manager, are accepted or
// refused with reasons. The first byte selects which.
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "base/assert.hpp"
#include "base/complaint_text.hpp"
#include "codec/manager/cables.hpp"
#include "codec/manager/fleet_json.hpp"
#include "codec/manager/tokens.hpp"
#include "config/manager_url.hpp"

namespace {

using namespace petrel;

void expect_reasons(const std::vector<Complaint>& complaints)
{
    PETREL_ASSERT(!complaints.empty(), "refused without a reason");
    for (const auto& complaint : complaints) {
        PETREL_ASSERT(!to_text(complaint).empty(), "an empty complaint");
    }
}

void read_tokens(std::string_view text)
{
    const auto tokens = codec::read_tokens(text, "fuzz");
    if (!tokens) {
        return expect_reasons(tokens.error());
    }
    std::set<std::string> names;
    for (const auto& token : *tokens) {
        PETREL_ASSERT(token.secret.size() >= 16 && token.role != config::Role::none && names.insert(token.name).second,
                      "a token without a secret or a role, or two of a name");
    }
}

void read_cables(std::string_view text)
{
    const auto cables = codec::read_cables(text, "fuzz");
    if (!cables) {
        return expect_reasons(cables.error());
    }
    std::set<fabric::PortName> used;
    for (const auto& [a, b] : *cables) {
        PETREL_ASSERT(used.insert(a).second && used.insert(b).second, "two cables at a port");
    }
}

void read_fleet(std::string_view text)
{
    const auto places = codec::read_fleet_file(text, "fuzz");
    if (!places) {
        return expect_reasons(places.error());
    }
    std::set<std::string> names;
    for (const auto& place : *places) {
        PETREL_ASSERT(!place.agent.empty() && names.insert(place.agent).second, "an agent without a name, or twice");
    }
}

void read_url(std::string_view text)
{
    const auto url = config::parse_manager_url(text);
    if (!url) {
        PETREL_ASSERT(!url.error().what.empty(), "refused without a reason");
        return;
    }
    const bool v6 = url->host.find(':') != std::string::npos;
    const auto whole =
        fmt::format("{}://{}{}{}:{}", url->tls ? "https" : "http", v6 ? "[" : "", url->host, v6 ? "]" : "", url->port);
    const auto again = config::parse_manager_url(whole);
    PETREL_ASSERT(again && *again == *url, "{} is read otherwise", whole);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size == 0) {
        return 0;
    }
    const std::string_view text{reinterpret_cast<const char*>(data) + 1, size - 1};
    switch (data[0] % 4) {
    case 0: read_tokens(text); break;
    case 1: read_cables(text); break;
    case 3: read_fleet(text); break;
    default: read_url(text); break;
    }
    return 0;
}
