#include "device/sonic/histories.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace petrel::device::sonic {

namespace {

using watchdog::Field;
using watchdog::has;

std::string counters_of_port(const Layout& layout, std::uint32_t row)
{
    return "COUNTERS:" + layout.ports[layout.queues[row].port].oid;
}

}  // namespace

Result<void> Histories::follow(db::RedisStore& store, const Reader& reader)
{
    const auto& layout = reader.layout();
    std::vector<std::uint32_t> begin;
    redis::Pipeline get;
    for (std::uint32_t row = 0; row != layout.queues.size(); ++row) {
        const bool wanted = reader[Slot{row}].history && !layout.ports[layout.queues[row].port].oid.empty();
        if (!wanted) {
            kept_.erase(row);
        } else if (!kept_.contains(row)) {
            begin.push_back(row);
            get.add({"HGETALL", counters_of_port(layout, row)});
        }
    }
    if (begin.empty()) {
        return {};
    }
    return run(store, db::Db::counters, get, [&](std::size_t i, redis::View reply) {
        db::Hash shown;
        for (std::size_t field = 0; field + 1 < reply.size(); field += 2) {
            shown.emplace(reply[field].text(), reply[field + 1].text());
        }
        kept_.emplace(begin[i], Kept{{layout.queues[begin[i]].priority, shown}, {}, 0, false});
    });
}

void Histories::see(const watchdog::Sample& sample, WallTime now)
{
    const auto at = kept_.find(sample.slot.value);
    if (at == kept_.end() || sample.read_at == at->second.read_at) {
        return;
    }
    auto& [history, read_at, epoch, changed] = at->second;
    db::PauseLook look{now, {}, {}, {}};
    const auto before = std::exchange(read_at, sample.read_at);
    if (std::exchange(epoch, sample.epoch) == sample.epoch && sample.epoch != 0) {
        look.interval = std::chrono::floor<std::chrono::microseconds>(read_at - before);
    }
    if (has(sample.known, Field::paused_now)) {
        look.paused_now = sample.paused_now;
    }
    if (has(sample.known, Field::pause_us)) {
        look.pause_us = sample[Field::pause_us];
    }
    changed = history.see(look);
}

Result<void> Histories::write(db::RedisStore& store, const Layout& layout)
{
    redis::Pipeline set;
    for (auto& [row, kept] : kept_) {
        if (std::exchange(kept.changed, false)) {
            const auto key = counters_of_port(layout, row);
            const auto fields = kept.history.fields();
            std::vector<std::string_view> arguments{"HSET", key};
            for (const auto& [name, value] : fields) {
                arguments.push_back(name);
                arguments.push_back(value);
            }
            set.add(arguments);
        }
    }
    return set.empty() ? Result<void>{} : run(store, db::Db::counters, set, [](std::size_t, redis::View) {});
}

}  // namespace petrel::device::sonic
