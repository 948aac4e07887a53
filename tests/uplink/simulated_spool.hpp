// The memory of an agent with several devices: it keeps the newest events of each.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "uplink/uplink.hpp"

namespace petrel::test {

class SimulatedSpool final : public uplink::Spool {
public:
    SimulatedSpool(const std::vector<std::string>& devices, std::size_t most)
    {
        for (const auto& device : devices) {
            memories_[device].most = most;
        }
    }

    void set_most(const std::string& device, std::size_t most) { memories_[device].most = most; }
    void emit(const std::string& device, std::size_t events)
    {
        auto& memory = memories_[device];
        for (std::size_t i = 0; i != events; ++i) {
            ++memory.last_seq;
            memory.lines.emplace_back(memory.last_seq, device + " " + std::to_string(memory.last_seq));
            if (memory.lines.size() > memory.most) {
                memory.lines.pop_front();
            }
        }
    }

    std::vector<std::string> devices() const override
    {
        std::vector<std::string> names;
        for (const auto& [name, memory] : memories_) {
            names.push_back(name);
        }
        return names;
    }
    std::uint64_t last_seq(const std::string& device) const override { return memories_.at(device).last_seq; }
    std::optional<Event> at_or_after(const std::string& device, std::uint64_t seq) const override
    {
        const auto& lines = memories_.at(device).lines;
        const auto found = std::ranges::lower_bound(lines, seq, {}, [](const auto& line) { return line.first; });
        return found == lines.end() ? std::nullopt : std::optional{Event{found->first, found->second}};
    }

private:
    struct Memory {
        std::size_t most{};
        std::uint64_t last_seq{};
        std::deque<std::pair<std::uint64_t, std::string>> lines;
    };
    std::map<std::string, Memory> memories_;
};

}  // namespace petrel::test
