#include "cli/lab_command.hpp"

#include "cli/lab_batch.hpp"
#include "cli/lab_story.hpp"
#include "lab/plan.hpp"
#include "terminal/terminal.hpp"
#include "topology/lookup.hpp"

namespace petrel::cli {
namespace {

// The first process reads the file for all: it needs to exist on that machine only, and all processes get the same
// text.
Result<std::string> scenario_text(const std::string& file, twin::Peers* peers)
{
    if (peers == nullptr) {
        return lab::read_scenario_file(file);
    }
    constexpr char kRead = '+';
    Result<std::string> text;
    std::string sent;
    if (peers->rank() == 0) {
        text = lab::read_scenario_file(file);
        sent = text ? kRead + *text : std::string{};
    }
    const auto received = peers->gather(sent).front();
    if (!received.empty()) {
        return received.substr(1);
    }
    return text ? tl::unexpected(Error{ErrorKind::invalid, "the first process could not read the scenario"}) : text;
}

// Complains about options that are possible for a single run only.
std::vector<Complaint> only_alone(const LabOptions& options, const std::vector<lab::PlannedRun>& runs)
{
    std::vector<Complaint> problems;
    const auto refuse_flag = [&](bool given, const char* flag) {
        if (given) {
            problems.push_back({flag, 0, 0, "only for one run at a time", {}});
        }
    };
    if (runs.size() != 1) {
        refuse_flag(options.pace > 0, "--pace");
        refuse_flag(options.pcap.has_value(), "--pcap");
        refuse_flag(options.trace.has_value(), "--trace");
        refuse_flag(options.syslog.has_value(), "--syslog");
        if (options.peers != nullptr) {
            problems.push_back({"FILE", 0, 0, "several processes can share only one run", {}});
        }
        refuse_flag(!options.captures.empty(), "--capture");
    } else if (options.pcap && runs.front().scenario.captures.empty()) {
        problems.push_back({"--pcap", 0, 0, "the scenario has no [[capture]]: name a port with --capture", {}});
    }
    return problems;
}

// "leaf0:Ethernet4"; for a host its name suffices.
std::optional<std::uint32_t> link_at(const std::string& port, const topology::Topology& topology)
{
    const topology::Lookup lookup{topology};
    const auto colon = port.find(':');
    const auto node = lookup.node(port.substr(0, colon));
    if (!node || topology.nodes[node->value].ports.empty()) {
        return std::nullopt;
    }
    const bool host = topology.nodes[node->value].kind == topology::Kind::host;
    const auto end = colon != std::string::npos ? lookup.port(*node, port.substr(colon + 1))
                     : host                     ? std::optional{topology::End{*node, 0}}
                                                : std::nullopt;
    return end ? lookup.link(*end) : std::nullopt;
}

std::vector<Complaint> add_captures(const std::vector<std::string>& ports, scenario::Scenario& scenario)
{
    std::vector<Complaint> problems;
    for (const auto& port : ports) {
        if (const auto link = link_at(port, scenario.setup.topology)) {
            scenario.captures.push_back({*link, scenario::kUsualCapture});
        } else {
            problems.push_back({"--capture", 0, 0, port, "a port with a link, such as leaf0:Ethernet4 or h0"});
        }
    }
    return problems;
}

}  // namespace

ExitCode run_lab(const LabOptions& options)
{
    if (!options.problems.empty()) {
        return refuse(options.problems);
    }
    if (options.peers != nullptr && (options.trace || options.report)) {
        return refuse({{options.trace ? "--trace" : "--report", 0, 0, "only a run in one process can record", {}}});
    }
    if (options.peers != nullptr && options.syslog) {
        return refuse({{"--syslog", 0, 0, "only a run in one process writes a log", {}}});
    }
    std::vector<std::string> texts;
    for (const auto& file : options.plan.files) {
        auto text = scenario_text(file, options.peers);
        if (!text) {
            return fail(text.error());
        }
        texts.push_back(std::move(*text));
    }
    auto runs = lab::plan_runs(options.plan, texts,
                               [&](const std::string& file) { return scenario_text(file, options.peers); });
    if (!runs) {
        return refuse(runs.error());
    }
    if (runs->size() == 1) {
        if (const auto problems = add_captures(options.captures, runs->front().scenario); !problems.empty()) {
            return refuse(problems);
        }
    }
    if (const auto problems = only_alone(options, *runs); !problems.empty()) {
        return refuse(problems);
    }
    return runs->size() == 1 ? run_single(runs->front(), options) : run_batch(*runs, options);
}

}  // namespace petrel::cli
