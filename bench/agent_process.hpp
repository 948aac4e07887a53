// The agent as it ships, in a process of its own: started with a configuration, with its files in a folder that goes
// with it.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

namespace petrel::bench {

class AgentProcess {
public:
    // The detector of the SONiC switch whose databases are at this address.
    explicit AgentProcess(const std::string& redis);
    AgentProcess(const AgentProcess&) = delete;
    AgentProcess& operator=(const AgentProcess&) = delete;
    ~AgentProcess();

    double cpu_s() const;  // of all its threads
    std::string log() const;

private:
    std::filesystem::path folder_;
    pid_t pid_{-1};
};

// Of another process, all threads together.
double cpu_s_of(pid_t);

}  // namespace petrel::bench
