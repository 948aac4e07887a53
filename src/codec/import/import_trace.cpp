#include "codec/import/import_trace.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <ranges>

#include "base/complaint_text.hpp"
#include "codec/import/import_readers.hpp"
#include "codec/trace_reader.hpp"
#include "device/replay/pace.hpp"
#include "words/words.hpp"

namespace petrel::codec {
namespace {

struct Format {
    std::string_view name;
    void (*read)(const ImportFile&, Import&, ComplaintList&);
    bool mapped;  // a mapping file can give names to its counters
};

constexpr std::array<Format, 4> kFormats{{{"prometheus", read_prometheus, true},
                                          {"sonic-db", read_sonic_dump, false},
                                          {"ethtool", read_ethtool_snapshots, false},
                                          {"csv", read_mapped_csv, true}}};

std::string span_text(Duration time)
{
    const auto ms = static_cast<double>(whole_us(time)) / 1000;
    return ms < 1000 ? fmt::format("{:.4g} ms", ms) : fmt::format("{:.4g} s", ms / 1000);
}

// A detection time that two samples in a row prove, as people would write it.
std::int64_t provable_ms(Duration interval)
{
    constexpr std::int64_t kStep = 100;
    return (2 * whole_ms(interval) / kStep + 1) * kStep;
}

// Of one row, the longest time between two samples, and how many are far longer than usual.
struct Gaps {
    std::size_t count{};
    std::int64_t longest_us{};
    std::int64_t at_us{};
};

Gaps gaps_of(const device::DeviceTrace& device, Duration usual)
{
    Gaps gaps;
    std::map<std::uint32_t, std::int64_t> last;
    for (std::size_t i = 0; i != device.samples.size(); ++i) {
        const auto [before, is_new] = last.try_emplace(device.samples[i].slot.value, device.time_us[i]);
        const auto step = device.time_us[i] - before->second;
        if (!is_new && usual != Duration::zero() && step * 2 > whole_us(usual) * 5) {
            ++gaps.count;
            if (step > gaps.longest_us) {
                gaps = {gaps.count, step, before->second};
            }
        }
        before->second = device.time_us[i];
    }
    return gaps;
}

void add_pace_notes(const device::Trace& trace, std::vector<std::string>& notes)
{
    constexpr auto kFineEnough = std::chrono::milliseconds{200};
    for (const auto& device : trace.devices) {
        const auto pace = device::pace_of(device);
        if (pace.interval == Duration::zero()) {
            notes.push_back(fmt::format("{}: no counter was read twice, so nothing can be seen", device.device));
            continue;
        }
        notes.push_back(fmt::format("{}: {}, a sample every {}, {} jitter", device.device,
                                    count_text(device.inventory.ports.size(), "port"), span_text(pace.interval),
                                    pace.jitter == Duration::zero() ? "no" : span_text(pace.jitter)));
        if (pace.interval > kFineEnough) {
            notes.push_back(fmt::format("{}: that is coarse: a storm shorter than {} may not be seen, so replay with "
                                        "--detect-ms {} or more",
                                        device.device, span_text(2 * pace.interval), provable_ms(pace.interval)));
        }
        if (const auto gaps = gaps_of(device, pace.interval); gaps.count != 0) {
            notes.push_back(fmt::format("{}: {}, the longest of {} from {:.3f} s on: nothing is proven about them",
                                        device.device, count_text(gaps.count, "gap"),
                                        span_text(std::chrono::microseconds{gaps.longest_us}),
                                        static_cast<double>(gaps.at_us) / 1e6));
        }
    }
}

void add_left_out_note(const Import& import, std::vector<std::string>& notes)
{
    constexpr std::size_t kNamed = 5;
    if (const auto count = import.left_out.size(); count != 0) {
        notes.push_back(fmt::format("{} without a known meaning left out: {}{}{}", count_text(count, "counter"),
                                    fmt::join(import.left_out | std::views::take(kNamed) |
                                                  std::views::transform([](const auto& name) { return excerpt(name); }),
                                              ", "),
                                    count > kNamed ? " ..." : "", "; a mapping file (--map) can name them"));
    }
}

}  // namespace

std::span<const std::string_view> import_formats()
{
    static constexpr std::array<std::string_view, kFormats.size()> kNames{kFormats[0].name, kFormats[1].name,
                                                                          kFormats[2].name, kFormats[3].name};
    return kNames;
}

std::optional<Complaint> unknown_format(std::string_view format)
{
    const auto names = import_formats();
    return std::ranges::find(names, format) != names.end()
               ? std::nullopt
               : std::optional{
                     Complaint{"--from", 0, 0, std::string{format}, "a format, " + instead_of(format, names)}};
}

std::optional<std::uint8_t> priority_in(std::string_view text)
{
    const bool single =
        !text.empty() && (text.size() == 1 || text[text.size() - 2] < '0' || text[text.size() - 2] > '9');
    const bool digit = single && text.back() >= '0' && text.back() < '0' + int{kPriorities};
    return digit ? std::optional{static_cast<std::uint8_t>(text.back() - '0')} : std::nullopt;
}

Parsed<ImportedTrace> import_trace(const ImportRequest& request)
{
    const auto* format = std::ranges::find(kFormats, request.format, &Format::name);
    std::vector<Complaint> problems;
    if (auto wrong = unknown_format(request.format)) {
        problems.push_back(std::move(*wrong));
        return tl::unexpected(std::move(problems));
    }
    Import import{.request = request};
    if (request.map && !format->mapped) {
        problems.push_back({"--map", 0, 0, fmt::format("{} has counters with known names only", format->name), {}});
    } else if (request.map) {
        if (auto map = read_counter_map(request.map->text, request.map->name)) {
            import.map = std::move(*map);
        } else {
            problems = std::move(map.error());
        }
    }
    for (const auto& file : request.files) {
        ComplaintList complaints{file.name};
        format->read(file, import, complaints);
        for (auto& problem : std::move(complaints).take()) {
            problems.push_back(std::move(problem));
        }
    }
    if (problems.empty() && import.recording.empty()) {
        problems.push_back({request.files.empty() ? "FILE" : request.files.front().name,
                            0,
                            0,
                            import.left_out.empty()
                                ? std::string{"it has no counter"}
                                : fmt::format("no counter has a known name; the first is {}: name them in a mapping "
                                              "file (--map)",
                                              excerpt(*import.left_out.begin())),
                            {}});
    }
    if (!problems.empty()) {
        return tl::unexpected(std::move(problems));
    }
    const auto table = import.recording.table();
    ImportedTrace made{table.header() + import.recording.rows(table), std::move(import.notes)};
    // What petrel replay would read.
    const auto trace = read_trace(made.csv, "the trace");
    if (!trace) {
        return tl::unexpected(trace.error());
    }
    add_pace_notes(*trace, made.notes);
    add_left_out_note(import, made.notes);
    return made;
}

}  // namespace petrel::codec
