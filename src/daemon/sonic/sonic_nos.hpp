// SONiC around the agent: policies come from CONFIG_DB; what becomes of queues goes to where SONiC's tools look for it.
// As an owner (the agent drives the switch itself) it writes what orchagent would; as a detector it leaves that to
// orchagent, and only passes on the storms that nobody acts on.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "daemon/nos.hpp"
#include "daemon/sonic/alerts.hpp"
#include "daemon/sonic/config_memory.hpp"
#include "daemon/sonic/sonic_log.hpp"
#include "sonic/config_follower.hpp"
#include "sonic/port_counters.hpp"
#include "sonic/queue_tables.hpp"
#include "sonic/redis_store.hpp"

namespace petrel::daemon {

class SonicNos final : public Nos {
public:
    // `memory`: the file by which an owner's queues are watched before CONFIG_DB can be read.
    SonicNos(const sonic::Databases&, sonic::Role, std::filesystem::path memory);

    std::string_view name() const override { return "SONiC"; }
    bool shows_statistics() const override { return role_ == sonic::Role::owner; }  // elsewhere orchagent does
    Heard exchange(Told) override;
    Result<void> leave() override;

private:
    // One that has to be said and was not yet: whoever listens may be away.
    struct Unsaid {
        NosEvent event;
        bool logged{};
    };

    void take(Told);
    void start_over();
    Result<void> follow_configuration(Heard&);
    void remember_configuration(Result<std::optional<ConfigMemory::Kept>>, Heard&);
    void put_in_force(sonic::Config, Heard&);
    Result<void> write_tables();
    void log_events(Heard&);
    Result<void> tell_events();
    Result<void> publish(const NosEvent&);
    Result<bool> expects_word(const NosEvent&);
    Result<void> repeat_alerts();
    Result<sonic::QueueObject> object_of(const NosEvent&);
    Result<void> run(const redis::Pipeline&, const redis::Connection::Visit&);

    sonic::Role role_;
    sonic::Databases databases_;
    sonic::RedisStore store_;
    sonic::ConfigFollower follower_;
    ConfigMemory memory_;
    bool memory_asked_{};  // or not needed any more
    bool memory_good_{};   // nothing was bad in CONFIG_DB when it last changed: what is bad is not worth keeping
    bool memory_right_{};  // and it could be read just now
    sonic::QueueTables tables_;
    sonic::PortCounters counters_;
    SonicLog log_;
    Alerts alerts_;
    std::optional<std::string> in_force_;  // policies, as text; none: nothing was said yet
    std::string concern_;                  // about what is configured
    std::optional<Error> trouble_;         // as of the last exchange
    std::vector<Unsaid> unsaid_;
};

}  // namespace petrel::daemon
