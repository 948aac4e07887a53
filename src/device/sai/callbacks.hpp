// The callbacks from a library into Petrel. SAI callbacks carry no user pointer, so each library gets its own functions
// out of a fixed set. They look up settings, or pass a notification to the listener, and return. The library may call
// them from any of its threads, at any time while a listener is set.
#pragma once

#include <cstddef>
#include <memory>

#include "base/result.hpp"
#include "device/sai/profile.hpp"
#include "sai/types.hpp"

namespace petrel::device::sai {

namespace abi = petrel::sai;

inline constexpr std::size_t kMostLibraries = 8;  // in one process

class Listener {
public:
    virtual ~Listener() = default;
    virtual void receive(const abi::DeadlockNotice&) noexcept = 0;
    virtual void receive(const abi::PortStateNotice&) noexcept = 0;
};

class Callbacks {
public:
    static Result<std::unique_ptr<Callbacks>> take(Profile);
    ~Callbacks();
    Callbacks(const Callbacks&) = delete;
    Callbacks& operator=(const Callbacks&) = delete;

    const abi::ServiceMethods& services() const;
    abi::DeadlockCallback deadlock() const;
    abi::PortStateCallback port_state() const;

    Profile profile() const;
    void change_profile(Profile);

    void listen(Listener*);  // null: removes the listener; it is not called any more once this returns

private:
    explicit Callbacks(std::size_t line) : line_(line) {}

    std::size_t line_;
};

}  // namespace petrel::device::sai
