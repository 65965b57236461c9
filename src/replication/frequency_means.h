// Means of selection frequencies with their standard errors.
#pragma once

#include <cstdint>
#include <vector>

#include "assay/replication/selections.h"

namespace assay::replication {

/// Sums of frequencies by class, for means with errors over classes (over images if there is only
/// one class).
class FrequencyMeans {
public:
    explicit FrequencyMeans(std::size_t classes)
        : sum_(classes, 0.0), squares_(classes, 0.0), weight_(classes, 0.0) {}
    void add(std::uint32_t cls, int selected, int annotators);
    void add(std::uint32_t cls, double value, double weight);
    /// With the class weights of `other`: a class has the weight of its images there. This object
    /// must be unweighted.
    FrequencyMeans weighted_as(const FrequencyMeans& other) const;
    Estimate mean() const;
    /// The difference of this and the other object, class by class. Both must have the same
    /// weights. n counts the images of both.
    Estimate minus(const FrequencyMeans& other) const;

private:
    double over_images() const;
    std::vector<double> sum_, squares_, weight_;
    double images_ = 0;  ///< number of counted images, whatever their weight
};

}  // namespace assay::replication
