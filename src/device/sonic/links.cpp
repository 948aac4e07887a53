#include "device/sonic/links.hpp"

namespace petrel::device::sonic {

Result<void> Links::read(db::RedisStore& store, const Layout& layout)
{
    redis::Pipeline get;
    for (const auto& port : layout.ports) {
        get.add({"HMGET", "PORT_TABLE:" + port.name, "oper_status", "flap_count"});
    }
    return run(store, db::Db::appl, get, [&](std::size_t port, redis::View reply) {
        if (reply.size() != 2) {
            return;
        }
        auto& link = links_[port];
        if (reply[0].text() != link.status || reply[1].text() != link.flaps) {
            link.status = reply[0].text();
            link.flaps = reply[1].text();
            ++link.changes;
        }
    });
}

}  // namespace petrel::device::sonic
