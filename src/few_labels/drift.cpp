#include "assay/few_labels/drift.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "assay/error.h"
#include "core/statistics.h"
#include "few_labels/change.h"
#include "few_labels/design.h"
#include "few_labels/pool.h"

namespace assay::few_labels {
namespace {

/// The mean of a quantity over a pool, with its error.
struct PoolMean {
    double sum = 0, squares = 0, n = 0;
    void add(double x) {
        sum += x;
        squares += x * x;
        ++n;
    }
    void merge(const PoolMean& more) {
        sum += more.sum;
        squares += more.squares;
        n += more.n;
    }
    double mean() const { return n > 0 ? sum / n : 0; }
    /// Standard error of the mean.
    double variance() const {
        return n > 1 ? std::max(0.0, squares / n - mean() * mean()) / (n - 1) : 0;
    }
};

/// Signs of drift from the predictions of a pool: consensus, agreement, and each classifier's
/// confidence.
struct PoolSigns {
    std::vector<std::string> classifiers;
    PoolMean consensus, agreement;
    std::vector<PoolMean> confidence;
};

PoolSigns signs_of(const std::filesystem::path& study, int threads,
                   const ProgressCallback& progress) {
    const std::optional<Design> design = read_design(study);
    if (!design)
        throw Error(ErrorCode::bad_input,
                    fmt::format("`{}` is no study of `assay estimate`; begin one: assay estimate "
                                "select {} RUNS --draw 200",
                                study.string(), study.string()));
    const Pool pool(open_stores(*design));
    PoolSigns out;
    for (const PredictionStore& store : pool.stores())
        out.classifiers.push_back(store.spec().model_name);
    out.confidence.resize(pool.classifiers());
    pool.sum(
        threads, progress, "signs", out,
        [](PoolSigns& sums, std::uint64_t, const ImagePredictions& image) {
            sums.consensus.add(image.mean_consensus);
            sums.agreement.add(image.contested ? 0 : 1);
            for (std::size_t m = 0; m < image.confidences.size(); ++m)
                sums.confidence[m].add(image.confidences[m]);
        },
        [&](const PoolSigns& sums) {
            out.consensus.merge(sums.consensus);
            out.agreement.merge(sums.agreement);
            for (std::size_t m = 0; m < sums.confidence.size(); ++m)
                out.confidence[m].merge(sums.confidence[m]);
        });
    return out;
}

DriftSign sign_of(std::string sign, std::string classifier, const PoolMean& before,
                  const PoolMean& now) {
    DriftSign out{std::move(sign), std::move(classifier), before.mean(), now.mean(), 1};
    const double variance = before.variance() + now.variance(),
                 change = std::abs(out.now - out.before);
    if (variance > 0) {
        out.p = 2 * normal_cdf(-change / std::sqrt(variance));
    } else {
        out.p = change > 0 ? 0 : 1;
    }
    return out;
}

void add_signs(const std::filesystem::path& before, const std::filesystem::path& now,
               const DriftOptions& options, const ProgressCallback& progress, PoolDrift& result) {
    const PoolSigns one = signs_of(before, options.threads, progress),
                    two = signs_of(now, options.threads, progress);
    if (one.classifiers == two.classifiers && one.classifiers.size() > 1) {
        result.signs.push_back(sign_of("agreement", "", one.agreement, two.agreement));
        result.signs.push_back(sign_of("consensus", "", one.consensus, two.consensus));
    }
    for (std::size_t m = 0; m < one.classifiers.size(); ++m) {
        const auto same = std::ranges::find(two.classifiers, one.classifiers[m]);
        if (same == two.classifiers.end()) continue;
        const auto at = static_cast<std::size_t>(same - two.classifiers.begin());
        result.signs.push_back(
            sign_of("confidence", one.classifiers[m], one.confidence[m], two.confidence[at]));
    }
    if (result.signs.empty())
        throw Error(ErrorCode::usage,
                    fmt::format("no classifier is in both `{}` and `{}`; classifiers are found by "
                                "their names",
                                before.string(), now.string()));
    std::vector<double> p;
    for (const DriftSign& sign : result.signs) p.push_back(sign.p);
    const std::vector<double> adjusted = holm(p);
    for (std::size_t i = 0; i < p.size(); ++i) result.signs[i].p = adjusted[i];
}

}  // namespace

double shared_level(double level, double number) {
    return 1 - (1 - level) / number;
}

Estimate change_of(const Estimate& before, std::uint64_t images_before, const Estimate& now,
                   std::uint64_t images_now, double quantile, double level) {
    Estimate out;
    out.unit = Unit::proportion;
    out.n = before.n + now.n;
    if (!before.value || !now.value) {
        out.undefined = before.value ? now.undefined : before.undefined;
        return out;
    }
    out.value = *now.value - *before.value;
    if (!before.interval || !now.interval) return out;
    const auto square = [](double x) { return x * x; };
    const auto of_pool = [&](const Estimate& one, std::uint64_t images) {
        // Agresti and Coull's proportion, which is not 0 even if no image is wrong.
        const auto n = static_cast<double>(images);
        const double p = (*one.value * n + 2) / (n + 4);
        return square(quantile) * p * (1 - p) / n;
    };
    const double pools = of_pool(before, images_before) + of_pool(now, images_now);
    const double below = square(*now.value - now.interval->low) +
                         square(before.interval->high - *before.value) + pools;
    const double above = square(now.interval->high - *now.value) +
                         square(*before.value - before.interval->low) + pools;
    out.interval = Interval{std::max(-1.0, *out.value - std::sqrt(below)),
                            std::min(1.0, *out.value + std::sqrt(above)), level, "score.strata"};
    return out;
}

PoolDrift estimate_drift(const std::filesystem::path& before, const std::filesystem::path& now,
                         const DriftOptions& options, const ProgressCallback& progress) {
    PoolDrift result;
    result.before = before;
    result.now = now;
    result.pools = options.pools;
    result.level = options.level;
    add_signs(before, now, options, progress, result);
    if (options.answers.empty() && options.labels.empty()) {
        if (!options.old_answers.empty() || !options.old_labels.empty())
            throw Error(ErrorCode::usage,
                        "answers about the old pool alone say nothing of a change. Add --answers "
                        "or --labels of the new one; without any there are signs");
        result.notes.push_back(
            "no labels of the new pool: these signs do not measure accuracy, which can change "
            "without any of them");
        return result;
    }
    if (options.old_answers.empty() && options.old_labels.empty())
        throw Error(ErrorCode::usage,
                    "a change needs answers about the old pool, too: add --old-answers VOTES or "
                    "--old-labels LABELS");
    std::size_t shared = 0;
    for (const DriftSign& sign : result.signs) shared += sign.sign == "confidence" ? 1 : 0;
    result.change_level = shared_level(
        options.level, static_cast<double>(shared) * static_cast<double>(options.pools));
    EstimateOptions one;
    one.answers = options.old_answers;
    one.labels = options.old_labels;
    one.level = result.change_level;
    one.threads = options.threads;
    const PoolEstimate old_pool = estimate_pool(before, one, progress);
    EstimateOptions two = one;
    two.answers = options.answers;
    two.labels = options.labels;
    two.peek = options.peek;
    const PoolEstimate new_pool = estimate_pool(now, two, progress);
    for (const EstimatedClassifier& first : old_pool.classifiers) {
        for (const EstimatedClassifier& second : new_pool.classifiers) {
            if (first.classifier != second.classifier) continue;
            ClassifierDrift drift;
            drift.classifier = first.classifier;
            drift.before = first.accuracy;
            drift.now = second.accuracy;
            drift.change = change_of(first.accuracy, old_pool.images, second.accuracy,
                                     new_pool.images, new_pool.quantile, result.change_level);
            drift.alarm = drift.change.interval &&
                          (drift.change.interval->low > 0 || drift.change.interval->high < 0);
            result.alarm = result.alarm || drift.alarm;
            result.classifiers.push_back(std::move(drift));
        }
    }
    for (const PoolEstimate* pool : {&old_pool, &new_pool}) {
        for (const std::string& text : pool->warnings)
            result.warnings.push_back(fmt::format("{}: {}", pool->study.string(), text));
        for (const std::string& text : pool->notes)
            result.notes.push_back(fmt::format("{}: {}", pool->study.string(), text));
    }
    return result;
}

}  // namespace assay::few_labels
