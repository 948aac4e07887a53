#include "swarm/crash_note.hpp"

#include <unistd.h>

#include <array>
#include <csignal>
#include <utility>

namespace petrel::swarm {

namespace {

constexpr std::array kSignals{SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};

thread_local const std::string* under_way = nullptr;
std::array<struct sigaction, kSignals.size()> before_us;

// Returns to the place of the crash, where the action that was there before us ends the process.
void print_note(int signal)
{
    if (under_way != nullptr) {
        static_cast<void>(!write(STDERR_FILENO, under_way->data(), under_way->size()));
    }
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
        if (kSignals[i] == signal) {
            sigaction(signal, &before_us[i], nullptr);
        }
    }
}

bool install()
{
    struct sigaction ours{};
    ours.sa_handler = print_note;
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
        sigaction(kSignals[i], &ours, &before_us[i]);
    }
    return true;
}

}  // namespace

CrashNote::CrashNote(std::string command) : text_("petrel: this run crashed: " + std::move(command) + '\n')
{
    static const bool installed = install();
    static_cast<void>(installed);
    before_ = std::exchange(under_way, &text_);
}

CrashNote::~CrashNote() { under_way = before_; }

}  // namespace petrel::swarm
