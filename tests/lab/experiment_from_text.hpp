// Makes an experiment from the text of a scenario. If the text is wrong, the test fails and lists all errors.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string_view>
#include <utility>

#include "base/complaint_text.hpp"
#include "codec/scenario/reader.hpp"
#include "lab/experiment.hpp"

namespace petrel::test {

inline std::unique_ptr<lab::Experiment> experiment(std::string_view text, unsigned threads = 1)
{
    const auto accepted = [](auto parsed) {
        if (!parsed) {
            for (const auto& complaint : parsed.error()) {
                ADD_FAILURE() << to_text(complaint);
            }
        }
        return std::move(parsed.value());
    };
    auto scenario = accepted(codec::read_scenario(text, "test.toml"));
    scenario.setup.threads = threads;
    return accepted(lab::Experiment::make(std::move(scenario)));
}

}  // namespace petrel::test
