#include "daemon/release.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "codec/checkpoint_json.hpp"
#include "codec/event_json.hpp"
#include "device/carry_out.hpp"
#include "runtime/event_loop.hpp"
#include "runtime/file_journal.hpp"
#include "runtime/state_file.hpp"
#include "words/words.hpp"

namespace petrel::daemon {

namespace {

using watchdog::Verdict;

// A device of which nobody wants to hear notices.
class Deaf final : public device::NoticeSink {
public:
    void post(const watchdog::Notice&) noexcept override {}
};

// The history gets the order, and the memory keeps its statistics but no reason to treat anything.
Result<void> forget_reasons(runtime::StateFile& state, const std::string& device, const watchdog::Inventory& inventory,
                            const std::string& by, const Now& now)
{
    watchdog::Checkpoint memory;
    if (state.remembered()) {
        auto read = codec::read_checkpoint(state.remembered()->checkpoint, device, inventory);
        memory = read ? std::move(*read) : watchdog::Checkpoint{};
    }
    memory.red_switch = false;
    memory.next_seq = std::max(memory.next_seq, state.last_seq() + 1);
    for (auto& row : memory.rows) {
        if (row.phase != watchdog::Phase::off) {
            row.phase = watchdog::Phase::watching;
        }
        row.treatment = watchdog::Treatment::none;
        row.ordered = false;
        row.proven = row.in_phase = row.storm_age = {};
        row.cause = 0;
    }
    watchdog::Event taken;
    taken.seq = memory.next_seq++;
    taken.kind = watchdog::EventKind::order_taken;
    taken.reason = watchdog::Reason::operator_;
    taken.policy = watchdog::kUnwatched;
    taken.whole_device = true;
    taken.by = "release by " + by + ", without an agent";
    watchdog::Watchlist list;
    list.inventory = inventory;
    const runtime::StoredEvent event{taken.seq, codec::event_json(taken, now.wall, list, device)};
    return state.append({&event, 1}, codec::checkpoint_json(memory, inventory), now);
}

class Releaser {
public:
    Releaser(const codec::AgentConfig& config, const std::string& by) : config_(config), by_(by) {}

    void release(const codec::DeviceEntry& entry, Driver& driver)
    {
        if (auto done = try_release(entry, driver); !done) {
            all_ = false;
            say(entry, done.error().what);
        }
    }

    Released take() { return {{std::move(words_)}, all_}; }

private:
    Result<void> try_release(const codec::DeviceEntry& entry, Driver& driver)
    {
        const auto file = [&](std::string_view kind) {
            return config_.state_dir / fmt::format("{}.{}", entry.name, kind);
        };
        std::error_code ignored;
        if (!std::filesystem::exists(file("journal"), ignored)) {
            say(entry, "has no journal: nothing is in force");
            return {};
        }
        auto state = runtime::StateFile::open(file("state"), entry.name, config_.history_events);
        if (!state) {
            return tl::unexpected(std::move(state.error()));
        }
        auto device = driver.open(entry, DeviceId{}, clock_, [&](const std::string& words) { say(entry, words); });
        if (!device) {
            return tl::unexpected(std::move(device.error()));
        }
        (*device)->listen(deaf_);
        const auto& inventory = (*device)->inventory();
        auto journal = runtime::FileJournal::open_file(file("journal"), entry.name, inventory);
        if (!journal) {
            return tl::unexpected(std::move(journal.error()));
        }
        auto active = (*journal)->active();
        if (!active) {
            return tl::unexpected(std::move(active.error()));
        }
        if ((*journal)->tail_dropped() != 0) {
            say(entry, fmt::format("the last {} bytes of the journal are an unfinished record: left out",
                                   (*journal)->tail_dropped()));
        }
        for (const auto& stranger : (*journal)->strangers()) {
            all_ = false;
            say(entry,
                fmt::format("{} of the journal is at a port that the device does not have now", stranger.target.port));
        }
        // First of all, so that no start after a death in between puts back what was to be released.
        if (auto forgotten = forget_reasons(**state, entry.name, inventory, by_, clock_.now()); !forgotten) {
            all_ = false;
            say(entry, forgotten.error().what);
        }
        for (const auto& mitigation : *active) {
            restore(entry, **device, **journal, mitigation.target);
        }
        if (active->empty()) {
            say(entry, "nothing is in force");
        }
        return {};
    }

    void restore(const codec::DeviceEntry& entry, device::Device& device, device::Journal& journal,
                 const Target& target)
    {
        const watchdog::Command command{
            .id = ++commands_, .cause = 0, .target = target, .want = watchdog::Treatment::none, .deadline = kNever};
        const auto outcome = device::carry_out(command, device, journal, clock_);
        const bool done = outcome.verdict == Verdict::confirmed || outcome.verdict == Verdict::accepted;
        all_ = all_ && done;
        say(entry, fmt::format("{} {}{}{}", to_string(device.inventory(), target), done ? "released" : "not released",
                               outcome.detail.empty() ? "" : ": ", outcome.detail));
    }

    void say(const codec::DeviceEntry& entry, std::string_view words)
    {
        words_.push_back(fmt::format("{}: {}", entry.name, words));
    }

    const codec::AgentConfig& config_;
    const std::string& by_;
    runtime::SystemClock clock_;
    Deaf deaf_;
    std::vector<std::string> words_;
    std::uint64_t commands_{};
    bool all_{true};
};

}  // namespace

Result<Released> release_from_journals(const codec::AgentConfig& config, std::span<Driver* const> drivers,
                                       const std::string& by)
{
    Releaser releaser{config, by};
    for (const auto& entry : config.devices) {
        auto* driver = find_driver(drivers, entry);
        if (driver == nullptr) {
            return tl::unexpected(Error{ErrorKind::invalid, fmt::format("no driver for '{}'", entry.driver)});
        }
        auto devices = driver->expand(entry);
        if (!devices) {
            return tl::unexpected(std::move(devices.error()));
        }
        for (const auto& device : *devices) {
            releaser.release(device, *driver);
        }
    }
    return releaser.take();
}

}  // namespace petrel::daemon
