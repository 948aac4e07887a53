// petrel with the tests' own driver ("shared:FILE") and a way to die: the process kills itself the N-th time it reaches
// the point in TEST_AGENT_DIE_AT ("applied:1"; the service defines the points). SIGXFSZ is ignored, so a test can
// simulate a full disk with a limit on the file size.
#include <signal.h>

#include <atomic>
#include <cstdlib>
#include <string>
#include <string_view>

#include "cli/petrel.hpp"
#include "support/shared_switch.hpp"

namespace {

class Death {
public:
    explicit Death(const char* text_or_null)
    {
        const std::string_view text{text_or_null == nullptr ? "" : text_or_null};
        point_ = text.substr(0, text.find(':'));
        left_ = point_.size() < text.size() ? std::stoi(std::string{text.substr(point_.size() + 1)}) : 1;
    }

    // The loop's thread and the device threads call this.
    void reached(std::string_view point)
    {
        if (point == point_ && --left_ == 0) {
            ::raise(SIGKILL);
        }
    }

private:
    std::string point_;
    std::atomic<int> left_{};
};

}  // namespace

int main(int argc, char** argv)
{
    ::signal(SIGXFSZ, SIG_IGN);
    petrel::test::SharedSwitchDriver shared;
    Death death{std::getenv("TEST_AGENT_DIE_AT")};
    petrel::cli::AgentExtras extras;
    extras.drivers = {&shared};
    extras.reached = [&](std::string_view point) { death.reached(point); };
    return petrel::cli::run_petrel(argc, argv, nullptr, &extras);
}
