// Proves that the test toolchain works, until the first module brings tests of its own.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

RC_GTEST_PROP(Toolchain, AdditionCommutes, (unsigned a, unsigned b)) { RC_ASSERT(a + b == b + a); }
