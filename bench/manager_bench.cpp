// The fabric manager: how fast it takes reports, beside SQLite alone with the same rows in the same run; how soon it
// serves after a restart; what an idle port costs; how much viewers of the events slow it; how late a viewer gets an
// event. The last two use the service over real connections.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <malloc.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sqlite3.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "alone.hpp"
#include "api/service.hpp"
#include "base/assert.hpp"
#include "benches.hpp"
#include "manager/manager.hpp"
#include "measure.hpp"
#include "runtime/event_loop.hpp"
#include "runtime/file_descriptor.hpp"
#include "service_config.hpp"

namespace petrel::bench {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using runtime::FileDescriptor;

constexpr unsigned kAgents = 1000;
constexpr unsigned kPorts = 65'536;  // of all agents
constexpr unsigned kPortsOfAgent = kPorts / kAgents + 1;
constexpr unsigned kEventsOfReport = 50;
constexpr unsigned kReportsOfBatch = 40;
constexpr unsigned kEventsOfBatch = kEventsOfReport * kReportsOfBatch;
constexpr unsigned kStored = 1'000'000;
constexpr unsigned kBatchesOfTurn = 10;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

std::int64_t wall_us()
{
    return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::system_clock::now().time_since_epoch())
        .count();
}

std::string agent_name(unsigned agent) { return fmt::format("leaf{:04}", agent); }

std::string head(unsigned agent)
{
    return fmt::format(R"({{"report":1,"agent":"{}","boot":"0123456789abcdef0123456789abcdef","version":"petrel"}})",
                       agent_name(agent)) +
           '\n';
}

// As an agent writes it.
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

// Reports in turns of all agents, with numbers that go on.
class Reports {
public:
    std::string next(std::int64_t time_us = 0)
    {
        const auto agent = agent_++ % kAgents;
        auto& seq = seq_[agent];
        auto text = head(agent);
        for (unsigned i = 0; i != kEventsOfReport; ++i) {
            ++seq;
            text += event(agent, seq, time_us == 0 ? static_cast<std::int64_t>(seq) * 1000 : time_us);
        }
        return text;
    }
    unsigned agent() const { return (agent_ - 1) % kAgents; }  // of the last report

private:
    unsigned agent_{};
    std::array<std::uint64_t, kAgents> seq_{};
};

// The events of a report as SQLite gets them: the columns of the store's table, with its index.
class RawStore {
public:
    explicit RawStore(const std::filesystem::path& file)
    {
        PETREL_ASSERT(::sqlite3_open(file.c_str(), &database_) == SQLITE_OK, "no database");
        run("PRAGMA locking_mode = EXCLUSIVE");
        run("PRAGMA journal_mode = WAL");
        run("PRAGMA synchronous = FULL");
        run("CREATE TABLE event(id INTEGER PRIMARY KEY, source INTEGER NOT NULL, epoch INTEGER NOT NULL, "
            "number INTEGER NOT NULL, kind INTEGER NOT NULL, port TEXT NOT NULL, priority INTEGER, cause INTEGER NOT "
            "NULL, neighbour_reason INTEGER NOT NULL, at_us INTEGER NOT NULL, taken_us INTEGER NOT NULL, "
            "text TEXT NOT NULL, event TEXT NOT NULL, UNIQUE(source, epoch, number))");
        const auto* insert = "INSERT OR IGNORE INTO event(source, epoch, number, kind, port, priority, cause, "
                             "neighbour_reason, at_us, taken_us, text, event) VALUES(?,?,?,?,?,?,?,?,?,?,?,?)";
        ::sqlite3_prepare_v2(database_, insert, -1, &insert_, nullptr);
    }
    ~RawStore()
    {
        ::sqlite3_finalize(insert_);
        ::sqlite3_close(database_);
    }
    RawStore(const RawStore&) = delete;
    RawStore& operator=(const RawStore&) = delete;

    void begin() { run("BEGIN"); }
    void commit() { run("COMMIT"); }
    void insert(std::int64_t source, std::int64_t number, std::string_view port, std::string_view event)
    {
        const std::array<std::int64_t, 10> values{source, 0, number, 0, 0, 3, 17, 0, number * 1000, number};
        for (std::size_t i = 0; i != values.size(); ++i) {
            ::sqlite3_bind_int64(insert_, static_cast<int>(i + 1), values.at(i));
        }
        ::sqlite3_bind_text(insert_, 5, port.data(), static_cast<int>(port.size()), SQLITE_STATIC);
        ::sqlite3_bind_text(insert_, 11, "storm_detected, drop", -1, SQLITE_STATIC);
        ::sqlite3_bind_text(insert_, 12, event.data(), static_cast<int>(event.size()), SQLITE_STATIC);
        ::sqlite3_step(insert_);
        ::sqlite3_reset(insert_);
    }

private:
    void run(const char* sql)
    {
        PETREL_ASSERT(::sqlite3_exec(database_, sql, nullptr, nullptr, nullptr) == SQLITE_OK, "{}", sql);
    }

