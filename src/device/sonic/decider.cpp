#include "device/sonic/decider.hpp"

#include <fmt/format.h>

#include <utility>

namespace petrel::device::sonic {

namespace {

constexpr Duration kPutBackEvery = std::chrono::milliseconds{500};

}  // namespace

// Puts the scripts back first: no detector runs until the agent watches.
Result<void> Decider::start()
{
    return plugins_.claim().and_then([&] { return plugins_.put_back_left(); }).map([&](bool any) {
        if (any) {
            note_("SONiC's own detector is on again: a process that died had left it off");
        }
    });
}

Result<void> Decider::close()
{
    return plugins_.put_back().map([&](bool any) {
        if (any) {
            note_("SONiC's own detector is on again");
        }
    });
}

void Decider::adopt(std::vector<Intent> intents, LayoutFacts facts)
{
    intents_ = std::move(intents);
    unseen_ = {};
    take_facts(std::move(facts));
}

void Decider::take_facts(LayoutFacts facts)
{
    facts_ = std::move(facts);
    for (std::uint32_t row = 0; row != intents_.size(); ++row) {
        intents_[row].configured = facts_.configured[row];
    }
}

void Decider::set_watched_rows(std::span<const Slot> rows)
{
    for (auto& intent : intents_) {
        intent.watched = false;
    }
    for (const auto row : rows) {
        if (row.value < intents_.size()) {
            intents_[row.value].watched = true;
        }
    }
    if (rows.empty() && agent_decides_) {
        if (const auto back = put_scripts_back(); !back) {
            note_(back.error().what);
        }
    }
}

Result<void> Decider::stay(bool group_changed)
{
    const auto now = clock_.now().mono;
    return agent_decides_ ? plugins_.keep_out(group_changed, now).map([](bool) {}) : plugins_.stay(now);
}

void Decider::judge(const Reader& reader, Duration patience, const std::string& doubt)
{
    patience_ = patience;
    coverage_ = coverage_of(reader, intents_, facts_);
    if (coverage_.gap.empty()) {
        coverage_.gap = doubt;
    }
    unseen_.judge(reader, intents_, facts_, clock_.now().mono, patience);
}

void Decider::count_poll()
{
    if (coverage_.complete()) {
        covered_at_ = clock_.now().mono;
        ++covered_polls_;
    }
}

bool Decider::covered() const { return covered_at_ && clock_.now().mono - *covered_at_ <= patience_; }

bool Decider::agent_may_decide() const
{
    return agent_decides_ || (coverage_.gap.empty() && (!covered_at_ || covered()));
}

Result<void> Decider::settle(const std::function<bool()>& scripts_decided)
{
    if (agent_decides_) {
        return covered() || clock_.now().mono < put_back_again_ ? Result<void>{} : put_scripts_back();
    }
    if (!covered() || !coverage_.complete() || covered_polls_ < 2) {
        return {};
    }
    stale_ = scripts_decided();
    return stale_ ? Result<void>{} : take_scripts_out();
}

bool Decider::restart_wait()
{
    const bool was_away = std::exchange(not_put_back_, false);
    if (was_away) {
        covered_at_ = clock_.now().mono;
    }
    return was_away;
}

Result<void> Decider::take_scripts_out()
{
    agent_decides_ = true;
    return plugins_.keep_out(true, clock_.now().mono).map([&](bool) {
        note_(plugins_.found_none()
                  ? "syncd's counter group PFC_WD has no detection scripts and none are kept: if this agent "
                    "stops, no detector watches"
                  : "SONiC's own detector is off while this agent watches, and on while it cannot watch");
    });
}

Result<void> Decider::put_scripts_back()
{
    auto back = plugins_.put_back();
    agent_decides_ = !back;
    not_put_back_ = !back;
    covered_polls_ = 0;
    put_back_again_ = clock_.now().mono + kPutBackEvery;
    return back.map([](bool) {});
}

Result<void> Decider::with_gap(Result<void> seen) const
{
    if (agent_decides_ || stale_) {
        return seen;
    }
    if (!seen) {
        // Scripts run in syncd's polls: without polls they see no storm either.
        return tl::unexpected(
            Error{seen.error().kind,
                  seen.error().what + "; SONiC's own scripts are in place and watch only while syncd polls"});
    }
    if (!coverage_.gap.empty()) {
        return tl::unexpected(Error{ErrorKind::unreachable, coverage_.gap + "; SONiC's own scripts watch meanwhile"});
    }
    return seen;
}

}  // namespace petrel::device::sonic
