// Measures the expectations of a scenario during its run and judges them. It only reads, so it does not change the run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/experiment.hpp"
#include "lab/standstill.hpp"
#include "scenario/expectation.hpp"

namespace petrel::lab {

struct Finding {
    scenario::Verdict verdict{};
    const scenario::Expectation* expectation{};
    std::string found;  // the measured value, in the expectation's unit
};

class Judge {
public:
    // Must be made before the experiment runs. The experiment must outlive the judge.
    explicit Judge(Experiment&);
    Judge(const Judge&) = delete;
    Judge& operator=(const Judge&) = delete;

    // In the order of the scenario.
    std::vector<Finding> findings() const;

private:
    struct Reading {
        double value{};
        double base{};  // the divisor of a rate or share
    };
    struct Case {
        const scenario::Expectation* expectation{};
        Reading before;  // at the window's beginning
        std::optional<Standstill> since;
        double value{};
        bool reached{};
    };

    void open(Case&) const;
    Reading read(const Case&) const;
    void close(Case&) const;

    Experiment& experiment_;
    std::vector<Case> cases_;
};

std::string quantity_text(double value, scenario::Unit);

}  // namespace petrel::lab
