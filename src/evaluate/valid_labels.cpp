#include "evaluate/valid_labels.h"

#include <fmt/core.h>

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "assay/collective/comm.h"
#include "assay/data/class_tree.h"
#include "collective/rank_part.h"
#include "core/parallel.h"
#include "core/statistics.h"
#include "core/text.h"
#include "evaluate/score_tables.h"
#include "metric/class_areas.h"

namespace assay {
namespace {

enum ImageSlot : std::size_t {
    labelled_images,
    several_images,
    unranked_images,  ///< whose g highest classes are not known
    all_found_images,
    second_missed_images,
    first_wrong_images,
    none_found_images,
    missing_images,  ///< that miss a valid label
    sibling_images,
    image_slots
};
enum ClassSlot : std::size_t { valid_slot, found_slot, best_slot, valid_class_slots };

/// Integers, so that the order of the images does not matter.
class ValidCounts {
public:
    ValidCounts(const ScoredRows& rows, const ClassTree* tree)
        : rows_(rows),
          tree_(tree),
          numbers_(image_slots + valid_class_slots * std::size_t{rows.classes()}) {}

    void add(std::uint64_t item) {
        const auto valid = rows_.valid(item);
        if (valid.empty()) return;
        ++numbers_[labelled_images];
        numbers_[several_images] += valid.size() > 1 ? 1 : 0;
        const std::int32_t predicted = rows_.records()[static_cast<std::size_t>(item)].predicted;
        const bool correct = std::ranges::binary_search(valid, predicted);
        for (const std::int32_t label : valid) {
            ++of(label, valid_slot);
            if (!correct) ++confusions_[{label, predicted}];
        }
        if (!find_best(item, valid.size(), predicted)) {
            ++numbers_[unranked_images];
            return;
        }
        judge(valid, correct);
    }

    void merge(const ValidCounts& other) {
        for (std::size_t i = 0; i < numbers_.size(); ++i) numbers_[i] += other.numbers_[i];
        for (const auto& [pair, count] : other.confusions_) confusions_[pair] += count;
    }

    void join(Comm& comm) {
        if (comm.size() == 1) return;
        comm.all_reduce(numbers_);
        std::vector<Confusion> pairs;
        for (const auto& [pair, count] : confusions_)
            pairs.push_back({pair.first, pair.second, count});
        confusions_.clear();
        for (const auto& part : all_gather<Confusion>(comm, pairs)) {
            for (const Confusion& c : part) confusions_[{c.truth, c.predicted}] += c.count;
        }
    }

    std::uint64_t images(ImageSlot slot) const {
        return static_cast<std::uint64_t>(numbers_[slot]);
    }
    std::uint64_t of_class(std::uint32_t c, ClassSlot slot) const {
        return static_cast<std::uint64_t>(numbers_[place(c, slot)]);
    }
    const ConfusionCounts& confusions() const { return confusions_; }

private:
    static std::size_t place(std::uint32_t c, ClassSlot slot) {
        return image_slots + valid_class_slots * std::size_t{c} + slot;
    }
    std::int64_t& of(std::int32_t c, ClassSlot slot) {
        return numbers_[place(static_cast<std::uint32_t>(c), slot)];
    }

    /// The g highest classes, ascending by number. False if the scores do not tell them.
    bool find_best(std::uint64_t item, std::size_t g, std::int32_t predicted) {
        best_.clear();
        if (g == 1) {
            if (predicted >= 0) best_.push_back(predicted);
            return true;
        }
        const RowReader& reader = rows_.reader();
        if (!reader.ranks() || reader.depth() < g ||
            reader.top(rows_.row_of(item), g, ranked_) != RowStatus::ok || ranked_.size() < g)
            return false;
        for (const assay::RankedClass& one : ranked_) best_.push_back(one.cls);
        std::ranges::sort(best_);
        return true;
    }

    void judge(std::span<const std::int32_t> valid, bool correct) {
        std::size_t found = 0;
        missed_.clear();
        wrong_.clear();
        for (const std::int32_t c : best_) {
            ++of(c, best_slot);
            if (!std::ranges::binary_search(valid, c)) wrong_.push_back(c);
        }
        for (const std::int32_t label : valid) {
            if (!std::ranges::binary_search(best_, label)) {
                missed_.push_back(label);
                continue;
            }
            ++of(label, found_slot);
            ++found;
        }
        if (valid.size() > 1)
            ++numbers_[missed_.empty() ? all_found_images
                       : correct       ? second_missed_images
                       : found > 0     ? first_wrong_images
                                       : none_found_images];
        if (missed_.empty()) return;
        ++numbers_[missing_images];
        if (tree_ != nullptr && has_sibling()) ++numbers_[sibling_images];
    }

    bool has_sibling() const {
        return std::ranges::any_of(missed_, [&](std::int32_t label) {
            return std::ranges::any_of(wrong_,
                                       [&](std::int32_t c) { return tree_->siblings(label, c); });
        });
    }

