#include "daemon/stored_events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include "runtime/file_descriptor.hpp"
#include "runtime/state_folder.hpp"
#include "runtime/state_format.hpp"

namespace petrel::daemon {

namespace {

constexpr std::string_view kExtension = ".state";

Result<std::vector<std::string>> devices_in(const std::filesystem::path& folder)
{
    std::vector<std::string> devices;
    std::error_code error;
    for (std::filesystem::directory_iterator entry{folder, error}, end; !error && entry != end;
         entry.increment(error)) {
        if (entry->path().extension() == kExtension) {
            devices.push_back(entry->path().stem().string());
        }
    }
    if (error) {
        return tl::unexpected(runtime::file_error("list", folder, error.value()));
    }
    std::ranges::sort(devices);
    return devices;
}

}  // namespace

Result<StoredEvents> stored_events(const std::filesystem::path& state_dir, const control::ControlRequest& request)
{
    const auto& device = request.device;
    auto folder = runtime::StateFolder::of(state_dir / std::string{kExtension});
    if (!folder) {
        return tl::unexpected(std::move(folder.error()));
    }
    const auto devices = devices_in(state_dir);
    if (!devices) {
        return tl::unexpected(devices.error());
    }
    StoredEvents stored;
    EventHistory history{std::numeric_limits<std::size_t>::max()};
    bool found = false;
    for (const auto& name : *devices) {
        if (!device.empty() && name != device) {
            continue;
        }
        const auto text = folder->read(name + std::string{kExtension});
        if (!text) {
            return tl::unexpected(text.error());
        }
        if (!*text) {
            continue;  // removed meanwhile
        }
        found = true;
        const auto content = runtime::parse_state(std::as_bytes(std::span{**text}), name);
        if (!content.damage.empty()) {
            stored.notes.push_back(
                fmt::format("{}: {}", folder->path_of(name + std::string{kExtension}).string(), content.damage));
        }
        for (const auto& event : content.events) {
            history.add(name, event.seq, event.json);
        }
    }
    if (!found) {
        return tl::unexpected(
            Error{ErrorKind::unreachable, fmt::format("{} has no history{}{}", state_dir.string(),
                                                      device.empty() ? "" : " of the device ", device)});
    }
    stored.lines = history.last(request);
    return stored;
}

}  // namespace petrel::daemon
