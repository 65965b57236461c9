#include "robustness/version_means.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "core/refuse.h"
#include "core/statistics.h"

namespace assay::robustness {
namespace {

constexpr std::string_view frost_name = "frost", stand_in_name = "frost_synthetic";

int as_count(RowOutcome outcome) {
    return outcome == RowOutcome::correct ? 1 : 0;
}

Estimate proportion_correct(const Outcomes& outcomes, double level) {
    return wilson_proportion(count_of(outcomes, RowOutcome::correct), outcomes.size(), level,
                             "no image");
}

/// Different means of about 75 outcomes, or ratios of two, are never this close to each other.
constexpr double rounding_only = 1e-12;

/// The standard error of the mean of one number per image; 0 for rounding differences.
double error_of_mean(const std::vector<double>& values) {
    const auto n = static_cast<double>(values.size());
    if (values.size() < 2) return 0;
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    if (*most - *least <= rounding_only) return 0;
    double sum = 0, squares = 0;
    for (const double v : values) sum += v;
    for (const double v : values) squares += (v - sum / n) * (v - sum / n);
    return std::sqrt(squares / (n - 1) / n);
}

double mean_of_images(const std::vector<double>& values) {
    double sum = 0;
    for (const double v : values) sum += v;
    return sum / static_cast<double>(values.size());
}

/// Up to a constant, `value` is the mean of one number per image.
Estimate of_images(double value, const std::vector<double>& influence, Unit unit, double most,
                   double level) {
    Estimate e;
    e.unit = unit;
    e.n = influence.size();
    e.value = value;
    const double error = error_of_mean(influence);
    if (error > 0) {
        e.standard_error = error;
        e.interval = symmetric_interval(value, error, level, "normal.images", 0);
        e.interval->low = std::max(e.interval->low, 0.0);
        e.interval->high = std::min(e.interval->high, most);
    } else if (unit == Unit::proportion) {
        e.interval = wilson_of_mean(value, e.n, level);
    } else {
        e.note = "no interval: all images agree";
    }
    return e;
}

Estimate not_measured(std::string why, Unit unit, std::uint64_t n) {
    Estimate e;
    e.unit = unit;
    e.n = n;
    e.undefined = std::move(why);
    return e;
}

}  // namespace

ModelVersions::ModelVersions(CorruptedModel& model, Outcomes clean, std::vector<Outcomes> versions,
                             double level)
    : model_(model),
      level_(level),
      clean_(std::move(clean)),
      versions_(std::move(versions)),
      all_images_(clean_.size()) {
    keep_common_images();
    if (clean_.empty()) {
        refuse(
            fmt::format("no labelled image of `{}` has scores on the clean and on every "
                        "corrupted data set",
                        model.model));
    }
}

void ModelVersions::measure() {
    model_.images = clean_.size();
    model_.clean = proportion_correct(clean_, level_);
    for (std::size_t v = 0; v < versions_.size(); ++v)
        model_.versions[v].accuracy = proportion_correct(versions_[v], level_);
    for (const Corruption& c : corruptions()) {
        const auto own = [&](const CorruptedVersion& v) { return v.corruption == &c; };
        if (std::any_of(model_.versions.begin(), model_.versions.end(), own))
            model_.corruptions.push_back({&c, mean_of(own)});
    }
    const auto paper = [](const CorruptedVersion& v) { return !v.corruption->extra; };
    model_.present = mean_of(paper);
    const std::string missing = missing_versions(std::bind_front(&ModelVersions::has, this), false);
    if (missing.empty()) {
        model_.paper = model_.present;
        model_.mce = corruption_error();
        if (model_.profile.value_or(CorruptionProfile::imagenet) != CorruptionProfile::imagenet) {
            // AlexNet's errors are known only with the parameters of ImageNet-C.
            model_.mce = not_measured(
                fmt::format("it divides by AlexNet's errors on ImageNet-C, and these images have "
                            "the parameters of {}; the mean error without that is {:.4f}",
                            published_set(*model_.profile), 1 - *model_.paper.accuracy.value),
                Unit::number, model_.images);
        }
        return;
    }
    model_.paper = {not_measured(missing, Unit::proportion, model_.images),
                    not_measured(missing, Unit::number, model_.images)};
    model_.mce = not_measured(missing, Unit::number, model_.images);
}

void ModelVersions::keep_common_images() {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < clean_.size(); ++i) {
        bool known = clean_[i] != RowOutcome::none;
        for (const Outcomes& v : versions_) known = known && v[i] != RowOutcome::none;
        if (!known) continue;
        clean_[kept] = clean_[i];
        for (Outcomes& v : versions_) v[kept] = v[i];
        images_.push_back(i);
        ++kept;
    }
    clean_.resize(kept);
    for (Outcomes& v : versions_) v.resize(kept);
}

