#include <algorithm>
#include <unordered_set>

#include <fmt/core.h>

#include "assay/error.h"
#include "assay/replication/selections.h"
#include "core/random.h"

namespace assay::replication {
namespace {

std::uint64_t joined(std::uint32_t high, std::uint32_t low) {
    return (std::uint64_t{high} << 32) | low;
}

struct Batch {
    std::uint32_t images = 0, selected = 0, controls_selected = 0;
};

void check_rules(const CleaningRules& rules) {
    if (!(rules.max_flagged > 0 && rules.max_flagged <= 1)) {
        throw Error(ErrorCode::usage,
                    fmt::format("proportion of flagged batches {} is outside (0, 1]; 0.3 is usual",
                                rules.max_flagged));
    }
}

}  // namespace

std::size_t CleaningReport::dropped() const {
    return static_cast<std::size_t>(std::count_if(
        annotators.begin(), annotators.end(), [](const AnnotatorRecord& w) { return w.dropped; }));
}

CleaningReport judge_annotators(std::span<Selections* const> sets, const StudyNames& names,
                                const CleaningRules& rules) {
    check_rules(rules);
    bool controls = false;
    for (const Selections* set : sets) {
        if (!set->has_batches) {
            throw Error(ErrorCode::bad_input,
                        fmt::format("{} has no column `batch`, which cleaning needs to judge "
                                    "annotators by their grids",
                                    set->source));
        }
        controls = controls || set->has_controls;
    }
    if (!controls) {
        throw Error(ErrorCode::bad_input,
                    "no file has a column `control`: cleaning needs images that are known not to "
                    "show the class");
    }
    CleaningReport report;
    const std::size_t nameless = names.batches.find("");
    std::unordered_map<std::uint64_t, Batch> batches;
    report.annotators.resize(names.annotators.size());
    for (std::size_t w = 0; w < report.annotators.size(); ++w)
        report.annotators[w].annotator = static_cast<std::uint32_t>(w);
    for (const Selections* set : sets) {
        for (const Selection& row : set->rows) {
            if (row.batch == nameless) {
                throw Error(ErrorCode::bad_input,
                            fmt::format("{}: annotator `{}` judged `{}` in a batch without a name; "
                                        "every row needs one",
                                        set->source, names.annotators[row.annotator],
                                        set->images[row.image]));
            }
            Batch& batch = batches[joined(row.annotator, row.batch)];
            ++batch.images;
            batch.selected += row.selected ? 1U : 0U;
            batch.controls_selected += row.selected && row.control ? 1U : 0U;
            ++report.annotators[row.annotator].annotations;
            ++report.annotations_before;
        }
    }
    report.batches = batches.size();
    report.smallest_batch = batches.empty() ? 0 : UINT32_MAX;
    for (const auto& [key, batch] : batches) {
        const bool few = batch.selected < rules.min_selected;
        const bool controls_hit = batch.controls_selected > rules.max_controls;
        AnnotatorRecord& annotator = report.annotators[key >> 32];
        ++annotator.batches;
        annotator.flagged += few || controls_hit ? 1U : 0U;
        report.too_few_selected += few ? 1U : 0U;
        report.controls_selected += controls_hit ? 1U : 0U;
        report.flagged += few || controls_hit ? 1U : 0U;
        report.smallest_batch = std::min(report.smallest_batch, batch.images);
        report.largest_batch = std::max(report.largest_batch, batch.images);
    }
    for (AnnotatorRecord& annotator : report.annotators) {
        constexpr double rounding = 1e-9;  // 0.55 * 100 is above 55
        annotator.dropped = annotator.batches > 0 &&
                            annotator.flagged >= rules.max_flagged * annotator.batches - rounding;
    }
    report.annotations_after = report.annotations_before;
    for (const AnnotatorRecord& annotator : report.annotators) {
        if (annotator.dropped) report.annotations_after -= annotator.annotations;
    }
    return report;
}

CleaningReport clean(std::span<Selections* const> sets, const StudyNames& names,
                     const CleaningRules& rules) {
    CleaningReport report = judge_annotators(sets, names, rules);
    for (Selections* set : sets)
        std::erase_if(set->rows, [&](const Selection& row) {
            return report.annotators[row.annotator].dropped;
        });
    return report;
}

Duplicates remove_duplicates(Selections& set) {
    struct Place {
        std::uint64_t key;
        std::uint32_t row;
    };
    std::vector<Place> places(set.rows.size());
    for (std::size_t i = 0; i < places.size(); ++i) {
        places[i] = {joined(set.rows[i].image, set.rows[i].annotator),
                     static_cast<std::uint32_t>(i)};
    }
    std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
        return a.key != b.key ? a.key < b.key : a.row < b.row;
    });
    std::vector<bool> drop(set.rows.size(), false);
    Duplicates result;
    for (std::size_t i = 0, first = 0; i < places.size(); ++i) {
        if (i == 0 || places[i].key != places[i - 1].key) {
            first = i;
            continue;
        }
        drop[places[i].row] = true;
        ++result.removed;
        result.contradicting +=
            set.rows[places[i].row].selected != set.rows[places[first].row].selected ? 1U : 0U;
    }
    if (result.removed > 0) {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < set.rows.size(); ++i) {
            if (!drop[i]) set.rows[kept++] = set.rows[i];
        }
        set.rows.resize(kept);
    }
    return result;
}

