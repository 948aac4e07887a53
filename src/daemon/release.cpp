#include "daemon/release.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "codec/checkpoint_json.hpp"
#include "codec/event_json.hpp"
#include "daemon/released_memory.hpp"
#include "device/carry_out.hpp"
#include "runtime/boot.hpp"
#include "runtime/event_loop.hpp"
#include "runtime/file_journal.hpp"
#include "runtime/state_file.hpp"
#include "words/words.hpp"

namespace petrel::daemon {

namespace {

using watchdog::Verdict;

// Ignores the notices of a device.
class IgnoredNotices final : public device::NoticeSink {
public:
    void post(const watchdog::Notice&) noexcept override {}
};

watchdog::Checkpoint checkpoint_of(const runtime::StateFile& state, const std::string& device,
                                   const watchdog::Inventory& inventory, const Now& now)
{
    if (!state.remembered()) {
        return {};
    }
    auto read = codec::read_checkpoint(state.remembered()->checkpoint, device, inventory);
    const auto age = runtime::time_since(*state.remembered(), now.wall, runtime::this_boot());
    return read ? watchdog::aged(std::move(*read), age) : watchdog::Checkpoint{};
}

// Appends the order and the end of each open storm to the history, and removes the reasons for treatments from the
// checkpoint.
Result<void> forget_reasons(runtime::StateFile& state, watchdog::Checkpoint memory, const std::string& device,
                            const watchdog::Inventory& inventory, const std::string& by, const Now& now)
{
    memory.next_seq = std::max(memory.next_seq, state.last_seq() + 1);
    const auto released = release_memory(std::move(memory), by);
    watchdog::Watchlist list;
    list.inventory = inventory;
    std::vector<runtime::StoredEvent> events;
    for (const auto& event : released.events) {
        events.push_back({event.seq, codec::event_json(event, now.wall, list, device)});
    }
    return state.append(events, codec::checkpoint_json(released.checkpoint, inventory), now);
}

class Releaser {
public:
    Releaser(const config::AgentConfig& config, const std::string& by) : config_(config), by_(by) {}

    void release(const config::DeviceEntry& entry, Driver& driver)
    {
        found_ = 0;
        if (auto done = try_release(entry, driver); !done) {
            all_ = false;
            add_line(entry, done.error().what);
        }
    }

    Released take() { return {{std::move(lines_)}, all_}; }

private:
    Result<void> try_release(const config::DeviceEntry& entry, Driver& driver)
    {
        auto state = hold_state(entry);
        if (!state) {
            return tl::unexpected(std::move(state.error()));
        }
        const auto journal = file(entry, "journal");
        std::error_code ignored;
        const bool journaled = std::filesystem::exists(std::filesystem::symlink_status(journal, ignored));
        if (!journaled) {
            add_line(entry, fmt::format("has no journal ({}){}", journal.string(),
                                        driver.journal_is_complete() ? ": nothing is in force" : ""));
        }
        if (!journaled && driver.journal_is_complete()) {
            return {};
        }
        auto device = driver.open(entry, DeviceId{}, clock_, [&](const std::string& text) { add_line(entry, text); });
        if (!device) {
            return without_device(entry, driver, std::move(device.error()));
        }
        (*device)->listen(notices_);
        if (journaled) {
            if (auto done = release_journaled(entry, **device, **state); !done) {
                return done;
            }
        }
        if (!driver.journal_is_complete()) {
            release_shown(entry, **device);
        }
        if (found_ == 0) {
            add_line(entry, "nothing is in force");
        }
        return (*device)->close();
    }

    // The device cannot be opened. If it shows that it treats no queue, there is nothing to release; the journal is
    // reconciled at the next start.
    Result<void> without_device(const config::DeviceEntry& entry, Driver& driver, Error why)
    {
        const auto back = driver.put_back(entry);
        if (!back) {
            add_line(entry, back.error().what);
        }
        const bool ours = back && *back != Driver::PutBack::in_use;
        if (!ours || !driver.shows_no_treatment(entry).value_or(false)) {
            return tl::unexpected(std::move(why));
        }
        add_line(entry, why.what);
        add_line(entry, "nothing is in force");
        return {};
    }

