#include "daemon/uplink_files.hpp"

#include <fmt/format.h>

#include <span>
#include <utility>

#include "codec/uplink_json.hpp"
#include "runtime/atomic_file.hpp"

namespace petrel::daemon {
namespace {

constexpr auto kAcknowledged = "manager.acknowledged";
constexpr std::uint64_t kLargestFile = std::uint64_t{1} << 24U;

}  // namespace

Result<std::unique_ptr<UplinkFiles>> UplinkFiles::open(const config::AgentConfig& config,
                                                       const std::function<void(const runner::LogLine&)>& log)
{
    auto file = runtime::HeldFile::take(config.state_dir / kAcknowledged);
    if (!file) {
        return tl::unexpected(file.error());
    }
    std::unique_ptr<UplinkFiles> files{new UplinkFiles{std::move(*file), config.manager_url}};
    const auto text = files->file_.folder().read(files->file_.name(), kLargestFile);
    const auto kept = text.and_then([&](const auto& found) {
        return codec::read_acknowledged(found.value_or(codec::acknowledged_json({}, {})), config.manager_url);
    });
    if (kept) {
        files->acknowledged_ = *kept;
    } else {
        // Nothing is lost: what the manager has already, it receives again.
        log({runner::LogLevel::error,
             "acknowledged_damaged",
             {},
             {},
             fmt::format("{}: {}; all events are sent again", files->file_.path().string(), kept.error().what),
             {}});
    }
    return files;
}

Result<void> UplinkFiles::save(const uplink::Acknowledged& acknowledged)
{
    const auto text = codec::acknowledged_json(manager_url_, acknowledged);
    const auto& folder = file_.folder();
    return folder.replace(file_.name(), std::as_bytes(std::span{text}), runtime::kOwnersFile)
        .and_then([&](const auto&) { return folder.sync(); });
}

}  // namespace petrel::daemon
