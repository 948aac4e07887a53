#include "wire/xname.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <limits>

namespace petrel::wire {
namespace {

constexpr std::uint32_t kAny = std::numeric_limits<std::uint32_t>::max();

struct Part {
    char letter;
    std::uint32_t least;
    std::uint32_t most;
};

constexpr Part kCabinet{'x', 0, 9999};
constexpr Part kChassis{'c', 0, 7};
constexpr Part kSlot{'r', 0, kAny};
constexpr Part kController{'b', 0, kAny};
constexpr Part kJack{'j', 1, kAny};
constexpr Part kPort{'p', 0, 2};
constexpr Part kAsic{'a', 0, 3};
constexpr Part kLink{'l', 0, kAny};

struct Shape {
    XnameKind kind;
    std::size_t parts;
    std::array<Part, 5> part;
};

constexpr std::array<Shape, 6> kShapes{{
    {XnameKind::switch_module, 3, {kCabinet, kChassis, kSlot}},
    {XnameKind::switch_controller, 4, {kCabinet, kChassis, kSlot, kController}},
    {XnameKind::jack, 4, {kCabinet, kChassis, kSlot, kJack}},
    {XnameKind::jack_port, 5, {kCabinet, kChassis, kSlot, kJack, kPort}},
    {XnameKind::asic, 4, {kCabinet, kChassis, kSlot, kAsic}},
    {XnameKind::asic_link, 5, {kCabinet, kChassis, kSlot, kAsic, kLink}},
}};

struct Read {
    char letter;
    std::uint32_t number;
};

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// The letters and their numbers; empty if the text has another form.
std::vector<Read> parts_of(std::string_view text)
{
    constexpr std::string_view kBlanks = " \t\r\n";
    const auto first = std::min(text.find_first_not_of(kBlanks), text.size());
    text = text.substr(first, text.find_last_not_of(kBlanks) + 1 - first);
    std::vector<Read> parts;
    while (!text.empty()) {
        std::uint32_t number = 0;
        const auto* end = text.data() + text.size();
        const auto [stop, problem] = std::from_chars(text.data() + 1, end, number);
        if (problem != std::errc{} || parts.size() == 5) {
            return {};
        }
        parts.push_back({lower(text.front()), number});
        text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
    }
    return parts;
}

bool fits(const Shape& shape, const std::vector<Read>& parts)
{
    return parts.size() == shape.parts &&
           std::equal(parts.begin(), parts.end(), shape.part.begin(), [](const Read& read, const Part& part) {
               return read.letter == part.letter && read.number >= part.least && read.number <= part.most;
           });
}

}  // namespace

Result<Xname> parse_xname(std::string_view text)
{
    const auto parts = parts_of(text);
    const auto shape = std::find_if(kShapes.begin(), kShapes.end(), [&](const auto& one) { return fits(one, parts); });
    if (shape == kShapes.end()) {
        return tl::unexpected(
            Error{ErrorKind::invalid,
                  fmt::format("xname '{}': allowed xNcNrN, with bN, jN, jNpN, aN or aNlN after it", text)});
    }
    Xname name{shape->kind, {}};
    std::transform(parts.begin(), parts.end(), std::back_inserter(name.numbers),
                   [](const Read& part) { return part.number; });
    return name;
}

std::string to_string(const Xname& name)
{
    const auto shape =
        std::find_if(kShapes.begin(), kShapes.end(), [&](const auto& one) { return one.kind == name.kind; });
    std::string text;
    for (std::size_t i = 0; i < name.numbers.size(); ++i) {
        text += fmt::format("{}{}", shape->part[i].letter, name.numbers[i]);
    }
    return text;
}

}  // namespace petrel::wire
