// How this adapter sends commands to SONiC's databases: many in one pipeline. A connection that failed is opened again
// by the next call.
#pragma once

#include "redis/connection.hpp"
#include "sonic/redis_store.hpp"

namespace petrel::device::sonic {

namespace db = petrel::sonic;

inline Result<void> run(db::RedisStore& store, db::Db database, const redis::Pipeline& pipeline,
                        const redis::Connection::Visit& visit)
{
    return store.connection(database)
        .and_then([&](redis::Connection* open) { return open->run(pipeline, visit); })
        .map_error([&](Error error) {
            store.forget(database);
            return error;
        });
}

}  // namespace petrel::device::sonic
