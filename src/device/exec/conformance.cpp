#include "device/exec/conformance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/complaint_text.hpp"
#include "codec/exec/exec_request.hpp"
#include "device/exec/checklist.hpp"

namespace petrel::device::exec {

namespace {

using codec::ExecMessage;
using watchdog::Field;
using watchdog::Sample;
using watchdog::Treatment;

constexpr std::string_view kStranger = "no-such-port:0";  // a queue that no inventory has
constexpr Duration kTryDetect = std::chrono::milliseconds{200};
constexpr Duration kTryRestore = std::chrono::milliseconds{400};

template <class Enum>
std::vector<Enum> members(std::uint32_t set)
{
    std::vector<Enum> list;
    for (auto one = Enum{}; one != Enum::count_; one = static_cast<Enum>(static_cast<unsigned>(one) + 1)) {
        if (has(set, one)) {
            list.push_back(one);
        }
    }
    return list;
}

class Kit {
public:
    Kit(const StartHelper& start, const TimeSource& clock, const std::optional<std::string>& treat)
        : list_(start, clock), treat_(treat)
    {}

    std::vector<Check> run() &&
    {
        list_.hello([this] { return start(); });
        list_.check("look at all rows", [this] { return look_at_all(); });
        list_.check("look at one row", [this] { return look_at_one(); });
        list_.check("declared fields", [this] { return find_fields(); });
        list_.check("counters and stamps only grow", [this] { return look_again(); });
        if (hello_.capabilities.reads_links) {
            list_.check_links([this](std::string_view name) { return names().is_port(name); });
        }
        list_.check_unknown_call();
        list_.check("unknown row", [this] { return look_at_stranger(); });
        list_.check("unknown target", [this] { return prepare_stranger(); });
        list_.check("unsupported treatment", [this] { return prepare_unsupported(); });
        list_.check("prepare only reads", [this] { return prepare_each(); });
        for (const auto treatment : members<Treatment>(hello_.capabilities.treatments)) {
            check_treated(fmt::format("treatment {}", name(treatment)),
                          [this, treatment] { return treat_and_restore(treatment); });
        }
        if (hello_.capabilities.detects_itself) {
            check_treated("watch_by_itself", [this] { return delegate(); });
        }
        return list_.end([this] { return start(); });
    }

private:
    template <class Run>
    void check_treated(std::string name, Run run)
    {
        if (!treat_) {
            return list_.skip_treated(std::move(name), "queue", names().name(Slot{0}));
        }
        list_.check(std::move(name), std::move(run));
    }

    const codec::ExecNames& names() const { return names_.front(); }
    template <class Make>
    Result<ExecMessage> ask(Make make)
    {
        return list_.ask(make);
    }

    Seen start()
    {
        const auto hello = list_.start().and_then([this] { return list_.conversation().hello(); });
        if (!hello) {
            return tl::unexpected(hello.error());
        }
        hello_ = *hello;
        names_.assign(1, codec::ExecNames{hello_.inventory});
        if (hello_.inventory.rows.empty()) {
            return wrong("inventory.ports has no priority and no port_row: allowed is at least one row");
        }
        if (treat_ && !names().row(*treat_)) {
            return wrong(fmt::format("the inventory has no queue '{}', which --treat names", excerpt(*treat_)));
        }
        return fmt::format("'{}' speaks protocol {}, has {} ports and {} rows and answers within {} ms", hello_.name,
                           codec::kExecProtocol, hello_.inventory.ports.size(), hello_.inventory.rows.size(),
                           whole_ms(hello_.answer_within));
    }

    Result<codec::ExecSamples> look(std::span<const Slot> rows)
    {
        return ask([&](std::uint64_t id) { return codec::exec_look(id, names(), rows); })
            .and_then([&](const ExecMessage& answer) {
                return answer.samples(names(), hello_.capabilities.fields, list_.now());
            });
    }

    // The rows that the answer leaves out.
    std::vector<std::string> left_out(const codec::ExecSamples& samples, std::span<const Slot> rows) const
    {
        std::vector<std::string> missing;
        for (const auto row : rows) {
            if (std::ranges::find(samples.read, row, &Sample::slot) == samples.read.end() &&
                std::ranges::find(samples.unreadable, names().name(row), &UnseenQueue::queue) ==
                    samples.unreadable.end()) {
                missing.push_back(names().name(row));
            }
        }
        return missing;
    }

