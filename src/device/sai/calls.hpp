// Calls into a library, with their status codes translated into Error: one Objects for each object type. An attribute
// counts as supported only if a get of it succeeds; the library's capability queries are not used here.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "sai/api.hpp"

namespace petrel::device::sai {

namespace abi = petrel::sai;

std::string status_text(abi::Status);                      // "NOT_IMPLEMENTED (-15)"
std::string attribute_text(abi::ObjectType, abi::AttrId);  // "PFC_DLR_INIT"
Error call_failed(abi::Status, std::string_view what);     // `what`: "get PFC_DLR_INIT of a queue"
Error no_effect(std::string_view what);                    // of a set that succeeded
std::string version_text(abi::Version);                    // "1.18.1"

inline abi::Value boolean(bool on)
{
    abi::Value value{};
    value.booldata = on;
    return value;
}

class Objects {
public:
    Objects() = default;  // an object type that the library does not have: every call fails
    Objects(abi::ObjectType type, abi::GetAttributes getter, abi::SetAttribute setter, abi::GetStats counters)
        : type_(type), get_(getter), set_(setter), get_stats_(counters)
    {}

    Result<abi::Value> get(abi::ObjectId, abi::AttrId) const;
    Result<void> set(abi::ObjectId, abi::AttrId, const abi::Value&) const;

    // For the poll path: these allocate nothing and return the bare status.
    abi::Status get(abi::ObjectId object, std::span<abi::Attribute> attributes) const
    {
        return get_ == nullptr ? abi::status::not_implemented
                               : get_(object, static_cast<std::uint32_t>(attributes.size()), attributes.data());
    }
    abi::Status stats(abi::ObjectId object, std::span<const abi::StatId> ids, std::uint64_t* counters) const
    {
        return get_stats_ == nullptr ? abi::status::not_implemented
                                     : get_stats_(object, static_cast<std::uint32_t>(ids.size()), ids.data(), counters);
    }

    // A whole list attribute; `member` selects the list in a Value.
    template <class T>
    Result<std::vector<T>> list(abi::ObjectId object, abi::AttrId id, abi::List<T> abi::Value::* member) const
    {
        constexpr std::uint32_t kUsual = 64;
        constexpr std::uint32_t kMost = 65'536;  // a longer list is an error of the library
        std::vector<T> found(kUsual);
        for (int attempt = 0; attempt != 3; ++attempt) {
            abi::Attribute attribute{};
            attribute.id = id;
            attribute.value.*member = {static_cast<std::uint32_t>(found.size()), found.data()};
            const auto status = get(object, {&attribute, 1});
            const auto count = (attribute.value.*member).count;
            if (status == abi::status::success && count <= found.size()) {
                found.resize(count);
                return found;
            }
            const bool too_short = status == abi::status::success || status == abi::status::buffer_overflow;
            if (!too_short || count > kMost) {
                return tl::unexpected(failed(status, "get", id));
            }
            found.resize(std::max<std::size_t>(count, found.size() * 2));
        }
        return tl::unexpected(failed(abi::status::buffer_overflow, "get", id));
    }

private:
    Error failed(abi::Status, std::string_view call, abi::AttrId) const;

    abi::ObjectType type_{};
    abi::GetAttributes get_{};
    abi::SetAttribute set_{};
    abi::GetStats get_stats_{};
};

}  // namespace petrel::device::sai
