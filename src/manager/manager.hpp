// The fabric manager: takes the reports of agents, stores them and then applies them to its view of the fabric. The
// caller carries the lines, asks for the time and shows the view. Not thread-safe.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "fabric/fabric_view.hpp"
#include "manager/agent_epochs.hpp"
#include "manager/store.hpp"

namespace petrel::manager {

class Manager {
public:
    // Begins with the view that the store remembers. Every device is unknown until it reports.
    static Result<Manager> start(std::unique_ptr<Store>, const fabric::Cables& = {});

    // One event of docs/events.md. It changes the view at the next commit(). Fails if the line is no event.
    Result<void> take_event(std::string_view line, Now);
    void heard(const std::string& device, Now);
    void lost(const std::string& device) { view_.lost(device); }

    // Stores what was taken, then applies it to the view. Returns how many messages are new. After a failure the caller
    // must end: agents keep their events for the next start.
    Result<std::size_t> commit();

    const fabric::FabricView& view() const { return view_; }

private:
    Manager(std::unique_ptr<Store> store, const fabric::Cables& cables) : store_(std::move(store)), view_(cables) {}

    std::unique_ptr<Store> store_;
    fabric::FabricView view_;
    AgentEpochs epochs_;
    std::vector<fabric::Message> taken_;
    HeardTimes heard_;  // not stored yet
};

}  // namespace petrel::manager
