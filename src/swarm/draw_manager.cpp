// A manager, and what happens to it and to its messages.
#include "swarm/drawing.hpp"

namespace petrel::swarm {

namespace {

constexpr int kManagedPercent = 30;
// Agents and managers wait for each other so many times shorter than usual: the longest retry takes 300 ms, a request
// that is lost 100 ms, and a device is unknown after 600 ms.
constexpr std::int64_t kFaster = 100;
constexpr std::int64_t kManagerRest = 1'200;  // until all events have arrived

}  // namespace

void Drawing::draw_manager()
{
    if (!chance_.percent(kManagedPercent)) {
        return;
    }
    rest_ = std::max(rest_, kManagerRest);
    managers_ = chance_.pick<std::int64_t>({1, 1, 2});
    auto& manager = table("[manager]");
    put(manager, "faster", fmt::format("{}", kFaster));
    put(manager, "managers", fmt::format("{}", managers_));
    for (auto left = chance_.pick({0, 1, 1, 2, 2, 3, 4}); left > 0; --left) {
        if (chance_.percent(60)) {
            draw_message_fault();
        } else {
            draw_manager_death();
        }
    }
}

void Drawing::draw_message_fault()
{
    const auto at = interesting_time();
    const auto until = std::min(calm_, at + interesting_duration());
    const auto kind = chance_.pick({"lose-messages", "lose-messages", "double-messages", "delay-messages"});
    auto& made = fault(kind, at);
    if (chance_.percent(50)) {
        put(made, "device", in_quotes(any_of(!nics_.empty() && chance_.percent(40) ? nics_ : watched_).name));
    }
    put(made, "which", in_quotes(chance_.pick({"both", "both", "reports", "answers"})));
    put(made, "percent", fmt::format("{}", chance_.pick({10, 30, 60, 100})));
    put(made, "seed", fmt::format("{}", chance_.between(1, 1'000)));
    if (kind != std::string_view{"lose-messages"}) {
        put(made, "takes", ms(chance_.pick<std::int64_t>({5, 50, 150, 400})));
    }
    // Now and then a device stays cut off.
    if (kind != std::string_view{"lose-messages"} || chance_.percent(85)) {
        put(made, "until", ms(std::max(until, at + 1)));
    }
}

void Drawing::draw_manager_death()
{
    const auto at = interesting_time();
    const auto number = fmt::format("{}", chance_.between(1, managers_));
    if (managers_ == 2 && chance_.percent(50)) {
        put(fault("use-manager", at), "manager", number);
        return;
    }
    auto& death = fault("kill-manager", at);
    put(death, "manager", number);
    if (chance_.percent(60)) {
        put(death, "step", in_quotes(chance_.pick({"taken", "stored"})));
    }
    const auto back = std::min(calm_, at + chance_.pick<std::int64_t>({1, 5, 50, 200}));
    auto& start = fault("start-manager", back);
    put(start, "manager", number);
    const auto store = chance_.pick({"kept", "kept", "copy", "lost"});
    put(start, "store", in_quotes(store));
    if (store == std::string_view{"copy"}) {
        put(start, "copied_at", ms(chance_.between(1, back - 1)));
    }
}

}  // namespace petrel::swarm