AnnotatorOverlap annotator_overlap(const Selections& first, const Selections& second) {
    struct Seen {
        std::unordered_set<std::uint32_t> annotators;
        std::unordered_set<std::uint64_t> grids;    ///< pairs of annotator and class
        std::unordered_set<std::uint64_t> batches;  ///< pairs of annotator and batch
    };
    const auto seen_in = [](const Selections& set) {
        Seen seen;
        for (const Selection& row : set.rows) {
            if (row.control) continue;
            seen.annotators.insert(row.annotator);
            seen.grids.insert(joined(row.annotator, set.image_class[row.image]));
            if (set.has_batches) seen.batches.insert(joined(row.annotator, row.batch));
        }
        return seen;
    };
    const Seen one = seen_in(first), two = seen_in(second);
    const bool batches = first.has_batches && second.has_batches;
    const auto count = [&](const Selections& set, const Seen& other, double& both, double& grid,
                           std::optional<double>& mixed) {
        double all = 0, common = 0, same = 0, together = 0;
        for (const Selection& row : set.rows) {
            if (row.control) continue;
            all += 1;
            common += other.annotators.contains(row.annotator) ? 1 : 0;
            same += other.grids.contains(joined(row.annotator, set.image_class[row.image])) ? 1 : 0;
            together += batches && other.batches.contains(joined(row.annotator, row.batch)) ? 1 : 0;
        }
        both = all > 0 ? common / all : 0;
        grid = all > 0 ? same / all : 0;
        if (batches) mixed = all > 0 ? together / all : 0;
    };
    AnnotatorOverlap overlap;
    overlap.first = one.annotators.size();
    overlap.second = two.annotators.size();
    for (const std::uint32_t annotator : one.annotators)
        overlap.common += two.annotators.contains(annotator) ? 1U : 0U;
    count(first, two, overlap.first_proportion, overlap.first_grid, overlap.first_mixed);
    count(second, one, overlap.second_proportion, overlap.second_grid, overlap.second_mixed);
    return overlap;
}

std::string overlap_warning(const AnnotatorOverlap& o) {
    const std::string cost =
        "If people in one set are stricter or milder (0.1 on the probit scale), the adjusted "
        "accuracy changes by more than a point. The data cannot show this.";
    if (o.common == 0) {
        return fmt::format(
            "NO ANNOTATOR JUDGED BOTH SETS ({} judged the first, {} the second): their selection "
            "frequencies cannot be compared. {}",
            o.first, o.second, cost);
    }
    if (std::min(o.first_proportion, o.second_proportion) < 0.5) {
        return fmt::format(
            "FEW ANNOTATORS JUDGED BOTH SETS: they gave {:.0f} % of the annotations of the first "
            "and "
            "{:.0f} "
            "% of the second. {}",
            100 * o.first_proportion, 100 * o.second_proportion, cost);
    }
    if (std::min(o.first_grid, o.second_grid) < 0.5) {
        return fmt::format(
            "The sets were not judged in the same grids. Annotators who judged the same class in "
            "both gave {:.0f} % of the annotations of the first set and {:.0f} % of the second. {}",
            100 * o.first_grid, 100 * o.second_grid, cost);
    }
    if (o.first_mixed && std::min(*o.first_mixed, *o.second_mixed) < 0.5) {
        return fmt::format(
            "The sets were not judged in the same grids. Batches that show images of both gave "
            "{:.0f} % of the annotations of the first set and {:.0f} % of the second. {}",
            100 * *o.first_mixed, 100 * *o.second_mixed, cost);
    }
    return "";
}

Readings keep_annotators(const Readings& readings, int m, std::uint64_t seed,
                         std::string_view purpose, std::uint64_t* left_out) {
    if (m < 1)
        throw Error(ErrorCode::usage, fmt::format("cannot keep {} annotators of each image", m));
    Readings kept;
    kept.source = readings.source;
    kept.without_annotators = readings.without_annotators;
    std::uint64_t dropped = 0;
    for (std::size_t i = 0; i < readings.size(); ++i) {
        std::uint32_t n = readings.annotators[i], k = readings.selected[i], j = 0;
        if (n < static_cast<std::uint32_t>(m)) {
            ++dropped;
            continue;
        }
        RandomStream random(seed, purpose, i);
        for (int drawn = 0; drawn < m; ++drawn, --n) {
            if (random.below(n) >= k) continue;
            --k;
            ++j;
        }
        kept.images.append(readings.images[i]);
        kept.classes.push_back(readings.classes[i]);
        kept.annotators.push_back(static_cast<std::uint16_t>(m));
        kept.selected.push_back(static_cast<std::uint16_t>(j));
    }
    if (left_out != nullptr) *left_out = dropped;
    return kept;
}

}  // namespace assay::replication
