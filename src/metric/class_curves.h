// Areas under the curves of one class against the others, and their mean over the classes. The
// curves are ROC (Hanley and McNeil 1982) and precision-recall (average precision). The areas come
// from the slots of class_ranks.h.
//
// Conventions of scikit-learn. AUROC: the chance that a positive scores higher than a negative,
// ties count half (the trapezoid rule). Average precision: sum over distinct scores, the highest
// first, of (R_n - R_n-1) P_n; nothing is interpolated. Classes without positives (and for AUROC
// also those without negatives) are excluded from the mean.
//
// Uncertainty: each item's influence on the mean. An item is a positive of some classes and a
// negative of all others, so the classes' areas are not independent. Their influences add up by
// item. For one class and AUROC this is DeLong, DeLong and Clarke-Pearson (1988).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "assay/metric/metric.h"
#include "metric/class_ranks.h"

namespace assay {

enum class Curve { roc, precision_recall };

struct CurveOptions {
    Curve curve = Curve::roc;
    bool weighted = false;  ///< classes are weighted by their number of positives
    double level = 0.95;
    /// if set, the only class that enters the mean
    std::optional<std::uint32_t> only = std::nullopt;
};

/// Computes the areas of all classes from the slots' counts.
class ClassCurves {
public:
    /// `items` is the number of items included. `counts` is ClassRanks::count() for all classes.
    ClassCurves(const ClassPositives& positives, const ClassRanks& ranks,
                std::span<const std::int64_t> counts, std::uint64_t items, CurveOptions options);

    /// The area of a class; no value if the class has no area.
    std::optional<double> area(std::uint32_t c) const { return areas_[c]; }
    /// The number of classes in the mean.
    std::uint32_t classes() const { return used_; }
    /// The mean over the classes; no value if classes() is 0.
    std::optional<double> mean() const { return mean_; }

    /// The area of one class by itself, with the interval for independent items. It is what
    /// estimate() gives for `CurveOptions::only`, from the slots' counts alone. Undefined if the
    /// class has no area. No interval for a single positive.
    Estimate class_estimate(std::uint32_t c) const;

    /// The numbers for ClassRanks::sum(): influences of an item in this slot that is not a
    /// positive, in units of influence_unit / items.
    std::vector<std::int64_t> by_slot() const;
    /// Computes the estimate except its unit. `sums` are for all classes, from ClassRanks::sum();
    /// `groups` are those of the items (`group_count` means excluded). The interval is missing,
    /// with a note, if a class has too few positives.
    ResampledEstimate estimate(std::span<const std::int64_t> sums,
                               std::span<const std::uint16_t> groups) const;

    static constexpr double influence_unit = 0x1p-32;

private:
    struct Slot {
        double negative = 0;  // influence of a negative in this slot
        double positive = 0;  // influence of a positive in this slot (odd slots)
    };
    double weight(std::uint32_t c) const;
    double negatives(std::uint32_t c, std::size_t slot) const;
    void fill_roc(std::uint32_t c, std::vector<Slot>& slots) const;
    void fill_precision(std::uint32_t c, std::vector<Slot>& slots) const;
    std::vector<Slot> slots_of(std::uint32_t c) const;
    double area_of(std::uint32_t c) const;
    double own_share(std::uint32_t c) const;

    const ClassPositives& positives_;
    const ClassRanks& ranks_;
    std::span<const std::int64_t> counts_;
    double items_;
    CurveOptions options_;
    std::vector<std::optional<double>> areas_;
    std::uint32_t used_ = 0;
    double all_positives_ = 0;  // positives of the classes in the mean
    std::optional<double> mean_;
};

/// The interval of a mean area in [0, 1] whose variance has this many degrees of freedom; the mean
/// counts as much as `positives` independent ones. It is Wilson's, with the number of draws that
/// gives this variance. Two draws of the greatest variance are added, as in agreement.h: a few
/// positives that are all first are not proof. If nothing varies, the number of draws is
/// `positives`.
Interval area_interval(double area, double variance, double positives, double degrees,
                       double level);

}  // namespace assay
