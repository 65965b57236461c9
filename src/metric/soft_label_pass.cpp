// Metrics of soft labels: how good a prediction is if people do not agree on the class (Peterson et
// al. 2019, CIFAR-10H).
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "assay/collective/comm.h"
#include "assay/metric/given_truth.h"
#include "core/parallel.h"
#include "metric/families.h"
#include "metric/item_means.h"
#include "metric/metric_rows.h"
#include "metric/pass.h"

namespace assay {
namespace {

constexpr const char* no_soft_labels =
    "no soft labels are given: pass rows of probabilities with --labels FILE";

/// Returns the soft label of a scored item, or empty.
std::span<const SoftLabels::Entry> soft_label_of(const MetricRows& rows, std::uint64_t item) {
    if (rows.records()[static_cast<std::size_t>(item)].scale.factor == 0) return {};
    return (*rows.given().soft)[static_cast<std::size_t>(rows.row_of(item))];
}

/// The reason for a missing value, or "". `n` is the number of items with a soft label.
std::string lacking_soft(const MetricRows& rows, std::uint64_t& n) {
    n = 0;
    if (!rows.given().soft) return no_soft_labels;
    for (std::uint64_t i = 0; i < rows.items(); ++i) n += soft_label_of(rows, i).empty() ? 0 : 1;
    return n == 0 ? "no item has a soft label" : "";
}

class SoftPass : public MetricPass {
public:
    // Even if only predicted classes are known, it counts the items that it leaves undefined.
    KeptItems keeps(const MetricRequest&, bool) const override { return {true, false}; }
};

// ---- metrics of the predicted class ----

class SoftPredictionPass final : public SoftPass {
public:
    /// With `mode`, the value is whether the predicted class is the most likely one; otherwise it
    /// is how likely the class is.
    explicit SoftPredictionPass(bool mode) : mode_(mode) {}

    ResampledEstimate estimate(const MetricRequest&, PassRun& run) const override {
        const MetricRows& rows = run.again().rows;
        ResampledEstimate none;
        none.undefined = lacking_soft(rows, none.n);
        if (!none.undefined.empty()) return none;
        const SoftLabels& soft = *rows.given().soft;
        ItemMeanSums sums;
        for (std::uint64_t i = 0; i < rows.items(); ++i) {
            if (soft_label_of(rows, i).empty()) continue;
            const auto at = static_cast<std::size_t>(rows.row_of(i));
            const double probability =
                soft.probability(at, rows.records()[static_cast<std::size_t>(i)].predicted);
            const bool likeliest = probability == soft.greatest(at);
            sums.add(rows.group_of(i), !mode_ ? probability : likeliest ? 1 : 0);
        }
        return sums.mean_of_parts(1, mode_, run.sums().resampling().level);
    }

private:
    const bool mode_;
};

// ---- metrics of all probabilities ----

enum class SoftLoss : std::uint8_t { cross_entropy, divergence, brier };
constexpr double brier_top = 2;

struct SoftLossState final : PassState {
    std::array<ItemMeanSums, 3> sums;
    bool filled = false;
};

/// Replaces a row's stored scores with the natural logarithms of its probabilities.
void to_log_probabilities(std::span<double> scores, ScoreKind kind, RowScale scale) {
    if (kind == ScoreKind::probabilities) {
        for (double& score : scores)
            score = std::log(std::clamp(score * static_cast<double>(scale.factor), 0.0, 1.0));
        return;
    }
    const double most = *std::ranges::max_element(scores);
    double sum = 0;
    for (const double score : scores) sum += std::exp(score - most);
    const double shift = most + std::log(sum);
    for (double& score : scores) score -= shift;
}

struct SoftLosses {
    double cross_entropy = 0, entropy = 0, brier = 0;
};

SoftLosses losses_of(std::span<const SoftLabels::Entry> label, std::span<const double> logs) {
    SoftLosses out;
    for (const double log : logs) out.brier += std::exp(2 * log);
    for (const SoftLabels::Entry& entry : label) {
        const double q = entry.probability, log = logs[static_cast<std::size_t>(entry.cls)];
        out.cross_entropy -= q * log;
        out.entropy -= q * std::log(q);
        out.brier += q * (q - 2 * std::exp(log));
    }
    return out;
}

class SoftLossPass final : public SoftPass {
public:
    explicit SoftLossPass(SoftLoss which) : which_(which) {}

    ResampledEstimate estimate(const MetricRequest&, PassRun& run) const override {
        const PassRows& again = run.again();
        ResampledEstimate none;
        none.undefined = lacking_soft(again.rows, none.n);
        if (none.undefined.empty()) none.undefined = again.rows.lacking();
        if (!none.undefined.empty()) return none;
        const ItemMeanSums& sums = all_sums(run)[static_cast<std::size_t>(which_)];
        if (sums.boundless() > 0) {
            none.undefined = fmt::format(
                "a class with a positive soft label has probability 0 (or below e^{:.0f}) in {} "
                "items: the loss is infinite",
                families::lowest_log, sums.boundless());
            return none;
        }
        return which_ == SoftLoss::brier
                   ? sums.mean_of_parts(brier_top, false, run.sums().resampling().level)
                   : sums.mean();
    }

private:
    static const std::array<ItemMeanSums, 3>& all_sums(PassRun& run) {
        auto& state = run.state<SoftLossState>();
        if (state.filled) return state.sums;
        const PassRows& again = run.again();
        agree(again.comm, [&] { add_own_items(again, state.sums); });
        for (ItemMeanSums& sums : state.sums) again.comm.all_reduce(sums.counts());
        state.filled = true;
        return state.sums;
    }

