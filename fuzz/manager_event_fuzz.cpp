// Lines of an agent, or any bytes in their place, change the manager's view or are refused. Messages that arrive again,
// and in another order, change nothing.
#include <algorithm>
#include <string_view>
#include <vector>

#include "base/assert.hpp"
#include "codec/event_reader.hpp"
#include "fabric/fabric_view.hpp"
#include "manager/agent_epochs.hpp"
#include "manager/event_message.hpp"

namespace {

using namespace petrel;

std::vector<fabric::Message> messages_of(std::string_view text)
{
    std::vector<fabric::Message> messages;
    manager::AgentEpochs epochs;
    while (!text.empty()) {
        const auto line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        const auto event = codec::read_event(line);
        if (!event) {
            continue;
        }
        if (auto message = manager::event_message(*event)) {
            message->position = epochs.place(message->source.device, message->position.number, message->at);
            messages.push_back(*message);
        }
    }
    return messages;
}

void apply_all(const std::vector<fabric::Message>& messages, fabric::FabricView& view)
{
    for (const auto& message : messages) {
        view.apply(message);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    auto messages = messages_of({reinterpret_cast<const char*>(data), size});
    if (messages.size() >= fabric::LinkLog::kMessagesKept) {
        return 0;  // the view drops old messages
    }
    fabric::FabricView once;
    apply_all(messages, once);
    fabric::FabricView twice;
    std::ranges::reverse(messages);
    apply_all(messages, twice);
    apply_all(messages, twice);
    const Instant now{};
    PETREL_ASSERT(once.devices(now) == twice.devices(now), "other devices");
    PETREL_ASSERT(once.ports(now) == twice.ports(now), "other ports");
    PETREL_ASSERT(once.links({now, {}}) == twice.links({now, {}}), "other links");
    PETREL_ASSERT(once.storms(now) == twice.storms(now), "other storms");
    return 0;
}
