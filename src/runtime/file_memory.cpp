#include "runtime/file_memory.hpp"

#include <span>
#include <utility>

#include "runtime/file_journal.hpp"
#include "runtime/state_folder.hpp"

namespace petrel::runtime {

Result<std::unique_ptr<FileMemory>> FileMemory::open(const std::filesystem::path& folder, const std::string& device,
                                                     std::uint32_t most_events)
{
    return StateFile::open(folder / (device + ".state"), device, most_events)
        .map([&](std::unique_ptr<StateFile> state) {
            return std::unique_ptr<FileMemory>{
                new FileMemory{std::move(state), folder / (device + ".journal"), device}};
        });
}

FileMemory::FileMemory(std::unique_ptr<StateFile> state, std::filesystem::path journal, std::string device)
    : state_(std::move(state)), journal_(std::move(journal)), device_(std::move(device))
{}

std::optional<runner::Memory::Loaded> FileMemory::load(const Now& now) const
{
    const auto& saved = state_->remembered();
    if (!saved) {
        return std::nullopt;
    }
    const auto boot = this_boot();
    return Loaded{saved->checkpoint, time_since(*saved, now.wall, boot), is_of_another_boot(*saved, boot)};
}

Result<void> FileMemory::append(std::span<const StoredEvent> events, std::string_view checkpoint, const Now& now)
{
    return state_->append(events, checkpoint, now);
}

Result<std::unique_ptr<runner::KeptJournal>> FileMemory::open_journal(const watchdog::Inventory& inventory)
{
    return FileJournal::open_file(journal_, device_, inventory).map([](std::unique_ptr<FileJournal> journal) {
        return std::unique_ptr<runner::KeptJournal>{std::move(journal)};
    });
}

Result<std::size_t> FileMemory::journaled() const
{
    return StateFolder::of(journal_)
        .and_then([&](const StateFolder& folder) { return folder.read(journal_.filename().string()); })
        .and_then([](const std::optional<std::string>& text) {
            return text ? parse_journal(std::as_bytes(std::span{*text})) : Result<JournalContent>{JournalContent{}};
        })
        .map([](const JournalContent& content) { return content.entries.size(); });
}

}  // namespace petrel::runtime