    static void add_own_items(const PassRows& again, std::array<ItemMeanSums, 3>& sums) {
        constexpr std::uint64_t at_once = 256;
        const MetricRows& rows = again.rows;
        const auto own = again.own_items();
        const auto blocks =
            static_cast<std::size_t>((own.second - own.first + at_once - 1) / at_once);
        const ScoreKind kind = rows.reader().store().spec().kind;
        std::mutex mutex;
        parallel_blocks(blocks, again.threads, [&](std::size_t block) {
            throw_if_stopped();
            const std::uint64_t begin = own.first + block * at_once;
            std::vector<double> scores(rows.classes());
            std::vector<std::pair<std::uint64_t, SoftLosses>> list;
            for (std::uint64_t i = begin; i < std::min(own.second, begin + at_once); ++i) {
                const auto label = soft_label_of(rows, i);
                if (label.empty()) continue;
                rows.read_stored(i, 0, rows.classes(), scores.data());
                to_log_probabilities(scores, kind,
                                     rows.records()[static_cast<std::size_t>(i)].scale);
                list.emplace_back(i, losses_of(label, scores));
            }
            const std::lock_guard lock(mutex);  // integers can be added in any order
            for (const auto& [item, losses] : list) add(sums, rows.group_of(item), losses);
        });
    }

    static void add(std::array<ItemMeanSums, 3>& sums, std::uint16_t group, const SoftLosses& of) {
        const auto to = [&](SoftLoss which) -> ItemMeanSums& {
            return sums[static_cast<std::size_t>(which)];
        };
        to(SoftLoss::brier).add(group, std::clamp(of.brier / brier_top, 0.0, 1.0));
        for (const SoftLoss which : {SoftLoss::cross_entropy, SoftLoss::divergence}) {
            if (!(of.cross_entropy <= -families::lowest_log)) {
                to(which).add_boundless(group);
            } else {
                // A divergence is negative only because of rounding.
                to(which).add(group, which == SoftLoss::cross_entropy
                                         ? of.cross_entropy
                                         : std::max(0.0, of.cross_entropy - of.entropy));
            }
        }
    }

    const SoftLoss which_;
};

std::string fixed_soft_accuracy(const Parameters&) {
    return "soft_accuracy.expected";
}
std::string fixed_soft_top1(const Parameters&) {
    return "soft_top1.any_mode";
}
std::string fixed_soft_cross_entropy(const Parameters&) {
    return "soft_cross_entropy.natural";
}
std::string fixed_soft_divergence(const Parameters&) {
    return "soft_divergence.kullback_leibler";
}
std::string fixed_soft_brier(const Parameters&) {
    return "soft_brier.sum";
}

}  // namespace

namespace rows {

void add_soft_labels(MetricTable& table) {
    using enum Needs;
    constexpr std::string_view peterson =
        "Peterson et al. 2019, Human uncertainty makes classification more robust";
    table.push_back({.name = "soft_accuracy",
                     .title = "Expected accuracy under soft labels",
                     .formula = "mean of q(predicted class), q the soft label: how often a label "
                                "drawn from it would be the predicted class",
                     .needs = static_cast<unsigned>(soft_labels),
                     .unit = Unit::proportion,
                     .origin = peterson,
                     .pass = std::make_shared<SoftPredictionPass>(false),
                     .definition = fixed_soft_accuracy,
                     .by_default = false});
    table.push_back({.name = "soft_top1",
                     .title = "Agreement with the likeliest class of soft labels",
                     .formula = "proportion of images whose predicted class has the greatest "
                                "probability in the soft label; any tied class counts",
                     .needs = static_cast<unsigned>(soft_labels),
                     .unit = Unit::proportion,
                     .origin = peterson,
                     .pass = std::make_shared<SoftPredictionPass>(true),
                     .definition = fixed_soft_top1,
                     .by_default = false});
    table.push_back({.name = "soft_cross_entropy",
                     .title = "Cross-entropy of soft labels",
                     .formula = "mean of -sum_c q_c ln p_c, q the soft label, natural logarithm",
                     .needs = soft_labels | probabilities | full_rows,
                     .higher_is_better = false,
                     .low = 0,
                     .high = 2000,
                     .unit = Unit::nats,
                     .origin = peterson,
                     .uncertainty = Uncertainty::jackknife,
                     .pass = std::make_shared<SoftLossPass>(SoftLoss::cross_entropy),
                     .definition = fixed_soft_cross_entropy,
                     .by_default = false});
    table.push_back({.name = "soft_divergence",
                     .title = "Kullback-Leibler divergence from soft labels",
                     .formula = "mean of sum_c q_c ln(q_c / p_c), q the soft label: "
                                "soft_cross_entropy less the entropy of the soft labels",
                     .needs = soft_labels | probabilities | full_rows,
                     .higher_is_better = false,
                     .low = 0,
                     .high = 2000,
                     .unit = Unit::nats,
                     .origin = "Kullback and Leibler 1951, On information and sufficiency",
                     .uncertainty = Uncertainty::jackknife,
                     .pass = std::make_shared<SoftLossPass>(SoftLoss::divergence),
                     .definition = fixed_soft_divergence,
                     .by_default = false});
    table.push_back({.name = "soft_brier",
                     .title = "Brier score of soft labels",
                     .formula = "mean of sum_c (p_c - q_c)^2, q the soft label: the sum over "
                                "classes, in [0, 2]",
                     .needs = soft_labels | probabilities | full_rows,
                     .higher_is_better = false,
                     .low = 0,
                     .high = brier_top,
                     .origin = "Brier 1950, Verification of forecasts",
                     .pass = std::make_shared<SoftLossPass>(SoftLoss::brier),
                     .definition = fixed_soft_brier,
                     .by_default = false});
}

}  // namespace rows
}  // namespace assay
