// The journal that the runner uses, over stored records: it maps port ids to names, and keeps entries for ports that
// the device does not have now. Derived classes store the records: in a file, or on the simulated disk of the lab.
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

    // Entries for ports that the inventory does not have now. They are kept until the port is back.
    std::vector<JournalEntry> entries_of_absent_ports() const;
    std::size_t absent_entry_count() const override { return entries_of_absent_ports().size(); }

protected:
    explicit NamedJournal(std::string_view device) : device_(device) {}

    void learn(const watchdog::Inventory&);
    const std::string& device() const { return device_; }

    std::vector<JournalEntry> entries_;

private:
    // When it returns, the record is durable; after a failure the stored journal is as before.
    virtual Result<void> write(std::span<const std::byte> record) = 0;
    virtual void changed() {}  // called after a record was written and entries_ changed

    Result<NamedTarget> named(const Target&) const;
    std::optional<Target> known(const NamedTarget&) const;

    std::string device_;
    DeviceId device_id_;
    std::vector<std::string> ports_;                          // names, by PortId::index
    std::unordered_map<std::string, std::uint16_t> numbers_;  // PortId::index, by name
};

}  // namespace petrel::runtime
