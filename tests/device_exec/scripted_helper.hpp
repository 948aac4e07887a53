// A helper program as a function: the lines that it sends after each request.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "device/exec/helper.hpp"

namespace petrel::device::exec {

// What a test sees of a helper, also after the helper has been destroyed.
struct HelperState {
    std::vector<std::string> requests;
    std::deque<std::string> unread;
    std::vector<Duration> deadlines;
    bool killed{};
    bool finished{};
};

class ScriptedHelper final : public Helper {
public:
    using Script = std::function<std::vector<std::string>(const std::string& request)>;

    ScriptedHelper(HelperState& state, Script script) : state_(state), script_(std::move(script)) {}

    void set_deadline(Duration from_now) override { state_.deadlines.push_back(from_now); }
    Result<void> send(std::string_view line) override
    {
        state_.requests.emplace_back(line);
        for (auto& answer : script_(state_.requests.back())) {
            state_.unread.push_back(std::move(answer));
        }
        return {};
    }
    Result<std::string> receive() override
    {
        if (state_.unread.empty()) {
            return tl::unexpected(Error{ErrorKind::timed_out, "no answer within 500 ms"});
        }
        return take();
    }
    Result<std::optional<std::string>> receive_at_once() override
    {
        return state_.unread.empty() ? std::nullopt : std::optional{take()};
    }
    int fd() const override { return 42; }
    Result<void> finish() override
    {
        state_.finished = true;
        return {};
    }
    void kill() override { state_.killed = true; }

private:
    std::string take()
    {
        auto line = std::move(state_.unread.front());
        state_.unread.pop_front();
        return line;
    }

    HelperState& state_;
    Script script_;
};

}  // namespace petrel::device::exec
