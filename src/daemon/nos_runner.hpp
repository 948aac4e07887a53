// The conversation with the network operating system: collects in the loop what there is to tell, and has it told in a
// thread of its own, which may take as long as it likes.
//
// Contract: lives in the loop's thread, and so do all calls and callbacks.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "daemon/nos.hpp"
#include "daemon/runners.hpp"
#include "runtime/event_loop.hpp"
#include "runtime/job_thread.hpp"

namespace petrel::daemon {

class NosRunner {
public:
    struct Calls {
        std::function<void(codec::PolicyFile)> configured;  // others than before
        std::function<void(const Log::Line&)> say;
    };

    // The runners may be none yet; they outlive it.
    NosRunner(runtime::EventLoop&, std::unique_ptr<Nos>, const std::vector<std::unique_ptr<DeviceRunner>>&, Calls);
    ~NosRunner();

    void start();
    void heard(const DeviceRunner&, const watchdog::Event&);

    // Asks for tables, or changes them: who asks sees how things are now, and what was changed is in force when `done`
    // is called.
    using Answered = std::function<void(const Result<codec::TableReport>&)>;
    void tables(codec::ControlRequest, Answered);

    // Tells the last things and leaves; then `done` is called, whatever came of it.
    void stop(std::function<void()> done);

    // Why it cannot be reached, or what of its configuration is not in force; empty = all is well.
    const std::string& trouble() const { return trouble_.empty() ? concern_ : trouble_; }
    std::string_view name() const { return nos_->name(); }

private:
    // What of a device was told already.
    struct Progress {
        std::uint64_t watchlist{};
        std::set<NosQueue> queues;   // that it has
        std::uint32_t next_row{};    // those from here on were not yet
        std::set<Slot> changed;      // of those before
        Instant next_statistics{};   // of what is mitigated, which change without an event
        std::uint32_t next_count{};  // the row whose counts are told next
        Instant next_counts{};       // when those of the first one may be told again
    };

    void exchange();
    Nos::Told collect();
    void collect(const DeviceRunner&, Progress&, Nos::Told&);
    void collect_counts(const DeviceRunner&, Progress&, Nos::Told&);
    void take(Nos::Heard);
    void follow(Nos::Heard);
    void finish();

    runtime::EventLoop& loop_;
    std::unique_ptr<Nos> nos_;
    const std::vector<std::unique_ptr<DeviceRunner>>& runners_;
    Calls calls_;
    std::shared_ptr<bool> alive_{std::make_shared<bool>(true)};
    std::map<const DeviceRunner*, Progress> progress_;
    std::vector<NosEvent> events_;
    std::optional<runtime::EventLoop::TimerId> timer_;
    std::function<void()> stopping_;
    bool under_way_{};
    bool last_told_{};     // what the stop has brought about is in the exchange under way, or was in the last one
    std::size_t asked_{};  // for tables, and not answered yet
    std::optional<Duration> counts_every_;
    std::string trouble_;
    std::string concern_;
    runtime::JobThread thread_;  // the last: it uses all the others
};

}  // namespace petrel::daemon
