// A journal that lives as long as the process: for synthetic runs, where nothing real is in force, and the measure that
// the journal on a disk is tested against.
#pragma once

#include <algorithm>
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

private:
    std::vector<Active> active_;
};

}  // namespace petrel::device
