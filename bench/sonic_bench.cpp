// One poll of a SONiC switch by databases, all of it: our look and the decision, and what the server computes for it.
// Next to it the other way of doing it, a script that runs in the server over all queues at once and keeps its memory
// there: our own, with the predicate of our `sonic` policy, once with a call for each field and once with as few calls
// as it can. Each way has a server of its own, since what a script remembers lies among the counters and lengthens
// every search there. What syncd writes is the same for all of them and is not counted.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/assert.hpp"
#include "benches.hpp"
#include "device/manual_clock.hpp"
#include "device/sonic/sonic_device.hpp"
#include "measure.hpp"
#include "prepared_device.hpp"
#include "private_redis.hpp"
#include "watchdog/watchdog.hpp"

namespace petrel::bench {

namespace {

using namespace std::chrono_literals;
using redis::Pipeline;
using sonic::Db;

constexpr std::uint32_t kPerPort = 2;  // lossless classes
constexpr int kRounds = 5;
constexpr double kGoal = 5;  // times cheaper than the script
constexpr std::uint32_t kOtherPortFields = 40;

constexpr std::string_view kScriptByField = R"(
local interval = tonumber(ARGV[1]) * 1000
local storms = 0
for i = #KEYS, 1, -1 do
  local oid = KEYS[i]
  local queue = 'COUNTERS:' .. oid
  local status = redis.call('HGET', queue, 'PFC_WD_STATUS')
  local action = redis.call('HGET', queue, 'PFC_WD_ACTION')
  local red = redis.call('HGET', queue, 'BIG_RED_SWITCH_MODE')
  if not red and (status == 'operational' or action == 'alert') then
    local limit = tonumber(redis.call('HGET', queue, 'PFC_WD_DETECTION_TIME'))
    local left = tonumber(redis.call('HGET', queue, 'PFC_WD_DETECTION_TIME_LEFT')) or limit
    local class = redis.call('HGET', 'COUNTERS_QUEUE_INDEX_MAP', oid)
    local port = 'COUNTERS:' .. redis.call('HGET', 'COUNTERS_QUEUE_PORT_MAP', oid)
    local rx_name = 'SAI_PORT_STAT_PFC_' .. class .. '_RX_PKTS'
    local ends_name = 'SAI_PORT_STAT_PFC_' .. class .. '_ON2OFF_RX_PKTS'
    local time_name = 'SAI_PORT_STAT_PFC_' .. class .. '_RX_PAUSE_DURATION_US'
    local sent = tonumber(redis.call('HGET', queue, 'SAI_QUEUE_STAT_PACKETS'))
    local paused = redis.call('HGET', queue, 'SAI_QUEUE_ATTR_PAUSE_STATUS')
    local rx = tonumber(redis.call('HGET', port, rx_name))
    local ends = tonumber(redis.call('HGET', port, ends_name))
    local time = tonumber(redis.call('HGET', port, time_name))
    local ends_before = tonumber(redis.call('HGET', port, ends_name .. '_last'))
    local time_before = tonumber(redis.call('HGET', port, time_name .. '_last'))
    local asked = redis.call('HGET', queue, 'DEBUG_STORM')
    if ends_before and time_before then
      local whole = time - time_before >= interval * 0.99
      if (whole and ends == ends_before and paused == 'true') or asked == 'enabled' then
        if left <= interval then
          redis.call('PUBLISH', 'PFC_WD_ACTION_BENCH', oid)
          storms = storms + 1
          left = limit
        else
          left = left - interval
        end
      else
        left = limit
      end
    end
    redis.call('HSET', queue, 'PFC_WD_DETECTION_TIME_LEFT', left)
    redis.call('HSET', queue, 'SAI_QUEUE_STAT_PACKETS_last', sent)
    redis.call('HSET', port, rx_name .. '_last', rx)
    redis.call('HSET', port, ends_name .. '_last', ends)
    redis.call('HSET', port, time_name .. '_last', time)
  end
end
return storms
)";

constexpr std::string_view kScriptInFewCalls = R"(
local interval = tonumber(ARGV[1]) * 1000
local storms = 0
for i = #KEYS, 1, -1 do
  local oid = KEYS[i]
  local queue = 'COUNTERS:' .. oid
  local q = redis.call('HMGET', queue, 'PFC_WD_STATUS', 'PFC_WD_ACTION', 'BIG_RED_SWITCH_MODE', 'PFC_WD_DETECTION_TIME',
    'PFC_WD_DETECTION_TIME_LEFT', 'SAI_QUEUE_STAT_PACKETS', 'SAI_QUEUE_ATTR_PAUSE_STATUS', 'DEBUG_STORM')
  if not q[3] and (q[1] == 'operational' or q[2] == 'alert') then
    local limit = tonumber(q[4])
    local left = tonumber(q[5]) or limit
    local class = redis.call('HGET', 'COUNTERS_QUEUE_INDEX_MAP', oid)
    local port = 'COUNTERS:' .. redis.call('HGET', 'COUNTERS_QUEUE_PORT_MAP', oid)
    local rx_name = 'SAI_PORT_STAT_PFC_' .. class .. '_RX_PKTS'
    local ends_name = 'SAI_PORT_STAT_PFC_' .. class .. '_ON2OFF_RX_PKTS'
    local time_name = 'SAI_PORT_STAT_PFC_' .. class .. '_RX_PAUSE_DURATION_US'
    local p = redis.call('HMGET', port, rx_name, ends_name, time_name, ends_name .. '_last', time_name .. '_last')
    if p[4] and p[5] then
      local whole = tonumber(p[3]) - tonumber(p[5]) >= interval * 0.99
      if (whole and p[2] == p[4] and q[7] == 'true') or q[8] == 'enabled' then
        if left <= interval then
          redis.call('PUBLISH', 'PFC_WD_ACTION_BENCH', oid)
          storms = storms + 1
          left = limit
        else
          left = left - interval
        end
      else
        left = limit
      end
    end
    redis.call('HSET', queue, 'PFC_WD_DETECTION_TIME_LEFT', left, 'SAI_QUEUE_STAT_PACKETS_last', q[6])
    redis.call('HSET', port, rx_name .. '_last', p[1], ends_name .. '_last', p[2], time_name .. '_last', p[3])
  end
end
return storms
)";

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

    // syncd has polled.
    void stamp(Instant at)
    {
        Pipeline write;
        write.add({"HSET", "COUNTERS:TIME_STAMP", "PFC_WD_Port_Counter_time_stamp",
                   std::to_string(at.time_since_epoch().count())});
        send(*counters_, write);
    }

    // The worst that can be read: pause everywhere.
    void pause_all()
    {
        Pipeline write;
        for (std::uint32_t q = 0; q != queues_; ++q) {
            write.add({"HSET", "COUNTERS:" + queue_oid(q), "SAI_QUEUE_ATTR_PAUSE_STATUS", "true"});
        }
        send(*counters_, write);
    }

    // The whole call as it goes over the wire.
    Pipeline script(std::string_view text)
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
        words.emplace_back("200");
        Pipeline call;
        call.add(std::vector<std::string_view>{words.begin(), words.end()});
        return call;
    }

    void run(const Pipeline& pipeline) { send(*counters_, pipeline); }

