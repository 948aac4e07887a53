// A manager answers an agent's requests for commands with any bytes, each line one answer. "kill" kills the agent,
// which then begins with its record. The agent executes each command once. The same bytes as the agent's record of
// commands are read or refused.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "base/assert.hpp"
#include "codec/command_json.hpp"
#include "uplink/command_inbox.hpp"

namespace {

using namespace petrel;
using uplink::CommandInbox;
using uplink::CommandRecord;

constexpr std::string_view kUrl = "https://manager:7650";
constexpr auto kAnswer = R"({"ok":true})";

// As the file of the agent has it.
CommandRecord stored(const CommandRecord& record)
{
    auto again = codec::read_command_record(codec::command_record_json(kUrl, record), kUrl);
    PETREL_ASSERT(again && *again == record, "the record is not the same after writing and reading");
    return std::move(*again);
}

class Agent {
public:
    void line(std::string_view text)
    {
        now_ += std::chrono::seconds{1};
        if (text == "kill") {
            inbox_ = CommandInbox{record_};
            under_way_ = false;
            return;
        }
        const auto polled = codec::read_commands(text);
        if (!polled) {
            PETREL_ASSERT(!polled.error().what.empty(), "refused without a reason");
            return;
        }
        inbox_.take(polled->commands, now_, polled->held);
        finish();
        begin();
        const auto results = inbox_.results();
        static_cast<void>(codec::command_poll_json(results, Duration{}));
        if (text.size() % 2 == 0) {
            inbox_.delivered(results);
        }
    }

private:
    void begin()
    {
        const auto due = inbox_.begin(now_);
        if (!due) {
            return;
        }
        record_ = stored(inbox_.record());
        under_way_ = true;
        const bool is_new = begun_.insert(due->command.id).second;
        PETREL_ASSERT(is_new || due->begun_before, "command {} is executed again", due->command.id);
    }
    void finish()
    {
        if (std::exchange(under_way_, false)) {
            inbox_.finish(kAnswer);
            record_ = stored(inbox_.record());
        }
    }

    CommandRecord record_;
    CommandInbox inbox_;
    Instant now_{};
    bool under_way_{};
    std::set<std::uint64_t> begun_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text{reinterpret_cast<const char*>(data), size};
    Agent agent;
    for (auto left = text; !left.empty();) {
        const auto line = left.substr(0, left.find('\n'));
        left.remove_prefix(std::min(left.size(), line.size() + 1));
        agent.line(line);
    }
    if (const auto record = codec::read_command_record(text, kUrl)) {
        stored(*record);
    } else {
        PETREL_ASSERT(!record.error().what.empty(), "refused without a reason");
    }
    return 0;
}
