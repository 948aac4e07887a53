#include "lab/live/live_device.hpp"

#include <utility>

namespace petrel::lab {

namespace {

template <class Call>
auto at_present(LiveDevice::Access& access, Call call)
{
    decltype(call()) answer;
    access.at_present([&] { answer = call(); });
    return answer;
}

template <class Call>
auto at_once(LiveDevice::Access& access, Call call)
{
    decltype(call()) answer{};
    access.at_once([&] { answer = call(); });
    return answer;
}

}  // namespace

LiveDevice::LiveDevice(std::unique_ptr<Access> access, std::unique_ptr<device::Device> device)
    : access_(std::move(access)), device_(std::move(device))
{}

LiveDevice::~LiveDevice()
{
    access_->at_once([&] { device_.reset(); });
}

Result<void> LiveDevice::look(std::span<const Slot> rows, watchdog::Intake& into)
{
    return at_present(*access_, [&] { return device_->look(rows, into); });
}

Result<device::Undo> LiveDevice::prepare(const watchdog::Command& command)
{
    return at_present(*access_, [&] { return device_->prepare(command); });
}

Result<void> LiveDevice::apply(const watchdog::Command& command, const device::Undo& undo)
{
    return at_present(*access_, [&] { return device_->apply(command, undo); });
}

Result<void> LiveDevice::await_effect(const watchdog::Command& command)
{
    return at_present(*access_, [&] { return device_->await_effect(command); });
}

Result<watchdog::Treatment> LiveDevice::read_back(const Target& target)
{
    return at_present(*access_, [&] { return device_->read_back(target); });
}

void LiveDevice::listen(device::NoticeSink& sink)
{
    access_->at_once([&] { device_->listen(sink); });
}

Result<std::vector<device::Delegated>> LiveDevice::delegate_detection(std::span<const device::DelegatedRow> rows)
{
    return at_present(*access_, [&] { return device_->delegate_detection(rows); });
}

device::Buffers LiveDevice::buffers()
{
    return at_present(*access_, [&] { return device_->buffers(); });
}

Result<void> LiveDevice::set_dynamic_threshold(const std::string& profile, int exponent)
{
    return at_present(*access_, [&] { return device_->set_dynamic_threshold(profile, exponent); });
}

int LiveDevice::receive_notices()
{
    return at_once(*access_, [&] { return device_->receive_notices(); });
}

void LiveDevice::set_waker(const device::Waker& waker)
{
    access_->at_once([&] { device_->set_waker(waker); });
}

void LiveDevice::set_watched_rows(std::span<const Slot> rows)
{
    access_->at_once([&] { device_->set_watched_rows(rows); });
}

std::vector<device::UnseenQueue> LiveDevice::unseen_queues() const
{
    return at_once(*access_, [&] { return device_->unseen_queues(); });
}

Result<std::vector<link::LinkSample>> LiveDevice::read_links()
{
    return at_present(*access_, [&] { return device_->read_links(); });
}

bool LiveDevice::wants_reopening() const
{
    return at_once(*access_, [&] { return device_->wants_reopening(); });
}

Result<void> LiveDevice::close()
{
    return at_present(*access_, [&] { return device_->close(); });
}

}  // namespace petrel::lab
