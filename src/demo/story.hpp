// The demo as text for readers who do not know PFC: what changed in the fabric since the last look. The text is derived
// from what the fabric does, not scripted.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "demo/fabric.hpp"

namespace petrel::demo {

struct StoryLine {
    enum class Tone : std::uint8_t { plain, bad, good } tone{};
    std::string text;
    std::optional<Instant> at;  // if it differs from the time of the look
};

class Story {
public:
    Story(const lab::Experiment&, const FabricWatch&);  // both outlive this object

    // The lines for this look. Looks come in the order of time.
    std::vector<StoryLine> update(const FabricNow&, const std::vector<lab::AgentEvent>& events);
    StoryLine ending(const FabricNow&) const;

    twin::Ps full_speed_at() const { return full_speed_at_; }  // after the freeze; 0 = not yet

private:
    void add_faults(const FabricNow&);
    void add_spreading(const FabricNow&);
    void add_event(const lab::AgentEvent&);
    void add_recovery(const FabricNow&);
    void add(StoryLine::Tone, std::string text);

    const scenario::Scenario& scenario_;
    const FabricWatch& watch_;
    std::string sick_;        // name of the sick server
    std::string its_switch_;  // the switch that it is connected to
    std::size_t healthy_{};
    std::size_t switches_{};
    std::vector<StoryLine> lines_;  // of this look
    twin::Ps shown_up_to_{};
    std::set<std::pair<unsigned, unsigned>> spread_;  // which tier pauses which, as far as reported
    double full_bps_{};                               // before the fault
    bool all_paused_{};
    bool frozen_{};
    bool free_{};
    twin::Ps full_speed_at_{};
    bool pause_over_{};
};

}  // namespace petrel::demo
