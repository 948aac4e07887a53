// What a request at the control socket means: looks at the devices, gives orders to their agents, answers.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "codec/control_report.hpp"
#include "daemon/device_runner.hpp"
#include "runtime/control_server.hpp"

namespace petrel::daemon {

// What the desk needs of the service behind it.
class Desk {
public:
    virtual ~Desk() = default;
    virtual codec::StatusReport status() const = 0;
    virtual codec::ReloadReport reload() = 0;
    virtual const std::vector<std::unique_ptr<DeviceRunner>>& runners() const = 0;
    virtual Now now() const = 0;
    using Tables = std::function<void(const Result<codec::TableReport>&)>;
    virtual void tables(const codec::ControlRequest&, const std::string& by, Tables done) = 0;
};

class ControlDesk {
public:
    explicit ControlDesk(Desk& desk) : desk_(desk) {}

    using Peer = std::shared_ptr<runtime::ControlServer::Peer>;
    void handle(const Peer&, std::string_view line);

    // For those who follow.
    void heard(const std::string& device, const std::string& event_json);

private:
    struct Follower {
        std::weak_ptr<runtime::ControlServer::Peer> peer;
        std::string device;  // empty = all
    };
    struct Place {
        DeviceRunner* runner{};
        Target target;
    };

    std::string answer(const codec::ControlRequest&, const std::string& by);
    Result<Place> find(const codec::ControlRequest&) const;
    Result<codec::OrderReport> order(const codec::ControlRequest&, const std::string& by) const;
    Result<codec::OrderReport> clear(const codec::ControlRequest&, const std::string& by) const;
    Result<codec::OrderReport> release_all(const std::string& by) const;
    Result<codec::ExplainReport> explain(const codec::ControlRequest&) const;
    Result<std::vector<codec::QueueReport>> queues(const codec::ControlRequest&) const;
    Result<void> check_device(const std::string& device) const;
    void send_events(const Peer&, const codec::ControlRequest&);
    void forget_gone_followers();

    Desk& desk_;
    std::vector<Follower> followers_;
};

}  // namespace petrel::daemon
