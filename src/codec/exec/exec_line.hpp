// Readers of one line from a helper program, strict about keys, types and ranges. All protocols of helpers use them, so
// that a wrong line is described in the same way everywhere. For the .cpp files of codec/exec and codec/slingshot only:
// it includes the JSON library.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/complaint_text.hpp"
#include "base/ids.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "codec/exec/exec_request.hpp"
#include "codec/json_text.hpp"

namespace petrel::codec::exec_line {

inline constexpr std::size_t kLongestName = 64;
inline constexpr std::size_t kLongestText = 1024;
inline constexpr std::uint64_t kMostNumber = std::numeric_limits<std::uint64_t>::max();
inline constexpr std::uint64_t kMostNumber32 = std::numeric_limits<std::uint32_t>::max();
inline constexpr std::uint64_t kMostDurationUs = 3'600'000'000;         // an hour
inline constexpr std::uint64_t kMostInstantUs = 9'000'000'000'000'000;  // the nanoseconds still fit in 64 bits
inline constexpr std::uint64_t kMostSpeed = 100'000'000'000'000;        // 100 Tb/s

template <class Value, std::size_t n>
using Words = std::array<std::pair<std::string_view, Value>, n>;

// Thrown by Part, and caught by guarded().
struct Refusal {
    std::string what;
};

// A value of the line and its place in it: "samples[3].tx_packets". A Part refers to the one it was taken from, which
// must outlive it.
class Part {
public:
    explicit Part(const nlohmann::json& root) : value_(root) {}

    [[noreturn]] void refuse(std::string_view allowed) const
    {
        throw Refusal{fmt::format("{} is {}: allowed {}", place(), excerpt(to_line(value_)), allowed)};
    }

    std::optional<Part> find(std::string_view key) const
    {
        const auto at = object().find(key);
        return at == value_.end() ? std::nullopt : std::optional{Part{*at, this, key, 0}};
    }
    Part get(std::string_view key) const
    {
        if (auto found = find(key)) {
            return *found;
        }
        throw Refusal{fmt::format("{} has no {}: it is required", place(), key)};
    }
    // Refuses all other keys.
    const Part& only(std::initializer_list<std::string_view> keys) const
    {
        for (const auto& [key, value] : object().items()) {
            if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
                refuse_key(key, std::vector<std::string_view>{keys});
            }
        }
        return *this;
    }
    [[noreturn]] void refuse_key(std::string_view key, const std::vector<std::string_view>& known) const
    {
        throw Refusal{
            fmt::format("{} has the key '{}': allowed a known key, {}", place(), excerpt(key), instead_of(key, known))};
    }

    template <class Use>
    void each(std::size_t most, Use use) const
    {
        if (!value_.is_array() || value_.size() > most) {
            refuse(fmt::format("a list of at most {}", most));
        }
        std::size_t index = 0;
        for (const auto& element : value_) {
            use(Part{element, this, {}, index++});
        }
    }

    std::uint64_t number(std::uint64_t most, std::uint64_t least = 0) const
    {
        const bool whole = value_.is_number_unsigned();
        if (!whole || value_.get<std::uint64_t>() > most || value_.get<std::uint64_t>() < least) {
            refuse(fmt::format("a whole number, {}..{}", least, most));
        }
        return value_.get<std::uint64_t>();
    }
    Duration duration_us() const
    {
        return std::chrono::microseconds{static_cast<std::int64_t>(number(kMostDurationUs))};
    }
    // Of the machine's monotonic clock, not later than `latest`.
    Instant instant_us(Instant latest) const
    {
        const auto at = instant_from_us(static_cast<std::int64_t>(number(kMostInstantUs)));
        if (at > latest) {
            refuse(fmt::format("a time of the monotonic clock that is not in the future, up to {}", whole_us(latest)));
        }
        return at;
    }
    bool flag() const
    {
        if (!value_.is_boolean()) {
            refuse("true or false");
        }
        return value_.get<bool>();
    }
    const std::string& text(std::size_t most) const
    {
        if (!value_.is_string() || value_.get_ref<const std::string&>().size() > most) {
            refuse(fmt::format("a string of at most {} bytes", most));
        }
        return value_.get_ref<const std::string&>();
    }
    const std::string& name() const
    {
        const auto& given = text(kLongestName);
        if (given.empty() || !printable(given)) {
            refuse("a name of printable characters");
        }
        return given;
    }

