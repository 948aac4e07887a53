// A vendor's library in this process may call exit(0) while the agent works. systemd (Restart=on-failure) would treat
// that as success, and nothing would watch the switch. While a guard exists, every exit() ends the process with
// status 1.
#pragma once

namespace petrel::runtime {

// At most one guard may exist at a time. It does not catch _exit(), which runs no handlers.
class ExitGuard {
public:
    // `meanwhile`, a literal, ends the sentence on stderr: "while the agent watches".
    explicit ExitGuard(const char* meanwhile);
    ~ExitGuard();
    ExitGuard(const ExitGuard&) = delete;
    ExitGuard& operator=(const ExitGuard&) = delete;
};

}  // namespace petrel::runtime
