// A device on the bad library, with a manual clock.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "device/manual_clock.hpp"
#include "device/sai/sai_device.hpp"
#include "sai/bad_libsai.hpp"

namespace petrel::test {

constexpr DeviceId kSaiId{7};

inline Target sai_queue(std::uint16_t port, std::uint8_t priority) { return {{kSaiId, port}, Priority{priority}}; }
inline const Target kQueue = sai_queue(0, 3);  // the queue that most tests treat

struct Received final : device::NoticeSink {
    void post(const watchdog::Notice& notice) noexcept override { all.push_back(notice); }
    std::vector<watchdog::Notice> all;
};

struct SaiBench {
    Result<void> open(const std::string& faults, device::sai::Profile more = {},
                      const std::string& path = PETREL_BAD_LIBSAI, std::optional<sai::Version> stated = {})
    {
        device.reset();
        notes.clear();
        more["bad.faults"] = faults;
        return device::sai::SaiDevice::open({path, std::move(more), stated, {}}, kSaiId, clock,
                                            [this](const std::string& note) { notes.push_back(note); })
            .map([&](std::unique_ptr<device::sai::SaiDevice> opened) {
                device = std::move(opened);
                void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD);
                model = reinterpret_cast<FindBadSwitch*>(::dlsym(library, "bad_switch"))();
                ::dlclose(library);
            });
    }

    bool noted(std::string_view part) const
    {
        return std::any_of(notes.begin(), notes.end(),
                           [&](const std::string& note) { return note.find(part) != std::string::npos; });
    }

    BadPort& port(std::size_t p) const { return model->ports[p]; }
    BadQueue& queue(std::size_t p, std::size_t q) const { return model->ports[p].queues[q]; }

    device::ManualClock clock;
    std::vector<std::string> notes;
    BadSwitch* model{};
    std::unique_ptr<device::sai::SaiDevice> device;
};

}  // namespace petrel::test
