// Computes accuracies, differences and groups from the drawn images and people's answers.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "assay/error.h"
#include "assay/few_labels/estimate.h"
#include "core/statistics.h"
#include "core/text.h"
#include "few_labels/annotator_rates.h"
#include "few_labels/answers.h"
#include "few_labels/by_class.h"
#include "few_labels/measured.h"
#include "few_labels/sample.h"
#include "few_labels/strata.h"
#include "few_labels/target.h"
#include "few_labels/targets.h"
#include "few_labels/used_sample.h"
#include "metric/separation.h"

namespace assay::few_labels {
namespace {

constexpr std::uint64_t tested_from = 50;
constexpr double few_errors = 5, partly = 0.02, many_unjudged = 0.05;

std::uint64_t labels_of(const Target& target) {
    return target.labelled.size() + static_cast<std::uint64_t>(target.known_images);
}

/// Images of the pool that belong to the target's domain and can be judged.
double images_of(const Target& target) {
    return std::accumulate(target.images.begin(), target.images.end(), target.known_images);
}

std::optional<std::uint64_t> random_sample_for(const TargetEstimate& found, double quantile,
                                               double pool) {
    const double half = (found.high - found.low) / 2;
    if (!found.value || half <= 0 || *found.value <= 0 || *found.value >= 1) return std::nullopt;
    const double wanted = *found.value * (1 - *found.value) * quantile * quantile / (half * half);
    return static_cast<std::uint64_t>(std::ceil(wanted / (1 + (wanted - 1) / pool)));
}

/// AUROC of the confidence as a predictor of being correct; 1 if all labels are the same.
double auroc_of(const std::vector<LabelledValue>& labelled, double level) {
    std::vector<double> correct, wrong;
    for (const LabelledValue& one : labelled)
        (one.value >= 1 ? correct : wrong).push_back(one.x[1]);
    return separation(std::move(correct), std::move(wrong), level).auroc.value.value_or(1);
}

class Measured {
public:
    Measured(const SampledPool& sampled, const Judgements& said, const EstimateOptions& options,
             Purpose purpose, PoolEstimate& result)
        : pool_(*sampled.pool),
          strata_(*sampled.strata),
          sample_(*sampled.sample),
          classifiers_(std::max(sampled.classifiers, pool_.classifiers())),
          said_(said),
          options_(options),
          purpose_(purpose),
          result_(result),
          used_(used_sample(sample_, said, strata_)),
          labels_(static_cast<double>(used_.images.size())) {}

    void measure(const ProgressCallback& progress) {
        find_settled();
        if (options_.per_class) {
            std::vector<std::size_t> labelled = used_.images;
            labelled.insert(labelled.end(), settled_.begin(), settled_.end());
            classes_ = labelled_classes(labelled, sample_, said_);
        }
        const Targets targets(pool_, strata_, options_.by, classes_.predicted());
        std::vector<Target> all = targets.read(options_.threads, progress);
        for (const std::size_t i : used_.images) {
            const SampledImage& image = sample_.images[i];
            targets.visit(image.row, image.predictions,
                          [&](std::size_t target, const Covariates& x) {
                              all[target].labelled.push_back(
                                  {image.stratum, targets.value(target, said_.of[i].correct), x});
                          });
        }
        add_settled(all, targets);
        for (Target& target : all)
            for (std::size_t h = 0; h < target.images.size(); ++h)
                target.images[h] *= used_.strata[h].judged;
        count();
        note_classes();
        set_quantile(all, targets);
        set_rates();
        add_classifiers(all);
        add_pairs(all, targets);
        add_groups(all, targets);
        if (options_.per_class)
            result_.classes = class_rows(
                classes_,
                {pool_, sample_, said_, used_, settled_.size(), result_.quantile, options_.level},
                targets, all, [&](const Target& target) { return estimate(target); },
                [&](const TargetEstimate& found) { return corrected(found); });
        compare_and_stop(result_, options_, purpose_, labels_,
                         static_cast<double>(strata_.drawable()));
        warn(all);
    }

private:
    void find_settled() {
        for (std::size_t i = sample_.images.size(); i < said_.of.size(); ++i)
            if (said_.of[i].state == Judgement::State::judged) settled_.push_back(i);
        result_.settled = settled_.size();
    }

