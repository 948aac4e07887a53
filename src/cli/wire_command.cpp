#include "cli/wire_command.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <array>
#include <thread>

#include "runtime/packet_socket.hpp"
#include "terminal/terminal.hpp"
#include "wire/mac_control.hpp"
#include "wire/pause_counts.hpp"

namespace petrel::cli {
namespace {

using std::chrono::steady_clock;

std::string counts_text(const WireCountOptions& options, const wire::PauseCounts& counts)
{
    const auto line = [](const std::string& of, const wire::PauseCount& count) {
        return count == wire::PauseCount{} ? std::string{}
                                           : fmt::format("  {}: {} XOFF, {} XON\n", of, count.xoff, count.xon);
    };
    auto text = fmt::format("{}: {} pause frames received\n", options.interface, counts.frames);
    for (std::size_t priority = 0; priority < counts.priorities.size(); ++priority) {
        text += line(fmt::format("priority {}", priority), counts.priorities.at(priority));
    }
    return text + line("port (802.3x)", counts.port);
}

// Counts the frames that wait.
Result<void> count_waiting(const runtime::PacketSocket& socket, wire::PauseCounts& counts)
{
    std::array<std::byte, wire::kPauseFrameBytes + wire::kFcsBytes> buffer{};
    for (;;) {
        const auto bytes = socket.receive(buffer);
        if (!bytes || *bytes == 0) {
            return bytes ? Result<void>{} : tl::unexpected(bytes.error());
        }
        if (*bytes <= buffer.size()) {
            if (const auto frame = wire::parse_pause(std::span{buffer}.first(*bytes))) {
                wire::count(*frame, counts);
            }
        }
    }
}

}  // namespace

ExitCode run_wire_send(const WireSendOptions& options)
{
    const auto socket = runtime::PacketSocket::to_send(options.interface);
    if (!socket) {
        return fail(socket.error());
    }
    wire::PauseFrame frame{socket->address(), wire::PortPause{options.quanta}};
    if (!options.port) {
        wire::ClassPause pause;
        for (const auto priority : options.priorities) {
            pause.enabled |= static_cast<std::uint8_t>(1U << priority);
            pause.quanta.at(priority) = options.quanta;
        }
        frame.pause = pause;
    }
    const auto bytes = wire::build(frame);
    auto next = steady_clock::now();
    for (std::uint32_t sent = 0; sent < options.count; ++sent) {
        std::this_thread::sleep_until(next);
        next += std::chrono::microseconds{options.interval_us};
        if (const auto done = socket->send(bytes); !done) {
            print_stderr(fmt::format("petrel: {} of {} frames were sent", sent, options.count));
            return fail(done.error());
        }
    }
    return finish(fmt::format("{}: {} pause frames sent\n", options.interface, options.count), ExitCode::ok);
}

ExitCode run_wire_count(const WireCountOptions& options)
{
    const auto socket = runtime::PacketSocket::to_receive(options.interface);
    if (!socket) {
        return fail(socket.error());
    }
    print_stderr(fmt::format("petrel: counting pause frames on {}", options.interface));
    wire::PauseCounts counts;
    const auto end = steady_clock::now() + std::chrono::milliseconds{options.for_ms};
    for (auto now = steady_clock::now(); now < end && (!options.frames || counts.frames < *options.frames);
         now = steady_clock::now()) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - now);
        pollfd readable{.fd = socket->file(), .events = POLLIN, .revents = 0};
        ::poll(&readable, 1, static_cast<int>(left.count()));
        if (const auto counted = count_waiting(*socket, counts); !counted) {
            return fail(counted.error());
        }
    }
    if (const auto discarded = socket->take_discarded(); discarded > 0) {
        print_stderr(fmt::format("petrel: {} more frames arrived faster than they could be counted", discarded));
    }
    const bool complete = !options.frames || counts.frames >= *options.frames;
    return finish(counts_text(options, counts), complete ? ExitCode::ok : ExitCode::expectation);
}

}  // namespace petrel::cli
