// The service of the fabric manager over real connections: how much viewers of the events slow it, how late a viewer
// gets an event, and what 1,000 agents with 65,536 ports cost.
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "alone.hpp"
#include "base/assert.hpp"
#include "benches.hpp"
#include "manager_load.hpp"
#include "manager_service.hpp"

namespace petrel::bench {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using runtime::FileDescriptor;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

std::int64_t wall_us()
{
    return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::system_clock::now().time_since_epoch())
        .count();
}

// A process that reads all events of so many streams.
pid_t start_viewers(const ServiceProcess& service, unsigned count)
{
    std::array<int, 2> ends{};
    PETREL_ASSERT(::pipe(ends.data()) == 0, "no pipe");
    const auto child = ::fork();
    if (child == 0) {
        std::vector<FileDescriptor> streams;
        std::vector<pollfd> waits;
        std::vector<char> piece(std::size_t{1} << 20U);
        for (unsigned i = 0; i != count; ++i) {
            streams.push_back(open_stream(service));
            waits.push_back({streams.back().get(), POLLIN, 0});
            static_cast<void>(::recv(streams.back().get(), piece.data(), piece.size(), 0));
        }
        static_cast<void>(::write(ends[1], "x", 1));
        while (true) {
            ::poll(waits.data(), waits.size(), -1);
            for (const auto& one : waits) {
                if ((one.revents & POLLIN) != 0) {
                    static_cast<void>(::recv(one.fd, piece.data(), piece.size(), 0));
                }
            }
        }
    }
    char ready{};
    PETREL_ASSERT(::read(ends[0], &ready, 1) == 1, "the viewers do not connect");
    ::close(ends[0]);
    ::close(ends[1]);
    return child;
}

constexpr unsigned kViewers = 500;
constexpr unsigned kSenders = 16;

void send_next(int file, Reports& reports, std::int64_t time_us = 0)
{
    const auto body = reports.next(time_us);
    post_report(file, reports.agent(), body);
}

// Events that the service stores in this time, with so many connections that always have a report under way.
double events_per_s(const ServiceProcess& service, Reports& reports, unsigned connections, Clock::duration time)
{
    std::vector<FileDescriptor> senders;
    for (unsigned i = 0; i != connections; ++i) {
        senders.push_back(service.connect());
        send_next(senders.back().get(), reports);
    }
    const auto begin = Clock::now();
    std::uint64_t answered = 0;
    while (Clock::now() - begin < time) {
        for (const auto& sender : senders) {
            read_answer(sender.get());
            send_next(sender.get(), reports);
            ++answered;
        }
    }
    const auto took = seconds_since(begin);
    for (const auto& sender : senders) {
        read_answer(sender.get());
    }
    return static_cast<double>(answered * kEventsOfReport) / took;
}

void measure_viewers(Report& report)
{
    struct Figures {
        double alone, viewed;
    };
    const auto figures = run_alone([] {
        constexpr int kFleetTurns = 4;
        const ServiceProcess service;
        Reports reports;
        Figures sum{};
        events_per_s(service, reports, kSenders, 500ms);
        for (int turn = 0; turn != kFleetTurns; ++turn) {
            sum.alone += events_per_s(service, reports, kSenders, 2s) / kFleetTurns;
            const auto viewers = start_viewers(service, kViewers);
            sum.viewed += events_per_s(service, reports, kSenders, 2s) / kFleetTurns;
            ::kill(viewers, SIGKILL);
            ::waitpid(viewers, nullptr, 0);
        }
        return sum;
    });
    report.metric("events_per_s", figures.alone);
    report.metric("events_per_s_with_viewers", figures.viewed);
    report.metric("slower_percent", 100 * (1 - figures.viewed / figures.alone), at_most(10));
}

// The times from the event to the viewer, in ms.
std::vector<double> view_latencies(int stream, std::size_t count)
{
    constexpr std::string_view kKey = "\"time_us\":";
    std::vector<double> late;
    std::string text;
    std::vector<char> piece(std::size_t{1} << 20U);
    while (late.size() < count) {
        const auto got = ::recv(stream, piece.data(), piece.size(), 0);
        PETREL_ASSERT(got > 0, "the stream ended");
        const auto now = wall_us();
        text.append(piece.data(), static_cast<std::size_t>(got));
        std::size_t end = 0;
        for (auto at = text.find(kKey); at != text.npos && text.find(',', at) != text.npos; at = text.find(kKey, end)) {
            end = text.find(',', at);
            late.push_back(static_cast<double>(now - std::strtoll(text.c_str() + at + kKey.size(), nullptr, 10)) / 1e3);
        }
        text.erase(0, end);
    }
    std::ranges::sort(late);
    return late;
}

