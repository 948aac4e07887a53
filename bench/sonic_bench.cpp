// One poll of a SONiC switch by databases, all of it: our look and the decision, and what the server computes for it.
// Next to it the other way of doing it: scripts in the server (sonic_scripts.hpp). Each way has a server of its own,
// since what a script remembers lies among the counters and lengthens every search there. What syncd writes is the same
// for all of them and is not counted.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "base/assert.hpp"
#include "benches.hpp"
#include "device/manual_clock.hpp"
#include "device/sonic/sonic_device.hpp"
#include "measure.hpp"
#include "prepared_device.hpp"
#include "private_redis.hpp"
#include "sonic_scripts.hpp"
#include "watchdog/watchdog.hpp"

namespace petrel::bench {

namespace {

using namespace std::chrono_literals;
using redis::Pipeline;
using sonic::Db;

constexpr std::uint32_t kPerPort = 2;  // lossless classes
constexpr int kSonicRounds = 3;
constexpr auto kPoll = 100ms;
constexpr int kPollsPerSecond = 1s / kPoll;  // of the polls of a second one reads more than the others
constexpr double kGoal = 5;                  // times cheaper than the script
constexpr std::uint32_t kOtherPortFields = 40;

struct Cost {
    double wall_s{1e9};
    double cpu_s{1e9};  // ours and the server's
};

// A switch in the databases, as far as a detector reads it.
class Switch {
public:
    Switch(const PrivateRedis& redis, std::uint32_t queues) : queues_(queues), counters_(redis.connect(2))
    {
        fill_configuration(*redis.connect(4));
        fill_counters();
    }

    // syncd has polled: of what it writes, what shows that.
    void stamp(Instant at)
    {
        Pipeline write;
        for (const auto q : {0U, queues_ - 1}) {
            write.add({"HSET", "COUNTERS:" + queue_oid(q), "SAI_QUEUE_STAT_BYTES", "98765432101"});
        }
        write.add({"HSET", "COUNTERS:TIME_STAMP", "PFC_WD_Port_Counter_time_stamp",
                   std::to_string(at.time_since_epoch().count())});
        send(*counters_, write);
    }

    void set_all(std::string_view field, std::string_view value)
    {
        Pipeline write;
        for (std::uint32_t q = 0; q != queues_; ++q) {
            write.add({"HSET", "COUNTERS:" + queue_oid(q), field, value});
        }
        send(*counters_, write);
    }

    // Both calls as they go over the wire.
    Pipeline calls(const Script& script)
    {
        Pipeline calls;
        for (const auto text : {script.detect, script.restore}) {
            add_call(calls, fmt::format("{}{}", kScriptHead, text));
        }
        return calls;
    }

    void run(const Pipeline& pipeline) { send(*counters_, pipeline); }

private:
    void add_call(Pipeline& calls, const std::string& text)
    {
        Pipeline load;
        load.add({"SCRIPT", "LOAD", text});
        std::string sha;
        const auto loaded = counters_->run(load, [&](std::size_t, redis::View reply) { sha = reply.text(); });
        PETREL_ASSERT(loaded && sha.size() == 40, "{}", sha);
        std::vector<std::string> words{"EVALSHA", sha, std::to_string(queues_)};
        for (std::uint32_t q = 0; q != queues_; ++q) {
            words.push_back(queue_oid(q));
        }
        words.emplace_back("100");
        calls.add(std::vector<std::string_view>{words.begin(), words.end()});
    }

    static std::string port(std::uint32_t q) { return fmt::format("Ethernet{}", q / kPerPort); }
    static std::string port_oid(std::uint32_t q) { return fmt::format("oid:0x1000000{:06x}", q / kPerPort); }
    static std::string queue_oid(std::uint32_t q) { return fmt::format("oid:0x15000000{:06x}", q); }

    static void send(redis::Connection& connection, const Pipeline& pipeline)
    {
        const auto done = connection.run(pipeline);
        PETREL_ASSERT(done, "{}", done.error().what);
    }

