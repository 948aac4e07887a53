#include "cli/replay_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>

#include "base/complaint_text.hpp"
#include "codec/policy_reader.hpp"
#include "codec/trace_reader.hpp"
#include "config/policy_bind.hpp"
#include "config/policy_file.hpp"
#include "device/replay/nic_ports.hpp"
#include "device/replay/pace.hpp"
#include "runtime/atomic_file.hpp"

namespace petrel::cli {
namespace {

std::vector<std::string_view> split(std::string_view list)
{
    std::vector<std::string_view> items;
    while (true) {
        const auto comma = list.find(',');
        items.push_back(list.substr(0, comma));
        if (comma == std::string_view::npos) {
            return items;
        }
        list.remove_prefix(comma + 1);
    }
}

std::string shown_name(const std::string& path) { return path == "-" ? "stdin" : path; }

class Reader {
public:
    explicit Reader(const ReplayOptions& options) : options_(options), refusal_{options.problems, {}} {}

    tl::expected<ReplayInputs, Refusal> run()
    {
        check_output();
        read_policies();
        read_trace();
        narrow_survivors();
        set_uncertainty();
        assign_roles();
        make_books();
        if (!refusal_.complaints.empty() || !refusal_.errors.empty()) {
            return tl::unexpected(std::move(refusal_));
        }
        return std::move(inputs_);
    }

private:
    void complain(std::string where, std::string value, std::string allowed)
    {
        refusal_.complaints.push_back({std::move(where), 0, 0, std::move(value), std::move(allowed)});
    }

    // Returns the value, or keeps its complaints.
    template <class T>
    std::optional<T> keep(Parsed<T> parsed)
    {
        if (parsed) {
            return std::move(*parsed);
        }
        auto& all = refusal_.complaints;
        all.insert(all.end(), parsed.error().begin(), parsed.error().end());
        return std::nullopt;
    }

    std::optional<std::string> read(const std::string& path)
    {
        auto text = runtime::read_whole_file(path == "-" ? "/dev/stdin" : path);
        if (!text) {
            // A missing file is a wrong argument, not an unreachable device.
            auto& error = refusal_.errors.emplace_back(text.error());
            error.kind = error.kind == ErrorKind::unreachable ? ErrorKind::invalid : error.kind;
            return std::nullopt;
        }
        return std::move(*text);
    }

    // Refuses an output file that is one of the inputs: a recording cannot be repeated.
    void check_output()
    {
        for (const auto& input : {std::optional{options_.trace}, options_.config}) {
            std::error_code ignored;
            if (options_.output && input && std::filesystem::equivalent(*options_.output, *input, ignored)) {
                complain("--output", *options_.output, "a file that is not read from");
            }
        }
    }

    void read_policies()
    {
        if (options_.config) {
            read_config(*options_.config);
            return;
        }
        if (options_.policies.empty()) {
            complain("--policy", "which one? `petrel policies` lists them; or give --config FILE", {});
        }
        std::set<std::string_view> seen;
        for (const auto& text : options_.policies) {
            if (!seen.insert(text).second) {
                complain("--policy", fmt::format("{} is given twice", text), {});
            } else if (auto choice = keep(parse_policy_choice(text))) {
                choices_.push_back(std::move(*choice));
            }
        }
        for (const auto& choice : choices_) {
            keep(make_policy(choice, options_.settings, std::nullopt));
        }
        if (choices_.empty()) {
            check_settings_alone();
        }
    }

    // Without a policy the range is unknown, but a value that no preset accepts is an error.
    void check_settings_alone()
    {
        for (const auto& setting : options_.settings) {
            std::optional<watchdog::Problem> problem;
            const auto refuses = [&](const watchdog::Preset& preset) {
                auto scratch = preset.policy;
                problem = watchdog::set_parameter(scratch, preset, setting.key, setting.value);
                return problem.has_value();
            };
            const auto presets = watchdog::presets();
            if (std::all_of(presets.begin(), presets.end(), refuses)) {
                complain(setting.flag, setting.value, problem->allowed);
            }
        }
    }

    void read_config(const std::string& path)
    {
        if (!options_.policies.empty()) {
            complain("--config", "either this or --policy, not both", {});
        }
        for (const auto& setting : options_.settings) {
            complain(setting.flag, fmt::format("only with --policy; with --config, {} goes into the file", setting.key),
                     {});
        }
        if (options_.start_default) {
            complain("--start-default", "only with --policy", {});
        }
        if (const auto text = read(path)) {
            config_ = keep(codec::read_policy_file(*text, shown_name(path)));
        }
    }

    void read_trace()
    {
        if (options_.trace.empty()) {
            return;
        }
        inputs_.trace_name = shown_name(options_.trace);
        if (const auto text = read(options_.trace)) {
            if (auto trace = keep(codec::read_trace(*text, inputs_.trace_name))) {
                inputs_.trace = std::move(*trace);
                std::ranges::for_each(inputs_.trace.devices, device::add_nic_ports);
            }
        }
    }

