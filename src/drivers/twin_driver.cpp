#include "drivers/twin_driver.hpp"

#include <fmt/format.h>

#include "base/complaint_text.hpp"
#include "codec/scenario/reader.hpp"
#include "runtime/state_folder.hpp"
#include "topology/lookup.hpp"

namespace petrel::drivers {

namespace {

struct TwinPlace {
    std::string file;
    std::string node;  // empty = all watched switches
};

// KIND:FILE#NODE
TwinPlace twin_place_of(const config::DeviceEntry& entry)
{
    const auto rest = std::string_view{entry.driver}.substr(entry.driver.find(':') + 1);
    const auto hash = rest.rfind('#');
    return {std::string{rest.substr(0, hash)},
            std::string{hash == std::string_view::npos ? "" : rest.substr(hash + 1)}};
}

Result<scenario::Scenario> read_scenario(const std::string& file)
{
    return runtime::read_regular_file(file)
        .map_error([](Error error) {
            // A missing file is a wrong argument, not an unreachable device.
            error.kind = error.kind == ErrorKind::unreachable ? ErrorKind::invalid : error.kind;
            return error;
        })
        .and_then([&](const std::string& text) {
            return to_result(codec::read_whole_scenario(text, file, {}, runtime::read_regular_file));
        });
}

Result<scenario::NodeId> find_node(const topology::Topology& topology, const TwinPlace& place)
{
    if (const auto node = topology::Lookup{topology}.node(place.node)) {
        return *node;
    }
    std::vector<std::string_view> names;
    for (const auto& node : topology.nodes) {
        names.push_back(node.name);
    }
    return tl::unexpected(Error{ErrorKind::invalid, fmt::format("{} has no node '{}': {}", place.file,
                                                                escaped(place.node), instead_of(place.node, names))});
}

std::vector<std::string> watched_switches(const scenario::Scenario& scenario)
{
    std::vector<std::string> names;
    for (const auto& watch : scenario.watches) {
        const auto& node = scenario.setup.topology.nodes[watch.node.value];
        if (node.kind != topology::Kind::host) {
            names.push_back(node.name);
        }
    }
    return names;
}

}  // namespace

Result<std::vector<config::DeviceEntry>> TwinDriver::expand(const config::DeviceEntry& entry)
{
    const auto place = twin_place_of(entry);
    const auto named = [&](const std::string& name, const std::string& node) {
        return config::DeviceEntry{
            name, fmt::format("{}:{}#{}", kind(), place.file, node), entry.at, {}, entry.simulated};
    };
    return read_scenario(place.file)
        .and_then([&](const scenario::Scenario& scenario) -> Result<std::vector<config::DeviceEntry>> {
            if (!place.node.empty()) {
                return find_node(scenario.setup.topology, place).map([&](scenario::NodeId) {
                    return std::vector{named(entry.name.empty() ? place.node : entry.name, place.node)};
                });
            }
            std::vector<config::DeviceEntry> all;
            for (const auto& node : watched_switches(scenario)) {
                all.push_back(named(entry.name.empty() ? node : fmt::format("{}-{}", entry.name, node), node));
            }
            if (all.empty()) {
                return tl::unexpected(Error{ErrorKind::invalid,
                                            fmt::format("{} has no switch with a [[policy]]: name the node, as {}#NODE",
                                                        place.file, place.file)});
            }
            return all;
        });
}

Result<std::optional<std::vector<PortNames>>> TwinDriver::ports(const config::DeviceEntry& entry)
{
    const auto place = twin_place_of(entry);
    return read_scenario(place.file).and_then([&](const scenario::Scenario& scenario) {
        const auto& topology = scenario.setup.topology;
        return find_node(topology, place).map([&](scenario::NodeId node) {
            return std::optional{topology.nodes[node.value].ports};
        });
    });
}

Result<std::unique_ptr<device::Device>> TwinDriver::open(const config::DeviceEntry& entry, DeviceId id,
                                                         const device::TimeSource& clock, NoteSink report)
{
    const auto place = twin_place_of(entry);
    return twin_of(place.file, clock, std::move(report)).and_then([&](const std::shared_ptr<lab::LiveTwin>& twin) {
        return find_node(twin->topology(), place).and_then([&](scenario::NodeId node) {
            return twin->open(node, id, clock);
        });
    });
}

Result<std::shared_ptr<lab::LiveTwin>> TwinDriver::twin_of(const std::string& file, const device::TimeSource& clock,
                                                           NoteSink report)
{
    const std::lock_guard lock{mutex_};
    if (const auto there = twins_.find(file); there != twins_.end()) {
        return there->second;
    }
    return read_scenario(file).and_then([&](scenario::Scenario scenario) {
        const auto report_loss = [report, file](Duration lost) {
            report(fmt::format("the twin of {} cannot keep up: {} s of its time are skipped so far", file,
                               std::chrono::round<std::chrono::seconds>(lost).count()));
        };
        auto made = lab::LiveTwin::make(std::move(scenario), clock.now().mono, report_loss);
        if (made) {
            twins_.emplace(file, *made);
        }
        return made;
    });
}

}  // namespace petrel::drivers
