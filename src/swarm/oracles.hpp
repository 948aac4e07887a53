// The oracles, one function for each.
#pragma once

#include <memory>

#include "swarm/disturbance.hpp"
#include "swarm/oracle.hpp"

namespace petrel::swarm {

// After the last fault of a device, its agent is at rest again at the latest after this time.
inline constexpr Ps kSettling = 100 * twin::kMs;

// An event may wait this long for its publication: 250 ms, a write of a slow disk, and two glances.
inline constexpr Ps kPublishedWithin = 300 * twin::kMs;

// The longest time from the end of a storm to the end of its treatment, if every write succeeds at the second attempt.
// `deaf`: no signal survives the treatment.
Ps longest_restore(const PolicyFacts&, bool deaf);

// The data that oracles use besides the glances. They keep a reference to it.
struct Case {
    const scenario::Scenario& scenario;
    const Places& places;
    Disturbances disturbances;
};

// Every frame that a host sent is delivered, in flight, or dropped for one cause.
std::unique_ptr<Oracle> conservation();

// A lossless frame is dropped only where a site is treated, at the far end of a port that ignores pause, or by a link
// that goes down.
std::unique_ptr<Oracle> loss_outside_sites(const Case&);

// At the end no site is treated without a reason: a storm that still goes on or ended too recently to be over, a latch,
// an order, or a policy that leaves the release to an operator.
std::unique_ptr<Oracle> treatment_left(const Case&);

// A queue whose packets are dropped holds none, and no pause is sent for it.
std::unique_ptr<Oracle> pause_from_dropping(const Case&);

// At the end the registers show a treatment exactly where the agent believes that one is in effect.
std::unique_ptr<Oracle> belief(const Case&);

// A pause that lasts longer than the bound of its policy is a storm: its queue is no longer just watched.
std::unique_ptr<Oracle> detection_bound(const Case&);

// No storm is announced before the queue was paused for T0.
std::unique_ptr<Oracle> early_detection(const Case&);

// A storm that is over longer than the bound of its policy is closed.
std::unique_ptr<Oracle> restore_bound(const Case&);

// The same laws for a port that is watched by its pause-timeout status.
std::unique_ptr<Oracle> detection_bound_of_status(const Case&);
std::unique_ptr<Oracle> early_detection_by_status(const Case&);
std::unique_ptr<Oracle> restore_bound_of_status(const Case&);

// The same laws for NICs: a NIC that takes no frame and pauses its switch for longer than the bound of its policy is no
// longer just watched; none that took a frame within T0 is announced; at the end the NIC is muted exactly where the
// agent believes it, and not without a reason.
std::unique_ptr<Oracle> detection_bound_of_nics(const Case&);
std::unique_ptr<Oracle> early_detection_in_nics(const Case&);
std::unique_ptr<Oracle> belief_about_nics(const Case&);
std::unique_ptr<Oracle> treatment_left_in_nics(const Case&);

// A storm is not closed as quiet before the queue was quiet for T1.
std::unique_ptr<Oracle> early_restore(const Case&);

// Two storms of a queue are at least T0 + T1 apart, so the number of actions is bounded.
std::unique_ptr<Oracle> action_rate(const Case&);

// Every storm that was announced is closed once, and none is closed that was not announced, unless memory was lost.
std::unique_ptr<Oracle> closed_once(const Case&);

// The looks in the evidence of a storm lead to the same decision again.
std::unique_ptr<Oracle> evidence_replays(const Case&);

// At the end every queue is watched by the last policy that names it, and no other queue is watched.
std::unique_ptr<Oracle> policy_of_each_queue(const Case&);

// A device that cannot be read or does not answer is reported as such, and no other device is.
std::unique_ptr<Oracle> out_of_sight(const Case&);

// At the end the manager in use has every event of every agent that reaches it, exactly once and in order.
std::unique_ptr<Oracle> manager_history(const Case&);

// At the end the manager in use shows exactly those ports in error that are in a storm for their agents.
std::unique_ptr<Oracle> manager_errors(const Case&);

// The manager never shows that a device reports whose reports it does not receive.
std::unique_ptr<Oracle> manager_sight(const Case&);

}  // namespace petrel::swarm
