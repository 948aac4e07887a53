// A library in this process may call exit(0) in the middle of our work. Restart=on-failure of systemd would take that
// for a good end, and the switch would stay unwatched. While a guard lives, every exit() of the process fails instead.
#pragma once

namespace petrel::runtime {

// One at a time. It does not catch _exit(), which runs no handler.
class ExitGuard {
public:
    // `meanwhile`, a literal, ends the sentence on stderr: "while the agent watches".
    explicit ExitGuard(const char* meanwhile);
    ~ExitGuard();
    ExitGuard(const ExitGuard&) = delete;
    ExitGuard& operator=(const ExitGuard&) = delete;
};

}  // namespace petrel::runtime
