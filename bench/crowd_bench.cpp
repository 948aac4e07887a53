// Looks while clients send requests without a break: how late looks at all rows begin, without clients at the control
// socket and with many, in the same run of a real service. Each client is a process.
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <iterator>
#include <new>

#include "alone.hpp"
#include "benches.hpp"
#include "daemon/process_surroundings.hpp"
#include "daemon/service.hpp"
#include "prepared_device.hpp"
#include "runtime/local_socket.hpp"
#include "service_config.hpp"

namespace petrel::bench {

namespace {

constexpr std::uint32_t kCrowdRows = 8192;
// Clients are active in every other turn, so that other load on the machine affects polls with and without clients.
constexpr std::uint64_t kTurn = 12;     // polls
constexpr std::uint64_t kUnsteady = 2;  // polls at the beginning of each turn that are not counted
constexpr std::uint64_t kTurns = 20;
constexpr double kPoll_ms = 100;
constexpr double kMostAdded_ms = 2;

constexpr std::array<std::string_view, 8> kCrowd{"queues", "queues", "queues", "queues",
                                                 "reload", "reload", "status", "explain\",\"queue\":\"Ethernet1:3"};

// Memory shared by the processes.
struct Shared {
    std::atomic<bool> go;
    std::atomic<std::uint64_t> answers;
    std::atomic<std::uint64_t> bytes;
};

Shared& make_shared_memory()
{
    void* memory = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    PETREL_ASSERT(memory != MAP_FAILED, "no shared memory");
    return *new (memory) Shared{};
}

void ask_once(const std::filesystem::path& socket, const std::string& request, Shared& shared)
{
    const runtime::FileDescriptor file{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    if (runtime::connect_local(file, runtime::local_address(socket).value()) != 0) {
        return;
    }
    [[maybe_unused]] const auto sent = ::send(file.get(), request.data(), request.size(), MSG_NOSIGNAL);
    std::array<char, 65536> piece;
    for (ssize_t got = 0; (got = ::recv(file.get(), piece.data(), piece.size(), 0)) > 0;) {
        shared.bytes += static_cast<std::uint64_t>(got);
    }
    ++shared.answers;
}

pid_t start_client(std::string_view command, const std::filesystem::path& socket, Shared& shared)
{
    const auto child = ::fork();
    if (child == 0) {
        ::setsid();  // as for clients of a real service: the kernel divides processor time among sessions
        const auto request = fmt::format("{{\"command\":\"{}\"}}\n", command);
        while (true) {
            if (shared.go) {
                ask_once(socket, request, shared);
            } else {
                ::usleep(1'000);
            }
        }
    }
    return child;
}

// Start times of looks at all rows, in ms.
using Begins = std::vector<double>;

// Looks are due once per poll interval, at an unknown offset. Most looks begin soon after they are due. So the offset
// is the first begin after the longest part of the interval in which no look begins.
double grid_of(const Begins& idle, const Begins& crowded)
{
    std::vector<double> phases;
    for (const auto* begins : {&idle, &crowded}) {
        std::ranges::transform(*begins, std::back_inserter(phases),
                               [](double begin) { return std::fmod(begin, kPoll_ms); });
    }
    std::ranges::sort(phases);
    auto grid = phases.front();
    auto longest = grid + kPoll_ms - phases.back();
    for (std::size_t i = 1; i != phases.size(); ++i) {
        if (phases[i] - phases[i - 1] > longest) {
            grid = phases[i];
            longest = phases[i] - phases[i - 1];
        }
    }
    return grid;
}

std::vector<double> lateness_ms(const Begins& begins, double grid)
{
    std::vector<double> late;
    std::ranges::transform(begins, std::back_inserter(late),
                           [&](double begin) { return std::fmod(begin + kPoll_ms - grid, kPoll_ms); });
    std::ranges::sort(late);
    return late;
}

struct Lateness {
    double idle_median_ms, idle_p95_ms;
    double crowd_median_ms, crowd_p95_ms, crowd_most_ms;
    double answers_per_s, mb_per_s;
    double polls_per_s;
};

double now_ms()
{
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Lateness watch_crowd()
{
    const auto folder = new_folder();
    const auto config = service_config(folder);
    auto& shared = make_shared_memory();
    std::vector<pid_t> clients;
    for (const auto command : kCrowd) {
        clients.push_back(start_client(command, config.control_socket, shared));
    }
    Begins idle;
    Begins crowded;
    PreparedDriver driver{{kCrowdRows, PauseSignal::counter, 0, 0, 0}, [&](const PreparedDevice& device) {
                              const auto turn = device.looks() / kTurn;
                              const bool crowd = turn % 2 == 1;
                              shared.go = crowd;
                              if (device.looks() % kTurn >= kUnsteady) {
                                  (crowd ? crowded : idle).push_back(now_ms());
                              }
                              if (turn == kTurns) {
                                  ::kill(::getpid(), SIGTERM);
                              }
                          }};
    const auto around = daemon::ProcessSurroundings::make();
    PETREL_ASSERT(around, "{}", around.error().what);
    auto service =
        daemon::Service::make(config, {[&] { return service_config(folder); }, {&driver}, "bench", {}, {}}, **around);
    PETREL_ASSERT(service, "{}", service.error().what);
    static_cast<void>((*around)->run(**service));
    for (const auto client : clients) {
        ::kill(client, SIGKILL);
        ::waitpid(client, nullptr, 0);
    }
    service->reset();
    std::filesystem::remove_all(folder);
    const auto grid = grid_of(idle, crowded);
    const auto calm = lateness_ms(idle, grid);
    const auto busy = lateness_ms(crowded, grid);
    const auto at = [](const std::vector<double>& sorted, double share) {
        return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
    };
    constexpr auto kPollsWithCrowd = kTurns / 2 * kTurn;
    const auto crowd_s = static_cast<double>(kPollsWithCrowd) * kPoll_ms / 1e3;
    return {at(calm, 0.5),
            at(calm, 0.95),
            at(busy, 0.5),
            at(busy, 0.95),
            busy.back(),
            static_cast<double>(shared.answers) / crowd_s,
            static_cast<double>(shared.bytes) / 1e6 / crowd_s,
            static_cast<double>(kTurns * kTurn - kUnsteady - 1) * 1e3 / (crowded.back() - idle.front())};
}

void measure_crowd(Report& report)
{
    const auto late = run_alone([] { return watch_crowd(); });
    report.metric("idle_late_ms_median", late.idle_median_ms);
    report.metric("idle_late_ms_p95", late.idle_p95_ms);
    report.metric("late_ms_median", late.crowd_median_ms);
    report.metric("late_ms_p95", late.crowd_p95_ms);
    report.metric("late_ms_most", late.crowd_most_ms);
    report.metric("added_ms_p95", late.crowd_p95_ms - late.idle_p95_ms, at_most(kMostAdded_ms));
    report.metric("answers_per_s", late.answers_per_s);
    report.metric("answers_mb_per_s", late.mb_per_s);
    report.metric("polls_per_s", late.polls_per_s);
}

}  // namespace

std::vector<Bench> crowd_benches()
{
    return {{fmt::format("agent/{}/crowd/{}", kCrowdRows, kCrowd.size()), measure_crowd}};
}

}  // namespace petrel::bench
