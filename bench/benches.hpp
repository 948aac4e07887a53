// All benches. A bench allocates its data when it runs, not before, because a million queues take much memory.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "report.hpp"

namespace petrel::bench {

struct Bench {
    std::string name;
    std::function<void(Report&)> run;
};

std::vector<Bench> poll_benches();
std::vector<Bench> intake_benches();
std::vector<Bench> trace_benches();
std::vector<Bench> twin_benches();
std::vector<Bench> agent_benches();
std::vector<Bench> crowd_benches();
std::vector<Bench> sai_benches();
std::vector<Bench> sonic_benches();
std::vector<Bench> latency_benches();
std::vector<Bench> host_benches();
std::vector<Bench> manager_benches();
std::vector<Bench> manager_service_benches();

}  // namespace petrel::bench
