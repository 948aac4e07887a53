// Parts of sentences about scenarios.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "scenario/scenario.hpp"

namespace petrel::reports {

std::string listed(const std::vector<std::string>& names);  // "a, b and c"
std::string priority_text(std::uint8_t priorities);         // "priorities 3 and 4"
// "h0, h1 and h2"; of longer lists the rest is only counted.
std::string node_text(std::span<const scenario::NodeId>, const topology::Topology&);

// Entries of equal time keep their order.
template <class T, class Time>
std::vector<const T*> by_time(const std::vector<T>& all, Time time)
{
    std::vector<const T*> sorted;
    for (const auto& one : all) {
        sorted.push_back(&one);
    }
    std::sort(sorted.begin(), sorted.end(),
              [&](const T* a, const T* b) { return std::pair{time(*a), a} < std::pair{time(*b), b}; });
    return sorted;
}

}  // namespace petrel::reports