    sqlite3* database_{};
    sqlite3_stmt* insert_{};
};

manager::Manager open_manager(const std::filesystem::path& file)
{
    auto store = manager::Store::open(file);
    PETREL_ASSERT(store, "{}", store.error().what);
    auto made = manager::Manager::start(std::move(*store));
    PETREL_ASSERT(made, "{}", made.error().what);
    return std::move(*made);
}

// One turn of the manager's loop: reports as bytes, to the view.
void take_batch(manager::Manager& manager, const std::vector<std::string>& bodies)
{
    for (const auto& body : bodies) {
        const auto report = codec::read_report(body);
        PETREL_ASSERT(report, "{}", report.error().what);
        manager.take(*report, "bench", {Instant{1h}, WallTime{1h}});
    }
    const auto added = manager.commit();
    PETREL_ASSERT(added && added->size() == kEventsOfBatch, "not all events are new");
}

void insert_batch(RawStore& raw, const std::vector<codec::Report>& reports)
{
    raw.begin();
    for (const auto& report : reports) {
        const auto source = std::stoll(report.agent.substr(4));
        for (const auto& [event, text] : report.events) {
            raw.insert(source, static_cast<std::int64_t>(event.seq), event.port, text);
        }
    }
    raw.commit();
}

struct Ingest {
    double manager_per_s;
    double core_per_s;  // without reading the reports
    double raw_per_s;
    double restart_s;
};

Ingest measure_ingest_alone()
{
    const auto folder = new_folder();
    const auto file = folder / "manager.db";
    double manager_s = 0;
    double read_s = 0;
    double raw_s = 0;
    std::uint64_t counted = 0;
    {
        auto manager = open_manager(file);
        RawStore raw{folder / "raw.db"};
        Reports reports;
        for (unsigned batch = 0; batch * kEventsOfBatch < kStored; ++batch) {
            std::vector<std::string> bodies;
            for (unsigned i = 0; i != kReportsOfBatch; ++i) {
                bodies.push_back(reports.next());
            }
            auto begin = Clock::now();
            take_batch(manager, bodies);
            const auto took = seconds_since(begin);
            if (batch % kBatchesOfTurn == 0) {  // the raw store gets every tenth batch
                begin = Clock::now();
                std::vector<codec::Report> read;
                for (const auto& body : bodies) {
                    read.push_back(codec::read_report(body).value());
                }
                read_s += seconds_since(begin);
                begin = Clock::now();
                insert_batch(raw, read);
                raw_s += seconds_since(begin);
                manager_s += took;
                counted += kEventsOfBatch;
            }
        }
    }
    const auto begin = Clock::now();
    const auto again = open_manager(file);
    keep(again.view().devices(Instant{1h}).size());
    const auto restart_s = seconds_since(begin);
    std::filesystem::remove_all(folder);
    const auto events = static_cast<double>(counted);
    return {events / manager_s, events / (manager_s - read_s), events / raw_s, restart_s};
}

