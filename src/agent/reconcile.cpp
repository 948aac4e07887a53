#include "agent/reconcile.hpp"

#include <map>

namespace petrel::agent {

namespace {

using watchdog::Phase;
using watchdog::Treatment;

struct Witnesses {
    Treatment found{};
    bool journaled{};
    bool stormed{};
    bool latched{};
    bool restoring{};
};

bool keep(const Witnesses& w)
{
    if (w.latched) {
        return true;
    }
    if (w.found == Treatment::none) {
        return false;
    }
    return w.journaled ? !w.restoring : w.stormed;
}

// A port that is down without a trace of a treatment: an operator, a manager or the policy of a link has disabled it.
bool disabled_by_others(const Witnesses& w)
{
    return w.found == Treatment::port_down && !w.journaled && !w.stormed && !w.latched && !w.restoring;
}

}  // namespace

std::vector<Adoption> reconcile(const Start& start)
{
    std::map<Target, Witnesses> all;
    for (const auto& [target, treatment] : start.found) {
        if (treatment != Treatment::none) {
            all[target].found = treatment;
        }
    }
    for (const auto& active : start.journaled) {
        all[active.target].journaled = true;
    }
    if (start.remembered) {
        const auto remember = [](Witnesses& w, Phase phase, bool ordered) {
            const bool stormed = phase == Phase::mitigated || phase == Phase::mitigating;
            w.stormed = w.stormed || stormed;
            w.latched = w.latched || phase == Phase::latched || (ordered && stormed);
            w.restoring = w.restoring || phase == Phase::restoring;
        };
        for (const auto& row : start.remembered->rows) {
            // A queue's mitigation may have been applied to its whole port.
            const Target port{row.target.port, std::nullopt};
            if (const auto whole = all.find(port); whole != all.end()) {
                remember(whole->second, row.phase, row.ordered);
            }
            const bool matters = row.phase == Phase::mitigated || row.phase == Phase::mitigating ||
                                 row.phase == Phase::latched || row.phase == Phase::restoring;
            if (all.contains(row.target) || (matters && !all.contains(port))) {
                remember(all[row.target], row.phase, row.ordered);
            }
        }
        for (auto& [target, w] : all) {
            w.restoring = w.restoring && !w.stormed;  // another queue of the port may still need the treatment
        }
    }
    std::vector<Adoption> adoptions;
    adoptions.reserve(all.size());
    for (const auto& [target, w] : all) {
        if (!disabled_by_others(w)) {
            adoptions.push_back({target, w.found, keep(w)});
        }
    }
    return adoptions;
}

}  // namespace petrel::agent
