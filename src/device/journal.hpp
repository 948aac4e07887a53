// The treatments in force on a device and how to undo them, stored so that they survive the death of the process.
#pragma once

#include <vector>

#include "device/device.hpp"

namespace petrel::device {

// One treatment in force, or about to be: it is journaled before it is applied.
struct Active {
    Target target;
    watchdog::Treatment treatment{};
    Undo undo;
    WallTime since;
    bool operator==(const Active&) const = default;
};

// open() and close() are durable when they return. active() drops a torn tail and keeps the rest. Opening a target
// again keeps the first Undo, since only that one holds the settings from before our first treatment. A target's port
// index is valid within one inventory only; renumber() switches to another inventory and finds the ports again by name.
class Journal {
public:
    virtual ~Journal() = default;
    virtual Result<void> open(const Active&) = 0;
    virtual Result<void> close(const Target&) = 0;
    virtual Result<std::vector<Active>> active() = 0;
    virtual void renumber(const watchdog::Inventory& before, const watchdog::Inventory& after) = 0;
};

}  // namespace petrel::device
