// The other software of a SONiC switch, as far as the databases show it: syncd, which polls counters when the test
// calls poll() and runs the plug-ins of its counter group, and orchagent, which registers queues, and in its own thread
// receives storm messages and treats queues. Both can be absent, orchagent can be slow, and either can be restarted.
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
#include <utility>
#include <vector>

#include "base/time.hpp"
#include "redis/connection.hpp"
#include "sonic/store.hpp"
#include "support/redis_server.hpp"

namespace petrel::test {

// The ASIC's counters of one queue; syncd does not write those that the setup disables.
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
        std::string classes{"3,4"};  // the lossless and watched priorities of each port
        bool stamps{true};           // a newer syncd, which reads in bulk and writes time stamps
        bool pause_time{true};       // the ASIC counts pause time
        bool transitions{true};      // the ASIC counts the ends of pauses
        bool pause_status{true};     // the ASIC reports the pause state
        bool vendor_pause{};         // pause time is counted in a vendor's unit instead
        bool scripts{};              // the plug-ins decide, as SONiC's scripts do
        std::string action{"drop"};  // empty: none is configured
        std::chrono::milliseconds poll{200};
    };

    SonicSwitch(const RedisServer& server, Setup setup);  // fills the databases and starts orchagent
    explicit SonicSwitch(const RedisServer& server) : SonicSwitch(server, Setup{}) {}
    ~SonicSwitch();
    SonicSwitch(const SonicSwitch&) = delete;
    SonicSwitch& operator=(const SonicSwitch&) = delete;

    // ---- the ASIC and syncd
    QueueCounters& queue(const std::string& name) { return counters_[name]; }  // "Ethernet0:3"
    void poll(Instant at);
    void poll_ports(Instant at);                                 // the first half of poll(), with the stamp
    void poll_queues();                                          // the second half, with its stamp
    void write_queues(std::size_t count);                        // of the second half: these queues, in syncd's order
    void poll_queue_statistics();                                // another counter group, which has no pause counters
    bool has_polled() { return std::exchange(polled_, false); }  // since the last call
    void serve_requests();  // the requests of orchagent, or of the agent in its place
    void skip(const std::string& queue) { skipped_ = queue; }  // syncd cannot read this queue any more
    void freeze_stamps(bool frozen) { stamps_frozen_ = frozen; }
    int plugin_runs() const { return plugin_runs_; }
    bool has_plugins() const { return !plugins_.empty(); }

    // ---- orchagent
    void watch(const std::string& port, const std::string& action = "drop");  // adds an entry to PFC_WD
    void unwatch(const std::string& port);  // as release 202505: a row of PFC_WD_TABLE_INSTORM stays
    void unregister_queue(const std::string& name);
    void reject(const std::string& port);  // adds an entry to PFC_WD that orchagent refuses
    // Writes the entry of a watched port again. The queues then show `operational`, also those that orchagent treats,
    // until its timer ticks, which happens once a second.
    void write_entry_again(const std::string& port);
    // orchagent shows the new action of the port's queues, and applies the one with which it has registered them.
    void change_action_in_place(const std::string& port, const std::string& action);
    void tick();
    bool is_treated(const std::string& queue) const;
    bool is_registered(const std::string& queue) const;
    // On: every lossless queue is treated. Off: each queue becomes `operational`, whether or not it is registered.
    void big_red_switch(bool on);
    // The name maps of queues disappear, and come back port by port.
    void lose_names() const;
    void name_queues(const std::string& port) const;
    void counter_poll(const std::string& status);  // enable or disable, as by `pfcwd counter_poll`
    void orchagent_leaves();
    void orchagent_comes(bool warm);
    void act_after(std::size_t messages);  // orchagent acts on no message until it has received this many
    void hold();                           // orchagent receives messages, but does not act yet
    void release();                        // orchagent acts on the messages
    void become_unable();                  // its actions fail from now on: the hardware has no resources for them
    void catch_up();                       // waits until it has handled all messages

    // ---- the databases
    std::string get(sonic::Db, const std::string& key, const std::string& field) const;
    void set(sonic::Db, const std::string& key, const std::string& field, const std::string& value) const;
    void remove(sonic::Db, const std::string& key) const;
    std::string of_queue(const std::string& name, const std::string& field) const;
    void set_of_queue(const std::string& name, const std::string& field, const std::string& value) const;
    static std::string port_oid(const std::string& port);
    static std::string queue_oid(const std::string& queue);
    std::vector<std::string> messages() const;  // all messages that orchagent has received: "Ethernet0:3 storm"
    std::vector<std::string> errors() const;    // messages for queues that are not registered any more
    // What orchagent would log with the last message: "occupancy:4096|packets:7".
    std::string additional_info() const;

private:
    void fill();
    bool polls() const;
    std::vector<std::string> registered() const;
    void send(sonic::Db, const redis::Pipeline&) const;
    void change(sonic::Db, const std::vector<std::string_view>& words) const;
    void register_queue(const std::string& name, const std::string& action);
    void run_scripts();
    bool run_script(const std::string& queue);
    void install_plugins();
    void receive(redis::View);
    enum class StormRow : std::uint8_t { follows, stays };  // in PFC_WD_TABLE_INSTORM
    void act(const std::string& name, bool storm, StormRow row = StormRow::follows);

    const RedisServer& server_;
    Setup setup_;
    std::vector<std::string> ports_;
    std::vector<std::string> queues_;
    std::vector<std::string> registered_;  // syncd polls these, in this order
    bool stamps_frozen_{};
    bool polled_{};
    std::string skipped_;
    Instant last_stamp_;
    std::map<std::string, QueueCounters> counters_;
    std::map<sonic::Db, std::unique_ptr<redis::Connection>> connections_;  // of the test's thread
    std::set<std::string> plugins_;                                        // syncd's
    int plugin_runs_{};
    int marks_{};  // sent among the messages to orchagent

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    bool held_{};
    std::size_t acts_after_{};
    std::vector<std::pair<std::string, bool>> received_;  // queue, storm: messages that it has not acted on
    bool unable_{};
    int marks_received_{};
    std::vector<std::string> messages_;
    std::vector<std::string> errors_;
    std::string additional_info_;
    std::set<std::string> shown_operational_;  // queues that orchagent treats nevertheless
    std::unique_ptr<redis::Connection> own_;   // of orchagent's thread
    std::thread thread_;
    int wake_{-1};
};

}  // namespace petrel::test
