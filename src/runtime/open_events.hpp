// Which events of a history opened something that is still open: a storm, a pause that lasts too long, a link that is
// down. A full history forgets other events first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "runtime/state_format.hpp"

namespace petrel::runtime {

class OpenEvents {
public:
    void add(const StoredEvent&);  // in the order of seq
    void forget(const StoredEvent&);
    bool contains(std::uint64_t seq) const { return numbers_.contains(seq); }
    std::size_t size() const { return numbers_.size(); }

private:
    std::map<std::string, std::uint64_t> opened_by_;  // what is open, to the number of the event
    std::set<std::uint64_t> numbers_;
};

}  // namespace petrel::runtime
