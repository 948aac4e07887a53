// What runs on a SONiC switch besides us, as far as the databases show it: syncd, which polls counters when the test
// says so and runs the plug-ins of its counter group, and orchagent, which registers queues, and in a thread of its own
// hears of storms and treats them. Both can be away, orchagent can be slow, and either can be started again.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/time.hpp"
#include "redis/connection.hpp"
#include "sonic/store.hpp"
#include "support/redis_server.hpp"

namespace petrel::test {

// What the ASIC counts of one queue; what a test leaves out, syncd does not write.
struct QueueCounters {
    std::uint64_t rx{};
    std::uint64_t on2off{};
    bool paused{};
    std::uint64_t occupancy{};
    std::uint64_t tx{};
    std::uint64_t pause_us{};
    std::uint64_t drops{};
};

class SonicSwitch {
public:
    struct Setup {
        int ports{2};                // Ethernet0, Ethernet4, ...
        std::string classes{"3,4"};  // of each: lossless and watched
        bool stamps{true};           // syncd is a newer one
        bool pause_time{true};       // the ASIC counts it,
        bool transitions{true};      // and the ends of pauses,
        bool pause_status{true};     // and tells the state
        bool vendor_pause{};         // pause time is counted in a unit of the vendor's, instead
        bool scripts{};              // the plug-ins decide, as a script of SONiC's does
        std::string action{"drop"};  // empty: none is configured
        std::chrono::milliseconds poll{200};
    };

    SonicSwitch(const RedisServer& server, Setup setup);  // filled, and orchagent runs
    explicit SonicSwitch(const RedisServer& server) : SonicSwitch(server, Setup{}) {}
    ~SonicSwitch();
    SonicSwitch(const SonicSwitch&) = delete;
    SonicSwitch& operator=(const SonicSwitch&) = delete;

    // ---- the ASIC and syncd
    QueueCounters& queue(const std::string& name) { return counters_[name]; }  // "Ethernet0:3"
    void poll(Instant at);
    void poll_ports(Instant at);  // the first half of it, with the stamp,
    void poll_queues();           // and the second
    void serve_requests();        // what orchagent, or somebody in its name, has asked for
    void freeze_stamps(bool frozen) { stamps_frozen_ = frozen; }
    int plugin_runs() const { return plugin_runs_; }
    bool has_plugins() const { return !plugins_.empty(); }

    // ---- orchagent
    void watch(const std::string& port, const std::string& action = "drop");  // PFC_WD gets an entry
    void unwatch(const std::string& port);
    void reject(const std::string& port);  // PFC_WD has an entry that orchagent does not accept
    bool is_registered(const std::string& queue) const;
    // On: every lossless queue is treated. Off: each is left `operational`, whether or not it is registered.
    void big_red_switch(bool on);
    // Its names of queues are gone, and come back one after the other: with these.
    void lose_names() const;
    void name_queues(const std::string& port) const;
    void counter_poll(const std::string& status);  // enable or disable, as `pfcwd counter_poll` has it
    void orchagent_leaves();
    void orchagent_comes(bool warm);
    void hold();           // it hears, and does not act yet
    void release();        // now it does
    void become_unable();  // its actions fail from now on: the hardware has no room for them
    void catch_up();       // until it has done all that it was told

    // ---- the databases
    std::string get(sonic::Db, const std::string& key, const std::string& field) const;
    void set(sonic::Db, const std::string& key, const std::string& field, const std::string& value) const;
    void remove(sonic::Db, const std::string& key) const;
    std::string of_queue(const std::string& name, const std::string& field) const;
    void set_of_queue(const std::string& name, const std::string& field, const std::string& value) const;
    static std::string port_oid(const std::string& port);
    static std::string queue_oid(const std::string& queue);
    std::vector<std::string> words() const;   // all that orchagent has heard: "Ethernet0:3 storm"
    std::vector<std::string> errors() const;  // words for queues that were not registered any more
    // What orchagent would log with the last of them: "occupancy:4096|packets:7".
    std::string additional_info() const;

private:
    void fill();
    bool polls() const;
    void send(sonic::Db, const redis::Pipeline&) const;
    void change(sonic::Db, const std::vector<std::string_view>& words) const;
    void register_queue(const std::string& name, const std::string& action);
    void unregister_queue(const std::string& name);
    void run_scripts();
    bool run_script(const std::string& queue);
    void install_plugins();
    void hear(redis::View);
    void act(const std::string& name, bool storm);

    const RedisServer& server_;
    Setup setup_;
    std::vector<std::string> ports_;
    std::vector<std::string> queues_;
    std::set<std::string> registered_;  // syncd polls these
    bool stamps_frozen_{};
    Instant last_stamp_;
    std::map<std::string, QueueCounters> counters_;
    std::map<sonic::Db, std::unique_ptr<redis::Connection>> connections_;  // of the test's thread
    std::set<std::string> plugins_;                                        // syncd's
    int plugin_runs_{};
    int marks_{};  // set among orchagent's words

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    bool held_{};
    bool unable_{};
    int marks_heard_{};
    std::vector<std::string> words_;
    std::vector<std::string> errors_;
    std::string additional_info_;
    std::unique_ptr<redis::Connection> own_;  // orchagent's thread
    std::thread thread_;
    int wake_{-1};
};

}  // namespace petrel::test
