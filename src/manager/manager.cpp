#include "manager/manager.hpp"

#include "codec/event_reader.hpp"
#include "manager/event_message.hpp"

namespace petrel::manager {

Result<Manager> Manager::start(std::unique_ptr<Store> store, const fabric::Cables& cables)
{
    const auto messages = store->messages();
    if (!messages) {
        return tl::unexpected(messages.error());
    }
    const auto heard = store->heard();
    if (!heard) {
        return tl::unexpected(heard.error());
    }
    Manager manager{std::move(store), cables};
    for (const auto& message : *messages) {
        manager.view_.apply(message);
        if (message.source.channel == fabric::Channel::agent) {
            manager.epochs_.remember(message.source.device, message.position, message.at);
        }
    }
    for (const auto& [device, at] : *heard) {
        manager.view_.heard_before(device, at);
    }
    return manager;
}

Result<void> Manager::take_event(std::string_view line, Now now)
{
    const auto event = codec::read_event(line);
    if (!event) {
        return tl::unexpected(event.error());
    }
    auto message = event_message(*event);
    if (!message) {
        return tl::unexpected(Error{ErrorKind::corrupt, "an event without a device or a number"});
    }
    message->position = epochs_.place(message->source.device, message->position.number, message->at);
    heard(message->source.device, now);
    taken_.push_back(std::move(*message));
    return {};
}

void Manager::heard(const std::string& device, Now now)
{
    view_.heard(device, now);
    heard_[device] = now.wall;
}

Result<std::size_t> Manager::commit()
{
    if (taken_.empty() && heard_.empty()) {
        return std::size_t{0};
    }
    const auto added = store_->append(taken_, heard_);
    if (added) {
        for (const auto& message : taken_) {
            view_.apply(message);
        }
        taken_.clear();
        heard_.clear();
    }
    return added;
}

}  // namespace petrel::manager
