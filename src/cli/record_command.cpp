#include "cli/record_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <optional>

#include "base/complaint_text.hpp"
#include "codec/import/recording.hpp"
#include "codec/import/sonic_counters.hpp"
#include "daemon/driver.hpp"
#include "drivers/sonic_driver.hpp"
#include "runtime/event_loop.hpp"
#include "runtime/signals.hpp"
#include "sonic/redis_store.hpp"
#include "terminal/terminal.hpp"
#include "watchdog/intake.hpp"

namespace petrel::cli {
namespace {

using codec::Column;
using codec::Recording;
using std::chrono::microseconds;

constexpr std::chrono::seconds kRedisPatience{2};

// A device, or all devices of an entry, whose counters are recorded.
class Source {
public:
    virtual ~Source() = default;
    virtual std::vector<Column> columns() const = 0;
    virtual Result<void> look(const Now&, Recording&) = 0;
    virtual void close() {}
};

// Passes the samples of a look on to the recording.
class DeviceSource final : public Source, private watchdog::SampleFilter {
public:
    DeviceSource(std::string name, std::unique_ptr<device::Device> device)
        : name_(std::move(name)), device_(std::move(device))
    {
        device_->set_waker(waker_);
    }

    std::vector<Column> columns() const override
    {
        std::vector<Column> columns{Column::link_up, Column::speed_bps, Column::sampled_us};
        for (std::size_t f = 0; f != watchdog::kFields; ++f) {
            const auto field = static_cast<watchdog::Field>(f);
            if (has(device_->capabilities().fields, field)) {
                columns.push_back(codec::column_of(field));
            }
        }
        return columns;
    }

    Result<void> look(const Now& now, Recording& into) override
    {
        if (!intake_ || generation_ != device_->inventory().generation) {
            generation_ = device_->inventory().generation;
            intake_.emplace(device_->inventory(), device_->capabilities());
            intake_->through(this);
        }
        now_ = now;
        into_ = &into;
        intake_->begin();
        return device_->look({}, *intake_);
    }

    void close() override { static_cast<void>(device_->close()); }

private:
    void pass(watchdog::Sample& sample) override
    {
        const auto& inventory = device_->inventory();
        const auto& row = inventory.rows[sample.slot.value];
        const codec::RecordedQueue queue{name_, inventory.ports[row.target.port.index].name,
                                         row.target.priority ? std::optional{row.target.priority->value}
                                                             : std::nullopt};
        const auto at_us = now_.wall.time_since_epoch().count();
        const auto put = [&](Column column, std::uint64_t value) { into_->add(queue, at_us, column, value); };
        put(Column::link_up, sample.epoch != 0 ? 1 : 0);
        if (row.speed.bps != 0) {
            put(Column::speed_bps, row.speed.bps);
        }
        if (sample.known != 0) {
            const auto before = std::chrono::floor<microseconds>(now_.mono - sample.read_at).count();
            put(Column::sampled_us, static_cast<std::uint64_t>(at_us - before));
        }
        for (std::size_t f = 0; f != watchdog::kFields; ++f) {
            const auto field = static_cast<watchdog::Field>(f);
            if (!has(sample.known, field)) {
                continue;
            }
            put(codec::column_of(field), field == watchdog::Field::pause_state
                                             ? static_cast<std::uint64_t>(sample.pause_state)
                                         : field == watchdog::Field::paused_now ? std::uint64_t{sample.paused_now}
                                                                                : sample[field]);
        }
    }

    std::string name_;
    device::Waker waker_;
    std::unique_ptr<device::Device> device_;
    std::optional<watchdog::Intake> intake_;
    std::uint32_t generation_{};
    Now now_{};
    Recording* into_{};
};

// Reads COUNTERS_DB only: the device of the agent would take SONiC's scripts out.
class SonicSource final : public Source {
public:
    static Result<std::unique_ptr<Source>> open(std::string name, const sonic::Databases& databases)
    {
        sonic::RedisStore store{databases, kRedisPatience};
        const std::vector<std::string> maps{codec::kSonicNameMaps.begin(), codec::kSonicNameMaps.end()};
        auto names = store.hashes(sonic::Db::counters, maps);
        if (!names) {
            return tl::unexpected(std::move(names.error()));
        }
        if (names->front().empty()) {
            return tl::unexpected(Error{ErrorKind::unreachable,
                                        fmt::format("{}: COUNTERS_DB has no {}: SONiC has not created its ports yet",
                                                    name, codec::kSonicNameMaps.front())});
        }
        return std::unique_ptr<Source>{new SonicSource{
            std::move(name), databases,
            codec::SonicCounters{{std::move(names->at(0)), std::move(names->at(1)), std::move(names->at(2))}}}};
    }

    std::vector<Column> columns() const override { return codec::SonicCounters::columns(); }

    Result<void> look(const Now& now, Recording& into) override
    {
        return store_.hashes(sonic::Db::counters, counters_.keys()).map([&](const std::vector<sonic::Hash>& hashes) {
            counters_.read(now.wall.time_since_epoch().count(), hashes, name_, into);
        });
    }

private:
    SonicSource(std::string name, const sonic::Databases& databases, codec::SonicCounters counters)
        : name_(std::move(name)), store_(databases, kRedisPatience), counters_(std::move(counters))
    {}

