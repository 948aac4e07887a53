// Snapshots of `ethtool -S`, each below a line with its time and, if there are several, its interface:
//     2026-03-09T07:05:00.123456Z eth0
//     NIC statistics:
//          rx_prio3_pause: 17
#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <map>

#include "base/complaint_text.hpp"
#include "codec/import/import_readers.hpp"
#include "codec/text_lines.hpp"
#include "device/linux/counter_reader.hpp"
#include "device/linux/vendor_table.hpp"

namespace petrel::codec {
namespace {

using device::linux_nic::Counter;
using device::linux_nic::CounterReader;
using device::linux_nic::Vendor;
using watchdog::Sample;

class SnapshotReader {
public:
    SnapshotReader(Import& import, ComplaintList& complaints) : import_(import), complaints_(complaints) {}

    // False: the rest of the file would have the same problem.
    bool read(const Line& line)
    {
        const auto text = trimmed(line.text);
        const auto blank = text.find_first_of(" \t");
        const auto at_us =
            line.text.front() == ' ' ? std::nullopt : recorded_time(text.substr(0, blank), TimeUnit::guessed);
        if (at_us) {
            end_snapshot();
            at_us_ = at_us;
            port_ = blank == text.npos ? import_.request.port : std::string{trimmed(text.substr(blank))};
            if (port_.empty()) {
                complaints_.add(line.place(line.text.data()), text, "the interface after the time, or --port");
            }
            return true;
        }
        if (!at_us_) {
            complaints_.add(line.place(line.text.data()), text, "a line with the time before the counters");
            return false;
        }
        if (text != "NIC statistics:" && text != "no stats available") {
            read_counter(line, text);
        }
        return true;
    }

    void end_snapshot()
    {
        if (!counters_.empty() && at_us_ && !port_.empty()) {
            const auto* vendor = vendor_of();
            auto [reader, is_new] = readers_.try_emplace(port_, *vendor);
            if (is_new) {
                import_.notes.push_back(fmt::format("{}: read as counters of {}{}", escaped(port_), vendor->driver,
                                                    import_.request.driver.empty() ? " (--driver)" : ""));
            }
            const auto read = reader->second.read(counters_);
            add(read.port, std::nullopt);
            for (std::uint8_t priority = 0; priority != kPriorities; ++priority) {
                add(read.priorities[priority], priority);
            }
        }
        counters_.clear();
    }

private:
    void read_counter(const Line& line, std::string_view text)
    {
        const auto colon = text.rfind(':');
        const auto value = colon == text.npos ? std::string_view{} : trimmed(text.substr(colon + 1));
        const auto* end = value.data() + value.size();
        std::uint64_t number{};
        const auto got = std::from_chars(value.data(), end, number);
        if (value.empty() || got.ec != std::errc{} || got.ptr != end) {
            complaints_.add(line.place(text.data()), text, "name: number, as ethtool -S prints it");
        } else {
            counters_.push_back({std::string{text.substr(0, colon)}, number});
        }
    }

    // The driver that was given, or the one of whose counters most are there.
    const Vendor* vendor_of() const
    {
        if (const auto* given = device::linux_nic::find_vendor(import_.request.driver)) {
            return given;
        }
        const Vendor* best = nullptr;
        int most = -1;
        for (const auto& vendor : device::linux_nic::vendors()) {
            const auto read = CounterReader{vendor}.read(counters_);
            auto known = std::popcount(read.port.known);
            for (const auto& sample : read.priorities) {
                known += std::popcount(sample.known);
            }
            if (known > most) {
                most = known;
                best = &vendor;
            }
        }
        return best;
    }

    void add(const Sample& sample, std::optional<std::uint8_t> priority)
    {
        for (std::size_t f = 0; f != watchdog::kFields; ++f) {
            const auto field = static_cast<watchdog::Field>(f);
            if (has(sample.known, field)) {
                import_.recording.add({{}, port_, priority}, *at_us_, column_of(field), sample[field]);
            }
        }
    }

    Import& import_;
    ComplaintList& complaints_;
    std::optional<std::int64_t> at_us_;
    std::string port_;
    std::vector<Counter> counters_;
    std::map<std::string, CounterReader> readers_;
};

}  // namespace

void read_ethtool_snapshots(const ImportFile& file, Import& import, ComplaintList& complaints)
{
    const auto& driver = import.request.driver;
    if (!driver.empty() && device::linux_nic::find_vendor(driver) == nullptr) {
        std::vector<std::string_view> known;
        for (const auto& vendor : device::linux_nic::vendors()) {
            known.push_back(vendor.driver);
        }
        complaints.add_sentence({}, fmt::format("--driver {}: {}", excerpt(driver), instead_of(driver, known)));
        return;
    }
    SnapshotReader reader{import, complaints};
    TextLines lines{file.text};
    while (const auto line = lines.next()) {
        if (!reader.read(*line)) {
            return;
        }
    }
    reader.end_snapshot();
}

}  // namespace petrel::codec
