// Assertions for what cannot happen. They stay on in release builds: a watchdog with an inconsistent state must not go
// on acting. Never use them for configuration, wire or device input: those return a Result.
#pragma once

#include <fmt/format.h>

#include <string>

namespace petrel {

[[noreturn]] void assertion_failed(const char* expression, const char* file, int line, const std::string& why);

}  // namespace petrel

#define PETREL_ASSERT(condition, ...)                                                                                  \
    ((condition) ? void() : ::petrel::assertion_failed(#condition, __FILE__, __LINE__, fmt::format(__VA_ARGS__)))
