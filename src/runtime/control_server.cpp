#include "runtime/control_server.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <utility>

#include "codec/control_json.hpp"
#include "runtime/local_socket.hpp"

namespace petrel::runtime {
namespace {

constexpr int kAcceptedInATurn = 16;
constexpr std::size_t kSentInATurn = std::size_t{256} * 1024;

// Reads only /etc/passwd: a directory service may take long and would block the loop.
std::string user_name(uid_t uid)
{
    const std::unique_ptr<FILE, int (*)(FILE*)> users{std::fopen("/etc/passwd", "re"), &std::fclose};
    const passwd* user = nullptr;
    do {
        user = users ? ::fgetpwent(users.get()) : nullptr;
    } while (user != nullptr && user->pw_uid != uid);
    return user != nullptr ? user->pw_name : "somebody";
}

Result<void> give_to_group(const FileDescriptor& name, const std::filesystem::path& path, const std::string& group)
{
    if (group.empty()) {
        return {};
    }
    const auto* known = ::getgrnam(group.c_str());
    if (known == nullptr) {
        return tl::unexpected(
            Error{ErrorKind::invalid, fmt::format("group '{}' of the control socket: no such group", group)});
    }
    if (::fchownat(name.get(), "", static_cast<uid_t>(-1), known->gr_gid, AT_EMPTY_PATH) != 0) {
        return tl::unexpected(file_error(fmt::format("give to group '{}'", group), path, errno));
    }
    return {};
}

// Makes the name free: removes the socket of a process that has died. Fails if another process listens there.
Result<void> clear_the_way(const std::filesystem::path& path, const sockaddr_un& address)
{
    struct stat found{};
    if (::lstat(path.c_str(), &found) != 0) {
        return {};  // any other error than a missing file is reported by bind()
    }
    if (!S_ISSOCK(found.st_mode)) {
        return tl::unexpected(
            Error{ErrorKind::invalid,
                  fmt::format("cannot listen at {}: a file of this name exists and is no socket", path.string())});
    }
    const auto probe = local_socket();
    if (!probe) {
        return tl::unexpected(probe.error());
    }
    const int answer = connect_local(*probe, address);
    if (answer == 0 || answer == EAGAIN) {
        return tl::unexpected(Error{ErrorKind::exhausted, fmt::format("another agent answers at {}", path.string())});
    }
    if (answer != ECONNREFUSED) {
        return tl::unexpected(file_error("replace", path, answer));
    }
    if (::unlink(path.c_str()) != 0) {
        return tl::unexpected(file_error("replace", path, errno));
    }
    return {};
}

// Opens the name that bind() has created, as a descriptor. If another user with write access to the folder has put a
// link or another file there, this fails, so that such a file keeps its owner and mode.
Result<FileDescriptor> own_name(const std::filesystem::path& path)
{
    return open_path(path, O_PATH | O_NOFOLLOW).and_then([&](FileDescriptor&& name) -> Result<FileDescriptor> {
        struct stat found{};
        if (::fstat(name.get(), &found) != 0 || !S_ISSOCK(found.st_mode) || found.st_uid != ::geteuid()) {
            return tl::unexpected(file_error("listen at", path, EEXIST));
        }
        return std::move(name);
    });
}

// Sets group and mode before listen(): no client can connect earlier.
Result<void> open_for(const FileDescriptor& socket, const std::filesystem::path& path, const std::string& group,
                      mode_t mode)
{
    return own_name(path).and_then([&](const FileDescriptor& name) -> Result<void> {
        if (auto given = give_to_group(name, path, group); !given) {
            return given;
        }
        // fchmod() does not work on an O_PATH descriptor.
        const auto by_descriptor = fmt::format("/proc/self/fd/{}", name.get());
        if (::chmod(by_descriptor.c_str(), mode) != 0 || ::listen(socket.get(), SOMAXCONN) != 0) {
            return tl::unexpected(file_error("listen at", path, errno));
        }
        return {};
    });
}

Result<FileDescriptor> listen_at(const std::filesystem::path& path, const std::string& group, mode_t mode)
{
    const auto address = local_address(path);
    if (!address) {
        return tl::unexpected(address.error());
    }
    if (const auto cleared = clear_the_way(path, *address); !cleared) {
        return tl::unexpected(cleared.error());
    }
    auto socket = local_socket();
    if (!socket) {
        return socket;
    }
    if (const int problem = bind_local(*socket, *address); problem != 0) {
        return tl::unexpected(file_error("listen at", path, problem));
    }
    if (const auto opened = open_for(*socket, path, group, mode); !opened) {
        ::unlink(path.c_str());
        return tl::unexpected(opened.error());
    }
    return socket;
}

ino_t inode_of(const std::filesystem::path& path)
{
    struct stat found{};
    return ::lstat(path.c_str(), &found) == 0 && S_ISSOCK(found.st_mode) ? found.st_ino : 0;
}

std::string refusal(std::string why) { return codec::answer_json(Error{ErrorKind::exhausted, std::move(why)}); }

mode_t mode_of(const ControlServer::Limits& limits) { return limits.only_for_root >= limits.connections ? 0600 : 0660; }

}  // namespace

void ControlServer::Peer::send(std::string lines)
{
    if (!gone() && !closing_) {
        server_->send(*this, std::move(lines));
    }
}

void ControlServer::Peer::close_after_sending()
{
    if (gone()) {
        return;
    }
    closing_ = true;
    if (waiting() == 0) {
        server_->drop(*this);
    }
}

bool ControlServer::Peer::follow() { return !gone() && (follows_ || server_->take_follower(*this)); }

ControlServer::Caller ControlServer::Peer::caller() const
{
    return {fmt::format("{} (uid {}, pid {})", user_name(credentials_.uid), credentials_.uid, credentials_.pid)};
}

std::filesystem::path root_socket(const std::filesystem::path& socket) { return socket.string() + ".root"; }

Result<std::unique_ptr<ControlServer>> ControlServer::listen(EventLoop& loop, const std::filesystem::path& path,
                                                             const std::string& group, Handler handler, Limits limits)
{
    auto socket = listen_at(path, group, mode_of(limits));
    if (!socket) {
        return tl::unexpected(socket.error());
    }
    std::unique_ptr<ControlServer> server{
        new ControlServer{loop, path, group, std::move(*socket), std::move(handler), limits}};
    return server->watch_listener().map([&] { return std::move(server); });
}

Result<void> ControlServer::watch_listener()
{
    return loop_.watch(listener_.get(), EPOLLIN, [this](std::uint32_t) { accept_some(); });
}

Result<bool> ControlServer::keep_name()
{
    if (inode_of(path_) == inode_) {
        return false;
    }
    std::error_code denied;  // listen_at() reports it
    std::filesystem::create_directories(path_.parent_path(), denied);
    auto socket = listen_at(path_, group_, mode_of(limits_));
    if (!socket) {
        return tl::unexpected(std::move(socket.error()));
    }
    if (rest_) {
        loop_.cancel(*rest_);
        rest_.reset();
    }
    loop_.unwatch(listener_.get());
    listener_ = std::move(*socket);
    inode_ = inode_of(path_);
    return watch_listener().map([] { return true; });
}

ControlServer::ControlServer(EventLoop& loop, std::filesystem::path path, std::string group, FileDescriptor listener,
                             Handler handler, Limits limits)
    : loop_(loop),
      path_(std::move(path)),
      group_(std::move(group)),
      listener_(std::move(listener)),
      inode_(inode_of(path_)),
      handler_(std::move(handler)),
      limits_(limits)
{}

ControlServer::Counters ControlServer::counters() const
{
    return {counters_.connections, counters_.refused, counters_.bad, counters_.dropped_slow};
}

ControlServer::~ControlServer()
{
    while (!peers_.empty()) {
        drop(*peers_.begin()->second);
    }
    if (rest_) {
        loop_.cancel(*rest_);
    }
    loop_.unwatch(listener_.get());
    if (inode_of(path_) == inode_) {
        ::unlink(path_.c_str());
    }
}

// Accepts a few connections per turn of the loop, so that earlier connections are served in between.
void ControlServer::accept_some()
{
    for (int i = 0; i < kAcceptedInATurn; ++i) {
        FileDescriptor file{::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)};
        if (file.get() >= 0) {
            admit(std::move(file));
        } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
            // The client stays in the backlog: without this pause the loop would be woken all the time.
            loop_.rewatch(listener_.get(), 0);
            rest_ = loop_.at(loop_.now().mono + std::chrono::milliseconds{100}, [this] {
                rest_.reset();
                loop_.rewatch(listener_.get(), EPOLLIN);
            });
            return;
        } else if (errno != ECONNABORTED && errno != EINTR) {
            return;
        }
    }
}

