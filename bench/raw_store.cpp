#include "raw_store.hpp"

#include <array>
#include <utility>

#include "base/assert.hpp"
#include "manager/store.hpp"

namespace petrel::bench {

namespace {

constexpr std::int64_t kTaken_us = 3'600'000'000;

void bind_text(sqlite3_stmt* statement, int column, std::string_view text)
{
    ::sqlite3_bind_text(statement, column, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
}

void insert(sqlite3_stmt* statement)
{
    PETREL_ASSERT(::sqlite3_step(statement) == SQLITE_DONE, "not inserted");
    ::sqlite3_reset(statement);
}

}  // namespace

// The manager makes the tables and their indexes; the settings are its own as well.
RawStore::RawStore(const std::filesystem::path& file)
{
    PETREL_ASSERT(manager::Store::open(file), "no store");
    PETREL_ASSERT(::sqlite3_open(file.c_str(), &database_) == SQLITE_OK, "no database");
    run("PRAGMA locking_mode = EXCLUSIVE");
    run("PRAGMA journal_mode = WAL");
    run("PRAGMA synchronous = FULL");
    for (const auto& [statement, sql] :
         {std::pair{&event_, "INSERT OR IGNORE INTO event(source, epoch, number, kind, port, priority, cause, "
                             "neighbour_reason, at_us, taken_us, text, event) VALUES(?,?,?,?,?,?,?,?,?,?,?,?)"},
          {&sample_, "INSERT OR IGNORE INTO sample(device, port, queue, time_us, paused_us, tx_packets, rx_pfc, "
                     "taken_us) VALUES(?,?,?,?,?,?,?,?)"}}) {
        PETREL_ASSERT(::sqlite3_prepare_v2(database_, sql, -1, statement, nullptr) == SQLITE_OK, "{}", sql);
    }
}

RawStore::~RawStore()
{
    ::sqlite3_finalize(event_);
    ::sqlite3_finalize(sample_);
    ::sqlite3_close(database_);
}

void RawStore::insert_event(std::int64_t source, std::uint64_t number, std::string_view port, std::string_view text,
                            std::string_view event)
{
    const auto count = static_cast<std::int64_t>(number);
    for (const auto& [column, value] : {std::pair{1, source},
                                        {2, std::int64_t{0}},
                                        {3, count},
                                        {4, std::int64_t{0}},
                                        {6, std::int64_t{3}},
                                        {7, std::int64_t{17}},
                                        {8, std::int64_t{0}},
                                        {9, count * 1000},
                                        {10, kTaken_us}}) {
        ::sqlite3_bind_int64(event_, column, value);
    }
    bind_text(event_, 5, port);
    bind_text(event_, 11, text);
    bind_text(event_, 12, event);
    insert(event_);
}

void RawStore::insert_sample(const fabric::QueueSample& sample)
{
    bind_text(sample_, 1, sample.port.device);
    bind_text(sample_, 2, sample.port.port);
    for (const auto& [column, value] : {std::pair{3, std::int64_t{sample.queue.value}},
                                        {4, std::int64_t{sample.at.time_since_epoch().count()}},
                                        {5, static_cast<std::int64_t>(sample.paused_us)},
                                        {6, static_cast<std::int64_t>(sample.tx_packets)},
                                        {7, static_cast<std::int64_t>(sample.rx_pfc)},
                                        {8, kTaken_us}}) {
        ::sqlite3_bind_int64(sample_, column, value);
    }
    insert(sample_);
}

void RawStore::run(const char* sql)
{
    PETREL_ASSERT(::sqlite3_exec(database_, sql, nullptr, nullptr, nullptr) == SQLITE_OK, "{}", sql);
}

}  // namespace petrel::bench