    template <class Value, std::size_t n>
    Value word(const Words<Value, n>& words) const
    {
        std::vector<std::string_view> known;
        for (const auto& [text, value] : words) {
            if (value_.is_string() && value_.get_ref<const std::string&>() == text) {
                return value;
            }
            known.push_back(text);
        }
        refuse(fmt::format("one of {}", fmt::join(known, ", ")));
    }
    // A Field or a Treatment, by its name.
    template <class Enum>
    Enum named(std::optional<Enum> (*from_name)(std::string_view)) const
    {
        const auto found = value_.is_string() ? from_name(value_.get_ref<const std::string&>()) : std::nullopt;
        if (found) {
            return *found;
        }
        std::vector<std::string_view> known;
        for (auto one = Enum{}; one != Enum::count_; one = static_cast<Enum>(static_cast<unsigned>(one) + 1)) {
            known.push_back(watchdog::name(one));
        }
        refuse("a known name, " + instead_of(value_.is_string() ? value_.get<std::string>() : "", known));
    }
    watchdog::Treatment treatment() const { return named(watchdog::treatment_from_name); }

    const nlohmann::json& object() const
    {
        if (!value_.is_object()) {
            refuse("an object");
        }
        return value_;
    }

private:
    Part(const nlohmann::json& value, const Part* parent, std::string_view key, std::size_t index)
        : value_(value), parent_(parent), key_(key), index_(index)
    {}

    std::string place() const
    {
        if (parent_ == nullptr) {
            return "the line";
        }
        const auto above = parent_->parent_ == nullptr ? "" : parent_->place();
        return key_.empty() ? fmt::format("{}[{}]", above, index_)
                            : fmt::format("{}{}{}", above, above.empty() ? "" : ".", key_);
    }

    const nlohmann::json& value_;
    const Part* parent_{};
    std::string_view key_;  // empty: an element of a list
    std::size_t index_{};
};

// Calls the reader, and makes its refusal an error.
template <class Read>
auto guarded(Read read) -> Result<decltype(read())>
{
    try {
        if constexpr (std::is_void_v<decltype(read())>) {
            read();
            return {};
        } else {
            return read();
        }
    } catch (const Refusal& refusal) {
        return tl::unexpected(Error{ErrorKind::corrupt, refusal.what});
    }
}

// The version of the protocol comes first: another version may have other keys.
inline void check_protocol(const Part& hello)
{
    if (const auto protocol = hello.get("protocol"); protocol.number(kMostNumber) != kExecProtocol) {
        protocol.refuse(fmt::format("{}", kExecProtocol));
    }
}

inline Duration read_answer_within(const Part& hello)
{
    constexpr std::uint64_t kLeastMs = 10;
    constexpr std::uint64_t kMostMs = 60'000;
    constexpr std::uint64_t kUsualMs = 2'000;
    const auto within = hello.find("answer_within_ms");
    const auto ms = within ? within->number(kMostMs, kLeastMs) : kUsualMs;
    return std::chrono::milliseconds{static_cast<std::int64_t>(ms)};
}

inline PortNames read_port_names(const Part& port)
{
    PortNames names;
    names.name = port.get("name").name();
    if (const auto xname = port.find("xname")) {
        names.xname = xname->name();
    }
    if (const auto number = port.find("number")) {
        names.number = static_cast<std::uint32_t>(number->number(kMostNumber32));
    }
    return names;
}

}  // namespace petrel::codec::exec_line

namespace petrel::codec {

// The content of an ExecMessage.
struct ExecTree {
    nlohmann::json json;

    // Calls the reader with the line of an answer, unless the answer is the helper's own error.
    template <class Read>
    auto answer(Read read) const
    {
        using Value = decltype(read(exec_line::Part{json}));
        return exec_line::guarded([this] { return failure(); })
            .and_then([&](const std::optional<Error>& error) -> Result<Value> {
                return error ? tl::unexpected(*error) : exec_line::guarded([&] { return read(exec_line::Part{json}); });
            });
    }

    std::optional<Error> failure() const
    {
        constexpr exec_line::Words<ErrorKind, 4> kFailures{{{"unreachable", ErrorKind::unreachable},
                                                            {"unsupported", ErrorKind::unsupported},
                                                            {"denied", ErrorKind::denied},
                                                            {"timed_out", ErrorKind::timed_out}}};
        const exec_line::Part line{json};
        const auto error = line.find("error");
        if (!error) {
            return std::nullopt;
        }
        line.only({"id", "error", "kind"});
        const auto kind = line.find("kind");
        return Error{kind ? kind->word(kFailures) : ErrorKind::unreachable,
                     escaped(error->text(exec_line::kLongestText))};
    }
};

}  // namespace petrel::codec