void measure_ingest(Report& report)
{
    const auto figures = run_alone([] { return measure_ingest_alone(); });
    report.metric("events_per_s", figures.manager_per_s, at_least(200'000));
    report.metric("events_per_s_read_elsewhere", figures.core_per_s);
    report.metric("sqlite_events_per_s", figures.raw_per_s);
    report.metric("share_of_sqlite", figures.manager_per_s / figures.raw_per_s, at_least(0.5));
    report.metric("restart_s", figures.restart_s, at_most(2));
}

// A port with its neighbour and two lossless queues.
std::string state_of(unsigned agent)
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
    return head(agent) + fmt::format(R"({{"devices":[{{"device":"{}","state":"watching","ports":[{}]}}]}})",
                                     agent_name(agent), ports);
}

void measure_idle_ports(Report& report)
{
    const auto bytes = run_alone([] {
        const auto folder = new_folder();
        auto manager = open_manager(folder / "manager.db");
        const auto before = ::mallinfo2().uordblks;
        for (unsigned agent = 0; agent != kAgents; ++agent) {
            const auto read = codec::read_report(state_of(agent));
            PETREL_ASSERT(read, "{}", read.error().what);
            manager.take(*read, "bench", {Instant{1h}, WallTime{1h}});
            PETREL_ASSERT(manager.commit(), "not stored");
        }
        const auto grown = static_cast<double>(::mallinfo2().uordblks - before);
        std::filesystem::remove_all(folder);
        return grown / (kAgents * kPortsOfAgent);
    });
    report.metric("bytes_per_idle_port", bytes, at_most(1024));
}

// The service in a process of its own.
class ServiceProcess {
public:
    ServiceProcess() : folder_(new_folder())
    {
        std::array<int, 2> ends{};
        PETREL_ASSERT(::pipe(ends.data()) == 0, "no pipe");
        pid_ = ::fork();
        if (pid_ == 0) {
            auto loop = runtime::EventLoop::make();
            auto service = api::Service::start(**loop, open_manager(folder_ / "manager.db"), {.listen = "127.0.0.1:0"});
            PETREL_ASSERT(service, "{}", service.error().what);
            const auto port = (*service)->port();
            static_cast<void>(::write(ends[1], &port, sizeof port));
            (*loop)->run();
            ::_exit(0);
        }
        PETREL_ASSERT(::read(ends[0], &port_, sizeof port_) == sizeof port_, "the service does not start");
        ::close(ends[0]);
        ::close(ends[1]);
    }
    ~ServiceProcess()
    {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
        std::filesystem::remove_all(folder_);
    }
    ServiceProcess(const ServiceProcess&) = delete;
    ServiceProcess& operator=(const ServiceProcess&) = delete;

    FileDescriptor connect() const
    {
        FileDescriptor file{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port_);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        PETREL_ASSERT(::connect(file.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0,
                      "no connection");
        const int yes = 1;
        ::setsockopt(file.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        return file;
    }

private:
    std::filesystem::path folder_;
    pid_t pid_{};
    std::uint16_t port_{};
};

void send_all(int file, std::string_view text)
{
    while (!text.empty()) {
        const auto sent = ::send(file, text.data(), text.size(), MSG_NOSIGNAL);
        PETREL_ASSERT(sent > 0, "the service is gone");
        text.remove_prefix(static_cast<std::size_t>(sent));
    }
}

void send_report(int file, Reports& reports, std::int64_t time_us)
{
    const auto body = reports.next(time_us);
    send_all(file, fmt::format("POST /api/v1/agents/{}/reports HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                               "application/x-ndjson\r\nContent-Length: {}\r\n\r\n{}",
                               agent_name(reports.agent()), body.size(), body));
}

// The next answer on this connection.
void read_answer(int file)
{
    std::string text;
    std::array<char, 65536> piece{};
    for (std::size_t whole = 0; whole == 0 || text.size() < whole;) {
        const auto got = ::recv(file, piece.data(), piece.size(), 0);
        PETREL_ASSERT(got > 0, "the service ended the connection");
        text.append(piece.data(), static_cast<std::size_t>(got));
        const auto end = text.find("\r\n\r\n");
        const auto length = text.find("Content-Length: ");
        if (whole == 0 && end != text.npos && length != text.npos) {
            whole = end + 4 + std::strtoul(text.c_str() + length + 16, nullptr, 10);
            PETREL_ASSERT(text.starts_with("HTTP/1.1 200"), "{}", text);
        }
    }
}

FileDescriptor open_stream(const ServiceProcess& service)
{
    auto file = service.connect();
    send_all(file.get(), "GET /api/v1/events/stream HTTP/1.1\r\nHost: localhost\r\n\r\n");
    return file;
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

// Events that the service stores in this time, with so many connections that always have a report under way.
double events_per_s(const ServiceProcess& service, Reports& reports, Clock::duration time)
{
    std::vector<FileDescriptor> senders;
    for (unsigned i = 0; i != kSenders; ++i) {
        senders.push_back(service.connect());
        send_report(senders.back().get(), reports, 0);
    }
    const auto begin = Clock::now();
    std::uint64_t answered = 0;
    while (Clock::now() - begin < time) {
        for (const auto& sender : senders) {
            read_answer(sender.get());
            send_report(sender.get(), reports, 0);
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
        constexpr int kTurns = 4;
        const ServiceProcess service;
        Reports reports;
        Figures sum{};
        events_per_s(service, reports, 500ms);
        for (int turn = 0; turn != kTurns; ++turn) {
            sum.alone += events_per_s(service, reports, 2s) / kTurns;
            const auto viewers = start_viewers(service, kViewers);
            sum.viewed += events_per_s(service, reports, 2s) / kTurns;
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
            send_report(senders[number % kSenders].get(), reports, wall_us());
        }
        viewer.join();
        return Figures{late[late.size() / 2], late[late.size() * 99 / 100], late.back()};
    });
    report.metric("to_viewer_ms_median", figures.median);
    report.metric("to_viewer_ms_p99", figures.p99, at_most(50));
    report.metric("to_viewer_ms_most", figures.most);
}

}  // namespace

std::vector<Bench> manager_benches()
{
    return {{"manager/ingest", measure_ingest},
            {"manager/idle", measure_idle_ports},
            {fmt::format("manager/viewers/{}", kViewers), measure_viewers},
            {"manager/latency", measure_latency_to_viewer}};
}

}  // namespace petrel::bench