void ControlServer::admit(FileDescriptor file)
{
    ++counters_.connections;
    const auto peer = std::make_shared<Peer>();
    peer->file_ = std::move(file);
    socklen_t size = sizeof peer->credentials_;
    ::getsockopt(peer->file_.get(), SOL_SOCKET, SO_PEERCRED, &peer->credentials_, &size);
    const bool watched = make_room(*peer) && loop_.watch(peer->file_.get(), EPOLLIN,
                                                         [this, peer](std::uint32_t events) { on_file(peer, events); });
    if (!watched) {
        ++counters_.refused;
        send_at_once(*peer, refusal(no_place(*peer)));
        return;
    }
    peer->server_ = this;
    peer->arrived_ = arrivals_++;
    peer->too_late_ = loop_.at(loop_.now().mono + limits_.patience, [this, peer] {
        ++counters_.bad;
        refuse(*peer, fmt::format("no whole request within {} s",
                                  std::chrono::duration_cast<std::chrono::seconds>(limits_.patience).count()));
    });
    peers_.emplace(peer->arrived_, peer);
}

std::size_t ControlServer::for_others(std::size_t places) const
{
    return places - std::min(places, limits_.only_for_root);
}

bool ControlServer::full_for(const Peer& newcomer) const
{
    const auto others = std::count_if(peers_.begin(), peers_.end(), [](const auto& p) { return !p.second->root(); });
    return peers_.size() >= limits_.connections ||
           (!newcomer.root() && static_cast<std::size_t>(others) >= for_others(limits_.connections));
}