bool ModelVersions::has(const Corruption& corruption, int severity) const {
    return std::ranges::any_of(model_.versions, [&](const CorruptedVersion& v) {
        return v.corruption == &corruption && v.severity == severity;
    });
}

bool frost_is_synthetic(const HasVersion& has) {
    for (int severity = 1; severity <= corruption_severities; ++severity) {
        if (has(corruption_named(frost_name), severity)) return false;
    }
    return has(corruption_named(stand_in_name), 1);
}

std::string missing_versions(const HasVersion& has, bool synthetic_frost) {
    std::string names;
    int missing = 0;
    for (const Corruption& c : corruptions()) {
        const bool replaced = synthetic_frost && c.name == frost_name;
        for (int severity = 1; !c.extra && severity <= corruption_severities; ++severity) {
            if (has(replaced ? corruption_named(stand_in_name) : c, severity)) continue;
            if (++missing <= 6)
                names += fmt::format("{} {} {}", missing == 1 ? "" : ",", c.name, severity);
        }
    }
    if (missing == 0) return "";
    return fmt::format("{} of the 75 versions {} missing:{}{}", missing,
                       missing == 1 ? "is" : "are", names, missing > 6 ? ", ..." : "");
}

std::map<const Corruption*, ModelVersions::Hits> ModelVersions::hits_of(
    const Chosen& chosen) const {
    std::map<const Corruption*, Hits> hits;
    for (std::size_t v = 0; v < versions_.size(); ++v) {
        const CorruptedVersion& version = model_.versions[v];
        if (!chosen(version)) continue;
        Hits& own = hits[version.corruption];
        own.of_image.resize(clean_.size());
        for (std::size_t i = 0; i < clean_.size(); ++i)
            own.of_image[i] += as_count(versions_[v][i]);
        ++own.versions;
    }
    return hits;
}

/// Whole numbers are divided as late as possible. So the mean is exactly 1 if everything is
/// correct, and no mean is above 1.
CorruptedMean ModelVersions::mean_of(const Chosen& chosen, std::vector<double>* influence) const {
    const auto hits = hits_of(chosen);
    if (hits.empty()) {
        const std::string why = "none of the paper's corruptions was measured";
        return {not_measured(why, Unit::proportion, model_.images),
                not_measured(why, Unit::number, model_.images)};
    }
    std::vector<double> each(clean_.size());
    for (const auto& one : hits) {
        const Hits& own = one.second;
        for (std::size_t i = 0; i < each.size(); ++i)
            each[i] += static_cast<double>(own.of_image[i]) / own.versions;
    }
    for (double& v : each) v /= static_cast<double>(hits.size());
    const double mean = mean_of_images(each);
    CorruptedMean out;
    out.accuracy = of_images(mean, each, Unit::proportion, 1, level_);
    const double clean = *model_.clean.value;
    if (clean == 0) {
        out.relative = not_measured("the clean accuracy is 0", Unit::number, model_.images);
        return out;
    }
    for (std::size_t i = 0; i < each.size(); ++i)
        each[i] = (each[i] - mean / clean * as_count(clean_[i])) / clean;
    out.relative = of_images(mean / clean, each, Unit::number,
                             std::numeric_limits<double>::infinity(), level_);
    if (influence != nullptr) {
        influence->assign(all_images_, 0);
        const double scale = static_cast<double>(all_images_) / static_cast<double>(each.size());
        for (std::size_t i = 0; i < each.size(); ++i) (*influence)[images_[i]] = scale * each[i];
    }
    return out;
}

Estimate ModelVersions::corruption_error() const {
    std::vector<double> each(clean_.size());
    const auto hits = hits_of([](const CorruptedVersion& v) { return !v.corruption->extra; });
    for (const auto& one : hits) {
        const Hits& own = one.second;
        for (std::size_t i = 0; i < each.size(); ++i)
            each[i] += (own.versions - own.of_image[i]) / (75 * *one.first->alexnet_error);
    }
    return of_images(mean_of_images(each), each, Unit::number,
                     std::numeric_limits<double>::infinity(), level_);
}

CorruptionRatio ModelVersions::ratio() const {
    CorruptionRatio out;
    out.clean_accuracy = *model_.clean.value;
    const HasVersion there = std::bind_front(&ModelVersions::has, this);
    out.synthetic_frost = frost_is_synthetic(there);
    const std::string missing = missing_versions(there, out.synthetic_frost);
    if (!missing.empty()) {
        out.mean = {not_measured(missing, Unit::proportion, model_.images),
                    not_measured(missing, Unit::number, model_.images)};
        return out;
    }
    out.mean = mean_of(
        [&](const CorruptedVersion& v) {
            return !v.corruption->extra ||
                   (out.synthetic_frost && v.corruption->name == stand_in_name);
        },
        &out.influence);
    return out;
}

}  // namespace assay::robustness
