// pfc_stat_history of the queues that ask for it. SONiC's script filled it, and rests while we watch: so with each poll
// in which there was pause we write into the counters of the port what it would have shown (sonic/pause_history.hpp).
#pragma once

#include <cstdint>
#include <map>

#include "device/sonic/reader.hpp"
#include "sonic/pause_history.hpp"

namespace petrel::device::sonic {

class Histories {
public:
    // Who asks for it now. One that begins goes on with the total that is there.
    Result<void> follow(db::RedisStore&, const Reader&);
    // What a poll has shown of a queue, with stamp and epoch.
    void see(const watchdog::Sample&, WallTime now);
    // What has changed since it was last written.
    Result<void> write(db::RedisStore&, const Layout&);

private:
    struct Kept {
        db::PauseHistory history;
        Instant read_at;
        std::uint32_t epoch{};
        bool changed{};
    };

    std::map<std::uint32_t, Kept> kept_;  // by row
};

}  // namespace petrel::device::sonic
