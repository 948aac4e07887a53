#include "codec/scenario/reader.hpp"

#include "codec/scenario/parts.hpp"

namespace petrel::codec {

namespace {

constexpr std::int64_t kMostFrames = 100'000'000;  // in a capture

class ScenarioReader {
public:
    ScenarioReader(std::string_view file, std::optional<std::uint64_t> seed, const Defaults& defaults)
        : text_(file), seed_(seed), defaults_(defaults)
    {}

    Parsed<scenario::Scenario> read(std::string_view text)
    {
        text_.parse(
            text,
            [this](toml::table& table) {
                result_ = {};
                read_top(table);
            },
            {}, [this](toml::table& table) { add_defaults(text_, table, defaults_); });
        if (!text_.complaints().empty()) {
            return tl::make_unexpected(std::move(text_.complaints()).take());
        }
        return std::move(result_);
    }

private:
    void read_top(const toml::table& table)
    {
        Section top{text_, table};
        if (const auto* name = top.require("name", "a name")) {
            result_.name = text_.name(*name);
        }
        top.read("about", result_.about);
        top.require("duration", "a time such as \"2s\"");
        top.time("duration", result_.duration, 1);
        if (result_.duration == 0) {
            result_.duration = kLongestTimePs;  // it has a complaint; the windows of the expectations have none
        }
        auto& setup = result_.setup;
        top.number("seed", setup.seed, 0, INT64_MAX);
        setup.seed = seed_.value_or(setup.seed);
        top.number("overhead_bytes", setup.overhead_bytes, 0, 100);

        auto topology = read_topology(top);
        const bool known = topology.has_value();
        if (known) {
            setup.topology = std::move(*topology);
        }
        ScenarioNames names{text_, known ? &setup.topology : nullptr};
        read_ports(top, names, result_);
        const auto detectors = read_profiles(top, names, setup);
        read_traffic(top, names, result_);
        read_watches(top, names, detectors, result_);
        read_manager(top, names, detectors, result_);
        read_faults(top, names, result_);
        read_captures(top, names);
        read_expectations(top, names, result_);
        read_truth(top, names);
        for (const auto* key : {"parameters", "full", "sweep", "defaults"}) {
            top.find(key);  // already replaced by the template reader and add_defaults()
        }
        top.done();
        if (text_.complaints().empty()) {
            for (const auto& problem : twin::problems(setup)) {
                text_.complaints().add_sentence({}, problem);
            }
        }
    }

    void read_captures(Section& top, ScenarioNames& names)
    {
        const auto* tables = top.find("capture");
        if (tables == nullptr) {
            return;
        }
        text_.each_table(*tables, "[[capture]]", [&](const toml::table& table) {
            Section section{text_, table};
            scenario::Capture capture{0, scenario::kUsualCapture};
            const auto* node = section.require("link", "a port, or two nodes");
            const auto link = node == nullptr ? std::nullopt : names.link(*node);
            section.number("frames", capture.frames, 1, kMostFrames);
            section.done();
            if (link) {
                capture.link = *link;
                result_.captures.push_back(capture);
            }
        });
    }

    void read_truth(Section& top, ScenarioNames& names)
    {
        const auto* tables = top.find("truth");
        if (tables == nullptr) {
            return;
        }
        text_.each_table(*tables, "[[truth]]", [&](const toml::table& table) {
            Section section{text_, table};
            scenario::Truth truth{{}, 1U << 3U, 0, result_.duration};
            const auto* node = section.require("port", "the port whose queue is stormed");
            const auto port = node == nullptr ? std::nullopt : names.port(*node);
            section.priorities("priorities", truth.priorities);
            section.time("from", truth.from);
            section.time("until", truth.until);
            section.done();
            if (port) {
                truth.port = *port;
                result_.truth.push_back(truth);
            }
        });
    }

    TomlText text_;
    std::optional<std::uint64_t> seed_;
    const Defaults& defaults_;
    scenario::Scenario result_;
};

}  // namespace

Parsed<scenario::Scenario> read_scenario(std::string_view text, std::string_view file,
                                         std::optional<std::uint64_t> seed, const Defaults& defaults)
{
    return ScenarioReader{file, seed, defaults}.read(text);
}

Parsed<scenario::Scenario> read_whole_scenario(std::string_view text, const std::string& file, const Settings& settings,
                                               const ReadText& read)
{
    return fill_in(text, file, settings).and_then([&](const std::string& filled) {
        return read_defaults(text, file, read).and_then([&](const Defaults& defaults) {
            return read_scenario(filled, file, {}, defaults);
        });
    });
}

}  // namespace petrel::codec
