// The fabric manager without its service: how fast it stores reports, beside SQLite alone with the same rows in the
// same run; how soon it serves after a restart; what an idle port and the telemetry of a device cost.
#include <fmt/format.h>
#include <malloc.h>
#include <time.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "alone.hpp"
#include "base/assert.hpp"
#include "benches.hpp"
#include "codec/uplink_json.hpp"
#include "manager/manager.hpp"
#include "manager_load.hpp"
#include "measure.hpp"
#include "raw_store.hpp"
#include "service_config.hpp"
#include "uplink/busy_queues.hpp"

namespace petrel::bench {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr unsigned kReportsOfBatch = 40;
constexpr unsigned kEventsOfBatch = kEventsOfReport * kReportsOfBatch;
constexpr unsigned kStored = 1'000'000;
constexpr Now kNow{Instant{1h}, WallTime{1h}};

// Elapsed time, and the time of the processor: the disk and other work on the machine count only in the first.
struct Cost {
    double wall_s{};
    double processor_s{};
};

double processor_s()
{
    timespec now{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

template <class Do>
void add_cost(Cost& cost, const Do& act)
{
    const auto begin = Clock::now();
    const auto processor = processor_s();
    act();
    cost.processor_s += processor_s() - processor;
    cost.wall_s += std::chrono::duration<double>(Clock::now() - begin).count();
}

manager::Manager open_manager(const std::filesystem::path& file)
{
    auto store = manager::Store::open(file);
    PETREL_ASSERT(store, "{}", store.error().what);
    auto made = manager::Manager::start(std::move(*store));
    PETREL_ASSERT(made, "{}", made.error().what);
    return std::move(*made);
}

codec::Report read(const std::string& body)
{
    auto report = codec::read_report(body);
    PETREL_ASSERT(report, "{}", report.error().what);
    return std::move(*report);
}

std::vector<codec::Report> read_all(const std::vector<std::string>& bodies)
{
    std::vector<codec::Report> reports;
    for (const auto& body : bodies) {
        reports.push_back(read(body));
    }
    return reports;
}

// One turn of the manager's loop: reports as bytes, to the view.
std::size_t take_batch(manager::Manager& manager, const std::vector<std::string>& bodies)
{
    for (const auto& body : bodies) {
        manager.take(read(body), "bench", kNow);
    }
    const auto added = manager.commit();
    PETREL_ASSERT(added, "{}", added.error().what);
    return added->size();
}

void insert_batch(RawStore& raw, const std::vector<codec::Report>& reports)
{
    raw.begin();
    for (const auto& report : reports) {
        const auto source = std::stoll(report.agent.substr(4));
        for (const auto& [event, text] : report.events) {
            raw.insert_event(source, event.seq, event.port, "storm_detected, drop", text);
        }
        for (const auto& sample : report.samples) {
            raw.insert_sample(sample);
        }
    }
    raw.commit();
}

struct Ingest {
    Cost manager;
    Cost read;
    Cost raw;
    double restart_s{};
};

Ingest measure_ingest_alone()
{
    const auto folder = new_folder();
    const auto file = folder / "manager.db";
    Ingest cost;
    {
        auto manager = open_manager(file);
        for (unsigned agent = 0; agent != kAgents; ++agent) {
            take_batch(manager, {report_of_state(agent)});
        }
        RawStore raw{folder / "raw.db"};
        Reports reports;
        for (unsigned batch = 0; batch * kEventsOfBatch < kStored; ++batch) {
            std::vector<std::string> bodies;
            for (unsigned i = 0; i != kReportsOfBatch; ++i) {
                bodies.push_back(reports.next());
            }
            add_cost(cost.manager,
                     [&] { PETREL_ASSERT(take_batch(manager, bodies) == kEventsOfBatch, "not all events are new"); });
            std::vector<codec::Report> again;
            add_cost(cost.read, [&] { again = read_all(bodies); });
            add_cost(cost.raw, [&] { insert_batch(raw, again); });
        }
    }
    Cost restart;
    add_cost(restart, [&] {
        const auto again = open_manager(file);
        keep(again.view().devices(Instant{1h}).size());
    });
    cost.restart_s = restart.wall_s;
    std::filesystem::remove_all(folder);
    return cost;
}

void measure_ingest(Report& report)
{
    const auto cost = run_alone([] { return measure_ingest_alone(); });
    report.metric("events_per_s", kStored / cost.manager.wall_s, at_least(200'000));
    report.metric("events_per_s_read_elsewhere", kStored / (cost.manager.wall_s - cost.read.wall_s));
    report.metric("sqlite_events_per_s", kStored / cost.raw.wall_s);
    report.metric("share_of_sqlite", cost.raw.wall_s / cost.manager.wall_s, at_least(0.5));
    report.metric("share_of_sqlite_processor", cost.raw.processor_s / cost.manager.processor_s);
    report.metric("restart_s", cost.restart_s, at_most(2));
}

void measure_idle_ports(Report& report)
{
    const auto bytes = run_alone([] {
        const auto folder = new_folder();
        auto manager = open_manager(folder / "manager.db");
        const auto before = ::mallinfo2().uordblks;
        for (unsigned agent = 0; agent != kAgents; ++agent) {
            take_batch(manager, {report_of_state(agent)});
        }
        const auto grown = static_cast<double>(::mallinfo2().uordblks - before);
        std::filesystem::remove_all(folder);
        return grown / (kAgents * kPortsOfAgent);
    });
    report.metric("bytes_per_idle_port", bytes, at_most(1024));
}

// Devices whose queues all pause all the time, for so many seconds.
struct Telemetry {
    double wire_bytes;  // of a device in a second
    double disk_bytes;  // of a sample
    double samples;     // of a device in a second
    Cost agents, manager, raw;
};

constexpr unsigned kBusyDevices = 16;
constexpr unsigned kBusySeconds = 60;
constexpr unsigned kQueuesOfDevice = 4096;

Telemetry measure_telemetry_alone()
{
    const auto folder = new_folder();
    const auto file = folder / "manager.db";
    Telemetry result{};
    double samples = 0;
    {
        auto manager = open_manager(file);
        RawStore raw{folder / "raw.db"};
        std::vector<uplink::BusyQueues> devices(kBusyDevices);
        for (unsigned second = 0; second <= kBusySeconds; ++second) {
            std::vector<std::string> bodies;
            for (unsigned device = 0; device != kBusyDevices; ++device) {
                auto counters = counters_of(device, kQueuesOfDevice, second);
                std::vector<uplink::QueueSample> chosen;
                std::string line;
                add_cost(result.agents, [&] {
                    chosen = devices[device].choose(std::move(counters));
                    line = chosen.empty() ? std::string{} : codec::samples_line(chosen) + '\n';
                });
                if (!line.empty()) {  // the first counters are the beginning of the count
                    samples += static_cast<double>(chosen.size());
                    bodies.push_back(report_head_of(device) + line);
                    result.wire_bytes += static_cast<double>(bodies.back().size());
                }
            }
            if (bodies.empty()) {
                continue;
            }
            add_cost(result.manager, [&] { take_batch(manager, bodies); });
            const auto again = read_all(bodies);
            add_cost(result.raw, [&] { insert_batch(raw, again); });
        }
    }
    constexpr double kDeviceSeconds = kBusyDevices * kBusySeconds;
    result.disk_bytes = static_cast<double>(std::filesystem::file_size(file)) / samples;
    result.samples = samples / kDeviceSeconds;
    result.wire_bytes /= kDeviceSeconds;
    std::filesystem::remove_all(folder);
    return result;
}

void measure_telemetry(Report& report)
{
    const auto cost = run_alone([] { return measure_telemetry_alone(); });
    constexpr double kDeviceSeconds = kBusyDevices * kBusySeconds;
    report.metric("samples_per_device_s", cost.samples);
    report.metric("wire_bytes_per_device_s", cost.wire_bytes);
    report.metric("disk_bytes_per_sample", cost.disk_bytes);
    report.metric("agent_core_percent", 100 * cost.agents.processor_s / kDeviceSeconds);
    report.metric("manager_core_percent", 100 * cost.manager.processor_s / kDeviceSeconds);
    report.metric("share_of_sqlite", cost.raw.wall_s / cost.manager.wall_s);
    report.metric("share_of_sqlite_processor", cost.raw.processor_s / cost.manager.processor_s);
}

}  // namespace

std::vector<Bench> manager_benches()
{
    return {{"manager/ingest", measure_ingest},
            {"manager/idle", measure_idle_ports},
            {fmt::format("manager/telemetry/{}", kQueuesOfDevice), measure_telemetry}};
}

}  // namespace petrel::bench
