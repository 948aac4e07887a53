// A set of numbers as ranges, for numbers that arrive in any order, repeatedly, and mostly without gaps.
#pragma once

#include <cstdint>
#include <map>

namespace petrel::fabric {

class NumberRanges {
public:
    void add(std::uint64_t number);
    void add_all_to(std::uint64_t last);  // 1 to `last`
    bool contains(std::uint64_t number) const;

    // How many numbers between the least and the greatest are not in the set.
    std::uint64_t missing() const;

private:
    std::map<std::uint64_t, std::uint64_t> ranges_;  // first to last; at least one number lies between two ranges
};

}  // namespace petrel::fabric
