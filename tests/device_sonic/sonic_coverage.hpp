// Fixture for tests of the rule that SONiC's scripts are out only while the agent watches every queue that they would
// watch: looks at a SONiC switch without an agent.
#pragma once

#include <gmock/gmock.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "device_sonic/sonic_trouble.hpp"

namespace petrel::test {

class SonicCoverage : public SonicTrouble {
protected:
    void begin(SonicSwitch::Setup setup = {})
    {
        on_.emplace(std::move(setup));
        sonic().poll(on_->clock_.now().mono);
    }

    SonicDevice& device() { return *on_->device_; }

    void open()
    {
        const auto opened = on_->open();
        ASSERT_TRUE(opened) << opened.error().what;
        intake_.emplace(device().inventory(), device().capabilities());
    }

    // syncd polls and the device looks, `times` times. Returns the error of the last look, or nothing.
    std::string poll(int times = 1)
    {
        std::string complaint;
        for (int i = 0; i != times; ++i) {
            on_->clock_.advance(200ms);
            sonic().poll(on_->clock_.now().mono);
            complaint = look();
        }
        return complaint;
    }

    std::string look()
    {
        if (intake_->view().dt_us.size() != device().inventory().rows.size()) {
            intake_.emplace(device().inventory(), device().capabilities());
            on_->watch_all();
        }
        intake_->begin();
        const auto looked = device().look({}, *intake_);
        return looked ? "" : looked.error().what;
    }

    std::set<std::string> touched() const
    {
        std::set<std::string> names;
        const auto& inventory = on_->device_->inventory();
        for (const auto row : intake_->view().touched) {
            names.insert(to_string(inventory, inventory.rows[row.value].target));
        }
        return names;
    }

    bool scripts_are_in()
    {
        sonic().serve_requests();
        return sonic().has_plugins();
    }

    void watch_rows(const std::set<std::string>& queues)
    {
        std::vector<Slot> rows;
        const auto& inventory = device().inventory();
        for (std::uint32_t row = 0; row != inventory.rows.size(); ++row) {
            if (queues.contains(to_string(inventory, inventory.rows[row].target))) {
                rows.push_back(Slot{row});
            }
        }
        device().set_watched_rows(rows);
    }

    std::vector<std::string> unseen() const
    {
        std::vector<std::string> names;
        for (const auto& queue : on_->device_->unseen_queues()) {
            names.push_back(queue.queue);
        }
        return names;
    }

    std::optional<watchdog::Intake> intake_;
};

}  // namespace petrel::test