    /// Settled images count themselves.
    void add_settled(std::vector<Target>& all, const Targets& targets) {
        for (const std::size_t at : settled_) {
            const SampledImage& image = sample_.settled[at - sample_.images.size()];
            targets.visit(image.row, image.predictions, [&](std::size_t t, const Covariates&) {
                ++all[t].known_images;
                all[t].known_sum += targets.value(t, said_.of[at].correct);
            });
        }
    }

    std::string name_of_model(std::size_t m) const { return pool_.stores()[m].spec().model_name; }
    double pool_size() const { return static_cast<double>(strata_.pool_size()); }

    void count() {
        result_.labels = used_.images.size();
        result_.behind_gap = used_.behind_gap;
        result_.unjudged = used_.all_unjudged;
        const auto seen = static_cast<double>(result_.labels + result_.unjudged);
        unjudged_ = seen > 0 ? static_cast<double>(result_.unjudged) / seen : 0;
        for (std::size_t h = 0; h < strata_.size(); ++h)
            result_.strata.push_back({static_cast<std::uint32_t>(h + 1), strata_.contested()[h],
                                      strata_.images()[h], sample_.drawn[h],
                                      static_cast<std::uint64_t>(used_.strata[h].labels),
                                      used_.unjudged[h]});
    }

    /// Says why there is no recall.
    void note_classes() {
        if (classes_.unknown == 0) return;
        result_.notes.push_back(fmt::format(
            "recall is not shown, because answers of yes and no do not name the class of {} "
            "labelled images. Add --labels LABELS for it",
            classes_.unknown));
    }

    void set_rates() {
        if (!said_.gold) return;
        rates_ = answer_rates(*said_.gold, result_.quantile, options_.level);
        result_.sensitivity = rates_->sensitivity;
        result_.specificity = rates_->specificity;
        const auto percent = [](std::uint64_t found, std::uint64_t all) {
            return 100 * static_cast<double>(found) / static_cast<double>(all);
        };
        const GoldCounts& gold = *said_.gold;
        result_.notes.push_back(fmt::format(
            "annotators say yes to {:.1f} % of the {} gold questions whose answer is yes, and no "
            "to {:.1f} % of the {} others. Corrected values allow for such errors, if these do "
            "not depend on the image",
            percent(gold.yes_found, gold.yes), gold.yes, percent(gold.no_found, gold.no), gold.no));
        if (said_.gold->open > 0)
            result_.notes.push_back(
                fmt::format("{} gold questions are not settled and not used", said_.gold->open));
    }

    /// The accuracy without the errors of annotators.
    std::optional<Estimate> corrected(const TargetEstimate& found) const {
        if (!rates_) return std::nullopt;
        return as_estimate(corrected_accuracy(found, *rates_), options_.level, 0, 1);
    }

    void set_quantile(const std::vector<Target>& all, const Targets& targets) {
        double alpha = 1 - options_.level;
        if (options_.simultaneous) {
            // Groups and classes have an interval for each classifier.
            std::size_t each = 1;
            for (std::size_t g = 0; g < targets.groups().size(); ++g)
                each += labels_of(all[targets.of_group(g, 0)]) >= least_of_group ? 1 : 0;
            each += classes_.estimated();
            const std::size_t pairs = classifiers_ * (classifiers_ - 1) / 2;
            alpha /= static_cast<double>(classifiers_ * each + pairs);
        }
        result_.quantile = options_.peek > 0
                               ? anytime_quantile(std::max(labels_, 1.0),
                                                  static_cast<double>(options_.peek), alpha)
                               : normal_quantile(1 - alpha / 2);
    }

    TargetEstimate estimate(const Target& target) const {
        // If no image of a stratum was judged, the accuracy on its images is unknown.
        return estimate_target(target, used_.strata, result_.quantile, unjudged_ >= partly);
    }

