// scenarios/README.md is what the program prints. PETREL_UPDATE_GOLDEN=1 writes it.
#include <gtest/gtest.h>

#include "petrel_program.hpp"

namespace petrel::cli {
namespace {

TEST(LabList, TheReadmeOfTheScenariosIsUpToDate)
{
    auto call = test::petrel({"lab", "list", "--markdown", "scenarios"});
    call.folder = test::examples().parent_path();
    const auto ended = petrel::test::run(call);
    EXPECT_EQ(ended.exit_code, 0);
    EXPECT_EQ(ended.err, "");
    petrel::test::expect_golden(call.folder / "scenarios" / "README.md", ended.out);
}

}  // namespace
}  // namespace petrel::cli
