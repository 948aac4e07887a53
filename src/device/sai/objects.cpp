#include "device/sai/objects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <set>

namespace petrel::device::sai {

namespace {

using ByIndex = std::map<std::uint8_t, abi::ObjectId>;
using PriorityMap = std::array<std::uint8_t, kPriorities>;

abi::Attribute attribute(abi::AttrId id) { return {id, {}}; }

// Reads a QoS map of the port (attribute `id`) and passes each of its entries to `put`. Priorities that the map leaves
// out get no call.
template <class Put>
void read_map(const Library& library, abi::ObjectId port, abi::AttrId id, Notes& notes, Put put)
{
    const auto map = library.ports().get(port, id);
    if (!map || map->oid == abi::kNullObject) {
        return;  // no map: the default mapping applies
    }
    const auto entries = library.qos_maps().list(map->oid, abi::qos_map_attr::map_to_value_list, &abi::Value::qosmap);
    if (!entries) {
        notes.add(entries.error().what + "; priority n is taken for queue n and group n");
        return;
    }
    for (const auto& entry : *entries) {
        put(entry);
    }
}

PriorityMap identity()
{
    PriorityMap map{};
    for (std::uint8_t p = 0; p != kPriorities; ++p) {
        map[p] = p;
    }
    return map;
}

class PortFinder {
public:
    PortFinder(const Library& library, std::span<const NamedPort> names, Notes& notes)
        : library_(library), names_(names), notes_(notes)
    {}

    bool is_front_panel(abi::ObjectId port) const
    {
        const auto type = library_.ports().get(port, abi::port_attr::type);
        return !type || type->s32 == static_cast<std::int32_t>(abi::PortType::logical);
    }

    Result<PortObjects> find(abi::ObjectId port, std::size_t number) const
    {
        auto found = named(port, number);
        read_pfc(found);
        return queues_by_index(port).map([&](const ByIndex& queues) {
            add_priorities(found, queues, groups_by_index(port));
            return found;
        });
    }

    // If the port has no lane list, or its lanes are not in port_config.ini, its name is made from its index.
    PortObjects named(abi::ObjectId port, std::size_t number) const
    {
        PortObjects found;
        found.port = port;
        found.name = fmt::format("port{}", number);
        while (std::ranges::find(names_, found.name, &NamedPort::name) != names_.end()) {
            found.name += '_';  // another port has this name
        }
        const auto lanes = library_.ports().list(port, abi::port_attr::hw_lane_list, &abi::Value::u32list);
        if (lanes && !lanes->empty()) {
            found.lane = lanes->front();
        }
        if (names_.empty()) {
            return found;
        }
        if (!lanes) {
            notes_.add(lanes.error().what + "; ports are named by their position, not by petrel.port_names");
            return found;
        }
        const std::set<std::uint32_t> own{lanes->begin(), lanes->end()};
        if (const auto name = std::ranges::find(names_, own, &NamedPort::lanes); name != names_.end()) {
            found.name = name->name;
        } else {
            notes_.add(fmt::format("petrel.port_names has no port with lanes {}: it is called {}",
                                   fmt::join(*lanes, ","), found.name));
        }
        return found;
    }

private:
    void read_pfc(PortObjects& found) const
    {
        const auto mode = library_.ports().get(found.port, abi::port_attr::priority_flow_control_mode);
        found.separate = mode && mode->s32 == static_cast<std::int32_t>(abi::PfcMode::separate);
        if (const auto mask = library_.ports().get(found.port, pause_mask_attribute(found))) {
            found.pfc = mask->u8;
        }
    }

    Result<ByIndex> queues_by_index(abi::ObjectId port) const
    {
        return library_.ports()
            .list(port, abi::port_attr::qos_queue_list, &abi::Value::objlist)
            .map([&](const std::vector<abi::ObjectId>& queues) {
                ByIndex by_index;
                for (std::size_t i = 0; i != queues.size(); ++i) {
                    if (const auto index = unicast_index(queues[i], i)) {
                        by_index.emplace(*index, queues[i]);
                    }
                }
                return by_index;
            });
    }

