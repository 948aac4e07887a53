// Names the run under way if the process dies in it: by an assertion, a signal or an uncaught exception.
#pragma once

#include <string>

namespace petrel::swarm {

// While it lives, a crash of this thread prints the command. The last one of a thread counts.
class CrashNote {
public:
    explicit CrashNote(std::string command);
    ~CrashNote();
    CrashNote(const CrashNote&) = delete;
    CrashNote& operator=(const CrashNote&) = delete;

private:
    std::string text_;
    const std::string* before_;
};

}  // namespace petrel::swarm
