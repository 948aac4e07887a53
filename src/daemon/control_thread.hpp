// The thread of the control socket: accepts connections, reads requests, renders and sends answers, and sends events to
// followers. The service's loop executes requests and returns data. It gets one request per turn, root's first. So
// clients cost the loop at most one short call between two looks, whatever their number.
//
// Contract: all calls are made in the thread of the service's loop. A ControlAnswer runs in the control thread.
#pragma once

#include <array>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "daemon/control.hpp"
#include "runner/loop.hpp"
#include "runtime/control_server.hpp"

namespace petrel::daemon {

class ControlThread final : public Control {
public:
    static Result<std::unique_ptr<ControlThread>> start(runner::Loop& service_loop, ControlSetup);
    ~ControlThread() override;  // closes all connections
    ControlThread(const ControlThread&) = delete;
    ControlThread& operator=(const ControlThread&) = delete;

    void publish(const std::string& device, std::uint64_t seq, const std::string& event_json) override;
    void keep_names(const NameKept& done) override;
    control::ControlReport counters() const override;

private:
    using Peer = std::shared_ptr<runtime::ControlServer::Peer>;
    struct Follower {
        std::weak_ptr<runtime::ControlServer::Peer> peer;
        control::ControlRequest request;  // which events
    };
    struct Waiting {
        Peer peer;
        control::ControlRequest request;
        std::string by;
    };

    ControlThread(runner::Loop& service_loop, std::unique_ptr<runtime::EventLoop>, ControlSetup);

    // In the control thread.
    void run();
    void handle(const Peer&, std::string_view line);
    void wait_in_line(const Peer&, const control::ControlRequest&);
    void handle_next();
    void send_events(const Peer&, const control::ControlRequest&);
    void send_to_followers(const std::string& device, const std::string& event_json);

    // In the service's loop.
    void handle_request(const Waiting&);

    runner::Loop& service_loop_;
    std::shared_ptr<bool> alive_{std::make_shared<bool>(true)};  // posted functions run only while it exists
    RequestHandler handle_request_;
    // Used by the control thread only.
    std::unique_ptr<runtime::EventLoop> loop_;
    std::vector<std::string> devices_;
    EventHistory history_;
    std::vector<Follower> followers_;
    std::array<std::deque<Waiting>, 2> waiting_;  // requests of root; requests of others
    bool handling_{};                             // a request is in the service's loop
    struct Door {
        std::filesystem::path socket;
        std::unique_ptr<runtime::ControlServer> server;
    };
    std::vector<Door> doors_;  // the socket for all clients, and root's socket
    std::thread thread_;
};

}  // namespace petrel::daemon