    void fill_configuration(redis::Connection& config) const
    {
        Pipeline write;
        for (std::uint32_t q = 0; q < queues_; q += kPerPort) {
            write.add({"HSET", "PORT|" + port(q), "speed", "400000"});
            write.add({"HSET", "PORT_QOS_MAP|" + port(q), "pfc_enable", "3,4", "pfcwd_sw_enable", "3,4"});
        }
        write.add({"SET", "CONFIG_DB_INITIALIZED", "1"});
        send(config, write);
    }

    void fill_counters()
    {
        Pipeline write;
        for (std::uint32_t q = 0; q != queues_; ++q) {
            const auto class_of = std::to_string(3 + q % kPerPort);
            write.add({"HSET", "COUNTERS_QUEUE_NAME_MAP", port(q) + ":" + class_of, queue_oid(q)});
            write.add({"HSET", "COUNTERS_QUEUE_INDEX_MAP", queue_oid(q), class_of});
            write.add({"HSET", "COUNTERS_QUEUE_PORT_MAP", queue_oid(q), port_oid(q)});
            write.add({"HSET",
                       "COUNTERS:" + queue_oid(q),
                       "SAI_QUEUE_STAT_PACKETS",
                       "123456789",
                       "SAI_QUEUE_STAT_BYTES",
                       "98765432101",
                       "SAI_QUEUE_STAT_DROPPED_PACKETS",
                       "0",
                       "SAI_QUEUE_STAT_CURR_OCCUPANCY_BYTES",
                       "4096",
                       "SAI_QUEUE_ATTR_PAUSE_STATUS",
                       "false",
                       "PFC_WD_STATUS",
                       "operational",
                       "PFC_WD_ACTION",
                       "drop",
                       "PFC_WD_DETECTION_TIME",
                       "400000",
                       "PFC_WD_RESTORATION_TIME",
                       "400000",
                       "PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED",
                       "0",
                       "PFC_WD_QUEUE_STATS_DEADLOCK_RESTORED",
                       "0",
                       "PFC_WD_QUEUE_STATS_TX_PACKETS",
                       "0",
                       "PFC_WD_QUEUE_STATS_TX_DROPPED_PACKETS",
                       "0",
                       "PFC_WD_QUEUE_STATS_RX_PACKETS",
                       "0",
                       "PFC_WD_QUEUE_STATS_RX_DROPPED_PACKETS",
                       "0"});
            if (q % kPerPort == 0) {
                fill_port(write, q);
            }
        }
        send(*counters_, write);
    }

    // Ports count much else besides pause.
    static void fill_port(Pipeline& write, std::uint32_t q)
    {
        const auto key = "COUNTERS:" + port_oid(q);
        write.add({"HSET", "COUNTERS_PORT_NAME_MAP", port(q), port_oid(q)});
        std::vector<std::string> words{"HSET", key};
        for (std::uint32_t i = 0; i != kOtherPortFields; ++i) {
            words.push_back(fmt::format("SAI_PORT_STAT_IF_OTHER_COUNTER_{}", i));
            words.emplace_back("1234567890");
        }
        for (std::uint32_t priority = 3; priority != 3 + kPerPort; ++priority) {
            for (const auto* what : {"RX_PKTS", "ON2OFF_RX_PKTS", "RX_PAUSE_DURATION_US"}) {
                words.push_back(fmt::format("SAI_PORT_STAT_PFC_{}_{}", priority, what));
                words.emplace_back("1234567");
            }
        }
        write.add(std::vector<std::string_view>{words.begin(), words.end()});
    }

    std::uint32_t queues_;
    std::unique_ptr<redis::Connection> counters_;
};

class OwnPoll {
public:
    explicit OwnPoll(const PrivateRedis& redis)
    {
        auto opened = device::sonic::SonicDevice::open(sonic::at_one_address(redis.address()), DeviceId{0}, clock_,
                                                       [](const std::string&) {}, {60s, 60s});
        PETREL_ASSERT(opened, "{}", opened.error().what);
        device_ = std::move(*opened);
        watchdog::PolicyBook book;
        book.policies = {watchdog::find_preset("sonic")->policy};
        book.assigned = {{}};
        auto list = watchdog::compile(book, device_->inventory(), device_->capabilities());
        PETREL_ASSERT(list, "the policy does not fit");
        intake_.emplace(device_->inventory(), device_->capabilities());
        dog_.emplace(std::move(*list), clock_.now().mono);
    }

