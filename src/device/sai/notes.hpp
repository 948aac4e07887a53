// Deviations of a library from the specification and how Petrel works around them. Each note is reported once, through
// the callback.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace petrel::device::sai {

class Notes {
public:
    using Sink = std::function<void(const std::string&)>;

    explicit Notes(Sink report = {}) : report_(std::move(report)) {}

    void add(std::string note)
    {
        if (all_.size() == kMost || std::find(all_.begin(), all_.end(), note) != all_.end()) {
            return;
        }
        if (report_) {
            report_(note);
        }
        all_.push_back(std::move(note));
    }

private:
    static constexpr std::size_t kMost = 200;  // limits the log if a library does everything wrong

    Sink report_;
    std::vector<std::string> all_;
};

}  // namespace petrel::device::sai
