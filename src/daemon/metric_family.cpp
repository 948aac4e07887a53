#include "daemon/metric_family.hpp"

#include <fmt/format.h>

#include <iterator>
#include <string_view>

namespace petrel::daemon {

namespace {

std::string_view name_of(MetricType type) { return type == MetricType::counter ? "counter" : "gauge"; }

void write_escaped(std::string& text, std::string_view value)
{
    for (const char c : value) {
        switch (c) {
        case '\\': text += "\\\\"; break;
        case '"': text += "\\\""; break;
        case '\n': text += "\\n"; break;
        default: text += c;
        }
    }
}

void write_labels(std::string& text, const MetricLabels& labels)
{
    char before = '{';
    for (const auto& [name, value] : labels) {
        text += before;
        text += name;
        text += "=\"";
        write_escaped(text, value);
        text += '"';
        before = ',';
    }
    text += labels.empty() ? "" : "}";
}

}  // namespace

void write_family(std::string& text, const MetricFamily& family)
{
    if (family.values.empty()) {
        return;
    }
    fmt::format_to(std::back_inserter(text), "# HELP {} {}\n# TYPE {} {}\n", family.name, family.help, family.name,
                   name_of(family.type));
    for (const auto& [labels, value] : family.values) {
        text += family.name;
        write_labels(text, labels);
        fmt::format_to(std::back_inserter(text), " {}\n", value);
    }
}

}  // namespace petrel::daemon
