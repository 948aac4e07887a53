// The output of commands: data to stdout, everything else to stderr. Handles colour, closed pipes and full disks.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "terminal/exit_code.hpp"
#include "terminal/wrap.hpp"
#include "watchdog/event.hpp"

namespace petrel {

// Call once at program start: a closed pipe is no error, and Ctrl-C ends the program with exit code 130.
void prepare_signals();

// Suppresses all further output: another process prints the same.
void fall_silent();

// Delays Ctrl-C during its lifetime, while a file is being replaced.
class HoldInterrupts {
public:
    HoldInterrupts();
    ~HoldInterrupts();
    HoldInterrupts(const HoldInterrupts&) = delete;
    HoldInterrupts& operator=(const HoldInterrupts&) = delete;
};

bool stdout_wants_colour();
bool stderr_is_terminal();  // then progress and durations are printed

// The width of the terminal: COLUMNS, else the size that the terminal reports. kAnyWidth if stdout is no terminal.
std::size_t stdout_columns();

// Text for people as stdout shows it: on a terminal, long lines wrap between words.
std::string fitted(std::string_view text);

// Text with colour for a terminal, or without.
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

// In the colour of the event: red if it starts a storm, green if it ends one, else yellow.
std::string painted(watchdog::EventKind, const std::string& text, const Paint&);

// False: the reader has closed the pipe, which is no error; write no more. A full disk is an error.
Result<bool> write_stdout(std::string_view text);

// One line to stderr. On a terminal, a long line wraps between words.
void print_stderr(std::string_view line);
ExitCode fail(const Error&);                     // prints it and returns its exit code
ExitCode refuse(const std::vector<Complaint>&);  // prints all of them and returns ExitCode::usage

// Ends a command: prints its data and returns `code`, unless printing fails.
ExitCode finish(std::string_view text, ExitCode code);

}  // namespace petrel