bool ControlServer::make_room(const Peer& newcomer)
{
    if (!full_for(newcomer)) {
        return true;
    }
    auto* leaves = displaceable(newcomer.root());
    if (leaves == nullptr) {
        return false;
    }
    if (leaves->has_requested_) {
        ++counters_.dropped_slow;
        drop(*leaves);
    } else {
        ++counters_.refused;
        refuse(*leaves, "too many connections at once, and this one sent no request: try again");
    }
    return true;
}

// The oldest connection that has sent no request, or else the oldest that does not read its answer. Root displaces
// other users first.
ControlServer::Peer* ControlServer::displaceable(bool by_root) const
{
    const auto first = [&](bool of_root, auto is) {
        const auto found = std::find_if(peers_.begin(), peers_.end(), [&](const auto& entry) {
            return entry.second->root() == of_root && is(*entry.second);
        });
        return found == peers_.end() ? nullptr : found->second.get();
    };
    for (const bool of_root : {false, true}) {
        if (of_root && !by_root) {
            break;
        }
        if (auto* silent = first(of_root, [](const Peer& peer) { return !peer.has_requested_; })) {
            return silent;
        }
        if (auto* deaf = first(of_root, [this](const Peer& peer) { return unread_too_long(peer); })) {
            return deaf;
        }
    }
    return nullptr;
}

bool ControlServer::unread_too_long(const Peer& peer) const
{
    return peer.waiting() != 0 && !peer.follows_ && loop_.now().mono - peer.answered_ >= limits_.unread;
}

std::string ControlServer::no_place(const Peer& peer) const
{
    return peer.root() || limits_.only_for_root == 0
               ? fmt::format("all {} connections are in use: try again", limits_.connections)
               : fmt::format("all {} connections are in use, {} more are kept for root: try again",
                             for_others(limits_.connections), limits_.only_for_root);
}

bool ControlServer::take_follower(Peer& peer)
{
    const auto room = peer.root() ? limits_.followers : for_others(limits_.followers);
    const auto there = std::count_if(peers_.begin(), peers_.end(), [&](const auto& entry) {
        return entry.second->follows_ && (peer.root() || !entry.second->root());
    });
    peer.follows_ = static_cast<std::size_t>(there) < room;
    counters_.refused += peer.follows_ ? 0U : 1U;
    return peer.follows_;
}

// To make room, drops clients that have not read their answers for too long.
bool ControlServer::has_room(const Peer& peer, std::size_t answer)
{
    if (peer.root() || answer <= limits_.small_answer) {
        return true;
    }
    const auto fits = [&] { return waiting_in_all_ == 0 || waiting_in_all_ + answer <= limits_.waiting_in_all; };
    while (!fits()) {
        const auto deaf = std::find_if(peers_.begin(), peers_.end(),
                                       [this](const auto& entry) { return unread_too_long(*entry.second); });
        if (deaf == peers_.end()) {
            return false;
        }
        ++counters_.dropped_slow;
        drop(*deaf->second);
    }
    return true;
}

