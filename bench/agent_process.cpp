#include "agent_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "base/assert.hpp"

namespace petrel::bench {

AgentProcess::AgentProcess(const std::string& redis)
{
    auto pattern = (std::filesystem::temp_directory_path() / "petrel-bench-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    const auto config = (folder_ / "agent.toml").string();
    std::ofstream{config} << fmt::format("[agent]\nstate_dir = \"{0}/state\"\nredis = \"{1}\"\n"
                                         "[control]\nsocket = \"{0}/control.sock\"\n[metrics]\nlisten = \"\"\n"
                                         "[log]\nto = \"{0}/log\"\n[[device]]\ndriver = \"sonic:local\"\n",
                                         folder_.string(), redis);
    pid_ = ::fork();
    PETREL_ASSERT(pid_ >= 0, "cannot fork");
    if (pid_ == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // the agent ends if the bench aborts
        ::execl(PETREL_BENCH_AGENT, "petrel", "agent", "--config", config.c_str(), nullptr);
        ::_exit(127);
    }
}

AgentProcess::~AgentProcess()
{
    ::kill(pid_, SIGKILL);  // a stop would restore queues that the bench still shows as stormed
    ::waitpid(pid_, nullptr, 0);
    std::filesystem::remove_all(folder_);
}

double AgentProcess::cpu_s() const { return cpu_s_of(pid_); }

std::string AgentProcess::log() const
{
    std::ifstream file{folder_ / "log"};
    return {std::istreambuf_iterator<char>{file}, {}};
}

double cpu_s_of(pid_t pid)
{
    clockid_t clock{};
    timespec now{};
    PETREL_ASSERT(::clock_getcpuclockid(pid, &clock) == 0 && ::clock_gettime(clock, &now) == 0, "no process {}", pid);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

}  // namespace petrel::bench
