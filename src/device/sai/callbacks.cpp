#include "device/sai/callbacks.hpp"

#include <fmt/format.h>

#include <array>
#include <mutex>
#include <utility>
#include <vector>

namespace petrel::device::sai {

namespace {

struct Line {
    std::mutex mutex;
    bool taken{};
    Profile profile;
    std::vector<Profile> former;   // kept, since the library may still hold pointers to strings of earlier profiles
    Profile::const_iterator next;  // position of the library's iteration over its settings
    Listener* listener{};
};

std::array<Line, kMostLibraries> lines;

// The library may keep the returned pointer: the string stays valid until the Callbacks object is destroyed.
const char* get_value(Line& line, const char* variable)
{
    const std::lock_guard lock{line.mutex};
    const auto at = variable == nullptr ? line.profile.end() : line.profile.find(std::string_view{variable});
    return at == line.profile.end() ? nullptr : at->second.c_str();
}

// Returns zero if there is one more setting. Null pointers restart the iteration.
int get_next_value(Line& line, const char** variable, const char** value)
{
    const std::lock_guard lock{line.mutex};
    if (variable == nullptr || value == nullptr) {
        line.next = line.profile.begin();
        return 0;
    }
    if (line.next == line.profile.end()) {
        return -1;
    }
    *variable = line.next->first.c_str();
    *value = line.next->second.c_str();
    ++line.next;
    return 0;
}

template <class Notice>
void deliver(Line& line, std::uint32_t count, const Notice* notices)
{
    const std::lock_guard lock{line.mutex};
    for (std::uint32_t i = 0; line.listener != nullptr && notices != nullptr && i != count; ++i) {
        line.listener->receive(notices[i]);
    }
}

struct Functions {
    abi::ServiceMethods services;
    abi::DeadlockCallback deadlock;
    abi::PortStateCallback port_state;
};

template <std::size_t N>
constexpr Functions functions_of()
{
    return {{[](std::uint32_t, const char* variable) { return get_value(lines[N], variable); },
             [](std::uint32_t, const char** variable, const char** value) {
                 return get_next_value(lines[N], variable, value);
             }},
            [](std::uint32_t count, const abi::DeadlockNotice* notices) { deliver(lines[N], count, notices); },
            [](std::uint32_t count, const abi::PortStateNotice* notices) { deliver(lines[N], count, notices); }};
}

template <std::size_t... N>
constexpr std::array<Functions, sizeof...(N)> functions_of_each(std::index_sequence<N...>)
{
    return {functions_of<N>()...};
}

constexpr auto functions = functions_of_each(std::make_index_sequence<kMostLibraries>{});

}  // namespace

Result<std::unique_ptr<Callbacks>> Callbacks::take(Profile profile)
{
    for (std::size_t i = 0; i != lines.size(); ++i) {
        const std::lock_guard lock{lines[i].mutex};
        if (!lines[i].taken) {
            lines[i].taken = true;
            lines[i].profile = std::move(profile);
            lines[i].next = lines[i].profile.begin();
            return std::unique_ptr<Callbacks>{new Callbacks{i}};
        }
    }
    return tl::unexpected(Error{ErrorKind::exhausted, fmt::format("{} libraries are open already, and no process can "
                                                                  "have more",
                                                                  lines.size())});
}

Callbacks::~Callbacks()
{
    const std::lock_guard lock{lines[line_].mutex};
    lines[line_].listener = nullptr;
    lines[line_].former.clear();
    lines[line_].taken = false;
}

const abi::ServiceMethods& Callbacks::services() const { return functions[line_].services; }
abi::DeadlockCallback Callbacks::deadlock() const { return functions[line_].deadlock; }
abi::PortStateCallback Callbacks::port_state() const { return functions[line_].port_state; }

Profile Callbacks::profile() const
{
    const std::lock_guard lock{lines[line_].mutex};
    return lines[line_].profile;
}

void Callbacks::change_profile(Profile profile)
{
    auto& line = lines[line_];
    const std::lock_guard lock{line.mutex};
    if (line.profile != profile) {
        line.former.push_back(std::exchange(line.profile, std::move(profile)));
        line.next = line.profile.begin();
    }
}

void Callbacks::listen(Listener* listener)
{
    const std::lock_guard lock{lines[line_].mutex};
    lines[line_].listener = listener;
}

}  // namespace petrel::device::sai
