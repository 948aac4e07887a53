// The capability queries. They use the same tables as the calls, so the answers are true.
#include "libsai/library.hpp"

namespace petrel::libsai {

using Use = Row::Use;
namespace status = sai::status;

Status Library::capability(ObjectId switch_id, ObjectType type, sai::AttrId id, sai::AttrCapability& answer) const
{
    if (const auto on = find(ObjectType::switch_, switch_id); !on) {
        return on.error();
    }
    const auto rows = rows_of(type);
    if (rows.empty()) {
        return status::not_supported;
    }
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return r.id == id; });
    answer = {};
    if (row != rows.end()) {
        const bool can_create = type == ObjectType::switch_ || type == ObjectType::buffer_pool ||
                                type == ObjectType::buffer_profile || type == ObjectType::qos_map;
        answer.create_implemented = can_create && row->use != Use::read_only;
        answer.set_implemented = row->use == Use::create_and_set;
        answer.get_implemented = row->get != nullptr;
    }
    return status::success;
}

Status Library::enum_capability(ObjectId switch_id, ObjectType type, sai::AttrId id,
                                sai::List<std::int32_t>& values) const
{
    if (const auto on = find(ObjectType::switch_, switch_id); !on) {
        return on.error();
    }
    const auto rows = rows_of(type);
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return r.id == id; });
    if (row == rows.end() || row->values.empty()) {
        return status::not_supported;
    }
    return put(values, row->values);
}

Status Library::stats_capability(ObjectId switch_id, ObjectType type, sai::List<sai::StatCapability>& answer) const
{
    if (const auto on = find(ObjectType::switch_, switch_id); !on) {
        return on.error();
    }
    constexpr auto kRead = static_cast<std::uint32_t>(sai::StatsMode::read);
    constexpr auto kReadAndClear = static_cast<std::uint32_t>(sai::StatsMode::read_and_clear);
    std::vector<sai::StatCapability> stats;
    for (const auto& stat : stats_of(type)) {
        stats.push_back({stat.id, stat.kind == Stat::Kind::level ? kRead : kRead | kReadAndClear});
    }
    return stats.empty() ? Status{status::not_supported} : put(answer, stats);
}

}  // namespace petrel::libsai
