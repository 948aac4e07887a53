#include "libsai/library.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <set>

#include "base/complaint_text.hpp"
#include "libsai/log.hpp"
#include "sai/profile_keys.hpp"
#include "topology/lookup.hpp"

namespace petrel::libsai {

using sai::Attribute;
namespace status = sai::status;

namespace {

constexpr std::size_t kMostObjects = 1024;  // of each type that can be created
constexpr std::uint8_t kPoolSlots = 4;      // ingress pools of a switch of the twin

void complain(std::string_view text) { log(sai::LogLevel::error, text); }

const Attribute* given_in(std::span<const Attribute> attributes, sai::AttrId id)
{
    const auto found = std::find_if(attributes.begin(), attributes.end(), [&](const auto& a) { return a.id == id; });
    return found == attributes.end() ? nullptr : &*found;
}

std::string switches_of(const topology::Topology& topology)
{
    std::vector<std::string_view> names;
    for (const auto& node : topology.nodes) {
        if (node.kind == topology::Kind::fabric_switch) {
            names.push_back(node.name);
        }
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

std::optional<std::uint8_t> free_slot(const Switch& device)
{
    std::set<std::uint8_t> taken;
    for (const auto& [number, pool] : device.pools) {
        taken.insert(pool.slot);
    }
    for (std::uint8_t slot = 0; slot != kPoolSlots; ++slot) {
        if (taken.count(slot) == 0) {
            return slot;
        }
    }
    return std::nullopt;
}

// Adds an object with default settings.
Status add(Switch& device, ObjectType type, std::uint32_t number)
{
    switch (type) {
    case ObjectType::buffer_pool: {
        const auto slot = free_slot(device);
        if (!slot) {
            return status::table_full;
        }
        device.pools[number] = {*slot, 0, 0};
        return status::success;
    }
    case ObjectType::buffer_profile:
        if (device.profiles.size() >= kMostObjects) {
            return status::table_full;
        }
        device.profiles[number] = {};
        return status::success;
    case ObjectType::qos_map:
        if (device.qos_maps.size() >= kMostObjects) {
            return status::table_full;
        }
        device.qos_maps[number] = {};
        return status::success;
    default: return status::not_supported;  // ports, queues and groups are fixed by the hardware
    }
}

void drop(Switch& device, ObjectType type, std::uint32_t number)
{
    device.pools.erase(type == ObjectType::buffer_pool ? number : 0);
    device.profiles.erase(type == ObjectType::buffer_profile ? number : 0);
    device.qos_maps.erase(type == ObjectType::qos_map ? number : 0);
}

bool in_use(const Switch& device, ObjectType type, std::uint32_t number)
{
    if (type == ObjectType::buffer_pool) {
        return std::any_of(device.profiles.begin(), device.profiles.end(),
                           [&](const auto& entry) { return entry.second.pool == number; });
    }
    return std::any_of(device.ports.begin(), device.ports.end(), [&](const Port& port) {
        const auto& groups = port.profile_of_group;
        return type == ObjectType::buffer_profile
                   ? std::find(groups.begin(), groups.end(), number) != groups.end()
                   : std::any_of(port.maps.begin(), port.maps.end(),
                                 [&](const auto& bound) { return bound.second == number; });
    });
}

}  // namespace

void Delivery::deliver() const
{
    for (const auto& notice : notices) {
        if (const auto* deadlock = std::get_if<sai::DeadlockNotice>(&notice); deadlock != nullptr) {
            if (on_deadlock != nullptr) {
                on_deadlock(1, deadlock);
            }
        } else if (on_port_state != nullptr) {
            on_port_state(1, &std::get<sai::PortStateNotice>(notice));
        }
    }
}

// ---------------------------------------------------------------------------------------------------- the fabric

std::string Library::setting(std::uint32_t profile, const char* name) const
{
    const auto* value = services_.get_value == nullptr ? nullptr : services_.get_value(profile, name);
    return value == nullptr ? "" : value;
}

// Checks all keys that the host offers. If the host cannot list its keys, they are not checked.
Status Library::check_keys(std::uint32_t profile) const
{
    constexpr int kMost = 10'000;  // limits an endless iteration
    if (services_.get_next_value == nullptr) {
        return status::success;
    }
    services_.get_next_value(profile, nullptr, nullptr);  // restarts the iteration
    const char* key = nullptr;
    const char* value = nullptr;
    for (int i = 0; i != kMost && services_.get_next_value(profile, &key, &value) == 0 && key != nullptr; ++i) {
        if (sai::mistyped_key(key)) {
            complain(fmt::format("'{}' is no key: {}", escaped(key), instead_of(key, sai::kOwnKeys)));
            return status::invalid_parameter;
        }
    }
    return status::success;
}

// Called when the first switch is created.
Status Library::open_fabric(std::uint32_t profile)
{
    if (const auto checked = check_keys(profile); checked != status::success) {
        return checked;
    }
    auto file = setting(profile, "petrel.scenario");
    if (const auto* from_environment = std::getenv("PETREL_SCENARIO"); file.empty() && from_environment != nullptr) {
        file = from_environment;
    }
    const auto time = setting(profile, "petrel.time");
    if (!time.empty() && time != "wall" && time != "stepped") {
        complain(fmt::format("petrel.time is '{}': it may be wall or stepped", time));
        return status::invalid_parameter;
    }
    if (fabric_) {
        if (file == fabric_->file()) {
            return status::success;
        }
        complain(fmt::format("petrel.scenario is '{}': the switches of one process share one fabric, here '{}'", file,
                             fabric_->file()));
        return status::invalid_parameter;
    }
    auto opened = Fabric::open(file, time == "stepped" ? Fabric::Time::stepped : Fabric::Time::wall);
    if (!opened) {
        complain(opened.error().what);
        return status::failure;
    }
    fabric_ = std::move(*opened);
    return status::success;
}

tl::expected<topology::NodeId, Status> Library::node_of(std::uint32_t profile) const
{
    const auto& topology = fabric_->topology();
    const auto name = setting(profile, "petrel.device");
    if (name.empty()) {  // use the first switch
        const auto found = std::find_if(topology.nodes.begin(), topology.nodes.end(), [](const topology::Node& node) {
            return node.kind == topology::Kind::fabric_switch;
        });
        if (found != topology.nodes.end()) {
            return topology::NodeId{static_cast<std::uint32_t>(found - topology.nodes.begin())};
        }
    } else if (const auto node = topology::Lookup{topology}.node(name);
               node && topology.nodes[node->value].kind == topology::Kind::fabric_switch) {
        return *node;
    }
    complain(fmt::format("petrel.device is '{}': the scenario's switches are {}", name, switches_of(topology)));
    return tl::unexpected(Status{status::invalid_parameter});
}

// ---------------------------------------------------------------------------------------------------- objects

Status Library::create_switch(ObjectId& created, std::span<const Attribute> attributes)
{
    if (const auto checked = check_creation(ObjectType::switch_, attributes); checked != status::success) {
        return checked;
    }
    const auto* given = given_in(attributes, sai::switch_attr::switch_profile_id);
    const auto profile = given == nullptr ? 0 : given->value.u32;
    if (const auto opened = open_fabric(profile); opened != status::success) {
        return opened;
    }
    const auto node = node_of(profile);
    if (!node) {
        return node.error();
    }
    const auto there = std::find_if(switches_.begin(), switches_.end(),
                                    [&](const auto& entry) { return entry.second->node() == *node; });
    const bool attach = !flag(given_in(attributes, sai::switch_attr::init_switch)->value);
    if (there == switches_.end() && attach) {
        return status::item_not_found;
    }
    if (there != switches_.end() && !attach) {
        return status::item_already_exists;
    }
    std::uint8_t number = 0;
    if (attach) {
        number = there->first;
    } else {
        while (switches_.count(number) != 0) {
            if (++number == UINT8_MAX) {
                return status::table_full;
            }
        }
        fabric_->write(*node, [&](twin::Twin& twin, Ps now) {
            switches_[number] = std::make_unique<Switch>(number, *node, twin.switch_view(*node), now);
        });
    }
    const Found found{switches_[number].get(), {ObjectType::switch_, number, 0}};
    const auto status = write(found, [&](const Place& place) { return create_with(place, attributes); });
    if (status == status::success) {
        created = found.device->id();
    } else if (!attach) {
        switches_.erase(number);
    }
    return status;
}

Status Library::create(ObjectType type, ObjectId& created, ObjectId switch_id, std::span<const Attribute> attributes)
{
    const auto on = find(ObjectType::switch_, switch_id);
    if (!on) {
        return on.error();
    }
    auto& device = *on->device;
    const Found found{&device, {type, device.number(), device.next_number}};
    if (const auto added = add(device, type, found.handle.number); added != status::success) {
        return added;
    }
    auto status = check_creation(type, attributes);
    if (status == status::success) {
        status = write(found, [&](const Place& place) { return create_with(place, attributes); });
    }
    if (status != status::success) {
        drop(device, type, found.handle.number);
        return status;
    }
    ++device.next_number;
    created = to_id(found.handle);
    return status::success;
}

Status Library::remove(ObjectType type, ObjectId id)
{
    const auto found = find(type, id);
    if (!found) {
        return found.error();
    }
    switch (type) {
    case ObjectType::switch_: switches_.erase(found->handle.switch_number); return status::success;
    case ObjectType::buffer_pool:
    case ObjectType::buffer_profile:
    case ObjectType::qos_map:
        if (in_use(*found->device, type, found->handle.number)) {
            return status::object_in_use;
        }
        drop(*found->device, type, found->handle.number);
        return status::success;
    default: return status::not_supported;
    }
}

bool Library::exists(const Handle& handle) const
{
    const auto owner = switches_.find(handle.switch_number);
    if (owner == switches_.end()) {
        return false;
    }
    const auto& device = *owner->second;
    const auto ports = static_cast<std::uint32_t>(device.ports.size());
    switch (handle.type) {
    case ObjectType::switch_: return handle.number == 0;
    case ObjectType::port: return handle.number < ports;
    case ObjectType::queue:
    case ObjectType::ingress_priority_group: return handle.number < ports * kPriorities;
    case ObjectType::buffer_pool: return device.pools.count(handle.number) != 0;
    case ObjectType::buffer_profile: return device.profiles.count(handle.number) != 0;
    case ObjectType::qos_map: return device.qos_maps.count(handle.number) != 0;
    case ObjectType::null: break;
    }
    return false;
}

tl::expected<Library::Found, Status> Library::find(ObjectType type, ObjectId id) const
{
    const auto handle = to_handle(id);
    if (!handle || !exists(*handle)) {
        return tl::unexpected(Status{status::invalid_object_id});
    }
    if (handle->type != type) {
        return tl::unexpected(Status{status::invalid_object_type});
    }
    return Found{switches_.at(handle->switch_number).get(), *handle};
}

ObjectType Library::type_of(ObjectId id) const
{
    const auto handle = to_handle(id);
    return handle && exists(*handle) ? handle->type : ObjectType::null;
}

ObjectId Library::switch_of(ObjectId id) const
{
    const auto handle = to_handle(id);
    return handle && exists(*handle) ? switches_.at(handle->switch_number)->id() : sai::kNullObject;
}

// ---------------------------------------------------------------------------------------------------- calls

Status Library::write(const Found& found, const std::function<Status(const Place&)>& what)
{
    Status status = status::failure;
    fabric_->write(found.device->node(),
                   [&](twin::Twin&, Ps now) { status = what({*found.device, found.handle, now}); });
    return status;
}

Status Library::read(const Found& found, const std::function<Status(const Place&)>& what)
{
    Status status = status::failure;
    fabric_->read([&](twin::Twin& twin) { status = what({*found.device, found.handle, twin.now()}); });
    return status;
}

Status Library::set(ObjectType type, ObjectId id, const Attribute& attribute)
{
    const auto found = find(type, id);
    return found ? write(*found, [&](const Place& place) { return set_attribute(place, attribute); }) : found.error();
}

Status Library::get(ObjectType type, ObjectId id, std::span<Attribute> attributes)
{
    const auto found = find(type, id);
    return found ? read(*found, [&](const Place& place) { return get_attributes(place, attributes); }) : found.error();
}

Status Library::get_stats(ObjectType type, ObjectId id, std::span<const sai::StatId> ids, sai::StatsMode mode,
                          std::uint64_t* values)
{
    const auto found = find(type, id);
    if (!found) {
        return found.error();
    }
    return read(*found, [&](const Place& place) {
        const auto status = libsai::get_stats(place, ids, values);
        const bool clears = mode == sai::StatsMode::read_and_clear && status == status::success;
        return clears ? libsai::clear_stats(place, ids) : status;
    });
}

Status Library::clear_stats(ObjectType type, ObjectId id, std::span<const sai::StatId> ids)
{
    const auto found = find(type, id);
    return found ? read(*found, [&](const Place& place) { return libsai::clear_stats(place, ids); }) : found.error();
}

Status Library::clear_all_stats(ObjectType type, ObjectId id)
{
    const auto found = find(type, id);
    return found ? read(*found, [](const Place& place) { return libsai::clear_all_stats(place); }) : found.error();
}

// ---------------------------------------------------------------------------------------------------- beyond SAI

Status Library::step(Duration by)
{
    if (!fabric_) {
        return status::uninitialized;
    }
    if (runs_by_wall_clock()) {
        return status::not_supported;
    }
    fabric_->step(by);
    return status::success;
}

Status Library::now(std::uint64_t& ns)
{
    if (!fabric_) {
        return status::uninitialized;
    }
    fabric_->read([&](twin::Twin& twin) { ns = twin.now() / twin::kNs; });
    return status::success;
}

Status Library::host_received(const std::string& host, std::uint8_t priority, std::uint64_t& frames)
{
    if (!fabric_) {
        return status::uninitialized;
    }
    const auto node = topology::Lookup{fabric_->topology()}.node(host);
    if (!node || fabric_->topology().nodes[node->value].kind != topology::Kind::host) {
        return status::item_not_found;
    }
    if (priority >= kPriorities) {
        return status::invalid_parameter;
    }
    fabric_->read([&](twin::Twin& twin) { frames = twin.nic_view(*node).read(priority, twin.now()).taken; });
    return status::success;
}

void Library::keep_up()
{
    if (fabric_) {
        fabric_->read([](twin::Twin&) {});
    }
}

std::vector<Delivery> Library::take_deliveries()
{
    std::vector<Delivery> deliveries;
    for (const auto& [number, device] : switches_) {
        if (auto notices = device->take_notices(); !notices.empty()) {
            deliveries.push_back({device->on_deadlock, device->on_port_state, std::move(notices)});
        }
    }
    return deliveries;
}

}  // namespace petrel::libsai
