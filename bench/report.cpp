#include "report.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace petrel::bench {

namespace {

// Three significant digits, without an exponent.
std::string readable(double value)
{
    const int decimals = value >= 100 ? 0 : (value >= 10 ? 1 : (value >= 1 ? 2 : 3));
    return fmt::format("{:.{}f}", value, decimals);
}

}  // namespace

Report::Report(bool json) : json_(json)
{
    if (!json_)
        fmt::print("{:<34}{:<30}{:>16}   {}\n", "bench", "metric", "value", "goal");
    std::fflush(stdout);
}

void Report::begin(std::string_view bench)
{
    bench_ = bench;
    named_ = false;
}

void Report::metric(std::string_view name, double value, std::optional<Goal> goal)
{
    if (json_) {
        // Nine digits: counts stay exact.
        fmt::print("{{\"bench\":\"{}\",\"metric\":\"{}\",\"value\":{:.9g}}}\n", bench_, name, value);
        std::fflush(stdout);
        return;
    }
    const auto words = goal ? fmt::format("{} {}: {}", goal->kind == Goal::Kind::at_most ? "at most" : "at least",
                                          goal->value, goal->met_by(value) ? "met" : "missed")
                            : std::string{};
    row(name, readable(value), words);
}

void Report::text(std::string_view name, std::string_view value)
{
    if (json_) {
        fmt::print("{{\"bench\":\"{}\",\"metric\":\"{}\",\"value\":\"{}\"}}\n", bench_, name, value);
        std::fflush(stdout);
        return;
    }
    row(name, value, "");
}

void Report::row(std::string_view name, std::string_view value, std::string_view goal)
{
    const auto line = fmt::format("{:<34}{:<30}{:>16}   {}", named_ ? "" : bench_, name, value, goal);
    fmt::print("{}\n", std::string_view{line}.substr(0, line.find_last_not_of(' ') + 1));
    named_ = true;
    std::fflush(stdout);
}

}  // namespace petrel::bench
