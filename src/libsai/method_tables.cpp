#include "libsai/method_tables.hpp"

#include "libsai/process.hpp"

namespace petrel::libsai {

using sai::Attribute;
using sai::BulkErrors;
using sai::StatId;
using sai::StatsMode;
namespace status = sai::status;

namespace {

Status create_switch(ObjectId* created, std::uint32_t count, const Attribute* attributes)
{
    if (created == nullptr || (attributes == nullptr && count != 0)) {
        return status::invalid_parameter;
    }
    return on_library([&](Library& library) { return library.create_switch(*created, {attributes, count}); });
}

template <ObjectType type>
Status create(ObjectId* created, ObjectId switch_id, std::uint32_t count, const Attribute* attributes)
{
    if (created == nullptr || (attributes == nullptr && count != 0)) {
        return status::invalid_parameter;
    }
    return on_library([&](Library& library) { return library.create(type, *created, switch_id, {attributes, count}); });
}

template <ObjectType type>
Status remove(ObjectId id)
{
    return on_library([&](Library& library) { return library.remove(type, id); });
}

template <ObjectType type>
Status set(ObjectId id, const Attribute* attribute)
{
    if (attribute == nullptr) {
        return status::invalid_parameter;
    }
    return on_library([&](Library& library) { return library.set(type, id, *attribute); });
}

template <ObjectType type>
Status get(ObjectId id, std::uint32_t count, Attribute* attributes)
{
    if (attributes == nullptr || count == 0) {
        return status::invalid_parameter;
    }
    return on_library([&](Library& library) { return library.get(type, id, {attributes, count}); });
}

template <ObjectType type>
Status get_stats_ext(ObjectId id, std::uint32_t count, const StatId* ids, StatsMode mode, std::uint64_t* values)
{
    if (ids == nullptr || values == nullptr || count == 0 ||
        (mode != StatsMode::read && mode != StatsMode::read_and_clear)) {
        return status::invalid_parameter;
    }
    return on_library([&](Library& library) { return library.get_stats(type, id, {ids, count}, mode, values); });
}

template <ObjectType type>
Status get_stats(ObjectId id, std::uint32_t count, const StatId* ids, std::uint64_t* values)
{
    return get_stats_ext<type>(id, count, ids, StatsMode::read, values);
}

template <ObjectType type>
Status clear_stats(ObjectId id, std::uint32_t count, const StatId* ids)
{
    if (ids == nullptr || count == 0) {
        return status::invalid_parameter;
    }
    return on_library([&](Library& library) { return library.clear_stats(type, id, {ids, count}); });
}

template <ObjectType type>
Status clear_all_stats(ObjectId id)
{
    return on_library([&](Library& library) { return library.clear_all_stats(type, id); });
}

// Each object gets its own status; the call fails if one of them fails.
template <class One>
Status for_each_object(std::uint32_t objects, BulkErrors mode, Status* each, One one)
{
    Status all = status::success;
    for (std::uint32_t i = 0; i != objects; ++i) {
        const bool stopped = all != status::success && mode == BulkErrors::stop_on_error;
        each[i] = stopped ? Status{status::not_executed} : one(i);
        all = each[i] == status::success ? all : Status{status::failure};
    }
    return all;
}

template <ObjectType type>
Status set_many(std::uint32_t objects, const ObjectId* ids, const Attribute* attributes, BulkErrors mode, Status* each)
{
    if (objects == 0 || ids == nullptr || attributes == nullptr || each == nullptr) {
        return status::invalid_parameter;
    }
    return for_each_object(objects, mode, each, [&](std::uint32_t i) { return set<type>(ids[i], &attributes[i]); });
}

template <ObjectType type>
Status get_many(std::uint32_t objects, const ObjectId* ids, const std::uint32_t* counts, Attribute** lists,
                BulkErrors mode, Status* each)
{
    if (objects == 0 || ids == nullptr || counts == nullptr || lists == nullptr || each == nullptr) {
        return status::invalid_parameter;
    }
    return for_each_object(objects, mode, each,
                           [&](std::uint32_t i) { return get<type>(ids[i], counts[i], lists[i]); });
}

template <std::size_t n>
constexpr std::array<sai::UnusedMethod, n> not_there()
{
    std::array<sai::UnusedMethod, n> methods{};
    methods.fill([]() -> Status { return status::not_implemented; });
    return methods;
}

constexpr auto kSwitch = ObjectType::switch_;
constexpr auto kPort = ObjectType::port;
constexpr auto kQueue = ObjectType::queue;
constexpr auto kPool = ObjectType::buffer_pool;
constexpr auto kGroup = ObjectType::ingress_priority_group;
constexpr auto kProfile = ObjectType::buffer_profile;
constexpr auto kMap = ObjectType::qos_map;

constexpr sai::SwitchApi kSwitchApi{
    create_switch,        remove<kSwitch>,
    set<kSwitch>,         get<kSwitch>,
    get_stats<kSwitch>,   get_stats_ext<kSwitch>,
    clear_stats<kSwitch>, not_there<std::tuple_size_v<decltype(sai::SwitchApi::unused)>>()};

constexpr sai::PortApi kPortApi{
    create<kPort>,      remove<kPort>,          set<kPort>,
    get<kPort>,         get_stats<kPort>,       get_stats_ext<kPort>,
    clear_stats<kPort>, clear_all_stats<kPort>, not_there<std::tuple_size_v<decltype(sai::PortApi::unused)>>()};

constexpr sai::QueueApi kQueueApi{create<kQueue>,      remove<kQueue>,    set<kQueue>,
                                  get<kQueue>,         get_stats<kQueue>, get_stats_ext<kQueue>,
                                  clear_stats<kQueue>, set_many<kQueue>,  get_many<kQueue>};

constexpr sai::BufferApi kBufferApi{create<kPool>,         remove<kPool>,        set<kPool>,         get<kPool>,
                                    get_stats<kPool>,      get_stats_ext<kPool>, clear_stats<kPool>, create<kGroup>,
                                    remove<kGroup>,        set<kGroup>,          get<kGroup>,        get_stats<kGroup>,
                                    get_stats_ext<kGroup>, clear_stats<kGroup>,  create<kProfile>,   remove<kProfile>,
                                    set<kProfile>,         get<kProfile>,        set_many<kGroup>,   get_many<kGroup>};

constexpr sai::QosMapApi kQosMapApi{create<kMap>, remove<kMap>, set<kMap>, get<kMap>};

}  // namespace

const void* method_table(sai::Api api)
{
    switch (api) {
    case sai::Api::switch_: return &kSwitchApi;
    case sai::Api::port: return &kPortApi;
    case sai::Api::queue: return &kQueueApi;
    case sai::Api::buffer: return &kBufferApi;
    case sai::Api::qos_map: return &kQosMapApi;
    }
    return nullptr;
}

}  // namespace petrel::libsai
