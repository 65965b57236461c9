#include "quality/joint.h"

#include <algorithm>
#include <cmath>

#include "core/random.h"
#include "store/same_data.h"

namespace assay::quality {
namespace {

double squares_of(const std::vector<double>& parts) {
    double sum = 0;
    for (const double part : parts) sum += part * part;
    return sum;
}

/// Groups that one of the sets lacks are not included.
double squares_of_difference(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t g = 0; g < std::max(a.size(), b.size()); ++g) {
        const double difference = (g < a.size() ? a[g] : 0) - (g < b.size() ? b[g] : 0);
        sum += difference * difference;
    }
    return sum;
}

}  // namespace

std::size_t JointDraws::add(const std::vector<ErrorShare>& shares) {
    const std::size_t cell = sums_.size();
    sums_.emplace_back();
    for (const ErrorShare& share : shares) {
        Data& data = data_[share.data];
        data.terms.push_back({cell, parts_.size(), share.parts.size()});
        data.groups = std::max(data.groups, share.parts.size());
        for (const double part : share.parts) parts_.push_back(static_cast<float>(part));
    }
    return cell;
}

void JointDraws::next() {
    at_ = begun_ ? at_ + 1 : 0;
    begun_ = true;
    if (at_ % block_size == 0) draw_block(at_);
}

void JointDraws::draw_block(std::uint64_t first) {
    for (Block& sums : sums_) sums.fill(0);
    std::vector<float> drawn;
    for (const auto& [name, data] : data_) {
        normals_.resize(std::max(normals_.size(), data.groups));
        drawn.resize(data.groups);
        for (std::size_t r = 0; r < block_size; ++r) {
            RandomStream(seed_, "quality shares " + name, first + r).fill_normal(drawn);
            for (std::size_t g = 0; g < data.groups; ++g) normals_[g][r] = drawn[g];
        }
        for (const Term& term : data.terms) {
            Block sums = sums_[term.cell];
            for (std::size_t g = 0; g < term.size; ++g) {
                const float part = parts_[term.begin + g];
                for (std::size_t r = 0; r < block_size; ++r) sums[r] += part * normals_[g][r];
            }
            sums_[term.cell] = sums;
        }
    }
}

double SumError::variance() const {
    double sum = independent;
    for (const auto& [name, parts] : shares) sum += squares_of(parts);
    return sum;
}

SumError sum_error(const QualityModel& model, const CellWeights& sum) {
    SumError error;
    for (std::size_t d = 0; d < dimension_count; ++d) {
        const QualityCell& cell = model.cells[d];
        if (sum.weight[d] == 0 || !cell.value) continue;
        if (cell.shares.empty()) {
            const double part = sum.weight[d] * cell.standard_error.value_or(0) / sum.divisor[d];
            error.independent += part * part;
            continue;
        }
        for (const ErrorShare& share : cell.shares) {
            std::vector<double>& parts = error.shares[share.data];
            if (parts.size() < share.parts.size()) parts.resize(share.parts.size(), 0);
            for (std::size_t g = 0; g < share.parts.size(); ++g)
                parts[g] += sum.weight[d] * share.parts[g] / sum.divisor[d];
        }
    }
    return error;
}

double error_of_difference(const SumError& a, const SumError& b) {
    const bool joint = std::any_of(a.shares.begin(), a.shares.end(), [&](const auto& share) {
        return b.shares.contains(share.first);
    });
    if (!joint) return std::hypot(std::sqrt(a.variance()), std::sqrt(b.variance()));
    double sum = a.independent + b.independent;
    for (const auto& [name, parts] : a.shares) {
        const auto other = b.shares.find(name);
        sum += other == b.shares.end() ? squares_of(parts)
                                       : squares_of_difference(parts, other->second);
    }
    for (const auto& [name, parts] : b.shares) {
        if (!a.shares.contains(name)) sum += squares_of(parts);
    }
    return std::sqrt(sum);
}

double error_of_difference(const QualityCell& a, const QualityCell& b) {
    double sum = 0;
    bool joint = false;
    std::size_t matched = 0;
    for (const ErrorShare& share : a.shares) {
        const auto other = std::find_if(b.shares.begin(), b.shares.end(), [&](const auto& s) {
            return store::same_description(s.data, share.data);
        });
        if (other == b.shares.end()) {
            sum += squares_of(share.parts);
            continue;
        }
        joint = true;
        ++matched;
        sum += squares_of_difference(share.parts, other->parts);
    }
    if (!joint) return std::hypot(a.standard_error.value_or(0), b.standard_error.value_or(0));
    if (matched < b.shares.size()) {
        for (const ErrorShare& share : b.shares) {
            const bool in_a = std::any_of(a.shares.begin(), a.shares.end(), [&](const auto& s) {
                return store::same_description(s.data, share.data);
            });
            if (!in_a) sum += squares_of(share.parts);
        }
    }
    return std::sqrt(sum);
}

}  // namespace assay::quality
