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

#include "codec/control_report.hpp"
#include "daemon/event_history.hpp"
#include "runtime/control_server.hpp"

namespace petrel::daemon {

// Renders an answer as one line of JSON, outside the loop.
using ControlAnswer = std::function<std::string(const EventHistory&)>;
using ControlReply = std::function<void(ControlAnswer)>;  // called once, in the loop, now or later

class ControlThread {
public:
    // Called in the loop. Executes the request, and replies now or later.
    using Ask = std::function<void(const codec::ControlRequest&, const std::string& by, const ControlReply&)>;

    // `devices`: the names that a request may contain.
    static Result<std::unique_ptr<ControlThread>> start(runtime::EventLoop& service_loop,
                                                        const std::filesystem::path& socket, const std::string& group,
                                                        std::vector<std::string> devices, EventHistory, Ask);
    ~ControlThread();  // closes all connections
    ControlThread(const ControlThread&) = delete;
    ControlThread& operator=(const ControlThread&) = delete;

    // Adds the event to the history and sends it to the followers.
    void heard(const std::string& device, std::uint64_t seq, const std::string& event_json);

    // If another process removed or replaced the sockets, listens again at their names; see ControlServer::keep_name().
    // `done` is called in the service's loop, once for each socket.
    using NameKept = std::function<void(const std::filesystem::path&, const Result<bool>& lost)>;
    void keep_names(const NameKept& done);

    runtime::ControlServer::Counters counters() const;

private:
    using Peer = std::shared_ptr<runtime::ControlServer::Peer>;
    struct Follower {
        std::weak_ptr<runtime::ControlServer::Peer> peer;
        std::string device;  // empty = all
    };
    struct Waiting {
        Peer peer;
        codec::ControlRequest request;
        std::string by;
    };

    ControlThread(runtime::EventLoop& service_loop, std::unique_ptr<runtime::EventLoop>, std::vector<std::string>,
                  EventHistory, Ask);

    // In the control thread.
    void run();
    void handle(const Peer&, std::string_view line);
    void wait_in_line(const Peer&, const codec::ControlRequest&);
    void ask_next();
    void send_events(const Peer&, const codec::ControlRequest&);
    void send_to_followers(const std::string& device, const std::string& event_json);

    // In the service's loop.
    void ask(const Waiting&);

    runtime::EventLoop& service_loop_;
    std::shared_ptr<bool> alive_{std::make_shared<bool>(true)};  // posted functions run only while it exists
    Ask ask_;
    // Used by the control thread only.
    std::unique_ptr<runtime::EventLoop> loop_;
    std::vector<std::string> devices_;
    EventHistory history_;
    std::vector<Follower> followers_;
    std::array<std::deque<Waiting>, 2> waiting_;  // requests of root; requests of others
    bool asking_{};                               // a request is in the service's loop
    struct Door {
        std::filesystem::path socket;
        std::unique_ptr<runtime::ControlServer> server;
    };
    std::vector<Door> doors_;  // the socket for all clients, and root's socket
    std::thread thread_;
};

// Fails with "no device 'x'; ..." if the list does not contain the device. An empty name means all devices.
Result<void> check_device(const std::vector<std::string>& devices, const std::string& device);

}  // namespace petrel::daemon
