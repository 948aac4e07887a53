// The exact text of every kind of complaint about a trace, a policy file or a checkpoint.
#include <array>

#include "codec/checkpoint_json.hpp"
#include "codec/policy_reader.hpp"
#include "codec/trace_reader.hpp"
#include "config/policy_bind.hpp"
#include "golden.hpp"
#include "two_ports.hpp"

namespace petrel::codec {
namespace {

template <class T>
std::string complaints_of(const Parsed<T>& parsed)
{
    return parsed ? "no complaint\n" : golden::lines(parsed.error());
}

TEST(ComplaintsGolden, Trace)
{
    for (const auto& path : golden::inputs("trace")) {
        golden::expect_same(path, complaints_of(read_trace(golden::content(path), path.filename().string())));
    }
}

TEST(ComplaintsGolden, Policy)
{
    for (const auto& path : golden::inputs("policy")) {
        const auto file = read_policy_file(golden::content(path), path.filename().string());
        auto inventory = two_ports();
        golden::expect_same(path, file ? complaints_of(config::bind_ports(*file, std::array{&inventory}))
                                       : complaints_of(file));
    }
}

TEST(ComplaintsGolden, Checkpoint)
{
    for (const auto& path : golden::inputs("checkpoint")) {
        golden::expect_same(
            path, complaints_of(read_checkpoint(golden::content(path), path.filename().string(), two_ports())));
    }
}

}  // namespace
}  // namespace petrel::codec
