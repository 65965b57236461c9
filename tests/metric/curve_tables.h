// Scores with label sets in memory, and areas under their curves by the library and by the
// definition.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "metric/class_curves.h"

namespace assay {

struct SetTable {
    std::size_t classes = 0;
    std::vector<double> scores;
    std::vector<std::vector<std::int32_t>> sets;  ///< empty if the item is excluded
    bool whole = false;                           ///< empty if no item is excluded
    bool looked_at(std::size_t i) const { return whole || !sets[i].empty(); }
    bool positive(std::size_t i, std::size_t c) const {
        return std::count(sets[i].begin(), sets[i].end(), static_cast<std::int32_t>(c)) > 0;
    }
    double score(std::size_t i, std::size_t c) const { return scores[i * classes + c]; }
};

class TableRows final : public OrderedRows {
public:
    explicit TableRows(const SetTable& table) : t_(table) {}
    std::uint64_t items() const override { return t_.sets.size(); }
    std::uint32_t classes() const override { return static_cast<std::uint32_t>(t_.classes); }
    bool counts(std::uint64_t item) const override { return t_.looked_at(item); }
    void read(std::uint64_t item, std::uint32_t begin, std::uint32_t end,
              double* out) const override {
        for (std::uint32_t c = begin; c < end; ++c) *out++ = t_.score(item, c);
    }

private:
    const SetTable& t_;
};

inline ClassPositives positives_of_table(const SetTable& t) {
    ClassPositives positives{{0}, {}};
    for (std::size_t c = 0; c < t.classes; ++c) {
        for (std::size_t i = 0; i < t.sets.size(); ++i) {
            if (t.positive(i, c)) positives.item.push_back(i);
        }
        positives.first.push_back(positives.item.size());
    }
    return positives;
}

struct CurveFound {
    ResampledEstimate estimate;
    std::uint32_t classes = 0;
    std::vector<std::uint16_t> groups;
};

inline CurveFound curve_of(const SetTable& t, CurveOptions options) {
    CurveFound found;
    const TableRows rows(t);
    const auto classes = static_cast<std::uint32_t>(t.classes);
    const ClassPositives positives = positives_of_table(t);
    const ClassRanks ranks(positives, positive_keys(rows, positives, 1, 0, classes));
    const auto counts = ranks.count(rows, 1, 0, classes);
    std::uint64_t items = 0;
    for (std::size_t i = 0; i < t.sets.size(); ++i) {
        const auto places = group_places(i / group_stretch, t.sets.size());
        found.groups.push_back(
            t.looked_at(i) ? static_cast<std::uint16_t>(places[i % group_stretch] % group_count)
                           : static_cast<std::uint16_t>(group_count));
        items += t.looked_at(i) ? 1 : 0;
    }
    const ClassCurves curves(positives, ranks, counts, items, options);
    found.classes = curves.classes();
    if (curves.mean())
        found.estimate =
            curves.estimate(ranks.sum(rows, curves.by_slot(), 1, 0, classes), found.groups);
    return found;
}

/// A slow reference that takes every pair and every threshold, one by one.
inline std::optional<double> curve_by_wording(const SetTable& t, Curve curve, bool weighted) {
    double sum = 0, weights = 0;
    for (std::size_t c = 0; c < t.classes; ++c) {
        std::vector<double> positives, negatives;
        for (std::size_t i = 0; i < t.sets.size(); ++i) {
            if (!t.looked_at(i)) continue;
            (t.positive(i, c) ? positives : negatives).push_back(t.score(i, c));
        }
        if (positives.empty() || (curve == Curve::roc && negatives.empty())) continue;
        const auto p = static_cast<double>(positives.size());
        double area = 0;
        if (curve == Curve::roc) {
            for (const double x : positives) {
                for (const double y : negatives) area += x > y ? 1 : x == y ? 0.5 : 0;
            }
            area /= p * static_cast<double>(negatives.size());
        } else {
            std::vector<double> thresholds = positives;
            thresholds.insert(thresholds.end(), negatives.begin(), negatives.end());
            std::sort(thresholds.begin(), thresholds.end(), std::greater<>());
            thresholds.erase(std::unique(thresholds.begin(), thresholds.end()), thresholds.end());
            double recall = 0;
            for (const double at : thresholds) {
                const auto reach = [at](double x) { return x >= at; };
                const auto hits =
                    static_cast<double>(std::count_if(positives.begin(), positives.end(), reach));
                const auto wrong =
                    static_cast<double>(std::count_if(negatives.begin(), negatives.end(), reach));
                area += (hits / p - recall) * hits / (hits + wrong);
                recall = hits / p;
            }
        }
        sum += (weighted ? p : 1) * area;
        weights += weighted ? p : 1;
    }
    if (weights == 0) return std::nullopt;
    return sum / weights;
}

}  // namespace assay
