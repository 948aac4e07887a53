#include "daemon/control_thread.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "codec/control_json.hpp"
#include "codec/event_json.hpp"
#include "runtime/cpu_ration.hpp"
#include "runtime/signals.hpp"

namespace petrel::daemon {

namespace {

using Command = control::ControlRequest::Command;

// Bounds the note of an order, because its event stores it.
constexpr std::size_t kLongestNote = 256;

// Limits the requests that wait for the loop, separately for root and for all others. The limit on connections does not
// bound them, because a request still waits after its client has disconnected.
constexpr std::size_t kMostWaitingRequests = 64;

// The control thread runs at a lower priority than the loop and the device threads, so that requests do not slow these.
constexpr int kNicer = 10;

void answer_and_close(runtime::ControlServer::Peer& peer, std::string line)
{
    peer.send(std::move(line));
    peer.close_after_sending();
}

}  // namespace

Result<std::unique_ptr<ControlThread>> ControlThread::start(runner::Loop& service_loop, ControlSetup setup)
{
    auto loop = runtime::EventLoop::make();
    if (!loop) {
        return tl::unexpected(std::move(loop.error()));
    }
    const auto socket = setup.socket;
    const auto group = setup.group;
    std::unique_ptr<ControlThread> control{new ControlThread{service_loop, std::move(*loop), std::move(setup)}};
    const runtime::ControlServer::Limits for_all;
    const runtime::ControlServer::Limits for_root{.connections = 16, .followers = 8, .only_for_root = 16};
    for (const auto& [path, limits] : {std::pair{socket, for_all}, std::pair{runtime::root_socket(socket), for_root}}) {
        auto server = runtime::ControlServer::listen(
            *control->loop_, path, group,
            [raw = control.get()](const Peer& peer, std::string_view line) { raw->handle(peer, line); }, limits);
        if (!server) {
            return tl::unexpected(std::move(server.error()));
        }
        control->doors_.push_back({path, std::move(*server)});
    }
    control->thread_ = std::thread{[raw = control.get()] { raw->run(); }};
    return control;
}

ControlThread::ControlThread(runner::Loop& service_loop, std::unique_ptr<runtime::EventLoop> loop, ControlSetup setup)
    : service_loop_(service_loop),
      handle_request_(std::move(setup.handle_request)),
      loop_(std::move(loop)),
      devices_(std::move(setup.devices)),
      history_(std::move(setup.history))
{}

ControlThread::~ControlThread()
{
    if (thread_.joinable()) {
        loop_->stop();
        thread_.join();
    }
}

void ControlThread::publish(const std::string& device, std::uint64_t seq, const std::string& event_json)
{
    loop_->post([this, device, seq, event = event_json]() mutable {
        send_to_followers(device, event);
        history_.add(device, seq, std::move(event));
    });
}

void ControlThread::keep_names(const NameKept& done)
{
    loop_->post([this, alive = std::weak_ptr{alive_}, done] {
        for (const auto& door : doors_) {
            service_loop_.post([alive, done, socket = door.socket, lost = door.server->keep_name()] {
                if (alive.lock()) {
                    done(socket, lost);
                }
            });
        }
    });
}

control::ControlReport ControlThread::counters() const
{
    control::ControlReport all;
    for (const auto& door : doors_) {
        const auto one = door.server->counters();
        all.connections += one.connections;
        all.refused += one.refused;
        all.bad += one.bad;
        all.dropped_slow += one.dropped_slow;
    }
    return all;
}

void ControlThread::handle_request(const Waiting& waiting)
{
    handle_request_(waiting.request, waiting.by,
                    [this, alive = std::weak_ptr{alive_}, peer = waiting.peer](ControlAnswer answer) {
                        if (alive.lock()) {
                            loop_->post([this, peer, answer = std::move(answer)] {
                                if (!peer->gone()) {
                                    answer_and_close(*peer, answer(history_));
                                }
                            });
                        }
                    });
    loop_->post([this] {
        handling_ = false;
        handle_next();
    });
}

void ControlThread::run()
{
    runtime::block_all_signals();
    [[maybe_unused]] const int now = ::nice(kNicer);  // affects only this thread
    loop_->after_each_turn([ration = runtime::clients_ration()]() mutable { ration.rest(); });
    loop_->run();
}

void ControlThread::handle(const Peer& peer, std::string_view line)
{
    const auto request = codec::read_request(line);
    if (!request) {
        return answer_and_close(*peer, codec::answer_json(request.error()));
    }
    if (request->command == Command::events) {
        return send_events(peer, *request);
    }
    if (request->note.size() > kLongestNote) {
        return answer_and_close(
            *peer, codec::answer_json(Error{ErrorKind::invalid, fmt::format("a note of {} bytes: at most {}",
                                                                            request->note.size(), kLongestNote)}));
    }
    wait_in_line(peer, *request);
}

void ControlThread::wait_in_line(const Peer& peer, const control::ControlRequest& request)
{
    auto& line = waiting_[peer->root() ? 0 : 1];
    if (line.size() >= kMostWaitingRequests) {
        return answer_and_close(
            *peer, codec::answer_json(
                       Error{ErrorKind::exhausted,
                             fmt::format("{} requests wait for the agent already: try again", kMostWaitingRequests)}));
    }
    line.push_back({peer, request, ordered_by(peer->caller().name, request)});
    handle_next();
}

void ControlThread::handle_next()
{
    const auto line = std::ranges::find_if(waiting_, [](const auto& requests) { return !requests.empty(); });
    if (handling_ || line == waiting_.end()) {
        return;
    }
    handling_ = true;
    service_loop_.post([this, alive = std::weak_ptr{alive_}, waiting = std::move(line->front())] {
        if (alive.lock()) {
            handle_request(waiting);
        }
    });
    line->pop_front();
}

void ControlThread::send_events(const Peer& peer, const control::ControlRequest& request)
{
    if (const auto known = check_device(devices_, request.device); !known) {
        return answer_and_close(*peer, codec::answer_json(known.error()));
    }
    if (request.follow && !peer->follow()) {
        return answer_and_close(
            *peer, codec::answer_json(
                       Error{ErrorKind::exhausted,
                             "too many clients follow events: try again later, or use `petrel events --last N`"}));
    }
    auto lines = history_.last(request);
    if (!request.follow && lines.count == 0 && !request.queue.empty()) {
        return wait_in_line(peer, request);  // the service knows whether there is such a queue
    }
    if (!request.follow) {
        return answer_and_close(*peer, events_answer(history_, request));
    }
    if (!lines.text.empty()) {
        lines.text.pop_back();
        peer->send(std::move(lines.text));
    }
    std::erase_if(followers_, [](const Follower& follower) { return follower.peer.expired(); });
    followers_.push_back({peer, request});
}

void ControlThread::send_to_followers(const std::string& device, const std::string& event_json)
{
    std::erase_if(followers_, [](const Follower& follower) { return follower.peer.expired(); });
    for (const auto& follower : followers_) {
        const auto peer = follower.peer.lock();
        if (peer && codec::wants_event(follower.request, device, event_json)) {
            peer->send(event_json);
        }
    }
}

}  // namespace petrel::daemon
