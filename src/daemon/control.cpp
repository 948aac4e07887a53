#include "daemon/control.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/complaint_text.hpp"
#include "codec/control_json.hpp"
#include "words/words.hpp"

namespace petrel::daemon {

std::string ordered_by(const std::string& user, const control::ControlRequest& request)
{
    return request.note.empty() ? user : fmt::format("{}: {}", user, escaped(request.note));
}

std::string events_answer(const EventHistory& history, const control::ControlRequest& request)
{
    const auto lines = history.last(request);
    return lines.text + codec::events_end_json(lines.count);
}

Result<void> check_device(const std::vector<std::string>& devices, const std::string& device)
{
    if (device.empty() || std::ranges::find(devices, device) != devices.end()) {
        return {};
    }
    const std::vector<std::string_view> names{devices.begin(), devices.end()};
    return tl::unexpected(
        Error{ErrorKind::invalid, fmt::format("no device '{}'; {}", device, instead_of(device, names))});
}

}  // namespace petrel::daemon
