#include "device/sai/links.hpp"

namespace petrel::device::sai {

Links::Links(const Library& library, std::span<const PortObjects> objects)
    : library_(library),
      objects_(objects),
      ports_(objects.size()),
      has_errors_(library.version() >= abi::kPortErrors),
      code_list_(link::list_named("sai.port_error").value())
{
    for (std::size_t port = 0; port != ports_.size(); ++port) {
        ports_[port].shown.port = objects_[port].name;
    }
}

void Links::receive(std::size_t index, const abi::PortStateNotice& notice) noexcept
{
    auto& port = ports_[index];
    const auto state = state_of(notice.state);
    if (state == State::down && has_errors_) {
        port.reported_bits = notice.error_bits;
    }
    ++port.notices;
    enter(port, state);
}

// TESTING and UNKNOWN are no reason to take the link for one that went down.
Links::State Links::state_of(std::int32_t oper_status)
{
    const auto status = static_cast<abi::OperStatus>(oper_status);
    return status == abi::OperStatus::up                                               ? State::up
           : status == abi::OperStatus::down || status == abi::OperStatus::not_present ? State::down
                                                                                       : State::unknown;
}

// A repeated report of a link that is down is not another time. Nor is the first report: the link was not up.
void Links::enter(Port& port, State now) noexcept
{
    if (now != State::unknown && port.state.exchange(now) == State::up && now == State::down) {
        ++port.downs;
    }
}

std::vector<link::LinkSample> Links::read()
{
    std::vector<link::LinkSample> samples;
    for (std::size_t index = 0; index != ports_.size(); ++index) {
        auto& port = ports_[index];
        const auto notices = port.notices.load();
        const auto state = read_state(index);
        if (port.notices.load() == notices) {
            enter(port, state);  // else a notification came meanwhile, which is newer
        }
        if (port.state.load() != State::unknown) {
            show(index);
            samples.push_back(port.shown);
        }
    }
    return samples;
}

Links::State Links::read_state(std::size_t port) const
{
    const auto value = library_.ports().get(objects_[port].port, abi::port_attr::oper_status);
    return value ? state_of(value->s32) : State::unknown;
}

// Reads the code once for each time, as soon as possible: it may change while the link is down.
void Links::show(std::size_t index)
{
    auto& port = ports_[index];
    port.shown.up = port.state.load() == State::up;
    port.shown.downs = port.downs.exchange(0);
    if (port.shown.downs == 0) {
        return;
    }
    const auto bits = port.reported_bits.exchange(0);
    port.shown.code = bits != 0 ? std::optional{link::RawCode{code_list_, bits}} : read_code(index);
    const auto admin = library_.ports().get(objects_[index].port, abi::port_attr::admin_state);
    port.shown.disabled = !port.shown.up && admin && !admin->booldata;
}

std::optional<link::RawCode> Links::read_code(std::size_t port) const
{
    if (!has_errors_) {
        return std::nullopt;
    }
    const auto bits = library_.ports().get(objects_[port].port, abi::port_attr::error_status);
    return bits ? std::optional{link::RawCode{code_list_, static_cast<std::uint32_t>(bits->s32)}} : std::nullopt;
}

}  // namespace petrel::device::sai
