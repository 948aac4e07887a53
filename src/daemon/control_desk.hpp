// Executes the requests of the control socket: reads the runners and gives orders to their agents. Runs in the
// service's loop, so it does only what must be done there; the ControlAnswer that it returns renders outside the loop.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "control/report.hpp"
#include "control/request.hpp"
#include "daemon/control.hpp"
#include "daemon/control_names.hpp"
#include "daemon/runners.hpp"
#include "daemon/service_snapshot.hpp"

namespace petrel::daemon {

// The interface of the service that the desk uses.
class Desk {
public:
    virtual ~Desk() = default;
    virtual ServiceSnapshot snapshot() const = 0;
    virtual const std::vector<std::unique_ptr<DeviceRunner>>& runners() const = 0;
    virtual Now now() const = 0;
    using Reloaded = std::function<void(const Result<control::ReloadReport>&)>;
    virtual void reload(Reloaded done) = 0;
    // Replaces the policies that an operator has pushed: a policy file, or "none".
    virtual void push_policies(const std::string& policy, const std::string& by, Reloaded done) = 0;
    using Tables = std::function<void(const Result<control::TableReport>&)>;
    virtual void tables(const control::ControlRequest&, const std::string& by, Tables done) = 0;
};

// Whether an order turned the big red switch of the device on.
bool red_switch_by_order(const DeviceRunner&, Instant now);

class ControlDesk {
public:
    explicit ControlDesk(Desk& desk) : desk_(desk) {}

    void handle(const control::ControlRequest&, const std::string& by, const ControlReply&);

private:
    ControlNames names() const { return ControlNames{desk_.runners()}; }
    ControlAnswer answer(const control::ControlRequest&, const std::string& by);
    ControlAnswer order(const control::ControlRequest&, const std::string& by) const;
    ControlAnswer clear(const control::ControlRequest&, const std::string& by) const;
    ControlAnswer release_all(const std::string& by) const;
    ControlAnswer red_switch(const control::ControlRequest&, const std::string& by) const;
    ControlAnswer explain(const control::ControlRequest&) const;
    ControlAnswer queues(const control::ControlRequest&) const;
    ControlAnswer links(const control::ControlRequest&) const;
    ControlAnswer clear_link(const control::ControlRequest&) const;
    ControlAnswer events(const control::ControlRequest&) const;

    Desk& desk_;
};

}  // namespace petrel::daemon
