// Tables as they go over the control socket and into a file: hashes by key, and changes of them. What they mean is
// SONiC's business (sonic/store.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace petrel::codec {

using TableHash = std::map<std::string, std::string>;
using TableContent = std::map<std::string, TableHash, std::less<>>;  // by key: "PFC_WD|Ethernet0"

// One change of one hash.
struct TableChange {
    enum class Kind : std::uint8_t {
        set,      // these fields; the others stay
        remove,   // these fields (their values do not matter); a hash without fields is gone
        replace,  // these are all its fields; none = it is gone
        count_
    } kind{};
    std::string key;
    TableHash fields;
    bool operator==(const TableChange&) const = default;
};

}  // namespace petrel::codec
