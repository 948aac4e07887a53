#include "device/sai/port_names.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <sstream>

#include "base/complaint_text.hpp"

namespace petrel::device::sai {

namespace {

std::vector<std::string> columns_of(std::string_view line)
{
    std::istringstream stream{std::string{line}};
    std::vector<std::string> columns;
    for (std::string column; stream >> column;) {
        columns.push_back(std::move(column));
    }
    return columns;
}

// "1,2,3,4"
std::optional<std::set<std::uint32_t>> lanes_of(std::string_view text)
{
    std::set<std::uint32_t> lanes;
    while (true) {
        std::uint32_t lane = 0;
        const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), lane);
        if (problem != std::errc{} || !lanes.insert(lane).second) {
            return std::nullopt;
        }
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        if (text.empty()) {
            return lanes;
        }
        if (text.front() != ',') {
            return std::nullopt;
        }
        text.remove_prefix(1);
    }
}

class PortNameReader {
public:
    explicit PortNameReader(std::string_view file) : file_(file) {}

    Parsed<std::vector<NamedPort>> read(std::string_view text)
    {
        for (number_ = 1; !text.empty(); ++number_) {
            const auto end = text.find('\n');
            const auto line = text.substr(0, end);
            text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
            const auto columns = columns_of(line);
            if (columns.empty()) {
                continue;
            }
            if (columns.front().starts_with('#')) {
                take_header(columns_of(line.substr(line.find('#') + 1)));
            } else {
                take_port(line, columns);
            }
        }
        if (!complaints_.empty()) {
            return tl::unexpected(std::move(complaints_));
        }
        return std::move(ports_);
    }

private:
    void take_header(const std::vector<std::string>& titles)
    {
        const auto at = [&](std::string_view title) {
            return static_cast<std::size_t>(std::ranges::find(titles, title) - titles.begin());
        };
        if (ports_.empty() && at("name") != titles.size() && at("lanes") != titles.size()) {
            name_at_ = at("name");
            lanes_at_ = at("lanes");
        }
    }

    void take_port(std::string_view line, const std::vector<std::string>& columns)
    {
        if (columns.size() <= std::max(name_at_, lanes_at_)) {
            return wrong(line, "a port: its name and its lanes");
        }
        const auto& name = columns[name_at_];
        const auto lanes = lanes_of(columns[lanes_at_]);
        if (!printable(name) || std::ranges::find(ports_, name, &NamedPort::name) != ports_.end()) {
            return wrong(name, "a name that no other port has");
        }
        if (!lanes) {
            return wrong(columns[lanes_at_], "lanes, as 1,2,3,4");
        }
        for (const auto lane : *lanes) {
            if (!lanes_.insert(lane).second) {
                return wrong(columns[lanes_at_], "lanes that no other port has");
            }
        }
        ports_.push_back({name, *lanes});
    }

    void wrong(std::string_view value, std::string allowed)
    {
        complaints_.push_back({file_, number_, 1, std::string{value}, std::move(allowed)});
    }

    std::string file_;
    std::uint32_t number_{};
    std::size_t name_at_{0};
    std::size_t lanes_at_{1};
    std::vector<NamedPort> ports_;
    std::set<std::uint32_t> lanes_;
    std::vector<Complaint> complaints_;
};

}  // namespace

Parsed<std::vector<NamedPort>> parse_port_names(std::string_view text, std::string_view file)
{
    return PortNameReader{file}.read(text);
}

}  // namespace petrel::device::sai
