// A working library with injected faults: its profile selects them (bad.faults), and the version that it reports
// (bad.version). It shares no code with libsai-petrel, so that the agent cannot depend on peculiarities of our own
// library. Like other libraries it claims every capability, and its attributes have no value until one is set.
#include "sai/bad_libsai.hpp"

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>

namespace petrel::test {
namespace {

using namespace sai;

constexpr ObjectId kSwitch = 0x21;
constexpr ObjectId kUsualProfile = 0x4000;
constexpr ObjectId kUsualPool = 0x5000;
constexpr ObjectId kQueueOfPriority = 0x7000;
constexpr ObjectId kGroupOfPriority = 0x7001;
constexpr ObjectId kQueueOfClass = 0x7002;

struct Library {
    BadSwitch model;
    Version version{kNewestKnown};
    bool initialized{};
    bool half_initialized{};
    ObjectId next_id{0x6000};
    std::unique_ptr<std::byte[]> queue_table;
    std::string kept;   // the profile's bad.kept: a file with the state that hardware keeps after the process
    std::string diary;  // the profile's bad.diary: a file that logs detection per queue and the end of the library
};

Library& lib()
{
    static Library library;
    return library;
}

bool bad(std::string_view fault) { return lib().model.has(fault); }

void pass_time()
{
    if (lib().model.in_a_get) {
        lib().model.in_a_get();
    }
}

void before_a_set()
{
    if (lib().model.before_a_set) {
        lib().model.before_a_set();
    }
}

// Null for an object that does not exist, and for those of a removed port.
BadPort* port_at(ObjectId index)
{
    auto& model = lib().model;
    if (index >= model.ports.size()) {
        return nullptr;
    }
    auto& port = model.ports[index];
    model.uses_of_removed += port.listed ? 0 : 1;
    return port.listed ? &port : nullptr;
}

BadPort* port_of(ObjectId id) { return id >= 0x1000 && id < 0x2000 ? port_at(id - 0x1000) : nullptr; }

BadQueue* queue_of(ObjectId id)
{
    auto* port = id >= 0x2000 && id < 0x3000 ? port_at((id - 0x2000) / 8) : nullptr;
    return port != nullptr ? &port->queues[(id - 0x2000) % 8] : nullptr;
}

BadGroup* group_of(ObjectId id)
{
    auto* port = id >= 0x3000 && id < kUsualProfile ? port_at((id - 0x3000) / 8) : nullptr;
    return port != nullptr ? &port->groups[(id - 0x3000) % 8] : nullptr;
}

template <class T>
Status give(List<T>& list, const std::vector<T>& all)
{
    const auto room = list.count;
    list.count = static_cast<std::uint32_t>(all.size());
    if (list.list == nullptr && room == 0) {
        return status::success;
    }
    if (room < all.size()) {
        return status::buffer_overflow;
    }
    std::copy(all.begin(), all.end(), list.list);
    return status::success;
}

std::vector<MapEntry> entries_of(const Value& value)
{
    std::vector<MapEntry> entries{value.maplist.list, value.maplist.list + value.maplist.count};
    for (auto& entry : entries) {
        if (bad("coarse_timers")) {
            entry.value = (entry.value + 99) / 100 * 100;
        }
    }
    return entries;
}

template <class Get>
Status each(std::uint32_t count, Attribute* attributes, Get get)
{
    pass_time();
    for (std::uint32_t i = 0; i != count; ++i) {
        if (const Status status = get(attributes[i]); status != status::success) {
            return status;
        }
    }
    return status::success;
}

// Hardware that outlives the process: buffers, and the settings of groups and queues, as lines of numbers.

void keep()
{
    const auto& library = lib();
    if (library.kept.empty()) {
        return;
    }
    std::ofstream file{library.kept};
    file << "next " << library.next_id << '\n';
    for (const auto& [id, pool] : library.model.pools) {
        file << "pool " << id << ' ' << pool.type << ' ' << pool.size << ' ' << pool.mode << '\n';
    }
    for (const auto& [id, profile] : library.model.profiles) {
        file << "profile " << id << ' ' << profile.pool << ' ' << profile.reserved << ' ' << profile.mode << ' '
             << int{profile.share} << '\n';
    }
    for (std::size_t p = 0; p != library.model.ports.size(); ++p) {
        file << "port " << p << ' ' << unsigned{library.model.ports[p].pfc} << ' '
             << unsigned{library.model.ports[p].pfc_tx} << '\n';
        for (std::size_t i = 0; i != 8; ++i) {
            const auto& queue = library.model.ports[p].queues[i];
            file << "queue " << p << ' ' << i << ' ' << library.model.ports[p].groups[i].profile << ' '
                 << queue.recovering << ' ' << queue.action << '\n';
        }
    }
}

void remember()
{
    auto& library = lib();
    std::ifstream file{library.kept};
    for (std::string word; file >> word;) {
        ObjectId id{};
        file >> id;
        if (word == "next") {
            library.next_id = id;
        } else if (word == "pool") {
            auto& pool = library.model.pools[id];
            file >> pool.type >> pool.size >> pool.mode;
        } else if (word == "profile") {
            auto& profile = library.model.profiles[id];
            int share{};
            file >> profile.pool >> profile.reserved >> profile.mode >> share;
            profile.share = static_cast<std::int8_t>(share);
        } else if (word == "port") {
            unsigned received{};
            unsigned sent{};
            file >> received >> sent;
            library.model.ports.at(id).pfc = static_cast<std::uint8_t>(received);
            library.model.ports.at(id).pfc_tx = static_cast<std::uint8_t>(sent);
        } else {
            std::size_t i{};
            file >> i;
            auto& queue = library.model.ports.at(id).queues.at(i);
            file >> library.model.ports.at(id).groups.at(i).profile >> queue.recovering >> queue.action;
            queue.ever_set[queue_attr::pfc_dlr_init] = queue.ever_set[queue_attr::pfc_dlr_packet_action] = true;
        }
    }
}

// The switch.

Status create_switch(ObjectId* made, std::uint32_t count, const Attribute* attributes)
{
    auto& model = lib().model;
    if (bad("exits")) {
        std::exit(0);
    }
    if (bad("quick_exits")) {
        std::quick_exit(0);
    }
    if (bad("refuses_callbacks_at_create") && count > 1) {
        return status::invalid_attribute_0 - 1;
    }
    if (bad("create_fails")) {
        return status::failure;
    }
    for (std::uint32_t i = 0; i != count; ++i) {
        const auto& value = attributes[i].value;
        switch (attributes[i].id) {
        case switch_attr::init_switch: model.attached = !value.booldata; break;
        case switch_attr::queue_pfc_deadlock_notify:
            model.on_deadlock = reinterpret_cast<DeadlockCallback>(value.ptr);
            break;
        case switch_attr::port_state_change_notify:
            model.on_port_state = reinterpret_cast<PortStateCallback>(value.ptr);
            break;
        default: return status::unknown_attribute_0 - static_cast<Status>(i);
        }
    }
    model.created = true;
    *made = bad("gives_no_switch") ? kNullObject : kSwitch;
    return status::success;
}

Status set_switch(ObjectId, const Attribute* attribute)
{
    auto& model = lib().model;
    const auto& value = attribute->value;
    switch (attribute->id) {
    case switch_attr::queue_pfc_deadlock_notify:
        if (bad("refuses_callbacks")) {
            return status::not_supported;
        }
        model.on_deadlock = reinterpret_cast<DeadlockCallback>(value.ptr);
        return status::success;
    case switch_attr::port_state_change_notify:
        model.on_port_state = reinterpret_cast<PortStateCallback>(value.ptr);
        return status::success;
    case switch_attr::pfc_dlr_packet_action:
        if (bad("no_action")) {
            return status::not_supported;
        }
        model.action = value.s32;
        return status::success;
    case switch_attr::pfc_tc_dld_interval:
    case switch_attr::pfc_tc_dlr_interval:
        if (bad("no_switch_intervals")) {
            return status::not_supported;
        }
        (attribute->id == switch_attr::pfc_tc_dld_interval ? model.detect : model.recover) = entries_of(value);
        return status::success;
    default: return status::not_implemented;
    }
}

Status range(Value& value)
{
    if (bad("no_range")) {
        return status::not_implemented;
    }
    value.u32range = {100, 1000};
    return status::success;
}

Status get_switch(ObjectId, std::uint32_t count, Attribute* attributes)
{
    return each(count, attributes, [](Attribute& attribute) -> Status {
        auto& model = lib().model;
        auto& value = attribute.value;
        std::vector<ObjectId> ports;
        for (std::size_t i = 0; i != model.ports.size(); ++i) {
            if (model.ports[i].listed) {
                ports.push_back(BadSwitch::port_id(i));
            }
        }
        switch (attribute.id) {
        case switch_attr::port_list: return give(value.objlist, ports);
        case switch_attr::pfc_dlr_packet_action: value.s32 = model.action; return status::success;
        case switch_attr::pfc_tc_dld_interval_range:
        case switch_attr::pfc_tc_dlr_interval_range: return range(value);
        case switch_attr::pfc_tc_dld_interval:
            return model.detect.empty() ? Status{status::not_implemented} : give(value.maplist, model.detect);
        case switch_attr::pfc_tc_dlr_interval:
            return model.recover.empty() ? Status{status::not_implemented} : give(value.maplist, model.recover);
        default: return status::not_implemented;
        }
    });
}

// Ports.

Status set_port(ObjectId id, const Attribute* attribute)
{
    auto* port = port_of(id);
    if (port == nullptr) {
        return status::invalid_object_id;
    }
    before_a_set();
    switch (attribute->id) {
    case port_attr::priority_flow_control:
    case port_attr::priority_flow_control_rx:
        if ((attribute->id == port_attr::priority_flow_control_rx) != bad("separate")) {
            return status::invalid_parameter;
        }
        port->pfc = bad("mask_without_effect") ? port->pfc : attribute->value.u8;
        keep();
        return status::success;
    case port_attr::priority_flow_control_tx:
        if (!bad("separate")) {
            return status::invalid_parameter;
        }
        port->pfc_tx = attribute->value.u8;
        keep();
        return status::success;
    case port_attr::pfc_tc_dld_interval:
    case port_attr::pfc_tc_dlr_interval:
        if (bad("no_port_intervals")) {
            return status::attr_not_supported_0;
        }
        if (bad("one_port_takes_no_interval") && id == BadSwitch::port_id(1)) {
            return status::failure;
        }
        (attribute->id == port_attr::pfc_tc_dld_interval ? port->detect : port->recover) = entries_of(attribute->value);
        return status::success;
    default: return status::not_implemented;
    }
}

Status get_port(ObjectId id, std::uint32_t count, Attribute* attributes)
{
    auto* port = port_of(id);
    if (port == nullptr) {
        return status::invalid_object_id;
    }
    return each(count, attributes, [&](Attribute& attribute) -> Status {
        auto& value = attribute.value;
        std::vector<ObjectId> queues;
        std::vector<ObjectId> groups;
        for (std::size_t i = 0; i != 8; ++i) {
            queues.push_back(BadSwitch::queue_id(id - 0x1000, i));
            groups.push_back(BadSwitch::group_id(id - 0x1000, i));
        }
        switch (attribute.id) {
        case port_attr::oper_status:
            value.s32 = static_cast<std::int32_t>(port->status);
            return bad("no_link_state") ? Status{status::not_implemented} : Status{status::success};
        case port_attr::error_status: value.u32 = port->error_bits; return status::success;
        case port_attr::admin_state: value.booldata = port->enabled; return status::success;
        case port_attr::oper_speed:
            value.u32 = port->speed_mbps;
            return bad("oper_speed_fails") ? Status{status::failure}
                   : bad("oper_speed")     ? Status{status::success}
                                           : Status{status::attr_not_implemented_0};
        case port_attr::speed: value.u32 = port->speed_mbps; return status::success;
        case port_attr::qos_queue_list: return give(value.objlist, queues);
        case port_attr::hw_lane_list: {
            const auto lane = static_cast<std::uint32_t>(id - 0x1000) * 2;
            return bad("no_lanes") ? Status{status::not_implemented} : give(value.u32list, {lane + 1, lane});
        }
        case port_attr::ingress_priority_group_list:
            return bad("no_groups") ? Status{status::not_implemented} : give(value.objlist, groups);
        case port_attr::priority_flow_control: value.u8 = bad("separate") ? 0 : port->pfc; return status::success;
        case port_attr::priority_flow_control_rx: value.u8 = bad("separate") ? port->pfc : 0; return status::success;
        case port_attr::priority_flow_control_tx: value.u8 = bad("separate") ? port->pfc_tx : 0; return status::success;
        case port_attr::priority_flow_control_mode:
            value.s32 = static_cast<std::int32_t>(PfcMode::separate);
            return bad("separate") ? Status{status::success} : Status{status::not_implemented};
        case port_attr::qos_pfc_priority_to_queue_map: value.oid = kQueueOfPriority; return status::success;
        case port_attr::qos_pfc_priority_to_priority_group_map: value.oid = kGroupOfPriority; return status::success;
        case port_attr::qos_tc_to_queue_map: value.oid = kQueueOfClass; return status::success;
        case port_attr::pfc_tc_dld_interval_range:
        case port_attr::pfc_tc_dlr_interval_range: return range(value);
        case port_attr::pfc_tc_dld_interval:
            return port->detect.empty() ? Status{status::not_implemented} : give(value.maplist, port->detect);
        case port_attr::pfc_tc_dlr_interval:
            return port->recover.empty() ? Status{status::not_implemented} : give(value.maplist, port->recover);
        default: return status::not_implemented;
        }
    });
}

Status port_stats(ObjectId id, std::uint32_t count, const StatId* ids, std::uint64_t* counters)
{
    auto* port = port_of(id);
    if (port == nullptr) {
        return status::invalid_object_id;
    }
    for (std::uint32_t i = 0; i != count; ++i) {
        counters[i] = 0;
        for (unsigned n = 0; n != 8; ++n) {
            if (ids[i] == port_stat::pfc_rx_pkts(n)) {
                counters[i] = port->pfc_frames[n];
            }
            if (ids[i] == port_stat::pfc_rx_pause_duration_us(n)) {
                counters[i] = port->pause_us[n];
            }
        }
        if (ids[i] >= port_stat::pfc_on2off_rx_pkts(0)) {
            return status::not_supported;
        }
    }
    return status::success;
}

// Queues.

Status set_queue(ObjectId id, const Attribute* attribute)
{
    auto* queue = queue_of(id);
    if (queue == nullptr) {
        return status::invalid_object_id;
    }
    before_a_set();
    switch (attribute->id) {
    case queue_attr::pfc_dlr_init:
        if (bad("no_recovery")) {
            return status::not_supported;
        }
        queue->recovering = bad("recovery_without_effect") ? queue->recovering : attribute->value.booldata;
        break;
    case queue_attr::enable_pfc_dldr:
        if (bad("no_detection")) {
            return status::not_supported;
        }
        queue->detects = attribute->value.booldata && !bad("enabling_without_effect");
        if (!lib().diary.empty()) {
            std::ofstream{lib().diary, std::ios::app} << (queue->detects ? "on " : "off ") << id - 0x2000 << '\n';
        }
        break;
    case queue_attr::pfc_dlr_packet_action:
        if (bad("no_queue_action") || bad("no_action")) {
            return status::attr_not_supported_0;
        }
        queue->action = attribute->value.s32;
        break;
    default: return status::invalid_parameter;
    }
    queue->ever_set[attribute->id] = true;
    keep();
    return status::success;
}

Status get_queue(ObjectId id, std::uint32_t count, Attribute* attributes)
{
    auto* queue = queue_of(id);
    if (queue == nullptr) {
        return status::invalid_object_id;
    }
    if (bad("one_queue_fails") && id == BadSwitch::queue_id(1, 3)) {
        return status::failure;
    }
    return each(count, attributes, [&](Attribute& attribute) -> Status {
        auto& value = attribute.value;
        switch (attribute.id) {
        case queue_attr::type:
            value.s32 = static_cast<std::int32_t>(QueueType::unicast);
            return bad("no_queue_index") ? Status{status::not_implemented} : Status{status::success};
        case queue_attr::index: value.u8 = static_cast<std::uint8_t>((id - 0x2000) % 8); return status::success;
        case queue_attr::pause_status: value.booldata = queue->pause_status; return status::success;
        case queue_attr::pfc_continuous_deadlock_state:
            if (bad("no_state")) {
                return status::not_implemented;
            }
            ++queue->state_reads;
            value.s32 = bad("state_of_nonsense") ? 7 : static_cast<std::int32_t>(queue->state);
            return status::success;
        case queue_attr::pfc_dlr_init:
        case queue_attr::enable_pfc_dldr:
        case queue_attr::pfc_dlr_packet_action:
            if (!queue->ever_set[attribute.id]) {
                return status::not_implemented;
            }
            if (attribute.id == queue_attr::pfc_dlr_packet_action) {
                value.s32 = queue->action;
            } else {
                value.booldata = attribute.id == queue_attr::pfc_dlr_init ? queue->recovering : queue->detects;
            }
            return status::success;
        default: return status::not_implemented;
        }
    });
}

Status queue_stats(ObjectId id, std::uint32_t count, const StatId* ids, std::uint64_t* counters)
{
    const auto* queue = queue_of(id);
    if (queue == nullptr) {
        return status::invalid_object_id;
    }
    for (std::uint32_t i = 0; i != count; ++i) {
        counters[i] = ids[i] == queue_stat::packets ? queue->packets : 0;
    }
    return status::success;
}

Status get_queues(std::uint32_t objects, const ObjectId* ids, const std::uint32_t* counts, Attribute** lists,
                  BulkErrors, Status* statuses)
{
    ++lib().model.bulk_reads;
    Status all = status::success;
    for (std::uint32_t i = 0; i != objects; ++i) {
        statuses[i] = get_queue(ids[i], counts[i], lists[i]);
        all = statuses[i] == status::success ? all : Status{status::failure};
    }
    return all;
}

// Buffers.

Status set_group(ObjectId id, const Attribute* attribute)
{
    auto* group = group_of(id);
    if (group == nullptr || attribute->id != group_attr::buffer_profile) {
        return status::invalid_parameter;
    }
    if (attribute->value.oid != kNullObject && !lib().model.profiles.contains(attribute->value.oid)) {
        std::abort();  // an id that this library never returned: other libraries crash, too
    }
    before_a_set();
    group->profile = attribute->value.oid;
    keep();
    return status::success;
}

Status get_group(ObjectId id, std::uint32_t count, Attribute* attributes)
{
    auto* group = group_of(id);
    if (group == nullptr) {
        return status::invalid_object_id;
    }
    return each(count, attributes, [&](Attribute& attribute) -> Status {
        switch (attribute.id) {
        case group_attr::buffer_profile: attribute.value.oid = group->profile; return status::success;
        case group_attr::index:
            attribute.value.u8 = static_cast<std::uint8_t>((id - 0x3000) % 8);
            return status::success;
        default: return status::not_implemented;
        }
    });
}

Status group_stats(ObjectId id, std::uint32_t count, const StatId*, std::uint64_t* counters)
{
    std::fill_n(counters, count, 0);
    return group_of(id) == nullptr ? Status{status::invalid_object_id} : Status{status::success};
}

Status create_pool(ObjectId* made, ObjectId, std::uint32_t count, const Attribute* attributes)
{
    auto& model = lib().model;
    before_a_set();
    if (bad("no_pools")) {
        return status::insufficient_resources;
    }
    if (model.pools.size() >= model.most_pools) {
        return status::table_full;
    }
    *made = lib().next_id++;
    auto& pool = model.pools[*made];
    for (std::uint32_t i = 0; i != count; ++i) {
        switch (attributes[i].id) {
        case pool_attr::type: pool.type = attributes[i].value.s32; break;
        case pool_attr::size: pool.size = attributes[i].value.u64; break;
        case pool_attr::threshold_mode: pool.mode = attributes[i].value.s32; break;
        default: return status::invalid_parameter;
        }
    }
    keep();
    return status::success;
}

Status get_pool(ObjectId id, std::uint32_t count, Attribute* attributes)
{
    return each(count, attributes, [pool = lib().model.pools.at(id)](Attribute& attribute) -> Status {
        switch (attribute.id) {
        case pool_attr::type: attribute.value.s32 = pool.type; return status::success;
        case pool_attr::size: attribute.value.u64 = pool.size; return status::success;
        case pool_attr::threshold_mode: attribute.value.s32 = pool.mode; return status::success;
        default: return status::not_implemented;
        }
    });
}

Status remove_pool(ObjectId id)
{
    auto& model = lib().model;
    before_a_set();
    for (const auto& [profile, of] : model.profiles) {
        if (of.pool == id) {
            return status::object_in_use;
        }
    }
    model.pools.erase(id);
    keep();
    return status::success;
}

Status create_profile(ObjectId* made, ObjectId, std::uint32_t count, const Attribute* attributes)
{
    before_a_set();
    if (bad("no_profiles")) {
        return status::table_full;
    }
    *made = lib().next_id++;
    auto& profile = lib().model.profiles[*made];
    for (std::uint32_t i = 0; i != count; ++i) {
        switch (attributes[i].id) {
        case profile_attr::pool_id: profile.pool = attributes[i].value.oid; break;
        case profile_attr::reserved_buffer_size: profile.reserved = attributes[i].value.u64; break;
        case profile_attr::threshold_mode: profile.mode = attributes[i].value.s32; break;
        case profile_attr::shared_dynamic_th: profile.share = attributes[i].value.s8; break;
        default: return status::invalid_parameter;
        }
    }
    keep();
    return status::success;
}

Status get_profile(ObjectId id, std::uint32_t count, Attribute* attributes)
{
    const auto found = lib().model.profiles.find(id);
    if (found == lib().model.profiles.end()) {
        return status::invalid_object_id;
    }
    return each(count, attributes, [profile = found->second](Attribute& attribute) -> Status {
        switch (attribute.id) {
        case profile_attr::pool_id: attribute.value.oid = profile.pool; return status::success;
        case profile_attr::reserved_buffer_size: attribute.value.u64 = profile.reserved; return status::success;
        case profile_attr::threshold_mode: attribute.value.s32 = profile.mode; return status::success;
        case profile_attr::shared_dynamic_th: attribute.value.s8 = profile.share; return status::success;
        default: return status::not_implemented;
        }
    });
}

Status set_profile(ObjectId id, const Attribute* attribute)
{
    if (attribute->id != profile_attr::shared_dynamic_th || bad("fixed_profiles")) {
        return status::not_supported;
    }
    before_a_set();
    if (!bad("forgets_alpha")) {
        lib().model.profiles.at(id).share = attribute->value.s8;
        keep();
    }
    return status::success;
}

Status remove_profile(ObjectId id)
{
    auto& model = lib().model;
    before_a_set();
    if (bad("no_removal")) {
        return status::not_supported;
    }
    for (const auto& port : model.ports) {
        for (const auto& group : port.groups) {
            if (group.profile == id) {
                std::abort();  // the object is in use; other libraries do not check this
            }
        }
    }
    model.profiles.erase(id);
    keep();
    return status::success;
}

// Maps according to the profile: bad.maps=3-5 puts priority 3 into queue 5 and group 5, and class 2 into that queue.

Status get_map(ObjectId id, std::uint32_t, Attribute* attribute)
{
    std::vector<QosEntry> entries;
    for (const auto& [priority, to] : lib().model.maps) {
        QosEntry entry{};
        entry.key.prio = priority;
        entry.value.pg = id == kGroupOfPriority ? to : std::uint8_t{};
        entry.value.queue_index = id == kGroupOfPriority ? std::uint8_t{} : to;
        if (id == kQueueOfClass) {
            entry.key = {};
            entry.key.tc = 2;
        }
        entries.push_back(entry);
    }
    return give(attribute->value.qosmap, entries);
}

Status past_the_end(std::uint32_t, const ObjectId*, const std::uint32_t*, Attribute**, BulkErrors, Status*)
{
    std::abort();
}

SwitchApi switch_api{create_switch, nullptr, set_switch, get_switch, nullptr, nullptr, nullptr, {}};
PortApi port_api{nullptr, nullptr, set_port, get_port, port_stats, nullptr, nullptr, nullptr, {}};
QueueApi queue_api{nullptr, nullptr, set_queue, get_queue, queue_stats, nullptr, nullptr, nullptr, get_queues};
BufferApi buffer_api{create_pool,    remove_pool,    nullptr,     get_pool,    nullptr,     nullptr, nullptr,
                     nullptr,        nullptr,        set_group,   get_group,   group_stats, nullptr, nullptr,
                     create_profile, remove_profile, set_profile, get_profile, nullptr,     nullptr};

QosMapApi qos_map_api{nullptr, nullptr, nullptr, get_map};

const char* setting(const ServiceMethods* services, const char* key)
{
    return services == nullptr || services->get_value == nullptr ? nullptr : services->get_value(0, key);
}

void start_anew(const ServiceMethods* services)
{
    auto& library = lib();
    library.model = {};
    const std::string_view all = setting(services, "bad.faults") != nullptr ? setting(services, "bad.faults") : "";
    for (std::size_t at = 0; at < all.size();) {
        const auto end = std::min(all.find(',', at), all.size());
        library.model.faults.emplace(all.substr(at, end - at));
        at = end + 1;
    }
    library.diary = setting(services, "bad.diary") != nullptr ? setting(services, "bad.diary") : "";
    const auto* version = setting(services, "bad.version");
    library.version = version == nullptr ? kNewestKnown : std::strtoull(version, nullptr, 10);
    const auto* ports = setting(services, "bad.ports");
    library.model.ports.resize(ports == nullptr ? 2 : std::strtoull(ports, nullptr, 10));
    const std::string_view maps = setting(services, "bad.maps") != nullptr ? setting(services, "bad.maps") : "";
    for (std::size_t i = 0; i + 2 < maps.size(); i += 4) {
        library.model.maps[static_cast<std::uint8_t>(maps[i] - '0')] = static_cast<std::uint8_t>(maps[i + 2] - '0');
    }
    const auto* pools = setting(services, "bad.pools");
    library.model.most_pools = pools == nullptr ? 1000 : std::strtoull(pools, nullptr, 10);
    library.model.pools[kUsualPool].size = 1'000'000;
    library.model.profiles[kUsualProfile].pool = kUsualPool;
    library.model.profiles[kUsualProfile].mode = static_cast<std::int32_t>(ThresholdMode::dynamic);
    library.model.profiles[kUsualProfile].share = 1;
    for (auto& port : library.model.ports) {
        for (auto& group : port.groups) {
            group.profile = kUsualProfile;
        }
    }
    library.kept = setting(services, "bad.kept") != nullptr ? setting(services, "bad.kept") : "";
    remember();
    queue_api.get_many = library.version < 11500 ? past_the_end : get_queues;
}

}  // namespace
}  // namespace petrel::test

