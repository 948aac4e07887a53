#include "report.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace petrel::bench {

namespace {

// Three digits that matter, without an exponent.
std::string readable(double value)
{
    const int decimals = value >= 100 ? 0 : (value >= 10 ? 1 : (value >= 1 ? 2 : 3));
    return fmt::format("{:.{}f}", value, decimals);
}

}  // namespace

void Report::begin(std::string_view bench)
{
    bench_ = bench;
    named_ = false;
}

void Report::metric(std::string_view name, double value, std::optional<double> at_most)
{
    if (json_) {
        fmt::print("{{\"bench\":\"{}\",\"metric\":\"{}\",\"value\":{:.6g}}}\n", bench_, name, value);
    } else {
        if (!heading_) {
            fmt::print("{:<34}{:<26}{:>10}   {}\n", "bench", "metric", "value", "goal");
            heading_ = true;
        }
        const auto goal =
            at_most ? fmt::format("at most {}: {}", *at_most, value <= *at_most ? "met" : "missed") : std::string{};
        const auto line = fmt::format("{:<34}{:<26}{:>10}   {}", named_ ? "" : bench_, name, readable(value), goal);
        fmt::print("{}\n", std::string_view{line}.substr(0, line.find_last_not_of(' ') + 1));
        named_ = true;
    }
    std::fflush(stdout);
}

}  // namespace petrel::bench
