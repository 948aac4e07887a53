// Reading a recorded trace: text to samples, with every cell checked.
#include <fmt/format.h>

#include <iterator>

#include "base/assert.hpp"
#include "benches.hpp"
#include "codec/trace_reader.hpp"
#include "measure.hpp"

namespace petrel::bench {

namespace {

constexpr std::uint64_t kTraceRows = 100'000;
constexpr std::uint64_t kTracePorts = 32;

std::string recorded()
{
    std::string csv =
        "time_us,port,queue,paused_now,pause_us,rx_xoff,on2off,tx_packets,tx_bytes,occupancy_bytes,speed_bps\n";
    for (std::uint64_t row = 0; row < kTraceRows; ++row) {
        const auto poll = row / kTracePorts;
        fmt::format_to(std::back_inserter(csv), "{},Ethernet{},3,{},{},{},{},{},{},{},100000000000\n", poll * 100'000,
                       row % kTracePorts * 4, poll % 2, poll * 1'700, poll * 9, poll * 3, poll * 120'000,
                       poll * 180'000'000, row % 7 * 4096);
    }
    return csv;
}

void measure_trace(Report& report)
{
    const auto csv = recorded();
    const auto timings = in_turns({[&] {
        const auto trace = codec::read_trace(csv, "bench.csv");
        PETREL_ASSERT(trace && trace->devices.front().samples.size() == kTraceRows,
                      "the bench's own trace does not read");
    }});
    const double seconds = timings[0].least_ns / 1e9;
    report.metric("rows_per_second", static_cast<double>(kTraceRows) / seconds);
    report.metric("megabytes_per_second", static_cast<double>(csv.size()) / 1e6 / seconds);
}

}  // namespace

std::vector<Bench> trace_benches() { return {{fmt::format("codec/trace/{}", kTraceRows), measure_trace}}; }

}  // namespace petrel::bench
