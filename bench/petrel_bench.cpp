// petrel-bench [NAME] [--json]: runs the benches whose name contains NAME.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string_view>

#include "base/assert.hpp"
#include "benches.hpp"

namespace {

constexpr std::string_view kUsage =
    "usage: petrel-bench [NAME] [--json]\n"
    "\n"
    "Runs the benches whose name contains NAME, or all. The fastest of many repeats counts.\n"
    "  --json   one line per metric: {\"bench\":...,\"metric\":...,\"value\":...}\n"
    "\n"
    "benches:\n";

constexpr int kUsageError = 2;

// Each bench runs in its own process, so that its memory does not count towards the peak of the next one: a forked
// process starts with the resident memory of its parent.
void run_in_child(const petrel::bench::Bench& bench, petrel::bench::Report& report)
{
    const auto child = ::fork();
    PETREL_ASSERT(child >= 0, "cannot fork");
    if (child == 0) {
        bench.run(report);
        ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    if (status != 0) {
        fmt::print(stderr, "petrel-bench: {} ended with status {}\n", bench.name, status);
        std::exit(1);
    }
}

}  // namespace

int main(int argc, char** argv)
{
    using namespace petrel::bench;
    std::vector<Bench> benches = poll_benches();
    for (auto more :
         {intake_benches(), trace_benches(), twin_benches(), agent_benches(), crowd_benches(), sai_benches(),
          sonic_benches(), latency_benches(), host_benches(), manager_benches(), manager_service_benches()}) {
        benches.insert(benches.end(), more.begin(), more.end());
    }
    const auto print_usage = [&](std::FILE* to) {
        fmt::print(to, "{}", kUsage);
        for (const auto& bench : benches) {
            fmt::print(to, "  {}\n", bench.name);
        }
    };

    bool json = false;
    std::string_view wanted;
    for (const std::string_view argument : std::span{argv, static_cast<std::size_t>(argc)}.subspan(1)) {
        if (argument == "--json") {
            json = true;
        } else if (argument == "-h" || argument == "--help") {
            print_usage(stdout);
            return 0;
        } else if (argument.starts_with("-") || !wanted.empty()) {
            fmt::print(stderr, "petrel-bench: what is '{}'?\n\n", argument);
            print_usage(stderr);
            return kUsageError;
        } else {
            wanted = argument;
        }
    }
    std::erase_if(benches, [&](const Bench& bench) { return bench.name.find(wanted) == std::string::npos; });
    if (benches.empty()) {
        fmt::print(stderr, "petrel-bench: no bench is called '{}'; --help lists them\n", wanted);
        return kUsageError;
    }
    Report report{json};
    for (const auto& bench : benches) {
        report.begin(bench.name);
        run_in_child(bench, report);
    }
    return 0;
}
