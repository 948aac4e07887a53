#include "drivers/sai_driver.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <optional>
#include <set>
#include <system_error>

#include "base/complaint_text.hpp"
#include "device/sai/sai_device.hpp"
#include "runtime/state_folder.hpp"

namespace petrel::drivers {

namespace {

struct Place {
    std::string library;
    std::string profile;  // a file; empty = none
    std::optional<sai::Version> version;
};

// "1.9", "1.9.1"
std::optional<sai::Version> version_of(std::string_view text)
{
    sai::Version version = 0;
    int parts = 0;
    for (; parts != 3; ++parts) {
        unsigned number = 0;
        const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (problem != std::errc{} || number > 99) {
            return std::nullopt;
        }
        version = version * 100 + number;
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        if (text.empty()) {
            break;
        }
        if (text.front() != '.') {
            return std::nullopt;
        }
        text.remove_prefix(1);
    }
    switch (parts) {
    case 1: return version * 100;
    case 2: return version;
    default: return std::nullopt;
    }
}

Result<Place> place_of(const config::DeviceEntry& entry)
{
    const auto wrong = [&](std::string why) {
        return tl::unexpected(Error{ErrorKind::invalid, fmt::format("{}: {}", entry.driver, why)});
    };
    auto rest = std::string_view{entry.driver}.substr(entry.driver.find(':') + 1);
    const auto next = [&rest] {
        const auto word = rest.substr(0, rest.find(','));
        rest.remove_prefix(std::min(word.size() + 1, rest.size()));
        return word;
    };
    Place place;
    std::set<std::string_view> given;
    place.library = next();
    while (!rest.empty()) {
        const auto word = next();
        const auto key = word.substr(0, word.find('='));
        const auto value = word.substr(std::min(key.size() + 1, word.size()));
        if (!given.insert(key).second) {
            return wrong(fmt::format("{} is given twice", key));
        }
        if (key == "profile" && !value.empty()) {
            place.profile = value;
        } else if (key == "version") {
            place.version = version_of(value);
            if (!place.version) {
                return wrong(fmt::format("version is '{}': as 1.9 or 1.9.1", value));
            }
        } else {
            return wrong(fmt::format("'{}': allowed profile=FILE or version=1.9", word));
        }
    }
    if (place.library.empty()) {
        return wrong("the path of a library comes first");
    }
    if (const std::filesystem::path path{place.library}; !path.is_absolute()) {
        const auto here = std::filesystem::absolute(path).lexically_normal().string();
        return wrong(path.has_parent_path()
                         ? fmt::format("'{}' depends on the folder that the agent is started in: write the absolute "
                                       "path, from here {}",
                                       place.library, here)
                         : fmt::format("'{}' would be searched for in LD_LIBRARY_PATH and the system's folders: write "
                                       "the absolute path of the library, as {} or /usr/lib/{}",
                                       place.library, here, place.library));
    }
    if (const std::filesystem::path path{place.profile}; !place.profile.empty() && !path.is_absolute()) {
        return wrong(fmt::format("the profile '{}' depends on the folder that the agent is started in: write the "
                                 "absolute path, from here {}",
                                 place.profile, std::filesystem::absolute(path).lexically_normal().string()));
    }
    return place;
}

Result<device::sai::Profile> read_profile(const std::string& file)
{
    if (file.empty()) {
        return device::sai::Profile{};
    }
    return runtime::read_regular_file(file)
        .and_then([&](const std::string& text) { return to_result(device::sai::parse_profile(text, file)); })
        .and_then([&](device::sai::Profile profile) -> Result<device::sai::Profile> {
            if (const auto time = profile.find("petrel.time"); time != profile.end() && time->second == "stepped") {
                return tl::unexpected(
                    Error{ErrorKind::invalid,
                          fmt::format("{}: petrel.time is 'stepped', but an agent uses real time: remove it", file)});
            }
            return profile;
        });
}

Result<std::vector<device::sai::NamedPort>> read_port_names(const device::sai::Profile& profile)
{
    const auto file = profile.find("petrel.port_names");
    if (file == profile.end()) {
        return std::vector<device::sai::NamedPort>{};
    }
    return runtime::read_regular_file(file->second).and_then([&](const std::string& text) {
        return to_result(device::sai::parse_port_names(text, file->second));
    });
}

// Reads the profile and the port names from their files.
Result<device::sai::LibraryPlace> read_place(const Place& place)
{
    return read_profile(place.profile).and_then([&](const device::sai::Profile& profile) {
        return read_port_names(profile).map([&](std::vector<device::sai::NamedPort> names) {
            return device::sai::LibraryPlace{place.library, profile, place.version, std::move(names), true};
        });
    });
}

}  // namespace

Result<void> SaiDriver::check(const config::DeviceEntry& entry) const
{
    return place_of(entry).map([](const Place&) {});
}

// Fast: does not load the library. Whether it exists shows when it is opened.
Result<std::vector<config::DeviceEntry>> SaiDriver::expand(const config::DeviceEntry& entry)
{
    return place_of(entry)
        .and_then([](const Place& place) { return read_place(place); })
        .map([&](const device::sai::LibraryPlace& place) {
            auto named = entry;
            if (named.name.empty()) {
                named.name = std::filesystem::path{place.path}.stem().string();
            }
            return std::vector{named};
        });
}

Result<std::optional<std::vector<PortNames>>> SaiDriver::ports(const config::DeviceEntry& entry)
{
    return place_of(entry)
        .and_then([](const Place& place) { return read_place(place); })
        .and_then([](const device::sai::LibraryPlace& place) -> Result<std::optional<std::vector<PortNames>>> {
            if (::access(place.path.c_str(), R_OK) != 0) {
                return tl::unexpected(
                    Error{ErrorKind::unreachable, fmt::format("cannot read the library {}: {}", place.path,
                                                              std::generic_category().message(errno))});
            }
            // Ports that the file does not name have a number as their name, which only the library shows.
            return std::nullopt;
        });
}

Result<std::unique_ptr<device::Device>> SaiDriver::open(const config::DeviceEntry& entry, DeviceId id,
                                                        const device::TimeSource& clock, NoteSink report)
{
    return place_of(entry).and_then(read_place).and_then([&](const device::sai::LibraryPlace& place) {
        return device::sai::SaiDevice::open(place, id, clock, std::move(report))
            .map([](std::unique_ptr<device::sai::SaiDevice> device) -> std::unique_ptr<device::Device> {
                return device;
            });
    });
}

}  // namespace petrel::drivers
