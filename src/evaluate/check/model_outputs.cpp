#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "evaluate/check/check_parts.h"

namespace assay::checks {
namespace {

constexpr double unit_tolerance = 1e-3;  // tolerance for row sums: half-precision exports differ by
                                         // this much
constexpr double range_tolerance = 1e-6;

struct RowSums {
    bool in_unit_range = true;  // every score in [0, 1]
    bool rows_sum_to_one = true;
    bool log_rows_sum_to_one = true;
    double smallest = 0, largest = 0;
    double sum_low = 0, sum_high = 0;  // lowest and highest sum of a row
};

double log_sum_exp(std::span<const float> row) {
    const double top = *std::max_element(row.begin(), row.end());
    double sum = 0;
    for (const float x : row) sum += std::exp(static_cast<double>(x) - top);
    return top + std::log(sum);
}

RowSums shape_of(const Scores& scores) {
    RowSums shape;
    shape.smallest = shape.sum_low = INFINITY;
    shape.largest = shape.sum_high = -INFINITY;
    for (std::size_t i = 0; i < scores.rows(); ++i) {
        const auto row = scores.row(i);
        double sum = 0;
        for (const float x : row) {
            sum += static_cast<double>(x);
            shape.smallest = std::min(shape.smallest, static_cast<double>(x));
            shape.largest = std::max(shape.largest, static_cast<double>(x));
        }
        shape.sum_low = std::min(shape.sum_low, sum);
        shape.sum_high = std::max(shape.sum_high, sum);
        shape.log_rows_sum_to_one =
            shape.log_rows_sum_to_one && std::abs(log_sum_exp(row)) < unit_tolerance;
    }
    shape.in_unit_range =
        shape.smallest >= -range_tolerance && shape.largest <= 1 + range_tolerance;
    shape.rows_sum_to_one =
        shape.sum_low > 1 - unit_tolerance && shape.sum_high < 1 + unit_tolerance;
    return shape;
}

/// Tests q = softmax(p) for probabilities p: then p = log q + k, where k makes p sum to 1, and no p
/// is negative. Flat outputs (an untrained network) have small p of both signs around 1/C, or no
/// spread at all; they do not pass.
bool is_softmax_of_softmax(const Scores& scores) {
    const auto classes = static_cast<double>(scores.classes);
    if (scores.classes < 2) return false;
    double widest = 0;
    for (std::size_t i = 0; i < scores.rows(); ++i) {
        const auto row = scores.row(i);
        double sum = 0, low = INFINITY, high = -INFINITY;
        for (const float q : row) {
            if (!(q > 0)) return false;
            const double log_q = std::log(static_cast<double>(q));
            sum += log_q;
            low = std::min(low, log_q);
            high = std::max(high, log_q);
        }
        const double k = (1 - sum) / classes;
        if (low + k < -(1e-6 + 0.01 / classes) || high + k > 1 + 1e-3) return false;
        widest = std::max(widest, high - low);
    }
    // With few classes, any uncertain classifier passes this test. But many rows up to the bound
    // and none above it are no chance.
    constexpr std::size_t few_classes = 50, enough_rows = 30;
    if (scores.classes < few_classes) return widest > 0.9 && scores.rows() >= enough_rows;
    return widest > 5 / classes;
}

/// Detects (0, z) in every row, which is one logit (model/two_classes.h).
bool is_one_logit(const Scores& scores) {
    if (scores.classes != 2) return false;
    for (std::size_t i = 0; i < scores.rows(); ++i) {
        if (scores.row(i)[0] != 0.0F) return false;
    }
    return true;
}

Finding kind_finding(const Scores& scores, const ModelSpec& spec) {
    const RowSums shape = shape_of(scores);
    const bool probabilities = shape.in_unit_range && shape.rows_sum_to_one;
    const bool log_probabilities = shape.largest <= range_tolerance && shape.log_rows_sum_to_one;
    const std::string measured =
        fmt::format("scores from {:.4g} to {:.4g}, row sums from {:.4g} to {:.4g}", shape.smallest,
                    shape.largest, shape.sum_low, shape.sum_high);
    Finding finding{Severity::ok, "outputs.kind",
                    fmt::format("outputs look like {}, as declared", name_of(spec.outputs)),
                    measured, ""};
    const auto fault = [&](Severity severity, std::string title, std::string advice) {
        finding.severity = severity;
        finding.title = std::move(title);
        finding.advice = std::move(advice);
        return finding;
    };
    if (probabilities && is_softmax_of_softmax(scores)) {
        return fault(Severity::error, "softmax is applied twice",
                     "export the classifier without the outer softmax (confidences are squeezed "
                     "into 1/(C-1+e)..e/(C-1+e), and every calibration value is incorrect)");
    }
    switch (spec.outputs) {
        case ScoreKind::logits:
            if (probabilities) {
                return fault(Severity::error,
                             "outputs are declared as logits but are probabilities: softmax would "
                             "be applied twice",
                             "pass --outputs probabilities (in a settings file: outputs = "
                             "\"probabilities\")");
            }
            if (log_probabilities) {
                return fault(Severity::note,
                             "outputs are log-probabilities; as logits they give the same results",
                             "pass --outputs log_probabilities to be exact");
            }
            if (shape.in_unit_range && is_one_logit(scores)) {
                return fault(Severity::warning,
                             "the model's one output lies in [0, 1]: the probability of class 1, "
                             "not its logit?",
                             "pass --outputs probabilities (in a settings file: outputs = "
                             "\"probabilities\")");
            }
            if (shape.in_unit_range && scores.classes > 1) {
                return fault(
                    Severity::warning,
                    "outputs lie in [0, 1] but rows do not sum to 1: sigmoids, not logits?",
                    "export the classifier without its last activation");
            }
            return finding;
        case ScoreKind::probabilities:
            if (probabilities) return finding;
            return fault(
                Severity::error,
                shape.in_unit_range
                    ? "outputs are declared as probabilities, but rows do not sum to 1"
                : log_probabilities
                    ? "outputs are declared as probabilities but are log-probabilities"
                    : "outputs are declared as probabilities but are not in [0, 1]",
                log_probabilities ? "pass --outputs log_probabilities"
                : shape.in_unit_range
                    ? "sigmoids are not probabilities of exclusive classes: export the logits"
                    : "pass --outputs logits (in a settings file: outputs = \"logits\")");
        case ScoreKind::log_probabilities:
            if (log_probabilities) return finding;
            return fault(
                Severity::error,
                "outputs are declared as log-probabilities, but their exponentials do not sum to 1",
                probabilities ? "pass --outputs probabilities" : "pass --outputs logits");
        case ScoreKind::labels:
            break;  // no classifier returns these kinds
    }
    return finding;
}

bool all_rows_equal(const Scores& scores) {
    const auto first = scores.row(0);
    const auto [low, high] = std::minmax_element(first.begin(), first.end());
    const double spread = static_cast<double>(*high) - static_cast<double>(*low);
    for (std::size_t i = 1; i < scores.rows(); ++i) {
        const auto row = scores.row(i);
        for (std::size_t c = 0; c < row.size(); ++c) {
            if (std::abs(static_cast<double>(row[c]) - static_cast<double>(first[c])) >
                1e-5 * spread)
                return false;
        }
    }
    return true;
}

}  // namespace

std::vector<Finding> check_outputs(const Scores& scores, const ModelSpec& spec,
                                   const Sample& sample, const Dataset& dataset) {
    std::vector<Finding> findings;
    Scores finite{.classes = scores.classes, .values = {}};
    std::size_t bad = 0, nan = 0, first_bad = 0;
    for (std::size_t i = 0; i < scores.rows(); ++i) {
        const auto row = scores.row(i);
        if (std::all_of(row.begin(), row.end(), [](float x) { return std::isfinite(x); })) {
            finite.values.insert(finite.values.end(), row.begin(), row.end());
        } else {
            if (bad++ == 0) first_bad = i;
            nan += std::any_of(row.begin(), row.end(), [](float x) { return std::isnan(x); });
        }
    }
    if (bad > 0) {
        findings.push_back(
            {Severity::error, "outputs.finite",
             fmt::format("{} scores for {} images",
                         nan == 0     ? "infinite"
                         : nan == bad ? "NaN"
                                      : "NaN or infinite",
                         proportion_text(bad, scores.rows())),
             fmt::format("NaN for {} images, infinite for {}; the first is {}", nan, bad - nan,
                         dataset.path_of(sample.items[first_bad]).string()),
             "look for overflow in half precision, a division by zero, or broken weights"});
    } else {
        findings.push_back({Severity::ok, "outputs.finite",
                            fmt::format("scores of {} images are finite", scores.rows()), "", ""});
    }
    if (finite.rows() == 0) return findings;
    if (finite.rows() > 1 && finite.classes > 1) {
        const bool constant = all_rows_equal(finite);
        findings.push_back(
            {constant ? Severity::error : Severity::ok, "outputs.constant",
             constant ? "every image gets the same scores" : "scores differ from image to image",
             "",
             constant ? "the output does not depend on the input: check the model file and the "
                        "preprocessing"
                      : ""});
    }
    findings.push_back(kind_finding(finite, spec));
    return findings;
}

}  // namespace assay::checks
