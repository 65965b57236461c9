#include "mad/control_accuracy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "assay/report.h"
#include "core/refuse.h"
#include "core/statistics.h"

namespace assay::mad {
namespace {

/// The interval of a stratum's proportion, from a sample of `counted` out of `images` images.
Interval stratum_interval(double proportion, double counted, double images, double level) {
    if (counted >= images) return {proportion, proportion, level, ""};
    const double size = counted * std::max(images - 1, 1.0) / (images - counted);
    return wilson_of_size(proportion, size, normal_quantile(.5 + level / 2), level, "");
}

}  // namespace

Estimate stratified_proportion(std::span<const SampledStratum> strata, double level) {
    Estimate out;
    out.unit = Unit::proportion;
    double all = 0;
    std::vector<double> weights;
    for (const SampledStratum& s : strata) {
        out.n += s.counted;
        if (s.images > 0 && s.drawn == 0) {
            out.undefined =
                fmt::format("no image was drawn from a stratum of {} images", count_text(s.images));
            return out;
        }
        weights.push_back(s.drawn == 0
                              ? 0
                              : static_cast<double>(s.images) * static_cast<double>(s.counted) /
                                    static_cast<double>(s.drawn));
        all += weights.back();
    }
    if (!(all > 0)) {
        out.undefined = "no image of the control sample counts";
        return out;
    }
    double mean = 0, below = 0, above = 0;
    for (std::size_t h = 0; h < strata.size(); ++h) {
        if (strata[h].counted == 0) continue;
        const auto counted = static_cast<double>(strata[h].counted);
        const double p = static_cast<double>(strata[h].correct) / counted;
        const double w = weights[h] / all;
        const Interval own = stratum_interval(p, counted, weights[h], level);
        mean += w * p;
        below += w * w * (p - own.low) * (p - own.low);
        above += w * w * (own.high - p) * (own.high - p);
    }
    mean = std::clamp(mean, 0.0, 1.0);
    out.value = mean;
    out.interval = Interval{std::max(0.0, mean - std::sqrt(below)),
                            std::min(1.0, mean + std::sqrt(above)), level, "wilson.stratified"};
    return out;
}

ControlSample read_control_sample(const Competition& competition,
                                  const std::vector<CompetitionClassifier>& classifiers) {
    ControlSample sample;
    sample.rows = read_control(competition.impl().database);
    if (sample.rows.empty()) return sample;
    const std::string file = competition.impl().database.path().string();
    std::map<std::uint32_t, const ControlRow*> first;
    std::map<std::uint32_t, std::uint64_t> drawn;
    for (const ControlRow& row : sample.rows) {
        if (row.image < 0 || static_cast<std::uint64_t>(row.image) >= competition.images())
            refuse(fmt::format("{}: the control sample has image {}; allowed: below {}", file,
                               row.image, competition.images()));
        const ControlRow& other = *first.try_emplace(row.stratum, &row).first->second;
        ++drawn[row.stratum];
        if (row.stratum_images != other.stratum_images ||
            row.stratum_sample != other.stratum_sample)
            refuse(fmt::format(
                "{}: images {} and {} of the control sample disagree about the size of stratum {}",
                file, other.image, row.image, row.stratum));
    }
    for (const auto& [stratum, row] : first) {
        if (row->stratum_sample != drawn[stratum] || row->stratum_images < row->stratum_sample)
            refuse(fmt::format(
                "{}: stratum {} of the control sample says {} of {} images, but has {}", file,
                stratum, row->stratum_sample, row->stratum_images, drawn[stratum]));
    }
    for (const CompetitionClassifier& one : classifiers) {
        const StoredPredictions stored = competition.predictions(one);
        sample.scored.push_back(one.scored);
        auto& labels = sample.labels.emplace_back();
        for (const ControlRow& row : sample.rows) {
            const std::uint16_t label =
                stored.predictions().labels[static_cast<std::size_t>(row.image)];
            if (label != no_label && label >= competition.classes().size())
                refuse(fmt::format("{}: label {} of image {} is not a class",
                                   competition.folder().string(), label, row.image));
            labels.push_back(label == no_label ? std::nullopt : std::optional(label));
        }
    }
    return sample;
}

std::set<QuestionKey> control_keys(const ControlSample& sample) {
    std::set<QuestionKey> keys;
    for (const auto& labels : sample.labels)
        for (std::size_t r = 0; r < labels.size(); ++r)
            if (labels[r]) keys.emplace(sample.rows[r].image, *labels[r]);
    return keys;
}

std::vector<Estimate> control_accuracies(const ControlSample& sample, const Tally& tally,
                                         double level) {
    std::vector<Estimate> out;
    std::map<std::uint32_t, std::uint64_t> images_of;
    std::uint64_t covered = 0;
    for (const ControlRow& row : sample.rows) images_of[row.stratum] = row.stratum_images;
    for (const auto& [stratum, images] : images_of) covered += images;
    for (std::size_t c = 0; c < sample.labels.size(); ++c) {
        const auto& labels = sample.labels[c];
        if (covered < sample.scored[c]) {
            Estimate partly;
            partly.unit = Unit::proportion;
            partly.n = sample.rows.size();
            partly.undefined = fmt::format(
                "the control sample covers {} images, but scores exist for {}: none of the others "
                "was drawn",
                count_text(covered), count_text(sample.scored[c]));
            out.push_back(std::move(partly));
            continue;
        }
        std::map<std::uint32_t, SampledStratum> strata;
        std::uint64_t open = 0, unasked = 0;
        for (std::size_t r = 0; r < sample.rows.size(); ++r) {
            const ControlRow& row = sample.rows[r];
            SampledStratum& stratum = strata[row.stratum];
            stratum.images = row.stratum_images;
            ++stratum.drawn;
            if (!labels[r]) continue;
            const QuestionTally* const question = tally.find(row.image, *labels[r]);
            if (question == nullptr) ++unasked;
            if (question != nullptr && !question->known()) ++open;
            if (question == nullptr || !question->known() || question->outcome.unclear) continue;
            ++stratum.counted;
            stratum.correct += question->outcome.yes ? 1 : 0;
        }
        if (open + unasked > 0) {
            Estimate waiting;
            waiting.unit = Unit::proportion;
            waiting.n = sample.rows.size();
            waiting.undefined = fmt::format(
                "of the {} control images, {} have open questions about its labels and {} have "
                "questions that were not asked yet",
                count_text(sample.rows.size()), count_text(open), count_text(unasked));
            out.push_back(std::move(waiting));
            continue;
        }
        std::vector<SampledStratum> all;
        for (const auto& [number, stratum] : strata) all.push_back(stratum);
        out.push_back(stratified_proportion(all, level));
    }
    return out;
}

}  // namespace assay::mad
