// The way from a library back to us. Its callbacks carry no word of ours, so each library gets functions of its own out
// of a fixed few; they look up settings, or hand what they heard to a listener, and return. They may come in any thread
// of the library's, at any time while a listener is set.
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
    virtual void hear(const abi::DeadlockNotice&) noexcept = 0;
    virtual void hear(const abi::PortStateNotice&) noexcept = 0;
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

    void listen(Listener*);  // null: nobody; then whoever listened is called no more

private:
    explicit Callbacks(std::size_t line) : line_(line) {}

    std::size_t line_;
};

}  // namespace petrel::device::sai
