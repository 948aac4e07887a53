// Where a command's words go: data to stdout, everything else to stderr. Knows about colour, closed pipes and full
// disks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "cli/exit_code.hpp"
#include "watchdog/event.hpp"

namespace petrel::cli {

// Once, at the start of a program: a reader that goes away is no error, and Ctrl-C ends with 130.
void prepare_signals();

// From now on all words are swallowed: another process says the same.
void fall_silent();

// While one lives, Ctrl-C waits: a file is being replaced.
class HoldInterrupts {
public:
    HoldInterrupts();
    ~HoldInterrupts();
    HoldInterrupts(const HoldInterrupts&) = delete;
    HoldInterrupts& operator=(const HoldInterrupts&) = delete;
};

bool stdout_wants_colour();
bool somebody_watches();  // stderr is a terminal: how long something took is of interest

// Text for a terminal, or plain when nobody would see the colour.
class Paint {
public:
    explicit Paint(bool on) : on_(on) {}
    std::string bold(std::string_view text) const { return with("1", text); }
    std::string dim(std::string_view text) const { return with("2", text); }
    std::string red(std::string_view text) const { return with("1;31", text); }
    std::string green(std::string_view text) const { return with("32", text); }
    std::string yellow(std::string_view text) const { return with("33", text); }

private:
    std::string with(std::string_view code, std::string_view text) const;
    bool on_;
};

// In the colour of the event: red if it begins a storm, green if it ends one, else yellow.
std::string painted(watchdog::EventKind, const std::string& text, const Paint&);

// False: the reader has gone away, which is its right; nothing more needs to be written. A full disk is an error.
Result<bool> write_stdout(std::string_view text);

void say(std::string_view line);                 // one line to stderr
ExitCode fail(const Error&);                     // says it, and which exit code it means
ExitCode refuse(const std::vector<Complaint>&);  // all of them, then: usage

// Ends a command that has produced its data: the data goes out, and `code` is the answer unless that fails.
ExitCode finish(std::string_view text, ExitCode code);

}  // namespace petrel::cli
