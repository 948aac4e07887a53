// A scenario file under construction: its tables in their order, each with its keys and their values as TOML. The
// swarm draws a draft, and the shrinker removes parts of it. Its text is a file that `petrel lab run` reads.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace petrel::swarm {

struct DraftKey {
    std::string name;
    std::string value;  // TOML: 3, "5ms", true
};

struct DraftTable {
    std::string heading;  // "[topology]", "[[fault]]"; empty: the keys before the first table
    std::vector<DraftKey> keys;

    const std::string* find(std::string_view key) const;
};

struct Draft {
    std::vector<DraftTable> tables;
};

std::string text_of(const Draft&);

}  // namespace petrel::swarm
