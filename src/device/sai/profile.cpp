#include "device/sai/profile.hpp"

#include "base/complaint_text.hpp"
#include "sai/profile_keys.hpp"

namespace petrel::device::sai {

namespace abi = petrel::sai;

namespace {

std::string_view trimmed(std::string_view text)
{
    constexpr std::string_view kBlank = " \t\r";
    const auto first = text.find_first_not_of(kBlank);
    return first == std::string_view::npos ? "" : text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

}  // namespace

Parsed<Profile> parse_profile(std::string_view text, std::string_view file)
{
    Profile profile;
    std::vector<Complaint> complaints;
    for (std::uint32_t number = 1; !text.empty(); ++number) {
        const auto end = text.find('\n');
        const auto line = trimmed(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        if (line.empty() || line.front() == '#') {
            continue;
        }
        const auto equals = line.find('=');
        const auto key = trimmed(line.substr(0, equals));
        if (equals == std::string_view::npos || key.empty()) {
            complaints.push_back({std::string{file}, number, 1, std::string{line}, "KEY=VALUE"});
            continue;
        }
        if (abi::mistyped_key(key)) {
            complaints.push_back(
                {std::string{file}, number, 1, std::string{key}, "a known key, " + instead_of(key, abi::kOwnKeys)});
        } else if (!profile.emplace(key, trimmed(line.substr(equals + 1))).second) {
            complaints.push_back({std::string{file}, number, 1, std::string{key}, "each key once"});
        }
    }
    if (!complaints.empty()) {
        return tl::unexpected(std::move(complaints));
    }
    return profile;
}

}  // namespace petrel::device::sai