    void narrow_survivors()
    {
        if (!options_.survives) {
            return;
        }
        std::vector<std::string_view> names{"none"};
        for (std::size_t i = 0; i < watchdog::kFields; ++i) {
            names.push_back(name(static_cast<watchdog::Field>(i)));
        }
        watchdog::Fields fields = 0;
        for (const auto word : split(*options_.survives)) {
            if (const auto field = watchdog::field_from_name(word)) {
                fields |= watchdog::bit(*field);
            } else if (word != "none") {
                complain("--survives", std::string{word}, "a field, " + instead_of(word, names));
            }
        }
        for (auto& device : inputs_.trace.devices) {
            device.capabilities.survive &= fields;
        }
    }

    void set_uncertainty()
    {
        constexpr std::int64_t kMostMs = 10'000;
        std::optional<std::int64_t> given;
        if (const auto& text = options_.stamp_uncertainty_ms) {
            std::int64_t ms{};
            const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), ms);
            if (error != std::errc{} || end != text->data() + text->size() || ms < 0 || ms > kMostMs) {
                complain("--stamp-uncertainty-ms", *text, fmt::format("a whole number 0..{}", kMostMs));
            }
            given = ms;
        }
        for (auto& device : inputs_.trace.devices) {
            auto& pace = inputs_.paces.emplace_back(device::pace_of(device));
            if (given) {
                pace.jitter = std::chrono::milliseconds{*given};
                for (auto& row : pace.rows) {
                    row.stray = 0;
                }
            }
            device.capabilities.stamp_uncertainty = pace.jitter;
            if (!given && pace.jitter != Duration::zero()) {
                const auto ms = [](Duration time) { return static_cast<double>(whole_us(time)) / 1000; };
                inputs_.notes.push_back(
                    fmt::format("{}: time stamps are off by up to {:g} ms (rows are {:g} ms apart), "
                                "and count as uncertain by that much (--stamp-uncertainty-ms)",
                                device.device, ms(pace.jitter), ms(pace.interval)));
            }
        }
    }

    void assign_roles()
    {
        std::vector<std::string_view> wanted;
        if (options_.host_ports && *options_.host_ports != "all") {
            wanted = split(*options_.host_ports);
            check_host_ports(wanted);
        } else if (config_states_roles() && !options_.host_ports) {
            return;  // the file defines the roles; binding it to the devices assigns them
        }
        for (auto& device : inputs_.trace.devices) {
            for (auto& row : device.inventory.rows) {
                const auto& port = device.inventory.ports[row.target.port.index].name;
                row.host_facing = wanted.empty() || std::find(wanted.begin(), wanted.end(), port) != wanted.end();
            }
        }
    }

    bool config_states_roles() const
    {
        return config_ &&
               std::ranges::any_of(config_->ports, [](const auto& port) { return port.host_facing.has_value(); });
    }

    void check_host_ports(const std::vector<std::string_view>& wanted)
    {
        std::vector<std::string_view> known;
        for (const auto& device : inputs_.trace.devices) {
            for (const auto& port : device.inventory.ports) {
                known.push_back(port.name);
            }
        }
        for (const auto word : wanted) {
            if (!known.empty() && std::find(known.begin(), known.end(), word) == known.end()) {
                complain("--host-ports", std::string{word}, "a port of the trace, " + instead_of(word, known));
            }
        }
    }

    void make_books()
    {
        if (!refusal_.complaints.empty()) {
            return;  // else the same problems would be reported for each device
        }
        for (const auto& choice : choices_) {
            inputs_.what_ifs.push_back({choice.label, {}});
            for (const auto& device : inputs_.trace.devices) {
                std::optional<std::uint32_t> ports;
                if (options_.start_default) {
                    ports = static_cast<std::uint32_t>(device.inventory.ports.size());
                }
                if (auto policy = keep(make_policy(choice, options_.settings, ports))) {
                    inputs_.what_ifs.back().books.push_back(book_of(std::move(*policy)));
                }
            }
        }
        if (config_) {
            std::vector<watchdog::Inventory*> inventories;
            inventories.reserve(inputs_.trace.devices.size());
            for (auto& device : inputs_.trace.devices) {
                inventories.push_back(&device.inventory);
            }
            if (auto books = keep(config::bind_ports(*config_, inventories))) {
                inputs_.what_ifs.push_back({shown_name(*options_.config), std::move(*books)});
            }
        }
        note_assumed_roles();
    }

    void note_assumed_roles()
    {
        const bool given = options_.host_ports || config_states_roles();
        for (const auto& what_if : inputs_.what_ifs) {
            for (const auto& book : what_if.books) {
                const bool matters = std::any_of(book.policies.begin(), book.policies.end(),
                                                 [](const watchdog::Policy& p) { return p.host_facing_only; });
                if (matters && !given) {
                    inputs_.notes.emplace_back("no port roles given: every port counts as host facing (--host-ports)");
                    return;
                }
            }
        }
    }

    const ReplayOptions& options_;
    Refusal refusal_;
    ReplayInputs inputs_;
    std::vector<PolicyChoice> choices_;
    std::optional<config::PolicyFile> config_;
};

}  // namespace

tl::expected<ReplayInputs, Refusal> read_replay_inputs(const ReplayOptions& options) { return Reader(options).run(); }

}  // namespace petrel::cli
