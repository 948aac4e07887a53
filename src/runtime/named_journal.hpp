// A journal as the runner uses it, over records as they are stored: numbers of ports become names, and entries of ports
// that are away now stay. Where the records are kept is for derived classes: a file, or the simulated disk of the lab.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "runner/memory.hpp"
#include "runtime/file_journal_format.hpp"
#include "watchdog/observation.hpp"

namespace petrel::runtime {

class NamedJournal : public runner::KeptJournal {
public:
    Result<void> open(const device::Active&) override;
    Result<void> close(const Target&) override;
    Result<std::vector<device::Active>> active() override;
    void renumber(const watchdog::Inventory& before, const watchdog::Inventory& after) override;

    // Entries of ports that the inventory does not have now. They are kept until the port is back.
    std::vector<JournalEntry> strangers() const;
    std::size_t stranger_count() const override { return strangers().size(); }

protected:
    explicit NamedJournal(std::string_view device) : device_(device) {}

    void learn(const watchdog::Inventory&);
    const std::string& device() const { return device_; }

    std::vector<JournalEntry> entries_;

private:
    // Returns when the record is durable, or when everything is as it was before.
    virtual Result<void> write(std::span<const std::byte> record) = 0;
    virtual void changed() {}  // the entries did, after a record was written

    Result<NamedTarget> named(const Target&) const;
    std::optional<Target> known(const NamedTarget&) const;

    std::string device_;
    DeviceId device_id_;
    std::vector<std::string> ports_;                          // names, by PortId::index
    std::unordered_map<std::string, std::uint16_t> numbers_;  // the other way round
};

}  // namespace petrel::runtime