    Instant next(Duration after)
    {
        clock_.advance(after);
        return clock_.now().mono;
    }

    void run()
    {
        intake_->begin();
        const auto looked = device_->look({}, *intake_);
        PETREL_ASSERT(looked, "{}", looked.error().what);
        box_.clear();
        dog_->look(intake_->view(), clock_.now().mono, box_);
    }

    bool saw_all() const { return intake_->view().all; }

private:
    device::ManualClock clock_;
    std::unique_ptr<device::sonic::SonicDevice> device_;
    std::optional<watchdog::Intake> intake_;
    std::optional<watchdog::Watchdog> dog_;
    watchdog::Outbox box_;
};

void measure(Report& report, std::uint32_t queues)
{
    const auto redis = PrivateRedis::start();
    const auto of_scripts = PrivateRedis::start();
    if (!redis || !of_scripts) {
        return report.text("skipped", "redis-server is not installed");
    }
    Switch sonic{*redis, queues};
    Switch scripted{*of_scripts, queues};
    const auto by_field = scripted.calls(kScriptByField);
    const auto in_few_calls = scripted.calls(kScriptInFewCalls);

    const auto now_s = [] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    };
    const auto cpu_now_s = [&] { return process_cpu_s() + redis->cpu_s() + of_scripts->cpu_s(); };
    const auto time_once = [&](Cost& least, const Pass& pass) {
        const auto wall = now_s();
        const auto cpu = cpu_now_s();
        pass();
        least.cpu_s = std::min(least.cpu_s, cpu_now_s() - cpu);
        least.wall_s = std::min(least.wall_s, now_s() - wall);
    };
    const auto in_state = [&](std::string_view state) {
        sonic.stamp(Instant{1ms});
        OwnPoll own{*redis};
        Cost second;
        Cost script;
        Cost few_calls;
        for (int round = 0; round != kSonicRounds; ++round) {
            time_once(second, [&] {
                for (int poll = 0; poll != kPollsPerSecond; ++poll) {
                    sonic.stamp(own.next(kPoll));
                    own.run();
                }
            });
            time_once(script, [&] { scripted.run(by_field); });
            time_once(few_calls, [&] { scripted.run(in_few_calls); });
        }
        PETREL_ASSERT(own.saw_all(), "{} queues, {}", queues, state);
        const double cpu_s = second.cpu_s / kPollsPerSecond;
        const auto metric = [&](std::string_view name, double value, std::optional<Goal> goal = std::nullopt) {
            report.metric(fmt::format("{}_{}", state, name), value, goal);
        };
        const auto us_per_queue = [&](double s) { return s * 1e6 / queues; };
        metric("poll_ms", second.wall_s / kPollsPerSecond * 1e3);
        metric("script_ms", script.wall_s * 1e3);
        metric("cpu_us_per_queue", us_per_queue(cpu_s));
        metric("script_cpu_us_per_queue", us_per_queue(script.cpu_s));
        metric("few_calls_cpu_us_per_queue", us_per_queue(few_calls.cpu_s));
        metric("times_cheaper_than_script", script.cpu_s / cpu_s, at_least(kGoal));
        metric("times_cheaper_than_few_calls", few_calls.cpu_s / cpu_s);
    };
    const auto set_all = [&](std::string_view field, std::string_view value) {
        sonic.set_all(field, value);
        scripted.set_all(field, value);
    };
    in_state("calm");
    set_all("SAI_QUEUE_ATTR_PAUSE_STATUS", "true");
    in_state("paused");
    set_all("PFC_WD_STATUS", "stormed");
    in_state("stormed");
}

}  // namespace

std::vector<Bench> sonic_benches()
{
    std::vector<Bench> benches;
    for (const std::uint32_t queues : {512U, 8192U, 65'536U}) {
        benches.push_back(
            {fmt::format("sonic/poll/{}", queues), [queues](Report& report) { measure(report, queues); }});
    }
    return benches;
}

}  // namespace petrel::bench
