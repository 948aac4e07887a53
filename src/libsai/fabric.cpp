#include "libsai/fabric.hpp"

#include <fmt/format.h>

#include "base/complaint_text.hpp"
#include "codec/scenario/reader.hpp"
#include "libsai/log.hpp"
#include "runtime/state_folder.hpp"

namespace petrel::libsai {

namespace {

constexpr std::string_view kQuiet = R"(
name = "quiet"
duration = "1s"
[topology]
kind = "single-switch"
hosts = 32
host_links = { speed = "100G", cable_m = 3 }
)";

Result<scenario::Scenario> read_scenario(const std::string& file)
{
    if (file.empty()) {
        return to_result(codec::read_scenario(kQuiet, "the quiet switch"));
    }
    return runtime::read_regular_file(file).and_then([&](const std::string& text) {
        return to_result(codec::read_whole_scenario(text, file, {}, runtime::read_regular_file));
    });
}

void log_loss(Duration lost)
{
    log(sai::LogLevel::warn, fmt::format("the twin cannot keep up: {} s of its time are skipped so far",
                                         std::chrono::round<std::chrono::seconds>(lost).count()));
}

}  // namespace

Result<std::unique_ptr<Fabric>> Fabric::open(const std::string& file, Time time)
{
    return read_scenario(file).and_then([&](scenario::Scenario scenario) {
        std::unique_ptr<Fabric> fabric{new Fabric{file, time}};
        return lab::LiveTwin::make(std::move(scenario), fabric->clock().now().mono, log_loss)
            .map([&](std::shared_ptr<lab::LiveTwin> twin) {
                fabric->twin_ = std::move(twin);
                return std::move(fabric);
            });
    });
}

const device::TimeSource& Fabric::clock() const
{
    if (time_ == Time::stepped) {
        return stepped_;
    }
    return wall_;
}

void Fabric::read(const std::function<void(twin::Twin&)>& what) { twin_->use(clock(), what); }

void Fabric::write(topology::NodeId node, const std::function<void(twin::Twin&, twin::Ps)>& what)
{
    twin_->use(clock(), [&](twin::Twin& twin) {
        const auto present = twin.now();
        twin.at(node, present, [&](twin::Ps now) { what(twin, now); });
        twin.run_until(present + twin::kNs);
    });
}

void Fabric::step(Duration by)
{
    stepped_.advance(by);
    read([](twin::Twin&) {});
}

}  // namespace petrel::libsai
