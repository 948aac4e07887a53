// The frame of a conformance kit: runs checks one after another over conversations with helpers, and keeps what each
// has seen. When a conversation has ended, the checks that follow are skipped.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "device/exec/conversation.hpp"

namespace petrel::device::exec {

struct Check {
    enum class Verdict : std::uint8_t { passed, failed, skipped } verdict{};
    std::string name;
    std::string detail;  // what was seen, what is wrong, or why the check was skipped
};

using Seen = Result<std::string>;  // what a check has seen, or what is wrong

inline tl::unexpected<Error> wrong(std::string what)
{
    return tl::unexpected(Error{ErrorKind::corrupt, std::move(what)});
}

// Says of which request the error is.
template <class Value>
Result<Value> during(std::string_view request, Result<Value> result)
{
    return std::move(result).map_error([&](Error error) {
        error.what = fmt::format("{}: {}", request, error.what);
        return error;
    });
}

// The answer must be an error, of this kind if one is given.
Seen expect_error(const Result<codec::ExecMessage>& answer, std::optional<ErrorKind> kind, std::string_view allowed);

class Checklist {
public:
    // Both must outlive it.
    Checklist(const StartHelper& start, const TimeSource& clock) : start_(start), clock_(clock) {}

    // The first check. `hello` calls start() and says hello.
    template <class Hello>
    void hello(Hello hello)
    {
        check("hello", std::move(hello));
        over_ = over_ || checks_.back().verdict == Check::Verdict::failed;
    }

    template <class Run>
    void check(std::string name, Run run)
    {
        if (over_) {
            return checks_.push_back({Check::Verdict::skipped, std::move(name), "the conversation had ended"});
        }
        const Seen seen = run();
        checks_.push_back({seen ? Check::Verdict::passed : Check::Verdict::failed, std::move(name),
                           seen ? *seen : seen.error().what});
        over_ = !conversation_ || conversation_->ended();
    }

    // Of a helper that reports the links of its ports.
    void check_links(const std::function<bool(std::string_view)>& is_port);

    void check_unknown_call()
    {
        check("unknown call", [this] {
            return expect_error(ask_raw(R"("call":"no_such_call")"), ErrorKind::unsupported,
                                "an error of the kind unsupported");
        });
    }

    // A check that disturbs traffic runs only if the caller names something to treat.
    void skip_treated(std::string name, std::string_view what, std::string_view example)
    {
        checks_.push_back({Check::Verdict::skipped, std::move(name),
                           fmt::format("it disturbs traffic: name a {} for it, as --treat {}", what, example)});
    }

    // The last checks, and all results.
    template <class Hello>
    std::vector<Check> end(Hello hello)
    {
        check("close",
              [this] { return conversation_->close().map([] { return std::string{"ends with exit code 0"}; }); });
        over_ = checks_.back().verdict != Check::Verdict::passed;
        // An agent that is killed sends no close.
        check("end of input", [this, &hello] {
            return hello().and_then([this](const std::string&) { return conversation_->hang_up(); }).map([] {
                return std::string{"the helper ends by itself"};
            });
        });
        return std::move(checks_);
    }

    // Starts a new helper. The conversation with the one before is over.
    Result<void> start()
    {
        return start_().map(
            [this](std::unique_ptr<Helper> helper) { conversation_.emplace(std::move(helper), DeviceId{}, clock_); });
    }
    Conversation& conversation() { return *conversation_; }
    Instant now() const { return clock_.now().mono; }

    template <class Make>
    Result<codec::ExecMessage> ask(Make make)
    {
        return conversation_->ask(make);
    }
    Result<codec::ExecMessage> ask_raw(std::string_view rest)
    {
        return ask([&](std::uint64_t id) { return fmt::format(R"({{"id":{},{}}})", id, rest); });
    }

private:
    const StartHelper& start_;
    const TimeSource& clock_;
    std::vector<Check> checks_;
    std::optional<Conversation> conversation_;
    bool over_{};
};

}  // namespace petrel::device::exec
