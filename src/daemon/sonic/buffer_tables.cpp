#include "daemon/sonic/buffer_tables.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <utility>

#include "base/complaint_text.hpp"

namespace petrel::daemon {

namespace {

using sonic::Hash;

constexpr std::string_view kThreshold = "dynamic_th";
constexpr int kLeastExponent = -8;
constexpr int kMostExponent = 8;

std::string pool_key(std::string_view name) { return fmt::format("BUFFER_POOL|{}", name); }
std::string profile_key(std::string_view name) { return fmt::format("BUFFER_PROFILE|{}", name); }

template <class Number>
void add(Hash& fields, std::string_view name, const std::optional<Number>& value)
{
    if (value) {
        fields.emplace(name, fmt::format("{}", *value));
    }
}

Hash fields_of(const device::BufferPool& pool)
{
    Hash fields{{"mode", pool.dynamic ? "dynamic" : "static"},
                {"size", fmt::format("{}", pool.size)},
                {"type", pool.ingress ? "ingress" : "egress"}};
    add(fields, "xoff", pool.xoff);
    return fields;
}

Hash fields_of(const device::BufferProfile& profile, std::string_view prefix)
{
    Hash fields{{"size", fmt::format("{}", profile.reserved)}};
    if (!profile.pool.empty()) {
        fields.emplace("pool", fmt::format("{}{}", prefix, profile.pool));
    }
    add(fields, kThreshold, profile.dynamic_th);
    add(fields, "static_th", profile.static_th);
    add(fields, "xoff", profile.xoff);
    add(fields, "xon", profile.xon);
    return fields;
}

std::optional<int> exponent_of(std::string_view text)
{
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool whole = error == std::errc{} && end == text.data() + text.size();
    return whole && number >= kLeastExponent && number <= kMostExponent ? std::optional{number} : std::nullopt;
}

Error no_such_change(std::string what) { return {ErrorKind::invalid, std::move(what)}; }

}  // namespace

void BufferTables::update(std::span<const NosBuffers> changed)
{
    for (const auto& device : changed) {
        devices_.insert_or_assign(device.device, device);
    }
}

control::TableContent BufferTables::rows() const
{
    control::TableContent rows;
    for (const auto& [name, device] : devices_) {
        for (const auto& pool : device.buffers.pools) {
            rows.emplace(pool_key(device.prefix + pool.name), fields_of(pool));
        }
        for (const auto& profile : device.buffers.profiles) {
            rows.emplace(profile_key(device.prefix + profile.name), fields_of(profile, device.prefix));
        }
    }
    return rows;
}

Result<Nos::Answer::Threshold> BufferTables::threshold(const sonic::Change& change) const
{
    const auto value = change.fields.find(std::string{kThreshold});
    if (change.kind != sonic::Change::Kind::set || change.fields.size() != 1 || value == change.fields.end()) {
        return tl::unexpected(no_such_change(
            fmt::format("{}: of the switch's buffers the agent changes only {} of a profile, which is alpha",
                        excerpt(change.key), kThreshold)));
    }
    const auto exponent = exponent_of(value->second);
    if (!exponent) {
        return tl::unexpected(no_such_change(fmt::format("{}: {} is '{}': {}..{}", excerpt(change.key), kThreshold,
                                                         excerpt(value->second), kLeastExponent, kMostExponent)));
    }
    for (const auto& [name, device] : devices_) {
        for (const auto& profile : device.buffers.profiles) {
            if (profile_key(device.prefix + profile.name) == change.key) {
                return Nos::Answer::Threshold{name, profile.name, *exponent};
            }
        }
    }
    return tl::unexpected(no_such_change(fmt::format("{}: no device has it", excerpt(change.key))));
}

}  // namespace petrel::daemon
