// What petrel-bench prints: a table for people, or JSON lines. A missed goal is told, not punished: it is a
// measurement.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace petrel::bench {

class Report {
public:
    explicit Report(bool json) : json_(json) {}

    void begin(std::string_view bench);  // the metrics that follow are of this bench
    void metric(std::string_view name, double value, std::optional<double> at_most = std::nullopt);

private:
    bool json_;
    bool heading_{};
    bool named_{};
    std::string bench_;
};

}  // namespace petrel::bench
