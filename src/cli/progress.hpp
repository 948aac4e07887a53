// One line on the terminal that says how far something is: how much of it, how fast, how long still. Nothing at all
// where nobody watches.
#pragma once

#include <chrono>
#include <string>

namespace petrel::cli {

class Progress {
public:
    Progress();
    ~Progress() { clear(); }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    // `done` of 0..1; at most ten times a second anything is written.
    void show(double done, const std::string& what);
    void clear();  // the line is somebody else's

private:
    std::chrono::steady_clock::time_point started_;
    std::chrono::steady_clock::time_point shown_;
    bool on_{};
};

}  // namespace petrel::cli
