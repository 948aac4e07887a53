// The library between sai_api_initialize and sai_api_uninitialize: the fabric, the switches that were created in it,
// and the SAI calls on them, as plain functions of one object. Of the C interface only the values appear here.
//
// Contract: one call at a time (entry_points.cpp holds a lock). Notices are taken under that lock and delivered outside
// it.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "libsai/attributes.hpp"
#include "libsai/fabric.hpp"
#include "libsai/stats.hpp"

namespace petrel::libsai {

using sai::ObjectId;
using sai::ObjectType;
using sai::Status;

// Notices and the callbacks they go to.
struct Delivery {
    sai::DeadlockCallback on_deadlock{};
    sai::PortStateCallback on_port_state{};
    std::vector<Notice> notices;

    void deliver() const;
};

class Library {
public:
    explicit Library(const sai::ServiceMethods& services) : services_(services) {}

    Status create_switch(ObjectId& created, std::span<const sai::Attribute>);
    Status create(ObjectType, ObjectId& created, ObjectId switch_id, std::span<const sai::Attribute>);
    Status remove(ObjectType, ObjectId);
    Status set(ObjectType, ObjectId, const sai::Attribute&);
    Status get(ObjectType, ObjectId, std::span<sai::Attribute>);
    Status get_stats(ObjectType, ObjectId, std::span<const sai::StatId>, sai::StatsMode, std::uint64_t* values);
    Status clear_stats(ObjectType, ObjectId, std::span<const sai::StatId>);
    Status clear_all_stats(ObjectType, ObjectId);

    Status capability(ObjectId switch_id, ObjectType, sai::AttrId, sai::AttrCapability&) const;
    Status enum_capability(ObjectId switch_id, ObjectType, sai::AttrId, sai::List<std::int32_t>& values) const;
    Status stats_capability(ObjectId switch_id, ObjectType, sai::List<sai::StatCapability>&) const;

    // For an object that exists; otherwise they return a null type and a null switch.
    ObjectType type_of(ObjectId) const;
    ObjectId switch_of(ObjectId) const;

    Status step(Duration);
    Status now(std::uint64_t& ns);
    Status host_received(const std::string& host, std::uint8_t priority, std::uint64_t& frames);
    bool runs_by_wall_clock() const { return fabric_ && fabric_->time() == Fabric::Time::wall; }
    void keep_up();  // advances the twin to the present time
    std::vector<Delivery> take_deliveries();

private:
    struct Found {
        Switch* device{};
        Handle handle;
    };

    std::string setting(std::uint32_t profile, const char* name) const;
    Status check_keys(std::uint32_t profile) const;
    Status open_fabric(std::uint32_t profile);
    tl::expected<topology::NodeId, Status> node_of(std::uint32_t profile) const;
    bool exists(const Handle&) const;
    tl::expected<Found, Status> find(ObjectType, ObjectId) const;
    Status write(const Found&, const std::function<Status(const Place&)>&);
    Status read(const Found&, const std::function<Status(const Place&)>&);

    sai::ServiceMethods services_;
    std::unique_ptr<Fabric> fabric_;
    std::map<std::uint8_t, std::unique_ptr<Switch>> switches_;
};

}  // namespace petrel::libsai
