// The names by which the exec protocol refers to rows and ports: "Ethernet4:3" is a queue, "Ethernet4" a port. A name
// keeps its meaning when ports come and go; a row number does not.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "watchdog/observation.hpp"

namespace petrel::codec {

class ExecNames {
public:
    explicit ExecNames(const watchdog::Inventory&);

    std::optional<Slot> row(std::string_view name) const;
    std::optional<Target> target(std::string_view name) const;  // a row or a port
    bool is_port(std::string_view name) const
    {
        const auto found = target(name);
        return found && !found->priority;
    }
    const std::string& name(Slot row) const { return names_[row.value]; }
    // A name that stands for two rows or ports ("a:3" is queue 3 of port "a" and a port of that name); empty = none.
    const std::string& ambiguous() const { return ambiguous_; }

private:
    std::vector<std::string> names_;  // by row
    std::map<std::string, Slot, std::less<>> rows_;
    std::map<std::string, Target, std::less<>> targets_;
    std::string ambiguous_;
};

}  // namespace petrel::codec
