#include "sonic_feed.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <vector>

#include "base/assert.hpp"

namespace petrel::bench {

namespace {

using redis::Pipeline;

constexpr std::uint32_t kPerPort = 2;  // lossless priorities
constexpr std::uint32_t kFirstPriority = 3;
constexpr std::uint32_t kOtherPortFields = 40;  // other counters of a port besides pause

// Builds a command word by word.
class Words {
public:
    explicit Words(std::string command, std::string key) : words_{std::move(command), std::move(key)} {}
    Words& add(std::string field, std::string value)
    {
        words_.push_back(std::move(field));
        words_.push_back(std::move(value));
        return *this;
    }
    void to(Pipeline& pipeline) const { pipeline.add(std::vector<std::string_view>{words_.begin(), words_.end()}); }

private:
    std::vector<std::string> words_;
};

void run(redis::Connection& connection, const Pipeline& pipeline)
{
    const auto done = connection.run(pipeline);
    PETREL_ASSERT(done, "{}", done.error().what);
}

}  // namespace

std::string_view name(Condition condition)
{
    constexpr std::array<std::string_view, 3> kNames{"idle", "paused", "stormed"};
    return kNames.at(static_cast<std::size_t>(condition));
}

SonicFeed::SonicFeed(const PrivateRedis& redis, std::uint32_t queues, PauseBy by)
    : queues_(queues), by_(by), counters_(redis.connect(2))
{
    fill_configuration(redis);
    fill_counters();
    const auto& scripts = by == PauseBy::time ? kScriptsByTime : kScriptsByState;
    detect_ = call_of(scripts.detect);
    restore_ = call_of(scripts.restore);
    poll();
}

std::string SonicFeed::port(std::uint32_t q) const { return fmt::format("Ethernet{}", q / kPerPort); }
std::string SonicFeed::port_key(std::uint32_t q) { return fmt::format("COUNTERS:oid:0x1000000{:06x}", q / kPerPort); }
std::string SonicFeed::queue_oid(std::uint32_t q) { return fmt::format("oid:0x15000000{:06x}", q); }

void SonicFeed::send(const Pipeline& pipeline) { run(*counters_, pipeline); }

void SonicFeed::fill_configuration(const PrivateRedis& redis) const
{
    const auto poll_ms = fmt::format("{}", kPoll.count());
    Pipeline config;
    Pipeline appl;
    for (std::uint32_t q = 0; q < queues_; q += kPerPort) {
        config.add({"HSET", "PORT|" + port(q), "speed", "400000", "admin_status", "up"});
        config.add({"HSET", "PORT_QOS_MAP|" + port(q), "pfc_enable", "3,4", "pfcwd_sw_enable", "3,4"});
        config.add({"HSET", "PFC_WD|" + port(q), "detection_time", "400", "restoration_time", "400", "action", "drop"});
        appl.add({"HSET", "PORT_TABLE:" + port(q), "oper_status", "up"});
    }
    config.add({"HSET", "PFC_WD|GLOBAL", "POLL_INTERVAL", poll_ms});
    config.add({"SET", "CONFIG_DB_INITIALIZED", "1"});
    run(*redis.connect(4), config);
    run(*redis.connect(0), appl);
    Pipeline flex;
    flex.add({"HSET", "FLEX_COUNTER_GROUP_TABLE:PFC_WD", "POLL_INTERVAL", poll_ms, "STATS_MODE", "STATS_MODE_READ",
              "FLEX_COUNTER_STATUS", "enable"});
    for (std::uint32_t q = 0; q != queues_; ++q) {
        flex.add({"HSET", "FLEX_COUNTER_TABLE:PFC_WD:" + queue_oid(q), "QUEUE_COUNTER_ID_LIST",
                  "SAI_QUEUE_STAT_PACKETS,SAI_QUEUE_STAT_CURR_OCCUPANCY_BYTES"});
    }
    run(*redis.connect(5), flex);
}

// Writes syncd's other counters and orchagent's fields. The first poll writes syncd's counters for the watchdog.
void SonicFeed::fill_counters()
{
    Pipeline write;
    for (std::uint32_t q = 0; q != queues_; ++q) {
        const auto priority = std::to_string(kFirstPriority + q % kPerPort);
        write.add({"HSET", "COUNTERS_QUEUE_NAME_MAP", port(q) + ":" + priority, queue_oid(q)});
        write.add({"HSET", "COUNTERS_QUEUE_INDEX_MAP", queue_oid(q), priority});
        write.add({"HSET", "COUNTERS_QUEUE_PORT_MAP", queue_oid(q), port_key(q).substr(9)});
        Words fields{"HSET", "COUNTERS:" + queue_oid(q)};
        fields.add("SAI_QUEUE_STAT_PACKETS", "0");
        for (const auto* other : {"BYTES", "DROPPED_PACKETS", "DROPPED_BYTES", "SHARED_WATERMARK_BYTES"}) {
            fields.add(fmt::format("SAI_QUEUE_STAT_{}", other), "98765432101");
        }
        fields.add("PFC_WD_DETECTION_TIME", "400000").add("PFC_WD_RESTORATION_TIME", "400000");
        fields.add("PFC_WD_ACTION", "drop").add("PFC_STAT_HISTORY", "disable");
        fields.add("PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED", "1").add("PFC_WD_QUEUE_STATS_DEADLOCK_RESTORED", "1");
        fields.add("PFC_WD_STATUS", "operational");
        for (const auto* way : {"TX", "RX"}) {
            for (const auto* what : {"PACKETS", "DROPPED_PACKETS", "PACKETS_LAST", "DROPPED_PACKETS_LAST"}) {
                fields.add(fmt::format("PFC_WD_QUEUE_STATS_{}_{}", way, what), "0");
            }
        }
        fields.to(write);
        if (q % kPerPort == 0) {
            write.add({"HSET", "COUNTERS_PORT_NAME_MAP", port(q), port_key(q).substr(9)});
            Words others{"HSET", port_key(q)};
            for (std::uint32_t i = 0; i != kOtherPortFields; ++i) {
                others.add(fmt::format("SAI_PORT_STAT_IF_OTHER_COUNTER_{}", i), "1234567890");
            }
            others.to(write);
        }
    }
    send(write);
}

Pipeline SonicFeed::call_of(std::string_view script)
{
    Pipeline load;
    load.add({"SCRIPT", "LOAD", fmt::format("{}{}", kScriptHead, script)});
    std::string sha;
    const auto loaded = counters_->run(load, [&](std::size_t, redis::View reply) { sha = reply.text(); });
    PETREL_ASSERT(loaded && sha.size() == 40, "{}", sha);
    std::vector<std::string> words{"EVALSHA", sha, std::to_string(queues_)};
    for (std::uint32_t q = 0; q != queues_; ++q) {
        words.push_back(queue_oid(q));
    }
    words.push_back(std::to_string(kPoll.count()));
    Pipeline call;
    call.add(std::vector<std::string_view>{words.begin(), words.end()});
    return call;
}

void SonicFeed::set(Condition condition)
{
    condition_ = condition;
    Pipeline write;
    for (std::uint32_t q = 0; q != queues_; ++q) {
        write.add({"HSET", "COUNTERS:" + queue_oid(q), "PFC_WD_STATUS",
                   condition == Condition::stormed ? "stormed" : "operational", "PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED",
                   condition == Condition::stormed ? "2" : "1"});
    }
    send(write);
    poll();
}

// Writes all counters of the group, changed or not: those of ports, their stamp, those of queues, their stamp.
void SonicFeed::poll()
{
    const bool pauses = condition_ != Condition::idle;
    sent_ += condition_ == Condition::stormed ? 0 : 1000;
    frames_ += pauses ? 100 : 0;
    ends_ += condition_ == Condition::paused ? 1 : 0;
    // A storm goes on for the whole poll; the mitigation does not stop the counter. Otherwise queues are paused for
    // nine tenths of it.
    const auto ms = static_cast<std::uint64_t>(kPoll.count());
    pause_us_ += condition_ == Condition::stormed ? 1000 * ms : condition_ == Condition::paused ? 900 * ms : 0;
    Pipeline write;
    for (std::uint32_t q = 0; q < queues_; q += kPerPort) {
        Words fields{"HSET", port_key(q)};
        for (std::uint32_t priority = kFirstPriority; priority != kFirstPriority + kPerPort; ++priority) {
            const auto name = [&](std::string_view what) {
                return fmt::format("SAI_PORT_STAT_PFC_{}_{}", priority, what);
            };
            fields.add(name("RX_PKTS"), std::to_string(frames_));
            if (by_ == PauseBy::time) {
                fields.add(name("RX_PAUSE_DURATION_US"), std::to_string(pause_us_));
            } else {
                fields.add(name("ON2OFF_RX_PKTS"), std::to_string(ends_));
            }
        }
        fields.to(write);
    }
    const auto stamp = [&](std::string_view of) {
        const auto now = std::chrono::steady_clock::now().time_since_epoch();
        write.add({"HSET", "COUNTERS:TIME_STAMP", fmt::format("PFC_WD_{}_Counter_time_stamp", of),
                   std::to_string(std::chrono::nanoseconds{now}.count())});
    };
    stamp("Port");
    for (std::uint32_t q = 0; q != queues_; ++q) {
        Words fields{"HSET", "COUNTERS:" + queue_oid(q)};
        fields.add("SAI_QUEUE_STAT_PACKETS", std::to_string(sent_));
        fields.add("SAI_QUEUE_STAT_CURR_OCCUPANCY_BYTES", pauses ? "4096" : "0");
        if (by_ == PauseBy::state) {
            fields.add("SAI_QUEUE_ATTR_PAUSE_STATUS", pauses ? "true" : "false");
        }
        fields.to(write);
    }
    stamp("Queue");
    send(write);
}

void SonicFeed::run_scripts()
{
    send(detect_);
    send(restore_);
}

std::uint64_t SonicFeed::calls(std::string_view command)
{
    Pipeline info;
    info.add({"INFO", "commandstats"});
    std::string text;
    const auto asked = counters_->run(info, [&](std::size_t, redis::View reply) { text = reply.text(); });
    PETREL_ASSERT(asked, "{}", asked.error().what);
    const auto head = fmt::format("cmdstat_{}:calls=", command);
    const auto at = text.find(head);
    std::uint64_t calls = 0;
    if (at != std::string::npos) {
        std::from_chars(text.data() + at + head.size(), text.data() + text.size(), calls);
    }
    return calls;
}

}  // namespace petrel::bench
