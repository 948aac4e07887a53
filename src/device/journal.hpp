// What is in force on a device and how to undo it, kept where a dead process cannot lose it.
#pragma once

#include <vector>

#include "device/device.hpp"

namespace petrel::device {

// One mitigation in force (or about to be: it is journaled before it is applied).
struct Active {
    Target target;
    watchdog::Treatment treatment{};
    Undo undo;
    WallTime since;
    bool operator==(const Active&) const = default;
};

// open() and close() are durable when they return. active() drops a torn tail and keeps the rest. Opening a target
// again keeps the first Undo: it is the one that holds what was there before we came. A target's number means something
// within one inventory only: renumber() says that another one holds from now on, in which ports are known by name.
class Journal {
public:
    virtual ~Journal() = default;
    virtual Result<void> open(const Active&) = 0;
    virtual Result<void> close(const Target&) = 0;
    virtual Result<std::vector<Active>> active() = 0;
    virtual void renumber(const watchdog::Inventory& before, const watchdog::Inventory& after) = 0;
};

}  // namespace petrel::device