    // Pause stops unicast queues, and queues of type "all".
    std::optional<std::uint8_t> unicast_index(abi::ObjectId queue, std::size_t position) const
    {
        std::array attributes{attribute(abi::queue_attr::type), attribute(abi::queue_attr::index)};
        if (library_.queues().get(queue, attributes) != abi::status::success) {
            notes_.add("the library does not report the index of queues; their order in the list is used");
            return position < kPriorities ? std::optional{static_cast<std::uint8_t>(position)} : std::nullopt;
        }
        const auto type = static_cast<abi::QueueType>(attributes[0].value.s32);
        return type == abi::QueueType::unicast || type == abi::QueueType::all ? std::optional{attributes[1].value.u8}
                                                                              : std::nullopt;
    }

    ByIndex groups_by_index(abi::ObjectId port) const
    {
        ByIndex by_index;
        const auto groups =
            library_.ports().list(port, abi::port_attr::ingress_priority_group_list, &abi::Value::objlist);
        if (!groups) {
            notes_.add(groups.error().what + "; received packets are not counted, and drop-egress replaces drop");
            return by_index;
        }
        for (std::size_t i = 0; i != groups->size(); ++i) {
            const auto index = library_.groups().get((*groups)[i], abi::group_attr::index);
            by_index.emplace(index ? index->u8 : static_cast<std::uint8_t>(i), (*groups)[i]);
        }
        return by_index;
    }

    void add_priorities(PortObjects& found, const ByIndex& queues, const ByIndex& groups) const
    {
        namespace attr = abi::port_attr;
        auto queue_of = identity();
        auto group_of = identity();
        std::map<std::uint8_t, std::uint8_t> class_of_queue;
        read_map(library_, found.port, attr::qos_pfc_priority_to_queue_map, notes_, [&](const abi::QosEntry& entry) {
            if (entry.key.prio < kPriorities) {
                queue_of[entry.key.prio] = entry.value.queue_index;
            }
        });
        read_map(library_, found.port, attr::qos_pfc_priority_to_priority_group_map, notes_,
                 [&](const abi::QosEntry& entry) {
                     if (entry.key.prio < kPriorities) {
                         group_of[entry.key.prio] = entry.value.pg;
                     }
                 });
        read_map(library_, found.port, attr::qos_tc_to_queue_map, notes_,
                 [&](const abi::QosEntry& entry) { class_of_queue.emplace(entry.value.queue_index, entry.key.tc); });
        for (const auto priority : priorities_of(found, queue_of)) {
            const auto queue = queues.find(queue_of[priority]);
            if (queue == queues.end()) {
                continue;
            }
            const auto group = groups.find(group_of[priority]);
            const auto tc = class_of_queue.find(queue_of[priority]);
            found.queues.push_back({Priority{priority}, tc == class_of_queue.end() ? priority : tc->second,
                                    queue->second, group == groups.end() ? abi::kNullObject : group->second});
        }
    }

    // Reading a queue's state consumes it, so each queue is read for one priority only: the first whose pause is
    // honoured.
    std::vector<std::uint8_t> priorities_of(const PortObjects& found, const PriorityMap& queue_of) const
    {
        std::map<std::uint8_t, std::uint8_t> chosen;  // by queue
        for (const bool honours : {true, false}) {
            for (std::uint8_t p = 0; p != kPriorities; ++p) {
                if (((unsigned{found.pfc} >> p & 1U) != 0) == honours && !chosen.emplace(queue_of[p], p).second) {
                    const auto other = chosen.at(queue_of[p]);
                    if (honours) {
                        notes_.add(fmt::format("{}: priorities {} and {} share queue {}, which is watched as {}",
                                               found.name, other, p, queue_of[p], other));
                    }
                }
            }
        }
        std::vector<std::uint8_t> priorities;
        priorities.reserve(chosen.size());
        for (const auto& [queue, priority] : chosen) {
            priorities.push_back(priority);
        }
        std::sort(priorities.begin(), priorities.end());
        return priorities;
    }

