#include "device/sonic/lossless_ports.hpp"

#include <vector>

namespace petrel::device::sonic {

namespace {

constexpr auto kOffKey = "PETREL_PFC_WD|lossless_off";

Result<void> change_mark(db::RedisStore& store, const redis::Pipeline& change)
{
    return run(store, db::Db::state, change, [](std::size_t, redis::View) {});
}

}  // namespace

Result<void> LosslessPorts::read(db::RedisStore& store)
{
    const std::string key{kOffKey};
    return store.hashes(db::Db::state, {&key, 1}).map([&](const std::vector<db::Hash>& marks) {
        off_.clear();
        for (const auto& [port, value] : marks[0]) {
            off_.insert(port);
        }
    });
}

Result<void> LosslessPorts::mark(db::RedisStore& store, const std::string& port)
{
    redis::Pipeline set;
    set.add({"HSET", kOffKey, port, "off"});
    return change_mark(store, set).map([&] { off_.insert(port); });
}

Result<void> LosslessPorts::unmark(db::RedisStore& store, const std::string& port)
{
    redis::Pipeline remove;
    remove.add({"HDEL", kOffKey, port});
    return change_mark(store, remove).map([&] { off_.erase(port); });
}

}  // namespace petrel::device::sonic
