#include "drivers/exec_driver.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "codec/exec/exec_message.hpp"
#include "device/exec/exec_device.hpp"
#include "runtime/helper_process.hpp"

namespace petrel::drivers {

Result<std::vector<std::string>> exec_words(std::string_view entry)
{
    const auto wrong = [&](std::string_view why) {
        return tl::unexpected(Error{ErrorKind::invalid, fmt::format("{}: {}", entry, why)});
    };
    constexpr std::string_view kBlanks = " \t";
    constexpr std::string_view kQuotes = "'\"";
    std::vector<std::string> words;
    bool in_word = false;
    constexpr std::string_view kExec = "exec:";
    const auto colon = entry.find(':');
    const auto program = entry.starts_with(kExec) || colon == std::string_view::npos ? entry : entry.substr(colon + 1);
    if (!program.starts_with(kExec)) {
        return wrong(fmt::format("'{}' is not known: write {}PROGRAM [ARGUMENTS]", program, kExec));
    }
    for (auto rest = program.substr(kExec.size()); !rest.empty();) {
        const char next = rest.front();
        rest.remove_prefix(1);
        if (kBlanks.find(next) != std::string_view::npos) {
            in_word = false;
            continue;
        }
        if (!std::exchange(in_word, true)) {
            words.emplace_back();
        }
        if (kQuotes.find(next) == std::string_view::npos) {
            words.back() += next;
            continue;
        }
        const auto end = rest.find(next);
        if (end == std::string_view::npos) {
            return wrong(fmt::format("the quote {} is not closed", next));
        }
        words.back() += rest.substr(0, end);
        rest.remove_prefix(end + 1);
    }
    if (words.empty()) {
        return wrong("the path of a program comes first");
    }
    if (const std::filesystem::path path{words.front()}; !path.is_absolute()) {
        return wrong(fmt::format("'{}' depends on the folder that the agent is started in: write the absolute path, "
                                 "from here {}",
                                 words.front(), std::filesystem::absolute(path).lexically_normal().string()));
    }
    return words;
}

Result<std::optional<std::vector<PortNames>>> find_helper(std::string_view entry)
{
    return exec_words(entry).and_then(
        [](const std::vector<std::string>& words) -> Result<std::optional<std::vector<PortNames>>> {
            if (::access(words.front().c_str(), X_OK) != 0) {
                return tl::unexpected(
                    Error{ErrorKind::unreachable, fmt::format("cannot run the helper {}: {}", words.front(),
                                                              std::generic_category().message(errno))});
            }
            return std::nullopt;
        });
}

device::exec::StartHelper start_program(std::vector<std::string> words)
{
    return [words = std::move(words)] { return runtime::HelperProcess::start(words, codec::kLongestExecLine); };
}

Result<void> ExecDriver::check(const config::DeviceEntry& entry) const
{
    return exec_words(entry.driver).map([](const std::vector<std::string>&) {});
}

Result<std::vector<config::DeviceEntry>> named_after_program(const config::DeviceEntry& entry)
{
    return exec_words(entry.driver).map([&](const std::vector<std::string>& words) {
        auto named = entry;
        if (named.name.empty()) {
            named.name = std::filesystem::path{words.front()}.stem().string();
        }
        return std::vector{named};
    });
}

Result<std::vector<config::DeviceEntry>> ExecDriver::expand(const config::DeviceEntry& entry)
{
    return named_after_program(entry);
}

Result<std::optional<std::vector<PortNames>>> ExecDriver::ports(const config::DeviceEntry& entry)
{
    return find_helper(entry.driver);
}

Result<std::unique_ptr<device::Device>> ExecDriver::open(const config::DeviceEntry& entry, DeviceId id,
                                                         const device::TimeSource& clock, NoteSink report)
{
    return exec_words(entry.driver).and_then([&](const std::vector<std::string>& words) {
        return device::exec::ExecDevice::open(start_program(words), id, clock, std::move(report))
            .map([](std::unique_ptr<device::exec::ExecDevice> device) -> std::unique_ptr<device::Device> {
                return device;
            });
    });
}

}  // namespace petrel::drivers
