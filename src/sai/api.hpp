// The functions of SAI: what a library exports, its method tables, and the length of each table in each version. The
// tables are declared with their full length of 1.18. A library of an older version has shorter ones; reading beyond
// table_bytes() of a table yields garbage pointers. A library of ours fills the methods it does not have, including
// `unused`, with a function that returns not_implemented.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "sai/ids.hpp"
#include "sai/types.hpp"

namespace petrel::sai {

using CreateSwitch = Status (*)(ObjectId* created, std::uint32_t count, const Attribute*);
using Create = Status (*)(ObjectId* created, ObjectId switch_id, std::uint32_t count, const Attribute*);
using Remove = Status (*)(ObjectId);
using SetAttribute = Status (*)(ObjectId, const Attribute*);
using GetAttributes = Status (*)(ObjectId, std::uint32_t count, Attribute*);
using GetStats = Status (*)(ObjectId, std::uint32_t count, const StatId*, std::uint64_t* counters);
using GetStatsExt = Status (*)(ObjectId, std::uint32_t count, const StatId*, StatsMode, std::uint64_t* counters);
using ClearStats = Status (*)(ObjectId, std::uint32_t count, const StatId*);
using ClearAllStats = Status (*)(ObjectId);
using UnusedMethod = Status (*)();

// SAI_BULK_OP_ERROR_MODE_: stop at the first error, or continue.
enum class BulkErrors : std::int32_t { stop_on_error = 0, ignore_error = 1 };

using SetMany = Status (*)(std::uint32_t objects, const ObjectId*, const Attribute*, BulkErrors, Status* each);
using GetMany = Status (*)(std::uint32_t objects, const ObjectId*, const std::uint32_t* counts, Attribute** lists,
                           BulkErrors, Status* each);

struct SwitchApi {
    CreateSwitch create;
    Remove remove;
    SetAttribute set;
    GetAttributes get;
    GetStats get_stats;
    GetStatsExt get_stats_ext;
    ClearStats clear_stats;
    std::array<UnusedMethod, 8> unused;
};

struct PortApi {
    Create create;
    Remove remove;
    SetAttribute set;
    GetAttributes get;
    GetStats get_stats;
    GetStatsExt get_stats_ext;
    ClearStats clear_stats;
    ClearAllStats clear_all_stats;
    std::array<UnusedMethod, 27> unused;
};

struct QueueApi {
    Create create;
    Remove remove;
    SetAttribute set;
    GetAttributes get;
    GetStats get_stats;
    GetStatsExt get_stats_ext;
    ClearStats clear_stats;
    SetMany set_many;  // since 1.15
    GetMany get_many;
};

struct BufferApi {
    Create create_pool;
    Remove remove_pool;
    SetAttribute set_pool;
    GetAttributes get_pool;
    GetStats get_pool_stats;
    GetStatsExt get_pool_stats_ext;
    ClearStats clear_pool_stats;
    Create create_group;  // ingress priority group
    Remove remove_group;
    SetAttribute set_group;
    GetAttributes get_group;
    GetStats get_group_stats;
    GetStatsExt get_group_stats_ext;
    ClearStats clear_group_stats;
    Create create_profile;
    Remove remove_profile;
    SetAttribute set_profile;
    GetAttributes get_profile;
    SetMany set_many_groups;  // since 1.15
    GetMany get_many_groups;
};

struct QosMapApi {
    Create create;
    Remove remove;
    SetAttribute set;
    GetAttributes get;
};

// The functions that a library exports; the comment contains the name of each.
using Initialize = Status(std::uint64_t flags, const ServiceMethods*);  // sai_api_initialize
using QueryApi = Status(Api, void** table);                             // sai_api_query
using Uninitialize = Status();                                          // sai_api_uninitialize
using SetLog = Status(Api, LogLevel);                                   // sai_log_set
using QueryObjectType = ObjectType(ObjectId);                           // sai_object_type_query
using QuerySwitchId = ObjectId(ObjectId);                               // sai_switch_id_query
using QueryAttrCapability = Status(ObjectId switch_id, ObjectType, AttrId, AttrCapability*);
using QueryEnumCapability = Status(ObjectId switch_id, ObjectType, AttrId, List<std::int32_t>*);
using QueryStatsCapability = Status(ObjectId switch_id, ObjectType, List<StatCapability>*);
using QueryVersion = Status(std::uint64_t* version);  // sai_query_api_version

// 10000 * major + 100 * minor + revision, as a library reports it.
using Version = std::uint64_t;
inline constexpr Version kOldest = 10900;           // before it, attribute ids changed with every version
inline constexpr Version kContinuousState = 11000;  // also port intervals and the packet action of a queue
inline constexpr Version kPortErrors = 11500;       // of a port and in its notifications
inline constexpr Version kNewestKnown = 11801;      // the version that these tables were written from

// The size in bytes of a method table in a library of that version; a newer library has at least these.
constexpr std::size_t table_bytes(Api api, Version version)
{
    switch (api) {
    case Api::switch_: return version < 11100 ? 104 : 120;
    case Api::port: return version < 11002 ? 184 : version < 11300 ? 216 : version < 11800 ? 248 : 280;
    case Api::queue: return version < 11500 ? 56 : 72;
    case Api::buffer: return version < 11500 ? 144 : 160;
    case Api::qos_map: return 32;
    }
    return 0;
}

}  // namespace petrel::sai