    Seen look_at(std::span<const Slot> request, std::span<const Slot> expected, codec::ExecSamples& into)
    {
        return look(request).and_then([&](codec::ExecSamples samples) -> Seen {
            if (const auto missing = left_out(samples, expected); !missing.empty()) {
                return wrong(fmt::format("the answer leaves out {}: allowed is each row, with `unreadable` if it "
                                         "cannot be read",
                                         fmt::join(missing, ", ")));
            }
            into = std::move(samples);
            return fmt::format("{} read, {} unreadable", into.read.size(), into.unreadable.size());
        });
    }

    std::vector<Slot> all_rows() const
    {
        std::vector<Slot> rows;
        for (std::uint32_t row = 0; row != hello_.inventory.rows.size(); ++row) {
            rows.push_back(Slot{row});
        }
        return rows;
    }

    Seen look_at_all() { return look_at({}, all_rows(), first_); }

    Seen look_at_one()
    {
        const std::vector row{all_rows().back()};
        codec::ExecSamples samples;
        return look_at(row, row, samples);
    }

    // A port without a link may have no counters.
    Seen find_fields() const
    {
        watchdog::Fields known = 0;
        bool any_link = false;
        for (const auto& sample : first_.read) {
            known |= sample.known;
            any_link = any_link || sample.epoch != 0;
        }
        std::vector<std::string_view> missing;
        for (const auto field : members<Field>(hello_.capabilities.fields & ~known)) {
            missing.push_back(watchdog::name(field));
        }
        if (any_link && !missing.empty()) {
            return wrong(fmt::format("no sample has {}: allowed in capabilities.fields is what can be read",
                                     fmt::join(missing, ", ")));
        }
        return any_link ? "each is in a sample" : "no port has a link";
    }

    Seen look_again()
    {
        codec::ExecSamples second;
        return look_at({}, all_rows(), second).and_then([&](const std::string& seen) -> Seen {
            for (const auto& now : second.read) {
                const auto before = std::ranges::find(first_.read, now.slot, &Sample::slot);
                if (before == first_.read.end()) {
                    continue;
                }
                if (now.read_at < before->read_at) {
                    return wrong(fmt::format("{}: at_us goes from {} to {}: allowed is a later time",
                                             names().name(now.slot), whole_us(before->read_at), whole_us(now.read_at)));
                }
                const auto counters = now.epoch == before->epoch ? before->known & now.known & ~watchdog::kLevels : 0;
                for (const auto field : members<Field>(counters)) {
                    if (now[field] < (*before)[field]) {
                        return wrong(fmt::format("{}: {} goes from {} to {}: allowed is that it grows within an epoch",
                                                 names().name(now.slot), watchdog::name(field), (*before)[field],
                                                 now[field]));
                    }
                }
            }
            return seen;
        });
    }

    Seen look_at_stranger()
    {
        return list_.ask_raw(fmt::format(R"("call":"look","rows":["{}"])", kStranger))
            .and_then([&](const ExecMessage& answer) {
                return answer.samples(names(), hello_.capabilities.fields, list_.now());
            })
            .map([](const codec::ExecSamples&) { return std::string{"left out"}; });
    }

    Seen prepare_stranger()
    {
        return expect_error(ask([](std::uint64_t id) { return codec::exec_prepare(id, kStranger, Treatment::none); }),
                            std::nullopt, "an error");
    }

    Seen prepare_unsupported()
    {
        const auto others = members<Treatment>(~hello_.capabilities.treatments & ~bit(Treatment::none));
        if (others.empty()) {
            return "the helper has every treatment";
        }
        return expect_error(ask([&](std::uint64_t id) {
                                return codec::exec_prepare(id, target(others.front(), names().name(Slot{0})),
                                                           others.front());
                            }),
                            ErrorKind::unsupported, "an error of the kind unsupported");
    }

    // A treatment of the whole port has the port as its target.
    std::string target(Treatment treatment, std::string_view row) const
    {
        const auto& inventory = hello_.inventory;
        auto of_row = inventory.rows[names().row(row)->value].target;
        if (has(hello_.capabilities.port_wide, treatment)) {
            of_row.priority.reset();
        }
        return to_string(inventory, of_row);
    }

    Result<Undo> prepare(const std::string& at, Treatment want)
    {
        return during("prepare", ask([&](std::uint64_t id) {
                                     return codec::exec_prepare(id, at, want);
                                 }).and_then([](const ExecMessage& answer) { return answer.undo(); }));
    }

