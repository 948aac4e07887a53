// A progress line on the terminal: how much is done, how fast, how long it still takes. Prints nothing if stderr is not
// a terminal.
#pragma once

#include <chrono>
#include <string>

namespace petrel {

class Progress {
public:
    Progress();
    ~Progress() { clear(); }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    // `done` is 0..1. Writes at most ten times a second.
    void show(double done, const std::string& what);
    void clear();  // removes the line before other output

private:
    std::chrono::steady_clock::time_point started_;
    std::chrono::steady_clock::time_point shown_;
    bool on_{};
};

}  // namespace petrel