    void add_classifiers(const std::vector<Target>& all) {
        for (std::size_t m = 0; m < pool_.classifiers(); ++m) {
            const TargetEstimate found = estimate(all[m]);
            double confidence = 0;
            for (std::size_t h = 0; h < all[m].images.size(); ++h)
                confidence += static_cast<double>(strata_.images()[h]) * all[m].means[h][1];
            confidence += all[m].known_x[1];
            EstimatedClassifier one;
            one.classifier = name_of_model(m);
            one.accuracy = as_estimate(found, options_.level, 0, 1);
            one.corrected = corrected(found);
            one.overconfidence = as_estimate(found, options_.level, confidence / pool_size(), -1);
            one.factor = found.factor;
            one.labels = found.labels;
            one.random_sample = random_sample_for(found, result_.quantile, pool_size());
            result_.classifiers.push_back(std::move(one));
        }
    }

    void add_pairs(const std::vector<Target>& all, const Targets& targets) {
        auto judged = static_cast<double>(settled_.size());
        for (const StratumSample& one : used_.strata) judged += one.images;
        for (std::size_t p = 0; p < targets.pairs().size(); ++p) {
            const Target& target = all[targets.of_pair(p)];
            const double apart = images_of(target);
            EstimatedPair pair;
            pair.first = name_of_model(targets.pairs()[p].first);
            pair.second = name_of_model(targets.pairs()[p].second);
            pair.disagreement = judged > 0 ? apart / judged : 0;
            const TargetEstimate found = estimate(target);
            pair.labels = found.labels;
            if (apart == 0) {
                pair.difference.unit = Unit::proportion;
                pair.difference.value = 0;
                pair.difference.n = result_.labels;
                pair.difference.note = "they predict the same label of every image";
            } else if (found.value) {
                pair.difference =
                    as_estimate(found, options_.level, -pair.disagreement, 2 * pair.disagreement);
            } else {
                pair.difference = as_estimate(found, options_.level, 0, 1);
                pair.difference.interval = Interval{pair.disagreement * (2 * found.low - 1),
                                                    pair.disagreement * (2 * found.high - 1),
                                                    options_.level, "disagreement"};
            }
            if (rates_) pair.corrected = corrected_difference(pair.difference, *rates_);
            result_.pairs.push_back(std::move(pair));
        }
    }

    void add_groups(const std::vector<Target>& all, const Targets& targets) {
        result_.by = options_.by;
        for (const auto& [name, group] : targets.groups()) {
            for (std::size_t m = 0; m < pool_.classifiers(); ++m) {
                const Target& target = all[targets.of_group(group, m)];
                EstimatedGroup one;
                one.group = name;
                one.classifier = name_of_model(m);
                one.images = static_cast<std::uint64_t>(std::llround(images_of(target)));
                const TargetEstimate found = estimate(target);
                one.labels = found.labels;
                one.accuracy = as_estimate(found, options_.level, 0, 1);
                one.corrected = corrected(found);
                if (one.labels < least_of_group) {
                    one.accuracy = too_few(one.labels);
                    one.corrected.reset();
                }
                result_.groups.push_back(std::move(one));
            }
        }
    }

