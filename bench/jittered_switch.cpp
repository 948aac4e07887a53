#include "jittered_switch.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/assert.hpp"

namespace petrel::bench {

namespace {

using redis::Pipeline;
using std::chrono::duration_cast;

std::string port(std::uint32_t q) { return fmt::format("Ethernet{}", 4 * q); }
std::string port_oid(std::uint32_t q) { return fmt::format("oid:0x1000000{:06x}", q); }
std::string queue_oid(std::uint32_t q) { return fmt::format("oid:0x15000000{:06x}", q); }

void send(redis::Connection& connection, const Pipeline& pipeline)
{
    const auto done = connection.run(pipeline);
    PETREL_ASSERT(done, "{}", done.error().what);
}

// Counts the pauses between the previous read and this one.
void count(QueueReading& reading, const std::vector<Pause>& pauses, Instant from, Instant to)
{
    constexpr std::uint64_t kFramesPerMs = 3;
    Duration paused{};
    reading.paused = false;
    for (const auto& pause : pauses) {
        const auto part = std::min(to, pause.to) - std::max(from, pause.from);
        paused += std::max(part, Duration::zero());
        reading.on2off += from < pause.to && pause.to <= to ? 1U : 0U;
        reading.paused = reading.paused || (pause.from <= to && to < pause.to);
    }
    const auto us = static_cast<std::uint64_t>(whole_us(paused));
    reading.pause_us += us;
    reading.rx += us == 0 ? 0U : 1U + us * kFramesPerMs / 1000;
    reading.tx += paused < to - from ? 1000U : 0U;
    reading.occupancy = reading.paused ? 4096U : 0U;
}

}  // namespace

std::vector<Poll> jittered_polls(const JitterCase& how, const std::vector<std::vector<Pause>>& pauses, Instant end,
                                 std::uint64_t seed)
{
    std::mt19937_64 random{seed};
    const auto share = [&] { return std::uniform_real_distribution<double>{0, 1}(random); };
    const auto late = [&] { return duration_cast<Duration>(how.jitter.most * share()); };
    std::vector<Poll> polls;
    std::vector<QueueReading> queues(pauses.size());
    std::vector<Instant> read(pauses.size());
    for (Instant begin{kJitteredPoll}; begin < end;) {
        Poll poll;
        poll.read = begin + late();
        for (std::size_t q = 0; q != pauses.size(); ++q) {
            count(queues[q], pauses[q], read[q], poll.read);
            read[q] = poll.read;
        }
        poll.stamp = poll.read + late();
        poll.written = poll.stamp + late();
        poll.queues = queues;
        polls.push_back(std::move(poll));
        begin += kJitteredPoll + duration_cast<Duration>(kJitteredPoll * how.jitter.of_interval * (2 * share() - 1));
    }
    return polls;
}

JitteredSwitch::JitteredSwitch(redis::Connection& config, redis::Connection& counters, redis::Connection& flex_counters,
                               const JitterCase& how, std::uint32_t queues)
    : counters_(counters), case_(how)
{
    Pipeline configure;
    Pipeline write;
    for (std::uint32_t q = 0; q != queues; ++q) {
        configure.add({"HSET", "PORT|" + port(q), "speed", "100000"});
        configure.add({"HSET", "PORT_QOS_MAP|" + port(q), "pfc_enable", "3", "pfcwd_sw_enable", "3"});
        write.add({"HSET", "COUNTERS_PORT_NAME_MAP", port(q), port_oid(q)});
        write.add({"HSET", "COUNTERS_QUEUE_NAME_MAP", port(q) + ":3", queue_oid(q)});
        write.add({"HSET", "COUNTERS:" + queue_oid(q), "PFC_WD_STATUS", "operational", "PFC_WD_ACTION", "alert",
                   "PFC_WD_DETECTION_TIME", "400000"});
    }
    configure.add({"SET", "CONFIG_DB_INITIALIZED", "1"});
    send(config, configure);
    send(counters, write);
    Pipeline group;
    group.add({"HSET", "FLEX_COUNTER_GROUP_TABLE:PFC_WD", "POLL_INTERVAL",
               std::to_string(duration_cast<std::chrono::milliseconds>(kJitteredPoll).count()), "FLEX_COUNTER_STATUS",
               "enable"});
    send(flex_counters, group);
}

void JitteredSwitch::write(const Poll& poll)
{
    Pipeline write;
    for (std::uint32_t q = 0; q != poll.queues.size(); ++q) {
        const auto& now = poll.queues[q];
        const auto key = "COUNTERS:" + port_oid(q);
        write.add({"HSET", key, "SAI_PORT_STAT_PFC_3_RX_PKTS", std::to_string(now.rx)});
        if (case_.asic == Asic::state_and_transitions) {
            write.add({"HSET", key, "SAI_PORT_STAT_PFC_3_ON2OFF_RX_PKTS", std::to_string(now.on2off)});
        } else {
            write.add({"HSET", key, "SAI_PORT_STAT_PFC_3_RX_PAUSE_DURATION_US", std::to_string(now.pause_us)});
        }
    }
    if (case_.stamps) {
        write.add({"HSET", "COUNTERS:TIME_STAMP", "PFC_WD_Port_Counter_time_stamp",
                   std::to_string(poll.stamp.time_since_epoch().count())});
    }
    for (std::uint32_t q = 0; q != poll.queues.size(); ++q) {
        const auto& now = poll.queues[q];
        const auto key = "COUNTERS:" + queue_oid(q);
        write.add({"HSET", key, "SAI_QUEUE_STAT_PACKETS", std::to_string(now.tx), "SAI_QUEUE_STAT_CURR_OCCUPANCY_BYTES",
                   std::to_string(now.occupancy)});
        if (case_.asic == Asic::state_and_transitions) {
            write.add({"HSET", key, "SAI_QUEUE_ATTR_PAUSE_STATUS", now.paused ? "true" : "false"});
        }
    }
    send(counters_, write);
}

}  // namespace petrel::bench
