// An oracle judges a run by one law that holds whatever the scenario is. It sees the run as glances, two at a time, and
// the ending. It only reads, so it does not change the run.
#pragma once

#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "swarm/glance.hpp"

namespace petrel::swarm {

struct Violation {
    std::string oracle;
    Ps at{};
    std::string where;
    std::string what;  // one sentence
};

// The same law is broken in the same way. Only times and counts may differ.
inline bool same_cause(const Violation& one, const Violation& other)
{
    const auto words = [](std::string text) {
        std::erase_if(text, [](unsigned char letter) { return std::isdigit(letter) != 0; });
        return text;
    };
    return one.oracle == other.oracle && words(one.what) == words(other.what);
}

// The name under which a scenario that cannot be run is reported.
inline constexpr std::string_view kDrawOracle = "the draw";

class Oracle {
public:
    explicit Oracle(std::string_view name) : name_(name) {}
    virtual ~Oracle() = default;
    Oracle(const Oracle&) = delete;
    Oracle& operator=(const Oracle&) = delete;

    // Called for each pair of consecutive glances.
    virtual void look(const Glance& before, const Glance& now) = 0;
    virtual void end(const Glance& last, const Ending&) { static_cast<void>(last); }

    const std::vector<Violation>& violations() const { return violations_; }

protected:
    // Only the first violation of a run is kept: those after it are often its consequences.
    void violated(Ps at, const std::string& where, const std::string& what)
    {
        if (violations_.empty()) {
            violations_.push_back({std::string{name_}, at, where, what});
        }
    }

private:
    std::string_view name_;
    std::vector<Violation> violations_;
};

}  // namespace petrel::swarm