    const ScoredRows& rows_;
    const ClassTree* tree_;
    std::vector<std::int64_t> numbers_;
    ConfusionCounts confusions_;
    std::vector<assay::RankedClass> ranked_;
    std::vector<std::int32_t> best_, missed_, wrong_;
};

/// Proportions of counted images, with one rule for what has no value.
struct CountedProportions {
    double level;
    bool clustered;
    std::string unranked;  ///< why no proportion that needs ranks has a value; "" if they have

    Estimate of(std::uint64_t hits, std::uint64_t images, const char* without) const {
        Estimate e = wilson_proportion(hits, images, level, without);
        if (clustered && e.interval) {
            e.interval.reset();
            e.note = "no interval: images of one cluster are not independent";
        }
        return e;
    }
    Estimate ranked(std::uint64_t hits, std::uint64_t images, const char* without) const {
        if (unranked.empty() || images == 0) return of(hits, images, without);
        Estimate e;
        e.unit = Unit::proportion;
        e.n = images;
        e.undefined = unranked;
        return e;
    }
};

std::string why_unranked(const ScoredRows& rows, std::uint64_t unranked) {
    if (unranked == 0) return "";
    if (!rows.reader().ranks())
        return fmt::format(
            "{} {} several valid labels, but the class map gives one class per image",
            how_many(unranked, "image"), unranked == 1 ? "has" : "have");
    return fmt::format(
        "the g highest classes of {} with g valid labels are not all among the stored ones ({} per "
        "image)",
        how_many(unranked, "image"), rows.reader().depth());
}

MissedLabels missed_labels(const ValidCounts& counts, const CountedProportions& proportions,
                           bool tree) {
    MissedLabels out;
    const std::uint64_t labelled = counts.images(labelled_images),
                        several = counts.images(several_images);
    out.several = proportions.of(several, labelled, "no image has a valid label");
    const auto among_several = [&](ImageSlot slot) {
        return proportions.ranked(counts.images(slot), several,
                                  "no image has several valid labels");
    };
    out.all_found = among_several(all_found_images);
    out.second_missed = among_several(second_missed_images);
    out.first_wrong = among_several(first_wrong_images);
    out.none_found = among_several(none_found_images);
    if (tree)
        out.sibling =
            proportions.ranked(counts.images(sibling_images), counts.images(missing_images),
                               "no image misses a valid label");
    return out;
}

}  // namespace

ValidLabels count_valid_labels(const ScoredRows& rows, PassRun& run,
                               const ValidLabelsOptions& options) {
    const PassRows& again = run.again();
    ValidCounts all(rows, options.tree);
    agree(again.comm, [&] {
        const RankPart units = part_of_rank(rows.units(), again.comm);
        std::mutex mutex;
        // A block is long, so that the counts of its classes are merged rarely.
        constexpr std::uint64_t units_per_block = 64;
        const std::uint64_t blocks = (units.size() + units_per_block - 1) / units_per_block;
        parallel_blocks(static_cast<std::size_t>(blocks), again.threads, [&](std::size_t block) {
            throw_if_stopped();
            ValidCounts own(rows, options.tree);
            const std::uint64_t begin = units.begin + block * units_per_block;
            const std::uint64_t end = std::min(units.end, begin + units_per_block);
            for (std::uint64_t item = rows.first_of(begin); item < rows.first_of(end); ++item)
                own.add(item);
            const std::lock_guard lock(mutex);
            all.merge(own);
        });
    });
    all.join(again.comm);
    const CountedProportions proportions{run.sums().resampling().level, options.clustered,
                                         why_unranked(rows, all.images(unranked_images))};
    ValidLabels out;
    out.missed = missed_labels(all, proportions, options.tree != nullptr);
    ClassAreas areas = class_average_precision(options.scores, run);
    out.ranked_by = std::move(areas.ranked_by);
    for (std::uint32_t c = 0; c < rows.classes(); ++c) {
        ValidClass& one = out.classes.emplace_back();
        one.images = all.of_class(c, valid_slot);
        one.found = all.of_class(c, found_slot);
        one.among_best = all.of_class(c, best_slot);
        one.recall = proportions.ranked(one.found, one.images, "valid in no image");
        one.precision =
            proportions.ranked(one.found, one.among_best, "among the highest classes of no image");
        // An image without known ranks may have had any class among its highest.
        if (!proportions.unranked.empty()) one.precision.undefined = proportions.unranked;
        one.average_precision = std::move(areas.classes[c]);
        if (one.images == 0) one.average_precision.undefined = "valid in no image";
        if (options.clustered && one.average_precision.interval) {
            one.average_precision.interval.reset();
            one.average_precision.note = one.recall.note;
        }
    }
    out.confusions = most_frequent(all.confusions(), options.confusions);
    return out;
}

}  // namespace assay
