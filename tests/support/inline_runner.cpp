#include "support/inline_runner.hpp"

#include <algorithm>

namespace petrel::runtime {

InlineRunner::InlineRunner(agent::Agent& agent, agent::Output& output, device::Device& device, device::Journal& journal,
                           device::ManualClock& clock)
    : agent_(agent),
      output_(output),
      device_(device),
      journal_(journal),
      clock_(clock),
      intake_(std::in_place, device.inventory(), device.capabilities())
{
    device_.listen(notices_);
}

void InlineRunner::run_until(Instant end)
{
    collect();
    serve();
    while (output_.wake <= end) {
        clock_.set(std::max(output_.wake, clock_.now().mono));
        give(agent::Tick{});
    }
    clock_.set(end);
}

void InlineRunner::give(const agent::Input& input)
{
    if (const auto* list = std::get_if<watchdog::Watchlist>(&input)) {
        // Rows may have changed.
        intake_.emplace(list->inventory, list->capabilities);
        journal_.renumber(agent_.watchdog().watchlist().inventory, list->inventory);
    }
    step(input);
    serve();
}

void InlineRunner::step(const agent::Input& input)
{
    output_.clear();
    agent_.step(input, clock_.now(), output_);
    collect();
}

// Commands have their own queue, since carrying out the first one steps the agent again.
void InlineRunner::collect()
{
    commands_.insert(commands_.end(), output_.box.commands.begin(), output_.box.commands.end());
    output_.box.commands.clear();
    if (hear_event_) {
        for (const auto& event : output_.box.events) {
            hear_event_(event);
        }
    }
    output_.box.events.clear();
}

void InlineRunner::serve()
{
    while (serve_one()) {
    }
}

bool InlineRunner::serve_one()
{
    if (output_.look) {
        look(*output_.look);  // first, since the requested rows are valid only until the next step
    } else if (!commands_.empty()) {
        const auto command = commands_.front();
        commands_.pop_front();
        carry_out(command);
    } else if (!notices_.waiting.empty()) {
        const auto notice = notices_.waiting.front();
        notices_.waiting.pop_front();
        step(notice);
    } else {
        return false;
    }
    return true;
}

void InlineRunner::look(const agent::LookRequest& request)
{
    const auto id = request.look;
    intake_->begin();
    const auto read = device_.look(request.rows, *intake_);
    step(agent::LookDone{id, read ? &intake_->view() : nullptr});
    if (hear_look_ && read) {
        hear_look_(intake_->view());
    }
}

void InlineRunner::carry_out(const watchdog::Command& command)
{
    const auto outcome = device::carry_out(command, device_, journal_, clock_, carry_out_hook_);
    if (hear_outcome_) {
        hear_outcome_(command, outcome);
    }
    step(outcome);
}

}  // namespace petrel::runtime