void ControlServer::refuse(Peer& peer, std::string why)
{
    send_at_once(peer, refusal(std::move(why)));
    drop(peer);
}

// Bytes that do not fit into the socket buffer are lost, because the connection is closed next.
void ControlServer::send_at_once(const Peer& peer, std::string line)
{
    line += '\n';
    [[maybe_unused]] const auto sent = ::send(peer.file_.get(), line.data(), line.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

void ControlServer::on_file(const std::shared_ptr<Peer>& peer, std::uint32_t events)
{
    if (!peer->has_requested_) {
        read_request(peer);
    } else if ((events & (EPOLLHUP | EPOLLERR)) != 0) {
        drop(*peer);
    } else {
        push(*peer);
    }
}

void ControlServer::read_request(const std::shared_ptr<Peer>& peer)
{
    std::array<char, std::size_t{16} * 1024> piece;
    const auto got = ::recv(peer->file_.get(), piece.data(), piece.size(), MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    auto& request = peer->request_;
    if (got <= 0) {
        counters_.bad += request.empty() ? 0U : 1U;  // not counted if the client sent nothing
        drop(*peer);
        return;
    }
    const auto before = request.size();
    request.append(piece.data(), static_cast<std::size_t>(got));
    const auto end = std::min(request.find('\n', before), request.size());
    if (end > limits_.request) {
        ++counters_.bad;
        refuse(*peer, fmt::format("a request of more than {} bytes", limits_.request));
    } else if (end < request.size()) {
        peer->has_requested_ = true;
        loop_.cancel(peer->too_late_);
        loop_.rewatch(peer->file_.get(), 0);  // from now on only EPOLLHUP and EPOLLERR
        const auto line = std::exchange(request, {}).substr(0, end);
        handler_(peer, line);
    }
}

void ControlServer::send(Peer& peer, std::string lines)
{
    lines += '\n';
    const bool first = peer.answer_ == 0;
    if (first && !has_room(peer, lines.size())) {
        ++counters_.refused;
        refuse(peer, "too many answers wait for clients that do not read them: try again");
        return;
    }
    const auto queued = peer.sent_ + peer.waiting();
    if (first) {
        peer.answer_ = lines.size();
        peer.answered_ = loop_.now().mono;
    } else if (queued + lines.size() - std::max(peer.sent_, peer.answer_) > limits_.waiting) {
        ++counters_.dropped_slow;
        drop(peer);
        return;
    }
    waiting_in_all_ += lines.size();
    if (peer.waiting() != 0) {
        peer.out_ += lines;
        return;
    }
    peer.out_ = std::move(lines);
    peer.taken_ = 0;
    if (first) {
        push(peer);
    } else {
        loop_.rewatch(peer.file_.get(), EPOLLOUT);  // one write for all lines of this turn
    }
}

// Sends one piece per turn of the loop, so that a fast reader does not occupy the loop.
void ControlServer::push(Peer& peer)
{
    const auto size = std::min(peer.waiting(), kSentInATurn);
    const auto sent = ::send(peer.file_.get(), peer.out_.data() + peer.taken_, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno != EAGAIN && errno != EINTR) {
        drop(peer);
        return;
    }
    const auto taken = static_cast<std::size_t>(std::max<ssize_t>(sent, 0));
    peer.sent_ += taken;
    peer.taken_ += taken;
    waiting_in_all_ -= taken;
    if (peer.taken_ > peer.out_.size() / 2) {
        peer.out_.erase(0, std::exchange(peer.taken_, 0));
    }
    if (peer.waiting() == 0 && peer.closing_) {
        drop(peer);
        return;
    }
    loop_.rewatch(peer.file_.get(), peer.waiting() != 0 ? std::uint32_t{EPOLLOUT} : 0U);
}

void ControlServer::drop(Peer& peer)
{
    const auto kept = peers_.extract(peer.arrived_);  // keeps the peer alive until this function returns
    loop_.cancel(peer.too_late_);
    loop_.unwatch(peer.file_.get());
    waiting_in_all_ -= peer.waiting();
    peer.out_ = {};
    peer.taken_ = 0;
    peer.file_ = {};
    peer.server_ = nullptr;
}

}  // namespace petrel::runtime
