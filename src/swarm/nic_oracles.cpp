// Oracles about NICs: a stall is a time in which a NIC pauses its switch and takes no frame.
#include <fmt/format.h>

#include <algorithm>

#include "swarm/bound_oracle.hpp"

namespace petrel::swarm {

namespace {

using watchdog::Criterion;
using watchdog::Phase;

// No command is under way.
bool rests(const RowGlance& row) { return row.phase != Phase::mitigating && row.phase != Phase::restoring; }

class NicOracle : public Oracle {
protected:
    NicOracle(std::string_view name, const Case& of) : Oracle(name), case_(of) {}

    const Places::Nic& place(std::size_t nic) const { return case_.places.nics[nic]; }
    bool lies(std::size_t nic) const { return case_.disturbances.lies(place(nic).node); }

    const Case& case_;
};

class NicDetectionBound final : public NicOracle {
public:
    explicit NicDetectionBound(const Case& of) : NicOracle("detection bound", of)
    {
        from_.resize(of.places.nics.size());
    }

    void look(const Glance& before, const Glance& now) override
    {
        for (std::size_t i = 0; i < from_.size(); ++i) {
            const auto& was = before.nics[i];
            const auto& is = now.nics[i];
            const bool same = was.up && is.up && was.epoch == is.epoch && was.row.phase == Phase::watching &&
                              is.row.phase == Phase::watching && was.row.policy.detect == is.row.policy.detect;
            for (std::size_t priority = 0; priority < kPriorities; ++priority) {
                const bool paused = is.pausing_for[priority] - was.pausing_for[priority] == now.at - before.at;
                if (!same || was.taken != is.taken || !paused) {
                    from_[i][priority] = now.at;
                }
                judge(i, from_[i][priority], now);
            }
        }
    }

private:
    void judge(std::size_t nic, Ps from, const Glance& now)
    {
        const auto& policy = now.nics[nic].row.policy;
        // Two looks find the stall, and it may begin right after a look.
        const auto bound = in_ps(policy.detect + 2 * policy.poll);
        if (policy.watched && policy.criterion == Criterion::receive_stall && now.at - from > bound &&
            !case_.disturbances.blind(place(nic).node, from, now.at)) {
            violated(now.at, place(nic).name,
                     fmt::format("The NIC has taken no frame and paused its switch for {}, and is only watched; the "
                                 "bound is {}.",
                                 ms_text(now.at - from), ms_text(bound)));
        }
    }

    std::vector<std::array<Ps, kPriorities>> from_;  // by NIC and priority: since then it takes nothing and pauses
};

class NicEarlyDetection final : public NicOracle {
public:
    explicit NicEarlyDetection(const Case& of) : NicOracle("early detection", of)
    {
        taken_.resize(of.places.nics.size());
    }

    void look(const Glance& before, const Glance& now) override
    {
        for (const auto& told : now.events) {
            const bool announces =
                told.event.kind == watchdog::EventKind::nic_latched || announces_proven_storm(told.event);
            if (announces && told.event.reason == watchdog::Reason::proven && told.nic && told.policy.watched &&
                told.policy.criterion == Criterion::receive_stall) {
                judge(*told.nic, told);
            }
        }
        for (std::size_t i = 0; i < taken_.size(); ++i) {
            if (before.nics[i].taken != now.nics[i].taken) {
                taken_[i] = before.at;
            }
        }
    }

private:
    // Called before a frame that was taken since the last glance counts: it may have been taken after the decision. An
    // event that is published late is not judged by frames after it.
    void judge(std::size_t nic, const EventGlance& told)
    {
        const auto at = twin::from_instant(told.event.at);
        const auto needed = in_ps(told.policy.detect);
        const auto earliest = at - std::min(at, needed);
        if (taken_[nic] > earliest && taken_[nic] < at && !case_.disturbances.blind(place(nic).node, earliest, at)) {
            violated(at, told.where,
                     fmt::format("A stall is announced, but the NIC took a frame {} before at most; T0 is {}.",
                                 ms_text(at - taken_[nic]), ms_text(needed)));
        }
    }

    std::vector<Ps> taken_;  // by NIC: it took its last frame after this time
};

class NicBelief final : public NicOracle {
public:
    explicit NicBelief(const Case& of) : NicOracle("belief and device", of) {}

    void look(const Glance&, const Glance&) override {}
    void end(const Glance& last, const Ending& ending) override
    {
        for (std::size_t i = 0; i < last.nics.size(); ++i) {
            const auto& nic = last.nics[i];
            const bool settled = last.at > case_.disturbances.settled(place(i).node) + kSettling;
            const bool believed = nic.row.believed != watchdog::Treatment::none;
            if (ending.nics[i].agent_runs && settled && !lies(i) && rests(nic.row) && believed != nic.muted) {
                violated(last.at, place(i).name,
                         believed ? "The agent records the NIC as muted, but it may send pause."
                                  : "The NIC is muted, and the agent has no record of it.");
            }
        }
    }
};

class NicTreatmentLeft final : public NicOracle {
public:
    explicit NicTreatmentLeft(const Case& of) : NicOracle("treatment left", of)
    {
        paused_at_.resize(of.places.nics.size());
    }

    void look(const Glance& before, const Glance& now) override
    {
        for (std::size_t i = 0; i < paused_at_.size(); ++i) {
            if (before.nics[i].pausing_for != now.nics[i].pausing_for) {
                paused_at_[i] = now.at;
            }
        }
    }

    void end(const Glance& last, const Ending& ending) override
    {
        for (std::size_t i = 0; i < last.nics.size(); ++i) {
            const auto& row = last.nics[i].row;
            const bool latched = row.phase == Phase::latched ||
                                 (row.phase == Phase::mitigated && row.policy.release == watchdog::Release::manual);
            // A muted NIC shows no pause: only a probe ends its treatment.
            const auto settled = std::max(paused_at_[i], case_.disturbances.settled(place(i).node));
            if (last.nics[i].muted && ending.nics[i].agent_runs && !lies(i) && !latched && !ending.nics[i].by_order &&
                last.at >= settled + longest_restore(row.policy, true)) {
                violated(last.at, place(i).name,
                         fmt::format("The NIC is still muted, {} after it last paused its switch, in phase {}.",
                                     ms_text(last.at - paused_at_[i]), watchdog::name(row.phase)));
            }
        }
    }

private:
    std::vector<Ps> paused_at_;  // by NIC: the last time at which it paused its switch
};

}  // namespace

std::unique_ptr<Oracle> detection_bound_of_nics(const Case& of) { return std::make_unique<NicDetectionBound>(of); }
std::unique_ptr<Oracle> early_detection_in_nics(const Case& of) { return std::make_unique<NicEarlyDetection>(of); }
std::unique_ptr<Oracle> belief_about_nics(const Case& of) { return std::make_unique<NicBelief>(of); }
std::unique_ptr<Oracle> treatment_left_in_nics(const Case& of) { return std::make_unique<NicTreatmentLeft>(of); }

}  // namespace petrel::swarm
