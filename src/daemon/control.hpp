// The clients of the control commands, as the service uses them. The control thread (control_thread.hpp) serves those
// of a socket; a test passes its requests directly.
//
// Contract: all calls are made in the thread of the service's loop.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "control/report.hpp"
#include "control/request.hpp"
#include "daemon/event_history.hpp"

namespace petrel::daemon {

// Renders an answer as one line of JSON, outside the loop.
using ControlAnswer = std::function<std::string(const EventHistory&)>;
using ControlReply = std::function<void(ControlAnswer)>;  // called once, in the loop, now or later

class Control {
public:
    // Called in the loop. Executes the request, and replies now or later.
    using RequestHandler =
        std::function<void(const control::ControlRequest&, const std::string& by, const ControlReply&)>;

    virtual ~Control() = default;

    // Adds the event to the history and sends it to the followers.
    virtual void publish(const std::string& device, std::uint64_t seq, const std::string& event_json) = 0;

    // If another process removed or replaced the sockets, listens again at their names; see ControlServer::keep_name().
    // `done` is called in the service's loop, once for each socket.
    using NameKept = std::function<void(const std::filesystem::path&, const Result<bool>& lost)>;
    virtual void keep_names(const NameKept& done) = 0;

    virtual control::ControlReport counters() const = 0;
};

struct ControlSetup {
    std::filesystem::path socket;
    std::string group;                 // whose members may use the socket; empty = the group of the process
    std::vector<std::string> devices;  // the names that a request may contain
    EventHistory history;
    Control::RequestHandler handle_request;
};

// The user who gives an order, as its event stores it.
std::string ordered_by(const std::string& user, const control::ControlRequest&);

// The lines that answer a request for past events.
std::string events_answer(const EventHistory&, const control::ControlRequest&);

// Fails with "no device 'x'; ..." if the list does not contain the device. An empty name means all devices.
Result<void> check_device(const std::vector<std::string>& devices, const std::string& device);

}  // namespace petrel::daemon
