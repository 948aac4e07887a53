#include "libsai/process.hpp"

#include <chrono>

namespace petrel::libsai {

namespace status = sai::status;

namespace {

constexpr std::chrono::milliseconds kPace{2};

void keep_pace(const std::stop_token& stop)
{
    std::mutex idle;
    std::condition_variable_any bell;
    while (!stop.stop_requested()) {
        on_library([](Library& library) -> Status {
            library.keep_up();
            return status::success;
        });
        deliver_notices();
        std::unique_lock lock{idle};
        bell.wait_for(lock, stop, kPace, [] { return false; });
    }
}

}  // namespace

Process& process()
{
    static Process it;
    return it;
}

void start_pacer(Process& here) { here.pacer = std::jthread{keep_pace}; }

Status begin(const sai::ServiceMethods& services)
{
    auto& here = process();
    const std::lock_guard lock{here.mutex};
    if (here.library) {
        return status::item_already_exists;
    }
    forget_last_error();
    here.library = std::make_unique<Library>(services);
    return status::success;
}

// The pacer thread may be inside a callback that calls this library. Therefore it is joined without the lock, and it
// cannot end the library itself.
Status end()
{
    auto& here = process();
    std::jthread pacer;
    {
        const std::lock_guard lock{here.mutex};
        if (!here.library) {
            return status::uninitialized;
        }
        if (here.pacer.get_id() == std::this_thread::get_id()) {
            return status::object_in_use;
        }
        here.library.reset();
        pacer = std::move(here.pacer);
    }
    return status::success;
}

// Without the lock: the receiver of a notice may call this library.
void deliver_notices()
{
    std::vector<Delivery> deliveries;
    on_library([&](Library& library) -> Status {
        deliveries = library.take_deliveries();
        return status::success;
    });
    for (const auto& delivery : deliveries) {
        delivery.deliver();
    }
}

}  // namespace petrel::libsai
