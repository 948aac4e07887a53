// The fabric manager as a service: its HTTP API around the manager. Reports are read in the server's thread; all else
// happens in the loop. Reports that arrive together are stored at once, and answered after that.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/access.hpp"
#include "api/command_desk.hpp"
#include "api/enrolment.hpp"
#include "api/event_viewers.hpp"
#include "api/group_member.hpp"
#include "api/routes.hpp"
#include "base/result.hpp"
#include "http/server.hpp"
#include "manager/manager.hpp"
#include "manager/report_desk.hpp"
#include "runtime/event_loop.hpp"
#include "syslog/log_listener.hpp"

namespace petrel::api {

struct ServiceOptions {
    std::string listen{"127.0.0.1:7650"};
    std::optional<http::Tls> tls{};
    std::vector<Token> tokens{};
    std::optional<certificates::Issuer> issuer{};  // of the certificates of agents
    std::filesystem::path backup{};                // where copies of the store are written; empty: nowhere
    manager::Retention retention{};
    std::optional<GroupOptions> group{};                 // the managers that share a log with this one
    std::vector<syslog::LogAddress> logs{};              // where log lines of switches arrive
    std::vector<syslog::Network> log_senders{};          // besides this machine
    std::vector<fleet::AgentPlace> places{};             // racks and roles of agents
    std::function<void(const std::string& line)> log{};  // called in the loop's thread
    std::function<void(std::string_view point)> reached{[](std::string_view) {}};  // for tests that kill the process
};

class Service {
public:
    // The loop must not run yet, and must outlive the object.
    static Result<std::unique_ptr<Service>> start(runtime::EventLoop&, manager::Manager, ServiceOptions);
    ~Service();
    Service(const Service&) = delete;
    Service& operator=(const Service&) = delete;

    std::uint16_t port() const { return port_; }
    std::vector<std::string> log_addresses() const;  // "udp:127.0.0.1:5514"

private:
    struct Waiting {
        http::Reply reply;
        std::function<std::string()> answer;  // if the batch is stored
    };
    // What changes the manager. In a group it waits while the changes before it are stored.
    struct Change {
        http::Reply reply;  // for the case that it is refused
        std::function<void()> make;
    };
    struct RecentLine {
        Instant at;
        std::string text;
    };
    struct Counts {
        std::uint64_t reports{};
        std::uint64_t events{};
        std::uint64_t failures{};
        std::atomic<std::uint64_t> refused{};
        std::uint64_t logs_taken{};
        std::uint64_t logs_other{};    // lines about something else
        std::uint64_t logs_refused{};  // not RFC 5424
    };

    Service(runtime::EventLoop&, manager::Manager, ServiceOptions);
    Result<void> listen_for_logs();

    // In the server's thread.
    http::Server::Handlers handlers();
    std::optional<http::Answer> admit(const http::Request&);
    void handle(http::Request, http::Reply);
    void handle_report(const http::Request&, const std::string& agent, http::Reply);
    void handle_poll(const http::Request&, const std::string& agent, http::Reply);
    void handle_order(const http::Request&, http::Reply);
    http::Answer refused(const Error&);
    std::string who(const http::Request&) const;

    // In the loop.
    void take(const codec::Report&, const std::string& from, http::Reply);
    void take_log(std::string_view line);
    void tick_later();
    void change(const Route&, const http::Request&, const std::string& part, http::Reply);
    void back_up(const http::Request&, http::Reply);
    void copy_next();
    Result<std::string> enrol(const Route&, const http::Request&, const std::string& agent);
    void show(const Route&, const http::Request&, const http::Reply&);
    http::Answer stream(const http::Request&);
    http::Answer ready() const;
    std::string metrics() const;
    void store_soon();
    void store();
    void stored(const Result<std::vector<manager::StoredEvent>>&);
    Result<void> join_group();
    void change_in_turn(http::Reply, std::function<void()> make);
    void changes_that_waited();
    void applied(const std::vector<manager::StoredEvent>&, std::span<const manager::Batch>);
    void keep_recent_line(std::string_view text);
    void take_recent_lines();
    http::Answer not_leading() const;
    void prune_later(Duration after);
    void keep_alive_later();

    runtime::EventLoop& loop_;
    manager::Manager manager_;
    manager::ReportDesk reports_;
    ServiceOptions options_;
    Access access_;
    std::optional<Enrolment> enrolment_;
    EventViewers viewers_;
    CommandDesk desk_;
    std::vector<Waiting> waiting_;
    std::deque<Change> changes_;                  // they wait
    std::deque<RecentLine> recent_lines_;         // of logs, that came while this manager did not lead
    std::unique_ptr<manager::Store::Copy> copy_;  // under way
    http::Reply copied_;                          // the client that waits for it
    std::string copied_for_;
    std::uint64_t reports_taken_{};  // since the last commit
    bool storing_{};
    std::atomic<std::size_t> waiting_bytes_{};
    std::string trouble_;  // why the last commit failed; empty: it did not
    Counts counts_;
    std::vector<std::unique_ptr<syslog::LogListener>> logs_;
    std::unique_ptr<GroupMember> member_;  // none: this manager is alone
    std::uint16_t port_{};
    std::unique_ptr<http::Server> server_;  // last: its thread uses the others
};

}  // namespace petrel::api