    // Locks the state file before the device is opened. It fails while an agent runs, because the agent holds this lock
    // from its start to its end. Returns null if there is no state folder: then no agent runs.
    Result<std::unique_ptr<runtime::StateFile>> hold_state(const config::DeviceEntry& entry) const
    {
        std::error_code ignored;
        if (!std::filesystem::exists(config_.state_dir, ignored) && !ignored) {
            return nullptr;
        }
        return runtime::StateFile::open(file(entry, "state"), entry.name, config_.history_events)
            .map_error([&](const Error& error) {
                return error.kind != ErrorKind::unreachable
                           ? error
                           : Error{error.kind, fmt::format("nothing was released: {} (by the configuration the agent's "
                                                           "control socket is {})",
                                                           error.what, config_.control_socket.string())};
            });
    }

    Result<void> release_journaled(const config::DeviceEntry& entry, device::Device& device, runtime::StateFile& state)
    {
        const auto& inventory = device.inventory();
        auto journal = runtime::FileJournal::open_file(file(entry, "journal"), entry.name, inventory);
        if (!journal) {
            return tl::unexpected(std::move(journal.error()));
        }
        auto active = (*journal)->active();
        if (!active) {
            return tl::unexpected(std::move(active.error()));
        }
        if ((*journal)->tail_dropped() != 0) {
            add_line(entry, fmt::format("the last {} bytes of the journal are an unfinished record: left out",
                                        (*journal)->tail_dropped()));
        }
        for (const auto& kept : (*journal)->entries_of_absent_ports()) {
            all_ = false;
            add_line(entry,
                     fmt::format("{} of the journal is at a port that the device does not have now", kept.target.port));
        }
        // Before the first release: if this process dies in between, the next start does not apply the treatments
        // again.
        const auto now = clock_.now();
        const auto memory = checkpoint_of(state, entry.name, inventory, now);
        if (auto forgotten = forget_reasons(state, memory, entry.name, inventory, by_, now); !forgotten) {
            all_ = false;
            add_line(entry, forgotten.error().what);
        }
        for (const auto& mitigation : *active) {
            if (std::ranges::any_of(memory.rows, [&](const watchdog::Checkpoint::Row& row) {
                    return row.target == mitigation.target && is_latched_nic(row);
                })) {
                ++found_;
                add_line(entry, fmt::format("{0} is latched until it is repaired: then start the agent and use `petrel "
                                            "host repaired {0}`",
                                            to_string(inventory, mitigation.target)));
                continue;
            }
            const auto outcome = device::carry_out(released(mitigation.target), device, **journal, clock_);
            const bool done = outcome.verdict == Verdict::confirmed || outcome.verdict == Verdict::accepted;
            add_result(entry, to_string(inventory, mitigation.target), done, outcome.detail);
        }
        return {};
    }

    // Releases every treatment that the device still shows, also those of other software.
    void release_shown(const config::DeviceEntry& entry, device::Device& device)
    {
        std::set<Target> targets;  // a port before its queues: its treatment is also theirs
        for (const auto& row : device.inventory().rows) {
            targets.insert({row.target.port, std::nullopt});
            targets.insert(row.target);
        }
        for (const auto& target : targets) {
            const auto shown = device.read_back(target);
            if (shown && *shown != watchdog::Treatment::none) {
                const auto command = released(target);
                const auto done = device.apply(command, {}).and_then([&] { return device.await_effect(command); });
                add_result(entry, to_string(device.inventory(), target), done.has_value(),
                           done ? std::string{} : done.error().what);
            }
        }
    }

    watchdog::Command released(const Target& target)
    {
        return {.id = ++commands_, .cause = 0, .target = target, .want = watchdog::Treatment::none, .deadline = kNever};
    }

    void add_result(const config::DeviceEntry& entry, const std::string& target, bool done, const std::string& why)
    {
        ++found_;
        all_ = all_ && done;
        add_line(entry,
                 fmt::format("{} {}{}{}", target, done ? "released" : "not released", why.empty() ? "" : ": ", why));
    }

    std::filesystem::path file(const config::DeviceEntry& entry, std::string_view kind) const
    {
        return config_.state_dir / fmt::format("{}.{}", entry.name, kind);
    }

    void add_line(const config::DeviceEntry& entry, std::string_view text)
    {
        lines_.push_back(fmt::format("{}: {}", entry.name, text));
    }

    const config::AgentConfig& config_;
    const std::string& by_;
    runtime::SystemClock clock_;
    IgnoredNotices notices_;
    std::vector<std::string> lines_;
    std::uint64_t commands_{};
    std::size_t found_{};  // treatments in force on the present device
    bool all_{true};
};

}  // namespace

Result<Released> release_from_journals(const config::AgentConfig& config, std::span<Driver* const> drivers,
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
