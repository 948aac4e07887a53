// Ends the wait of a look (Capabilities::look_waits). The runner wakes the look if another call of the device waits
// behind it.
#pragma once

namespace petrel::device {

class Waker {
public:
    Waker();
    ~Waker();
    Waker(const Waker&) = delete;
    Waker& operator=(const Waker&) = delete;

    void wake() const noexcept;     // may be called in any thread
    void reset() const noexcept;    // by the look, when its wait is over
    int fd() const { return fd_; }  // readable from wake() to reset()

private:
    int fd_;
};

}  // namespace petrel::device
