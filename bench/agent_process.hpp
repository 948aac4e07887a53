// The shipped agent in its own process, with a configuration. Its files are in a folder that is deleted with it.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

namespace petrel::bench {

class AgentProcess {
public:
    // Watches the SONiC switch whose databases are at this address.
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

// Processor time of another process, for all its threads.
double cpu_s_of(pid_t);

}  // namespace petrel::bench