void measure_latency_to_viewer(Report& report)
{
    constexpr unsigned kEventsPerS = 10'000;
    constexpr unsigned kSeconds = 10;
    constexpr unsigned kReports = kEventsPerS * kSeconds / kEventsOfReport;
    struct Figures {
        double median, p99, most;
    };
    const auto figures = run_alone([] {
        const ServiceProcess service;
        const auto stream = open_stream(service);
        std::vector<double> late;
        std::thread viewer{[&] { late = view_latencies(stream.get(), std::size_t{kReports} * kEventsOfReport); }};
        Reports reports;
        std::vector<FileDescriptor> senders;
        const auto begin = Clock::now();
        for (unsigned number = 0; number != kReports; ++number) {
            std::this_thread::sleep_until(begin + number * (1'000'000us / (kEventsPerS / kEventsOfReport)));
            if (number < kSenders) {
                senders.push_back(service.connect());
            } else {
                read_answer(senders[number % kSenders].get());
            }
            send_next(senders[number % kSenders].get(), reports, wall_us());
        }
        viewer.join();
        return Figures{late[late.size() / 2], late[late.size() * 99 / 100], late.back()};
    });
    report.metric("to_viewer_ms_median", figures.median);
    report.metric("to_viewer_ms_p99", figures.p99, at_most(50));
    report.metric("to_viewer_ms_most", figures.most);
}

constexpr std::chrono::microseconds kHeartbeatEvery = 8s;
constexpr unsigned kHeartbeats = kAgents / 2;  // in the time that is measured

// The answer to a GET; the time in ms, and its size in MB.
struct Shown {
    double ms, mb;
};

Shown show(const ServiceProcess& service, std::string_view path)
{
    const auto client = service.connect();
    const auto begin = Clock::now();
    send_all(client.get(), fmt::format("GET {} HTTP/1.1\r\nHost: localhost\r\n\r\n", path));
    const auto size = static_cast<double>(read_answer(client.get()));
    return {1000 * seconds_since(begin), size / 1e6};
}

void measure_fleet(Report& report)
{
    constexpr int kFleetTurns = 3;
    struct Figures {
        double first_reports_s, bytes_per_port, heartbeats_core_percent, few, all;
        Shown ports, devices, metrics;
    };
    const auto figures = run_alone([] {
        const ServiceProcess service;
        Figures result{};
        std::vector<FileDescriptor> agents;
        auto begin = Clock::now();
        for (unsigned agent = 0; agent != kAgents; ++agent) {
            agents.push_back(service.connect());
            post_report(agents.back().get(), agent, report_of_state(agent));
        }
        for (const auto& agent : agents) {
            read_answer(agent.get());
        }
        result.first_reports_s = seconds_since(begin);
        result.bytes_per_port = service.resident_bytes() / (kAgents * kPortsOfAgent);

        begin = Clock::now();
        const auto processor = service.processor_s();
        for (unsigned number = 0; number != kHeartbeats; ++number) {
            std::this_thread::sleep_until(begin + number * (kHeartbeatEvery / kAgents));
            post_report(agents[number].get(), number, report_head_of(number));
            read_answer(agents[number].get());
        }
        result.heartbeats_core_percent = 100 * (service.processor_s() - processor) / seconds_since(begin);

        result.ports = show(service, "/api/v1/ports");
        result.devices = show(service, "/api/v1/devices");
        result.metrics = show(service, "/metrics");
        agents.clear();
        Reports reports;
        events_per_s(service, reports, kSenders, 500ms);
        for (int turn = 0; turn != kFleetTurns; ++turn) {
            result.few += events_per_s(service, reports, kSenders, 2s) / kFleetTurns;
            result.all += events_per_s(service, reports, kAgents, 2s) / kFleetTurns;
        }
        return result;
    });
    report.metric("first_reports_s", figures.first_reports_s);
    report.metric("resident_bytes_per_port", figures.bytes_per_port);
    report.metric("heartbeats_core_percent", figures.heartbeats_core_percent);
    report.metric("events_per_s_16_connections", figures.few);
    report.metric("events_per_s_1000_connections", figures.all);
    report.metric("slower_percent", 100 * (1 - figures.all / figures.few));
    for (const auto& [name, shown] :
         {std::pair{"ports", figures.ports}, {"devices", figures.devices}, {"metrics", figures.metrics}}) {
        report.metric(fmt::format("show_{}_ms", name), shown.ms);
        report.metric(fmt::format("show_{}_mb", name), shown.mb);
    }
}

}  // namespace

std::vector<Bench> manager_service_benches()
{
    return {{fmt::format("manager/viewers/{}", kViewers), measure_viewers},
            {"manager/latency", measure_latency_to_viewer},
            {fmt::format("manager/fleet/{}", kAgents), measure_fleet}};
}

}  // namespace petrel::bench