private:
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
        PETREL_ASSERT(intake_->view().all, "{} rows", intake_->view().touched.size());
        box_.clear();
        dog_->look(intake_->view(), clock_.now().mono, box_);
    }

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
    sonic.stamp(Instant{1ms});
    OwnPoll own{*redis};
    const auto by_field = scripted.script(kScriptByField);
    const auto in_few_calls = scripted.script(kScriptInFewCalls);

    const auto now_s = [] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    };
    const auto cpu_now_s = [&] { return process_cpu_s() + redis->cpu_s() + of_scripts->cpu_s(); };
    const auto time_once = [&](Cost& least, Duration after, const Pass& pass) {
        sonic.stamp(own.next(after));
        const auto wall = now_s();
        const auto cpu = cpu_now_s();
        pass();
        least.cpu_s = std::min(least.cpu_s, cpu_now_s() - cpu);
        least.wall_s = std::min(least.wall_s, now_s() - wall);
    };
    // Of the polls of a second one reads more than the others.
    constexpr auto kPoll = 100ms;
    constexpr double kPolls = 1s / kPoll;
    const Pass poll = [&] { own.run(); };
    poll();
    Cost most;
    Cost usual;
    Cost script;
    Cost few_calls;
    for (int round = 0; round != kRounds; ++round) {
        time_once(most, 1s, poll);
        time_once(usual, kPoll, poll);
        time_once(script, kPoll, [&] { scripted.run(by_field); });
        time_once(few_calls, kPoll, [&] { scripted.run(in_few_calls); });
    }
    sonic.pause_all();
    Cost all_paused;
    for (int round = 0; round != kRounds; ++round) {
        time_once(all_paused, kPoll, poll);
    }
    const double cpu_s = (most.cpu_s + (kPolls - 1) * usual.cpu_s) / kPolls;
    const auto us_per_queue = [&](double s) { return s * 1e6 / queues; };
    report.metric("poll_ms", usual.wall_s * 1e3);
    report.metric("script_ms", script.wall_s * 1e3);
    report.metric("cpu_us_per_queue", us_per_queue(cpu_s));
    report.metric("all_paused_cpu_us_per_queue", us_per_queue(all_paused.cpu_s));
    report.metric("script_cpu_us_per_queue", us_per_queue(script.cpu_s));
    report.metric("few_calls_cpu_us_per_queue", us_per_queue(few_calls.cpu_s));
    report.metric("times_cheaper_than_script", script.cpu_s / cpu_s, at_least(kGoal));
    report.metric("times_cheaper_than_few_calls", few_calls.cpu_s / cpu_s);
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
