#include "codec/scenario/values.hpp"

#include <algorithm>
#include <span>

namespace petrel::codec {

namespace {

struct Unit {
    std::string_view name;
    std::uint64_t worth{};
};

constexpr Unit kTimes[] = {{"ps", 1},
                           {"ns", 1'000},
                           {"us", 1'000'000},
                           {"ms", 1'000'000'000},
                           {"s", 1'000'000'000'000},
                           {"min", 60'000'000'000'000}};
constexpr Unit kRates[] = {{"K", 1'000}, {"M", 1'000'000}, {"G", 1'000'000'000}, {"T", 1'000'000'000'000}};
constexpr Unit kSizes[] = {{"B", 1},           {"kB", 1'000},      {"MB", 1'000'000}, {"GB", 1'000'000'000},
                           {"KiB", 1U << 10U}, {"MiB", 1U << 20U}, {"GiB", 1U << 30U}};

constexpr std::uint64_t kMost = 1'000'000'000'000'000'000;

// "1.5us": digits, at most one dot, a unit. Values that cannot be converted exactly are refused.
std::optional<std::uint64_t> number_with(std::string_view text, std::span<const Unit> units, std::uint64_t most)
{
    const auto digits = std::min(text.find_first_not_of("0123456789."), text.size());
    const auto number = text.substr(0, digits);
    const auto unit =
        std::find_if(units.begin(), units.end(), [&](const Unit& u) { return u.name == text.substr(digits); });
    if (unit == units.end() || number.empty() || number.front() == '.' || number.back() == '.') {
        return std::nullopt;
    }
    std::uint64_t value = 0;
    std::uint64_t scale = 0;  // of the digits after the dot; 0 = no dot yet
    for (const char c : number) {
        if (c == '.') {
            if (scale != 0) {
                return std::nullopt;
            }
            scale = 1;
            continue;
        }
        const auto digit = static_cast<std::uint64_t>(c - '0');
        if (value > (kMost - digit) / 10) {
            return std::nullopt;
        }
        value = 10 * value + digit;
        scale *= 10;
    }
    scale = std::max<std::uint64_t>(scale, 1);
    const auto whole = value / scale;
    const auto rest = value % scale;
    if (whole > most / unit->worth || rest > kMost / unit->worth || rest * unit->worth % scale != 0) {
        return std::nullopt;
    }
    const auto result = whole * unit->worth + rest * unit->worth / scale;
    return result <= most ? std::optional{result} : std::nullopt;
}

}  // namespace

std::optional<std::uint64_t> time_in_ps(std::string_view text) { return number_with(text, kTimes, kLongestTimePs); }
std::optional<std::uint64_t> rate_in_bps(std::string_view text) { return number_with(text, kRates, kMost); }
std::optional<std::uint64_t> size_in_bytes(std::string_view text) { return number_with(text, kSizes, kMost); }

}  // namespace petrel::codec
