// Tables as sent over the control socket and stored in a file: hashes by key, and changes of them. sonic/store.hpp
// gives them their meaning.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace petrel::control {

using TableHash = std::map<std::string, std::string>;
using TableContent = std::map<std::string, TableHash, std::less<>>;  // by key: "PFC_WD|Ethernet0"

// One change of one hash.
struct TableChange {
    enum class Kind : std::uint8_t {
        set,      // sets these fields; the others stay
        remove,   // removes these fields (their values are ignored); a hash without fields is deleted
        replace,  // these become all fields of the hash; none = deletes the hash
        count_
    } kind{};
    std::string key;
    TableHash fields;
    bool operator==(const TableChange&) const = default;
};

}  // namespace petrel::control
