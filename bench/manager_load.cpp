#include "manager_load.hpp"

#include <fmt/format.h>

namespace petrel::bench {

namespace {

std::string event(unsigned agent, std::uint64_t seq, std::int64_t time_us)
{
    const auto port = (seq / 2) % kPortsOfAgent;
    return fmt::format(
               R"({{"seq":{},"time_us":{},"event":"{}","device":"{}","port":"Ethernet{}","queue":3,"policy":"tor",)"
               R"("reason":"proven","action":"drop","cause":null,"evidence":{{"criterion":"continuous",)"
               R"("proven_us":402311,"limit_us":400000,"looks":[{{"at_us":100,"covers_us":99000,"paused_us":99000}}]}}}})",
               seq, time_us, seq % 2 == 1 ? "storm_detected" : "storm_restored", agent_name(agent), 4 * port) +
           '\n';
}

}  // namespace

std::string agent_name(unsigned agent) { return fmt::format("leaf{:04}", agent); }

std::string report_head_of(unsigned agent)
{
    return fmt::format(R"({{"report":1,"agent":"{}","boot":"0123456789abcdef0123456789abcdef","version":"petrel"}})",
                       agent_name(agent)) +
           '\n';
}

std::string Reports::next(std::int64_t time_us)
{
    const auto agent = agent_++ % kAgents;
    auto& seq = seq_.at(agent);
    auto text = report_head_of(agent);
    for (unsigned i = 0; i != kEventsOfReport; ++i) {
        ++seq;
        text += event(agent, seq, time_us == 0 ? static_cast<std::int64_t>(seq) * 1000 : time_us);
    }
    return text;
}

std::string report_of_state(unsigned agent)
{
    std::string ports;
    for (unsigned port = 0; port != kPortsOfAgent; ++port) {
        ports +=
            fmt::format(R"({}{{"port":"Ethernet{}","link":"up","neighbour":{{"device":"gpu-{:05}","port":"eth2"}},)"
                        R"("queues":[{{"queue":3,"phase":"watching","configured":"drop","programmed":"drop",)"
                        R"("observed":"none"}},{{"queue":4,"phase":"watching","configured":"drop",)"
                        R"("programmed":"drop","observed":"none"}}]}})",
                        port == 0 ? "" : ",", 4 * port, agent * kPortsOfAgent + port);
    }
    return report_head_of(agent) + fmt::format(R"({{"devices":[{{"device":"{}","state":"watching","ports":[{}]}}]}})",
                                               agent_name(agent), ports);
}

std::vector<uplink::QueueSample> counters_of(unsigned agent, unsigned queues, unsigned second)
{
    constexpr std::int64_t kBegin_us = 1'789'000'000'000'000;
    std::vector<uplink::QueueSample> all;
    for (unsigned queue = 0; queue != queues; ++queue) {
        const std::uint64_t grown = 1000ULL * second * (1 + queue % 900);
        all.push_back({agent_name(agent), fmt::format("Ethernet{}", 4 * (queue / 2)),
                       static_cast<std::uint8_t>(3 + queue % 2), kBegin_us + 1'000'000LL * second, grown,
                       40'000'000 + 900 * grown, 100'000 + grown / 10});
    }
    return all;
}

}  // namespace petrel::bench
