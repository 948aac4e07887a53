// The memory of a device as files of one folder: NAME.state and NAME.journal.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "runner/memory.hpp"
#include "runtime/state_file.hpp"

namespace petrel::runtime {

class FileMemory final : public runner::Memory {
public:
    // Fails if the state file cannot be opened (StateFile::open).
    static Result<std::unique_ptr<FileMemory>> open(const std::filesystem::path& folder, const std::string& device,
                                                    std::uint32_t most_events);

    std::optional<Loaded> load(const Now&) const override;
    const std::deque<StoredEvent>& events() const override { return state_->events(); }
    std::uint64_t last_seq() const override { return state_->last_seq(); }
    Result<void> append(std::span<const StoredEvent>, std::string_view checkpoint, const Now&) override;
    const std::string& damage() const override { return state_->damage(); }
    std::size_t tail_dropped() const override { return state_->tail_dropped(); }
    Result<bool> keep() override { return state_->keep(); }
    Result<std::unique_ptr<runner::KeptJournal>> open_journal(const watchdog::Inventory&) override;
    Result<std::size_t> journaled() const override;
    std::string state_name() const override { return state_->path().string(); }
    std::string journal_name() const override { return journal_.string(); }

private:
    FileMemory(std::unique_ptr<StateFile>, std::filesystem::path journal, std::string device);

    std::unique_ptr<StateFile> state_;
    std::filesystem::path journal_;
    std::string device_;
};

}  // namespace petrel::runtime
