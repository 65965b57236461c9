// The parts of a drop as functions of shares, densities, curves and accuracies, with derivatives.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "assay/replication/joint.h"
#include "replication/penalised/response.h"

namespace assay::replication {

/// The inputs of the parts, by stratum. The pointers must outlive this object.
struct DropInputs {
    double first_accuracy = 0;  ///< accuracy on all images
    std::vector<double> first_share, second_share;
    std::vector<double> observed;  ///< accuracy on set 2
    std::vector<const std::vector<double>*> first_mass, second_mass, curve;
};

struct DropGradient {
    explicit DropGradient(std::size_t strata)
        : first_share(strata), second_share(strata), observed(strata), grid(strata) {}
    void add(double scale, const DropGradient& other);
    double first_accuracy = 0;
    std::vector<double> first_share, second_share, observed;
    std::vector<penalised::Gradient> grid;
};

struct DropValue {
    double value;
    DropGradient gradient;
};
/// Elements are in the order of DropParts.
std::vector<DropValue> drop_values(const DropInputs& inputs);

}  // namespace assay::replication
