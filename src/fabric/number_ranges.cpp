#include "fabric/number_ranges.hpp"

#include <algorithm>
#include <iterator>

namespace petrel::fabric {

bool NumberRanges::contains(std::uint64_t number) const
{
    const auto after = ranges_.upper_bound(number);
    return after != ranges_.begin() && number <= std::prev(after)->second;
}

void NumberRanges::add(std::uint64_t number)
{
    if (contains(number)) {
        return;
    }
    const auto after = ranges_.upper_bound(number);
    const bool joins_after = after != ranges_.end() && after->first == number + 1;
    const auto last = joins_after ? after->second : number;
    if (after != ranges_.begin() && std::prev(after)->second + 1 == number) {
        std::prev(after)->second = last;
    } else {
        ranges_.emplace(number, last);
    }
    if (joins_after) {
        ranges_.erase(after);
    }
}

void NumberRanges::add_all_to(std::uint64_t last)
{
    if (last == 0) {
        return;
    }
    auto end = last;
    auto range = ranges_.begin();
    while (range != ranges_.end() && range->first <= last + 1) {
        end = std::max(end, range->second);
        range = ranges_.erase(range);
    }
    ranges_.emplace(1, end);
}

std::uint64_t NumberRanges::missing() const
{
    std::uint64_t count = 0;
    for (auto range = ranges_.begin(); range != ranges_.end() && std::next(range) != ranges_.end(); ++range) {
        count += std::next(range)->first - range->second - 1;
    }
    return count;
}

}  // namespace petrel::fabric
