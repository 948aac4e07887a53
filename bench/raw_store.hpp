// SQLite alone with the manager's tables: what storing the same rows costs without a manager.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "fabric/device_state.hpp"

namespace petrel::bench {

class RawStore {
public:
    explicit RawStore(const std::filesystem::path&);
    ~RawStore();
    RawStore(const RawStore&) = delete;
    RawStore& operator=(const RawStore&) = delete;

    void begin() { run("BEGIN"); }
    void commit() { run("COMMIT"); }
    void insert_event(std::int64_t source, std::uint64_t number, std::string_view port, std::string_view text,
                      std::string_view event);
    void insert_sample(const fabric::QueueSample&);

private:
    void run(const char* sql);

    sqlite3* database_{};
    sqlite3_stmt* event_{};
    sqlite3_stmt* sample_{};
};

}  // namespace petrel::bench