    Result<void> apply(const std::string& at, Treatment want, const Undo& undo)
    {
        return during(fmt::format("apply {}", name(want)),
                      ask([&](std::uint64_t id) {
                          return codec::exec_apply(id, at, want, undo);
                      }).and_then([](const ExecMessage& answer) { return answer.done(); }));
    }

    Result<Treatment> read_back(const std::string& at)
    {
        return during("read_back", ask([&](std::uint64_t id) {
                                       return codec::exec_read_back(id, at);
                                   }).and_then([](const ExecMessage& answer) { return answer.treatment(); }));
    }

    // The treatment that the helper shows; `want` where it cannot show one.
    Result<void> expect(const std::string& at, Treatment want, std::string_view when)
    {
        if (!hello_.capabilities.reads_back) {
            return {};
        }
        return read_back(at).and_then([&](Treatment shown) -> Result<void> {
            if (shown != want) {
                return wrong(fmt::format("{}, read_back shows {}: allowed is {}", when, name(shown), name(want)));
            }
            return {};
        });
    }

    Seen prepare_each()
    {
        std::vector<std::string_view> prepared;
        for (const auto treatment : members<Treatment>(hello_.capabilities.treatments)) {
            const auto at = target(treatment, treat_.value_or(names().name(Slot{0})));
            const auto shown = hello_.capabilities.reads_back ? read_back(at) : Treatment::none;
            auto unchanged = shown.and_then([&](Treatment before) {
                return prepare(at, treatment).and_then([&](const Undo&) {
                    return expect(at, before, "after prepare");
                });
            });
            if (!unchanged) {
                return tl::unexpected(unchanged.error());
            }
            prepared.push_back(name(treatment));
        }
        return fmt::format("{}", fmt::join(prepared, ", "));
    }

    // Restores in a new helper, because the agent may have been killed in between.
    Seen treat_and_restore(Treatment treatment)
    {
        const auto at = target(treatment, *treat_);
        const auto undo = prepare(at, treatment);
        if (!undo) {
            return tl::unexpected(undo.error());
        }
        const auto treated = apply(at, treatment, *undo)
                                 .and_then([&] { return expect(at, treatment, "after apply"); })
                                 .and_then([&] { return apply(at, treatment, *undo); })
                                 .and_then([&] { return expect(at, treatment, "after the same apply again"); })
                                 .and_then([&] { return during("close", list_.conversation().close()); });
        const auto again = list_.conversation().ended() ? start().map([](const std::string&) {}) : Result<void>{};
        const auto restored =
            again.and_then([&] { return apply(at, Treatment::none, *undo); })
                .and_then([&] { return expect(at, Treatment::none, "after the restore in a new helper"); })
                .and_then([&] { return apply(at, Treatment::none, Undo{}); })
                .and_then([&] { return expect(at, Treatment::none, "after a restore without an undo"); });
        return (treated ? restored : treated).map([&] {
            return fmt::format("applied twice at {}, restored in a new helper", at);
        });
    }

    Seen delegate()
    {
        const auto action = members<Treatment>(hello_.capabilities.treatments);
        const DelegatedRow row{*names().row(*treat_), kTryDetect, kTryRestore,
                               action.empty() ? Treatment::none : action.front()};
        const auto request = [&](std::span<const DelegatedRow> rows) {
            return ask([&](std::uint64_t id) { return codec::exec_watch_by_itself(id, names(), rows); })
                .and_then([&](const ExecMessage& answer) { return answer.delegated(names(), rows); });
        };
        const auto watched = request({&row, 1});
        const auto ended = request({});
        if (!watched || !ended) {
            return tl::unexpected(!watched ? watched.error() : ended.error());
        }
        const auto& timer = watched->front().detect.programmed;
        if (watched->front().on && (!timer || !row.tolerates(row.detect, *timer))) {
            return wrong(fmt::format("detect_us is {} with on = true: allowed is {} within {} %, or on = false",
                                     timer ? std::to_string(whole_us(*timer)) : "missing", whole_us(row.detect),
                                     row.interval_tolerance));
        }
        return watched->front().on ? "switched on and off" : "not with these intervals";
    }

    Checklist list_;
    const std::optional<std::string>& treat_;
    codec::ExecHello hello_;
    std::vector<codec::ExecNames> names_;  // one, after the first hello
    codec::ExecSamples first_;             // of the first look at all rows
};

}  // namespace

std::vector<Check> check_helper(const StartHelper& start, const TimeSource& clock,
                                const std::optional<std::string>& treat)
{
    return Kit{start, clock, treat}.run();
}

}  // namespace petrel::device::exec
