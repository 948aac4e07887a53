#include "lab/simulated_disk.hpp"

#include <algorithm>
#include <utility>

#include "runtime/named_journal.hpp"

namespace petrel::lab {

namespace {

using runner::StoredEvent;

constexpr std::size_t kMostGrowth = 262'144;  // bytes; a file that has grown by more is rewritten without old records

// Simulated time goes on while no agent runs.
runtime::Boot simulated_boot(const SimulatedDisk& disk, Instant now) { return {disk.boot_id, now.time_since_epoch()}; }

class DiskJournal final : public runtime::NamedJournal {
public:
    static Result<std::unique_ptr<DiskJournal>> read(SimulatedDisk& disk, const watchdog::Inventory& inventory)
    {
        std::unique_ptr<DiskJournal> journal{new DiskJournal{disk}};
        journal->learn(inventory);
        if (disk.journal.empty()) {
            if (disk.full) {
                return tl::unexpected(disk_full("cannot make the journal"));
            }
            disk.journal = runtime::journal_header(disk.device);
        }
        auto content = runtime::parse_journal(disk.journal);
        if (!content) {
            return tl::unexpected(std::move(content.error()));
        }
        journal->entries_ = std::move(content->entries);
        journal->tail_dropped_ = content->dropped;
        disk.journal.resize(content->size);
        disk.last_journal_record = 0;
        return journal;
    }

    std::size_t tail_dropped() const override { return tail_dropped_; }
    Result<bool> keep() override { return false; }

private:
    explicit DiskJournal(SimulatedDisk& disk) : NamedJournal(disk.device), disk_(disk) {}

    Result<void> write(std::span<const std::byte> record) override
    {
        if (disk_.full) {
            return tl::unexpected(disk_full("cannot write the journal"));
        }
        disk_.journal.insert(disk_.journal.end(), record.begin(), record.end());
        disk_.last_journal_record = record.size();
        return {};
    }
    void changed() override
    {
        if (disk_.journal.size() > kMostGrowth) {
            disk_.journal = runtime::journal_bytes(device(), entries_);
            disk_.last_journal_record = 0;
        }
    }

    SimulatedDisk& disk_;
    std::size_t tail_dropped_{};
};

}  // namespace

Error disk_full(const std::string& what) { return {ErrorKind::exhausted, what + ": no space left on the disk"}; }

void SimulatedDisk::tear(std::optional<std::size_t> bytes, std::optional<std::size_t> of_journal)
{
    state.resize(state.size() - std::min(state.size(), bytes.value_or((last_record + 1) / 2)));
    if (of_journal && last_journal_record > 1) {
        journal.resize(journal.size() - std::min(*of_journal, last_journal_record - 1));
    } else if (!journal.empty()) {
        const auto record = runtime::close_record({"unfinished", std::nullopt});
        journal.insert(journal.end(), record.begin(), record.begin() + static_cast<std::ptrdiff_t>(record.size() / 2));
    }
}

void SimulatedDisk::lose()
{
    state.clear();
    journal.clear();
    acknowledged.clear();
    samples.clear();
    last_record = 0;
    last_journal_record = 0;
}

std::vector<runtime::JournalEntry> SimulatedDisk::journaled() const
{
    return journal.empty() ? std::vector<runtime::JournalEntry>{} : runtime::parse_journal(journal).value().entries;
}

DiskMemory::DiskMemory(SimulatedDisk& disk, std::function<void()> written) : disk_(disk), written_(std::move(written))
{
    if (disk_.state.empty()) {
        return;
    }
    auto content = runtime::parse_state(disk_.state, disk_.device);
    remembered_ = std::move(content.remembered);
    take(content.events);
    unwritten_ = 0;
    damage_ = std::move(content.damage);
    tail_dropped_ = content.dropped;
    disk_.state.resize(damage_.empty() ? content.size : 0);
    rewrite_at_ = disk_.state.size() + kMostGrowth;
}

void DiskMemory::take(std::span<const StoredEvent> events)
{
    for (const auto& event : events) {
        events_.push_back(event);
        last_seq_ = event.seq;
    }
    unwritten_ += events.size();
    while (events_.size() > kMostEvents) {
        events_.pop_front();
    }
    unwritten_ = std::min(unwritten_, events_.size());
}

std::optional<runner::Memory::Loaded> DiskMemory::load(const Now& now) const
{
    if (!remembered_) {
        return std::nullopt;
    }
    const auto boot = simulated_boot(disk_, now.mono);
    return Loaded{remembered_->checkpoint, time_since(*remembered_, now.wall, boot),
                  is_of_another_boot(*remembered_, boot)};
}

Result<void> DiskMemory::append(std::span<const StoredEvent> events, std::string_view checkpoint, const Now& now)
{
    auto boot = simulated_boot(disk_, now.mono);
    remembered_ = runtime::Remembered{std::string{checkpoint}, now.wall, std::move(boot.id), boot.age};
    take(events);
    written_();
    if (disk_.full) {
        return tl::unexpected(disk_full("cannot write the state"));
    }
    if (disk_.state.empty() || disk_.state.size() > rewrite_at_) {
        disk_.state = runtime::state_header(disk_.device);
        write(std::vector(events_.begin(), events_.end()));
        rewrite_at_ = disk_.state.size() + kMostGrowth;
    } else {
        write(std::vector(events_.end() - static_cast<std::ptrdiff_t>(unwritten_), events_.end()));
    }
    return {};
}

void DiskMemory::write(std::span<const StoredEvent> events)
{
    const auto record = runtime::state_record(disk_.device, *remembered_, events);
    disk_.state.insert(disk_.state.end(), record.begin(), record.end());
    disk_.last_record = record.size();
    unwritten_ = 0;
}

Result<std::unique_ptr<runner::KeptJournal>> DiskMemory::open_journal(const watchdog::Inventory& inventory)
{
    return DiskJournal::read(disk_, inventory).map([](std::unique_ptr<DiskJournal> journal) {
        return std::unique_ptr<runner::KeptJournal>{std::move(journal)};
    });
}

Result<std::size_t> DiskMemory::journaled() const { return disk_.journaled().size(); }

}  // namespace petrel::lab
