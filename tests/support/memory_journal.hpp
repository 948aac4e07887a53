// A journal in memory: for tests without a disk, and as the reference that the journal on disk is tested against.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "device/journal.hpp"

namespace petrel::device {

class MemoryJournal final : public Journal {
public:
    Result<void> open(const Active& active) override
    {
        const auto there = std::ranges::find(active_, active.target, &Active::target);
        if (there != active_.end()) {
            there->treatment = active.treatment;
        } else {
            active_.push_back(active);
        }
        return {};
    }
    Result<void> close(const Target& target) override
    {
        std::erase_if(active_, [&](const Active& active) { return active.target == target; });
        return {};
    }
    Result<std::vector<Active>> active() override { return active_; }
    void renumber(const watchdog::Inventory& before, const watchdog::Inventory& after) override
    {
        std::vector<Active> found;
        for (auto& active : active_) {
            const auto& name = before.ports.at(active.target.port.index).name;
            const auto port = std::ranges::find(after.ports, name, &PortNames::name);
            if (port != after.ports.end()) {
                active.target.port.index = static_cast<std::uint16_t>(port - after.ports.begin());
                found.push_back(active);
            }
        }
        active_ = std::move(found);
    }

private:
    std::vector<Active> active_;
};

}  // namespace petrel::device