    std::string name_;
    sonic::RedisStore store_;
    codec::SonicCounters counters_;
};

Result<std::vector<std::unique_ptr<Source>>> open_sources(const RecordOptions& options, daemon::Driver& driver,
                                                          const config::DeviceEntry& entry,
                                                          const device::TimeSource& clock)
{
    const auto entries = driver.check(entry).and_then([&] { return driver.expand(entry); });
    if (!entries) {
        return tl::unexpected(entries.error());
    }
    const auto* databases = dynamic_cast<drivers::SonicDriver*>(&driver);
    std::vector<std::unique_ptr<Source>> sources;
    for (const auto& one : *entries) {
        auto source = databases != nullptr
                          ? databases->databases_of(one).and_then(
                                [&](const sonic::Databases& found) { return SonicSource::open(one.name, found); })
                          : driver
                                .open(one, DeviceId{static_cast<std::uint32_t>(sources.size())}, clock,
                                      [](const std::string& note) { print_stderr("petrel: note: " + escaped(note)); })
                                .map([&](std::unique_ptr<device::Device> opened) -> std::unique_ptr<Source> {
                                    return std::make_unique<DeviceSource>(one.name, std::move(opened));
                                });
        if (!source) {
            return tl::unexpected(std::move(source.error()));
        }
        sources.push_back(std::move(*source));
    }
    if (sources.empty()) {
        return tl::unexpected(Error{ErrorKind::invalid, fmt::format("{}: no such device", options.device)});
    }
    return sources;
}

// The rows of each look are written at once: whatever ends the recording, the file is a trace.
class Recorder {
public:
    Recorder(const RecordOptions& options, runtime::EventLoop& loop, std::vector<std::unique_ptr<Source>> sources)
        : options_(options), loop_(loop), sources_(std::move(sources))
    {}

    Result<void> run()
    {
        due_ = loop_.now().mono;
        look();
        loop_.run();
        for (auto& source : sources_) {
            source->close();
        }
        if (error_) {
            return tl::unexpected(*error_);
        }
        print_stderr(fmt::format("petrel: {} looks recorded", looks_));
        return {};
    }

private:
    void look()
    {
        const auto now = loop_.now();
        Recording recording;
        for (auto& source : sources_) {
            if (const auto read = source->look(now, recording); !read) {
                if (looks_ == 0) {
                    return end(read.error());
                }
                print_stderr("petrel: note: a look failed: " + escaped(read.error().what));
            }
        }
        if (const auto written = write(now, recording); !written) {
            return end(written.error());
        }
        if (++looks_ == options_.looks) {
            return loop_.stop();
        }
        const auto every = std::chrono::milliseconds{options_.every_ms};
        while (due_ <= loop_.now().mono) {
            due_ += every;  // a look that is missed is not made up for
        }
        loop_.at(due_, [this] { look(); });
    }

    Result<void> write(const Now& now, const Recording& recording)
    {
        std::string text;
        if (looks_ == 0) {
            if (recording.empty()) {
                return tl::unexpected(
                    Error{ErrorKind::unsupported,
                          fmt::format("{} has no queue or port whose counters can be recorded", options_.device)});
            }
            if (options_.output != "-") {
                file_.open(options_.output, std::ios::trunc);
                if (!file_) {
                    return tl::unexpected(
                        Error{ErrorKind::invalid, fmt::format("{}: cannot be written", options_.output)});
                }
            }
            table_.begin_us = now.wall.time_since_epoch().count();
            table_.devices = true;
            for (const auto& source : sources_) {
                for (const auto column : source->columns()) {
                    table_.columns.push_back(column);
                }
            }
            std::ranges::sort(table_.columns);
            const auto rest = std::ranges::unique(table_.columns);
            table_.columns.erase(rest.begin(), rest.end());
            text = table_.header();
        }
        text += recording.rows(table_);
        if (options_.output == "-") {
            return write_stdout(text).map([&](bool open) {
                if (!open) {
                    loop_.stop();
                }
            });
        }
        if (!file_.write(text.data(), static_cast<std::streamsize>(text.size())).flush()) {
            return tl::unexpected(Error{ErrorKind::exhausted, fmt::format("{}: cannot be written", options_.output)});
        }
        return {};
    }

    void end(Error error)
    {
        error_ = std::move(error);
        loop_.stop();
    }

    const RecordOptions& options_;
    runtime::EventLoop& loop_;
    std::vector<std::unique_ptr<Source>> sources_;
    codec::RecordedTable table_;
    std::ofstream file_;
    Instant due_;
    std::uint64_t looks_{};
    std::optional<Error> error_;
};

}  // namespace

ExitCode run_record(const RecordOptions& options)
{
    const config::DeviceEntry entry{{}, options.device, {}};
    const auto own = options.parts->make_drivers();
    auto drivers = options.extras != nullptr ? options.extras->drivers : std::vector<daemon::Driver*>{};
    for (const auto& driver : own) {
        drivers.push_back(driver.get());
    }
    auto* driver = daemon::find_driver(drivers, entry);
    if (driver == nullptr) {
        std::vector<std::string_view> kinds;
        std::ranges::transform(drivers, std::back_inserter(kinds), [](const auto* one) { return one->kind(); });
        return refuse({{"--device", 0, 0, options.device,
                        fmt::format("KIND:..., of a kind that there is: {}", fmt::join(kinds, ", "))}});
    }
    auto loop = runtime::EventLoop::make();
    if (!loop) {
        return fail(loop.error());
    }
    // Before the device opens: its threads inherit the blocked signals.
    const auto signals = runtime::Signals::make(**loop, {SIGINT, SIGTERM}, [&](int) { (*loop)->stop(); });
    if (!signals) {
        return fail(signals.error());
    }
    const runtime::SystemClock clock;
    auto sources = open_sources(options, *driver, entry, clock);
    if (!sources) {
        return fail(sources.error());
    }
    const auto recorded = Recorder{options, **loop, std::move(*sources)}.run();
    return recorded ? ExitCode::ok : fail(recorded.error());
}

}  // namespace petrel::cli