    const Library& library_;
    std::span<const NamedPort> names_;
    Notes& notes_;
};

struct Callback {
    abi::AttrId id;
    void* function;
    std::string_view without;
};

}  // namespace

abi::AttrId pause_mask_attribute(const PortObjects& port)
{
    return port.separate ? abi::AttrId{abi::port_attr::priority_flow_control_rx}
                         : abi::AttrId{abi::port_attr::priority_flow_control};
}

Result<abi::ObjectId> create_switch(const Library& library, bool attach, Notes& notes)
{
    namespace attr = abi::switch_attr;
    auto init = attribute(attr::init_switch);
    init.value.booldata = !attach;
    const std::array callbacks{
        Callback{attr::port_state_change_notify, reinterpret_cast<void*>(library.callbacks().port_state()),
                 "link changes are found by polling only"},
        Callback{attr::queue_pfc_deadlock_notify, reinterpret_cast<void*>(library.callbacks().deadlock()),
                 "the library cannot report storms that it detects itself"}};
    std::vector<abi::Attribute> wanted{init};
    for (const auto& callback : callbacks) {
        wanted.push_back(attribute(callback.id));
        wanted.back().value.ptr = callback.function;
    }
    abi::ObjectId made{};
    const auto create = [&](std::size_t count) {
        made = abi::kNullObject;
        return library.switch_api().create(&made, static_cast<std::uint32_t>(count), wanted.data());
    };
    auto status = create(wanted.size());
    const auto why = status == abi::status::success ? "" : library.last_error_text();
    if (status != abi::status::success && why.empty()) {  // try again with the mandatory attribute only
        status = create(1);
        for (std::size_t i = 0; status == abi::status::success && i != callbacks.size(); ++i) {
            if (const auto set = library.switches().set(made, callbacks[i].id, wanted[i + 1].value); !set) {
                notes.add(fmt::format("{}; {}", set.error().what, callbacks[i].without));
            }
        }
    }
    if (status != abi::status::success) {
        auto failed = call_failed(status, attach ? "attach to the switch" : "create the switch");
        failed.what += why.empty() ? "" : "; " + why;
        return tl::unexpected(std::move(failed));
    }
    if (made == abi::kNullObject) {
        return tl::unexpected(
            Error{ErrorKind::corrupt, "the library reported success for create_switch but returned no switch"});
    }
    return made;
}

Result<std::vector<abi::ObjectId>> list_ports(const Library& library, abi::ObjectId switch_id)
{
    return library.switches().list(switch_id, abi::switch_attr::port_list, &abi::Value::objlist);
}

Result<std::vector<PortObjects>> find_ports(const Library& library, std::span<const abi::ObjectId> listed,
                                            std::span<const PortObjects> known, std::span<const NamedPort> names,
                                            Notes& notes)
{
    const PortFinder finder{library, names, notes};
    std::set<std::string> taken;
    for (const auto& port : known) {
        if (std::ranges::find(listed, port.port) != listed.end()) {
            taken.insert(port.name);
        }
    }
    // Its position, or another number if a port that was there before has that name.
    const auto number_at = [&](std::size_t position) {
        auto number = position;
        for (std::size_t next = 0; taken.contains(fmt::format("port{}", number)); ++next) {
            number = next;
        }
        return number;
    };
    std::vector<PortObjects> ports;
    std::size_t queues = 0;
    for (const auto id : listed) {
        if (const auto there = std::ranges::find(known, id, &PortObjects::port); there != known.end()) {
            ports.push_back(*there);
        } else if (finder.is_front_panel(id)) {
            const auto number = number_at(ports.size());
            auto found = finder.find(id, number);
            if (!found) {
                auto bare = finder.named(id, number);
                notes.add(fmt::format("{} is not watched: {}", bare.name, found.error().what));
                found = std::move(bare);
            }
            taken.insert(found->name);
            ports.push_back(std::move(*found));
        } else {
            continue;
        }
        queues += ports.back().queues.size();
    }
    if (queues == 0) {
        return tl::unexpected(
            Error{ErrorKind::unsupported, fmt::format("none of the switch's {} ports has a queue", ports.size())});
    }
    return ports;
}

}  // namespace petrel::device::sai
