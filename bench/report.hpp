// The output of petrel-bench: a table, or JSON lines. A missed goal is reported but is not an error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace petrel::bench {

struct Goal {
    enum class Kind : std::uint8_t { at_most, at_least } kind;
    double value;

    bool met_by(double measured) const { return kind == Kind::at_most ? measured <= value : measured >= value; }
};
constexpr Goal at_most(double value) { return {Goal::Kind::at_most, value}; }
constexpr Goal at_least(double value) { return {Goal::Kind::at_least, value}; }

class Report {
public:
    explicit Report(bool json);  // prints the heading of the table

    void begin(std::string_view bench);  // the next metrics belong to this bench
    void metric(std::string_view name, double value, std::optional<Goal> = std::nullopt);
    void text(std::string_view name, std::string_view value);  // a value to compare, not a measurement

private:
    void row(std::string_view name, std::string_view value, std::string_view goal);

    bool json_;
    bool named_{};
    std::string bench_;
};

}  // namespace petrel::bench
