// Compares the history that a manager has of a device with the events that the device's agent has written.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lab/agent_in_twin.hpp"
#include "manager/batch.hpp"

namespace petrel::lab {

struct HistoryFindings {
    std::uint64_t events{};               // in the history, once or more often
    std::uint64_t forgotten{};            // by the agent, before the manager had them: the agent has reported so
    std::vector<std::string> missing;     // that the manager must have and does not have
    std::vector<std::string> doubled;     // that are in the history more than once
    std::vector<std::string> disordered;  // that are in the history behind a later one
    std::vector<std::string> foreign;     // that the agent has never written
};

// An event that the agent's memory has lost may be in the history, and need not. So may one that the agent has reported
// as forgotten: the network may still have had it, and then it is behind that report. `history`: of one device, in the
// order in which the manager stored it.
HistoryFindings compare_history(std::span<const WrittenEvent> written, std::span<const manager::StoredEvent> history);

}  // namespace petrel::lab
