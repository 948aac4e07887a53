// Names that no other process has, and secrets that no other process can guess.
#pragma once

#include <string>

namespace petrel::runtime {

// 128 random bits of the kernel as 32 hexadecimal digits.
std::string random_digits();

}  // namespace petrel::runtime
