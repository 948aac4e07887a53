// Follows the links of a device that reports them: reads them once a second, and after each notice of a link.
#include <fmt/format.h>

#include "runner/device_runner.hpp"

namespace petrel::runner {

namespace {

constexpr Duration kReadLinksEvery = std::chrono::seconds{1};

}  // namespace

// Never during a look: a call that waits behind a look makes the look return without new counters.
void DeviceRunner::read_links()
{
    if (!agent_ || !opened_->capabilities.reads_links || closing_) {
        return;
    }
    if (reading_links_ || lent_) {
        links_wanted_ = true;
        return;
    }
    reading_links_ = true;
    links_wanted_ = false;
    cancel(next_links_);
    calls_.read_links([this](const Result<std::vector<link::LinkSample>>& read) {
        reading_links_ = false;
        if (!agent_ || closing_) {
            return;
        }
        if (read) {
            links_trouble_.clear();
            follow_links(*read);
        } else if (links_trouble_ != read.error().what) {
            links_trouble_ = read.error().what;
            health_.log(LogLevel::error, "links_not_read", links_trouble_);
        }
        plan(next_links_, loop_.now().mono + kReadLinksEvery, [this] { read_links(); });
        if (links_wanted_) {
            read_links();
        }
    });
}

// Each change is stored before its event is published. If it cannot be stored, its event is published all the same.
void DeviceRunner::follow_links(const std::vector<link::LinkSample>& samples)
{
    const auto followed = links_.follow(samples, loop_.now().wall);
    if (!followed.stored) {
        health_.log(LogLevel::error, "link_history_not_written", followed.stored.error().what);
    }
    publish_links(followed.changes);
}

void DeviceRunner::publish_links(const std::vector<link::LinkChange>& changes)
{
    for (const auto& change : changes) {
        if (const auto target = find_target(opened_->inventory, change.port)) {
            step(watchdog::LinkEvent{target->port, change.up, down_text(change.event), links_.reason_of(change)});
        }
    }
}

std::vector<control::LinkReport> DeviceRunner::links(const std::string& port, bool history)
{
    return links_.report(name(), port, history, loop_.now().wall);
}

Result<std::size_t> DeviceRunner::acknowledge_link(const std::string& port, std::uint64_t seq)
{
    return links_.acknowledge(port, seq).map_error([&](const Error& error) {
        if (error.kind != ErrorKind::invalid) {
            return error;
        }
        return Error{error.kind, fmt::format("{0}:{1} has {2}: petrel link show {0}:{1} --history lists its events",
                                             name(), port, error.what)};
    });
}

}  // namespace petrel::runner