extern "C" {

using namespace petrel::sai;
namespace test = petrel::test;

Status sai_api_initialize(std::uint64_t, const ServiceMethods* services);
Status sai_api_query(Api api, void** table);
Status sai_api_uninitialize();
Status sai_query_attribute_capability(ObjectId, ObjectType, AttrId, AttrCapability* claim);
test::BadSwitch* bad_switch();

Status sai_api_initialize(std::uint64_t, const ServiceMethods* services)
{
    auto& library = test::lib();
    if (library.initialized || library.half_initialized) {
        return status::item_already_exists;
    }
    test::start_anew(services);
    library.half_initialized = test::bad("initializes_by_half");
    if (test::bad("initialize_fails") || library.half_initialized) {
        return status::failure;
    }
    library.initialized = true;
    return status::success;
}

Status sai_api_query(Api api, void** table)
{
    if (!test::lib().initialized) {
        return status::uninitialized;
    }
    switch (api) {
    case Api::switch_: *table = &test::switch_api; return status::success;
    case Api::port: *table = &test::port_api; return status::success;
    case Api::queue: *table = &test::queue_api; return status::success;
    case Api::buffer:
        *table = &test::buffer_api;
        return test::bad("no_buffers") ? Status{status::not_supported} : Status{status::success};
    case Api::qos_map:
        *table = &test::qos_map_api;
        return test::lib().model.maps.empty() ? Status{status::not_implemented} : Status{status::success};
    }
    return status::not_implemented;
}

Status sai_api_uninitialize()
{
    if (!test::lib().diary.empty()) {
        std::ofstream{test::lib().diary, std::ios::app} << "shut down\n";
    }
    test::lib().initialized = false;
    test::lib().model.in_a_get = {};
    test::lib().model.before_a_set = {};
    return status::success;
}

Status sai_query_attribute_capability(ObjectId, ObjectType, AttrId, AttrCapability* claim)
{
    *claim = {true, true, true};
    return status::success;
}

#ifndef PETREL_BAD_WITHOUT_VERSION
Status sai_query_api_version(std::uint64_t* version);
Status sai_query_api_version(std::uint64_t* version)
{
    *version = test::lib().version;
    return test::lib().initialized ? Status{status::success} : Status{status::failure};
}
#endif

test::BadSwitch* bad_switch() { return &test::lib().model; }
}
