// Shared by the tests of the state file: events and checkpoints that are easy to distinguish.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "runtime/atomic_file.hpp"
#include "runtime/state_file.hpp"
#include "support/temporary_folder.hpp"

namespace petrel::runtime {

inline constexpr std::string_view kStateDevice = "leaf-1";

inline StoredEvent stored(std::uint64_t seq) { return {seq, fmt::format(R"({{"seq":{},"event":"x"}})", seq)}; }

// Events `first` to `last`, both included.
inline std::vector<StoredEvent> stored(std::uint64_t first, std::uint64_t last)
{
    std::vector<StoredEvent> events;
    for (auto seq = first; seq <= last; ++seq) {
        events.push_back(stored(seq));
    }
    return events;
}

// The checkpoint after an event.
inline std::string memory_of(std::uint64_t seq) { return fmt::format("checkpoint after {}\n", seq); }

inline Now now_of(std::int64_t us) { return {instant_from_us(us), WallTime{std::chrono::microseconds{us}}}; }

inline std::vector<StoredEvent> events_of(const StateFile& state)
{
    return {state.events().begin(), state.events().end()};
}

inline std::string text_of(const std::filesystem::path& path) { return read_whole_file(path).value(); }

inline std::unique_ptr<StateFile> must_open_state(const std::filesystem::path& path, std::uint32_t most_events = 1'000,
                                                  std::string_view device = kStateDevice)
{
    auto state = StateFile::open(path, device, most_events);
    if (!state) {
        ADD_FAILURE() << state.error().what;
        return nullptr;
    }
    return std::move(*state);
}

// Opens a copy, as another process would find the file now.
inline std::unique_ptr<StateFile> must_open_copy(const std::filesystem::path& path, std::uint32_t most_events = 1'000)
{
    const auto copy = path.parent_path() / "copy";
    std::filesystem::copy_file(path, copy, std::filesystem::copy_options::overwrite_existing);
    return must_open_state(copy, most_events);
}

}  // namespace petrel::runtime
