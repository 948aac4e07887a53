// The manager's memory: all messages of all devices, in one SQLite file. A message is durable when append() returns, so
// a manager that is killed at any moment shows the same view after its next start. Another process cannot open the file
// meanwhile.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "fabric/message.hpp"

namespace SQLite {
class Database;
}

namespace petrel::manager {

using HeardTimes = std::map<std::string, WallTime>;  // when each device last reported

class Store {
public:
    static Result<std::unique_ptr<Store>> open(const std::filesystem::path&);
    ~Store();
    Store(const Store&) = delete;
    Store& operator=(const Store&) = delete;

    // Everything or nothing. A message whose source and position are stored is ignored. Returns how many are new.
    Result<std::size_t> append(std::span<const fabric::Message>, const HeardTimes&);

    Result<std::vector<fabric::Message>> messages() const;  // in the order of each source
    Result<HeardTimes> heard() const;

private:
    Store(std::unique_ptr<SQLite::Database>, std::string path);

    std::unique_ptr<SQLite::Database> database_;
    std::string path_;
};

}  // namespace petrel::manager