    void warn(const std::vector<Target>& all) {
        auto& warnings = result_.warnings;
        if (result_.labels < tested_from)
            warnings.push_back(
                fmt::format("{} labels: intervals were not tested with fewer than {}",
                            result_.labels, tested_from));
        if (result_.behind_gap > 0)
            result_.notes.push_back(fmt::format(
                "{} answered images are not used yet: an image before them in the random order has "
                "no answer",
                result_.behind_gap));
        if (result_.unjudged > 0)
            result_.notes.push_back(fmt::format(
                "{} images cannot be judged; accuracies cover only the others", result_.unjudged));
        if (unjudged_ > many_unjudged)
            warnings.push_back(
                fmt::format("{:.0f} % of the images cannot be judged", 100 * unjudged_));
        if (said_.ignored > 0)
            result_.notes.push_back(
                fmt::format("{} answers are ignored: they are about images that were not drawn, or "
                            "other labels",
                            said_.ignored));
        for (std::size_t m = 0; m < pool_.classifiers() && result_.labels >= 2; ++m) {
            double hits = 0;
            for (const LabelledValue& one : all[m].labelled) hits += one.value;
            if (std::min(hits, labels_ - hits) < few_errors)
                result_.notes.push_back(fmt::format(
                    "{}: fewer than {:.0f} labelled images are {}; its interval uses the sample's "
                    "design alone",
                    name_of_model(m), few_errors, hits < few_errors ? "correct" : "wrong"));
            else if (auroc_of(all[m].labelled, options_.level) < 0.6)
                result_.notes.push_back(
                    fmt::format("{}: its confidence says little about its errors, so only "
                                "disagreement makes the estimate more precise",
                                name_of_model(m)));
        }
        if (purpose_ == Purpose::differences)
            result_.notes.push_back(
                "the sample was drawn for differences (--for differences); accuracies are less "
                "precise than with --for both");
    }

    const Pool& pool_;
    const Strata& strata_;
    const Sample& sample_;
    std::size_t classifiers_;  ///< of the study
    const Judgements& said_;
    const EstimateOptions& options_;
    Purpose purpose_;
    PoolEstimate& result_;
    UsedSample used_;
    double labels_, unjudged_ = 0;
    std::vector<std::size_t> settled_;  ///< judged images that were known, in said_
    LabelledClasses classes_;           ///< with --per-class
    std::optional<AnswerRates> rates_;
};

void add_best(PoolEstimate& result) {
    if (result.labels < 2 || result.classifiers.size() < 2) return;
    const auto best = std::ranges::max_element(
        result.classifiers, [](const EstimatedClassifier& a, const EstimatedClassifier& b) {
            return a.accuracy.value.value_or(-1) < b.accuracy.value.value_or(-1);
        });
    result.best = best->classifier;
    for (const EstimatedPair& pair : result.pairs) {
        if (pair.first != result.best && pair.second != result.best) continue;
        const bool clear = pair.difference.interval && (pair.difference.interval->low > 0 ||
                                                        pair.difference.interval->high < 0);
        if (!clear)
            result.not_resolved.push_back(pair.first == result.best ? pair.second : pair.first);
    }
}

void add_stop(PoolEstimate& result, const EstimateOptions& options, Purpose purpose, double labels,
              double drawable) {
    double half = 0;
    bool some = false;
    const auto widen = [&](const Estimate& one) {
        if (!one.interval) return;
        some = true;
        half = std::max(half, half_width(one));
    };
    if (purpose == Purpose::differences && !result.pairs.empty()) {
        for (const EstimatedPair& pair : result.pairs) widen(pair.difference);
    } else {
        for (const EstimatedClassifier& one : result.classifiers) widen(one.accuracy);
    }
    if (!some) return;
    result.half_width = half;
    if (options.stop_at <= 0) return;
    result.precise_enough = half <= options.stop_at && labels >= static_cast<double>(tested_from);
    if (result.precise_enough) return;
    const double ratio = half / options.stop_at;
    const double wanted = std::max(labels * ratio * ratio, static_cast<double>(tested_from));
    const double all =
        std::min(std::ceil(wanted / (1 + std::max(0.0, wanted - labels) / drawable)), drawable);
    result.labels_needed = static_cast<std::uint64_t>(std::max(all - labels, 1.0));
}

}  // namespace

void measure_sample(const SampledPool& sampled, const Judgements& said,
                    const EstimateOptions& options, Purpose purpose, PoolEstimate& result,
                    const ProgressCallback& progress) {
    Measured(sampled, said, options, purpose, result).measure(progress);
}

void compare_and_stop(PoolEstimate& result, const EstimateOptions& options, Purpose purpose,
                      double labels, double drawable) {
    add_best(result);
    add_stop(result, options, purpose, labels, drawable);
}

}  // namespace assay::few_labels
