// assay decide: operating points of a classifier of two classes, and decisions by costs.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "assay/decisions/cost_decisions.h"
#include "assay/decisions/operating.h"
#include "assay/error.h"
#include "cli/command.h"
#include "cli/described.h"
#include "cli/print_result.h"
#include "cli/progress.h"

namespace assay::cli {
namespace {

constexpr std::string_view decide_examples = R"(
assay decide runs/screening --specificity 0.95 --prevalence 0.02
assay decide runs/screening/net --positive melanoma --sensitivity 0.9
assay decide runs/screening/net --specificity 0.95 --require 0.8
assay decide runs/clinic/net --threshold 0.7
assay decide runs/screening/net --cost-false-positive 1 --cost-false-negative 20
assay decide runs/val --costs costs.csv
)";

}  // namespace

int cmd_decide(std::vector<std::string> arguments) {
    auto app = make_app("decide",
                        "Choose the threshold of a classifier of two classes on one part of the "
                        "images and test it on the other. Shows sensitivity, specificity, "
                        "predictive values and costs at your prevalence, and net benefit. With "
                        "--costs, decide among any number of classes by the lowest expected cost. "
                        "Status 1: a gate failed; 3: some images have no scores, or a "
                        "store cannot be used.",
                        decide_examples);
    decisions::OperatingOptions options;
    add_stores(*app, options.stores);
    add_options(*app, options);
    Output output;
    output.add_to(*app);
    if (!parse(*app, std::move(arguments))) return Status::done;

    // A cost of 0 would look like a missing cost.
    const bool costs =
        app->count("--cost-false-positive") > 0 || app->count("--cost-false-negative") > 0;
    if (costs && (options.cost_false_positive <= 0 || options.cost_false_negative <= 0))
        throw Error(ErrorCode::usage,
                    "give both costs, above 0: --cost-false-positive 1 --cost-false-negative 10");

    for (const auto& [name, is_empty] : {std::pair("--threshold", options.threshold.empty()),
                                         std::pair("--positive", options.positive.empty()),
                                         std::pair("--costs", options.costs.empty())}) {
        if (app->count(name) > 0 && is_empty)
            throw Error(
                ErrorCode::usage,
                fmt::format("{} is empty: give it a value, or omit it: assay decide RUNS", name));
    }

    ProgressLine line("decide", "stores");
    if (!options.costs.empty()) {
        const Report report = report_of(decisions::cost_decisions(options, line));
        line.finish();
        output.print(report);
        return report.partial ? Status::partial : Status::done;
    }
    const decisions::OperatingResult result = decisions::operating_points(options, line);
    line.finish();
    const Report report = report_of(result);
    output.print(report);
    const bool passed = std::ranges::none_of(
        result.points,
        [](const decisions::OperatingPoint& one) { return one.passed && !*one.passed; });
    return status_of(report.partial, passed);
}

}  // namespace assay::cli
