// A metric with its values, and the text format in which Prometheus reads it (version 0.0.4).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace petrel::daemon {

enum class MetricType : std::uint8_t { counter, gauge };

struct MetricLabel {
    std::string name;
    std::string value;
};
using MetricLabels = std::vector<MetricLabel>;

struct MetricValue {
    MetricLabels labels;
    double value{};
};

struct MetricFamily {
    const char* name;
    const char* help;  // one line
    MetricType type;
    std::vector<MetricValue> values;
};

// Appends the family; nothing if it has no values.
void write_family(std::string& text, const MetricFamily&);

}  // namespace petrel::daemon
