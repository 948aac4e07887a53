// SONiC as a Nos: reads policies from CONFIG_DB, and writes events and statistics of queues to the tables that SONiC's
// tools read. As an owner (the agent applies treatments itself) it writes what orchagent would write. As a detector it
// leaves that to orchagent, and only reports the storms of queues whose policy only alerts, and the ends of storms.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "daemon/nos.hpp"
#include "daemon/sonic/alerts.hpp"
#include "daemon/sonic/config_memory.hpp"
#include "daemon/sonic/sonic_log.hpp"
#include "daemon/sonic/stale_actions.hpp"
#include "device/device.hpp"
#include "sonic/config_follower.hpp"
#include "sonic/policy_overrides.hpp"
#include "sonic/port_counters.hpp"
#include "sonic/queue_tables.hpp"
#include "sonic/redis_store.hpp"

namespace petrel::daemon {

class SonicNos final : public Nos {
public:
    // `memory`: the file with the last configuration, which an owner uses until CONFIG_DB can be read. The clock
    // outlives the Nos.
    SonicNos(const sonic::Databases&, sonic::Role, std::filesystem::path memory, const device::TimeSource&);

    std::string_view name() const override { return "SONiC"; }
    bool shows_statistics() const override { return role_ == sonic::Role::owner; }  // else orchagent does
    Reply exchange(Report) override;
    Result<void> leave() override;

private:
    // An event that is not published yet. It waits while Redis cannot be reached.
    struct Unpublished {
        NosEvent event;
        bool logged{};
    };

    void take(Report);
    void start_over();
    Result<void> follow_configuration(Reply&);
    void remember_configuration(Result<std::optional<ConfigMemory::Kept>>, Reply&);
    void put_in_force(sonic::Config, Reply&);
    Result<void> write_tables();
    void log_events(Reply&);
    Result<void> publish_events();
    Result<void> publish(const NosEvent&);
    Result<bool> orchagent_expects(const NosEvent&);
    Result<void> repeat_alerts();
    Result<void> follow_actions(Reply&);
    Result<sonic::QueueObject> object_of(const NosEvent&);
    Result<void> run(const redis::Pipeline&, const redis::Connection::Visit&);

    sonic::Role role_;
    const device::TimeSource& clock_;
    sonic::Databases databases_;
    sonic::RedisStore store_;
    sonic::ConfigFollower follower_;
    ConfigMemory memory_;
    bool memory_read_{};   // the file was read, at the first exchange
    bool memory_good_{};   // CONFIG_DB had no bad entries when it last changed; only then it is saved
    bool memory_right_{};  // memory_good_, and CONFIG_DB could be read in the last exchange
    sonic::QueueTables tables_;
    sonic::PortCounters counters_;
    sonic::PolicyOverrides overrides_;
    SonicLog log_;
    Alerts alerts_;
    StaleActions stale_actions_;           // of a detector: an owner applies actions itself
    std::optional<std::string> in_force_;  // the policies as text; none before the first ones
    std::string concern_;                  // see Nos::Reply
    std::optional<Error> trouble_;         // as of the last exchange
    std::vector<Unpublished> unpublished_;
};

}  // namespace petrel::daemon
