#include "device/exec/conversation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "codec/exec/exec_request.hpp"

namespace petrel::device::exec {

using codec::ExecMessage;

Result<codec::ExecHello> Conversation::hello()
{
    return hello(codec::exec_hello, [&](const ExecMessage& answer) { return answer.hello(device_); }, kHelloWithin);
}

Result<void> Conversation::close()
{
    return ask(codec::exec_close).and_then([](const ExecMessage& answer) { return answer.done(); }).and_then([&] {
        return hang_up();
    });
}

Result<void> Conversation::hang_up()
{
    if (end_) {
        return tl::unexpected(*end_);
    }
    helper_->set_deadline(std::min(answer_within_, kEndWithin));
    end_ = Error{ErrorKind::unreachable, "the helper program has been closed"};
    return helper_->finish();
}

Result<ExecMessage> Conversation::ask(std::uint64_t id, const std::string& line, Duration within)
{
    if (end_) {
        return tl::unexpected(*end_);
    }
    helper_->set_deadline(within);
    if (const auto sent = helper_->send(line); !sent) {
        return tl::unexpected(end_with(sent.error()));
    }
    for (;;) {
        auto message = helper_->receive().and_then(ExecMessage::parse);
        if (!message) {
            return tl::unexpected(end_with(message.error()));
        }
        if (message->kind() == ExecMessage::Kind::answer) {
            if (message->id() != id) {
                return tl::unexpected(end_with(
                    {ErrorKind::corrupt, fmt::format("id is {}: allowed {}, that of the request", message->id(), id)}));
            }
            unasked_ = 0;
            return message;
        }
        if (const auto kept = keep_unasked(*message); !kept) {
            return tl::unexpected(kept.error());
        }
    }
}

int Conversation::receive_unasked()
{
    while (!end_) {
        const auto line = helper_->receive_at_once();
        if (!line) {
            end_with(line.error());
        } else if (!*line) {
            return helper_->fd();
        } else if (const auto message = ExecMessage::parse(**line); !message) {
            end_with(message.error());
        } else if (message->kind() == ExecMessage::Kind::answer) {
            end_with({ErrorKind::corrupt, fmt::format("id is {}: no request is open", message->id())});
        } else {
            static_cast<void>(keep_unasked(*message));
        }
    }
    return -1;
}

Result<void> Conversation::keep_unasked(const ExecMessage& message)
{
    if (++unasked_ > kMostUnasked) {
        return tl::unexpected(end_with(
            {ErrorKind::exhausted, fmt::format("more than {} lines by itself since its last answer", kMostUnasked)}));
    }
    const auto keep = [&](auto parsed, auto use) -> Result<void> {
        if (!parsed) {
            return tl::unexpected(end_with(parsed.error()));
        }
        use(std::move(*parsed));
        return {};
    };
    switch (message.kind()) {
    case ExecMessage::Kind::notice:
        return keep(message.notice(clock_.now().mono),
                    [&](auto notice) { (inventory_ ? later_notices_ : notices_).push_back(std::move(notice)); });
    case ExecMessage::Kind::inventory:
        return keep(message.inventory(device_), [&](auto inventory) { inventory_ = std::move(inventory); });
    case ExecMessage::Kind::note: return keep(message.note(), [&](auto note) { notes_.push_back(std::move(note)); });
    case ExecMessage::Kind::answer: break;
    }
    return {};
}

watchdog::Inventory Conversation::take_inventory()
{
    std::ranges::move(std::exchange(later_notices_, {}), std::back_inserter(notices_));
    return *std::exchange(inventory_, {});
}

Error Conversation::end_with(const Error& why)
{
    helper_->kill();
    end_ = Error{why.kind, "the helper program: " + why.what};
    return *end_;
}

}  // namespace petrel::device::exec
