#include "few_labels/targets.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "assay/error.h"

namespace assay::few_labels {
namespace {

/// Sums over all images of each target, by target and stratum.
struct DomainSums {
    std::vector<double> images, first, second;  // number of images; sums of the covariates
};

}  // namespace

Targets::Targets(const Pool& pool, const Strata& strata, const std::string& attribute,
                 const std::vector<std::int32_t>& predicted)
    : pool_(pool), strata_(strata), models_(pool.classifiers()) {
    for (std::size_t a = 0; a < models_; ++a)
        for (std::size_t b = a + 1; b < models_; ++b) pairs_.emplace_back(a, b);
    for (const std::int32_t cls : predicted) predicted_.emplace(cls, predicted_.size());
    if (attribute.empty()) return;
    const auto& known = pool.dataset().attributes;
    for (const Dataset::Attribute& one : known)
        if (one.name == attribute) column_ = &one.values;
    if (column_ == nullptr) {
        std::vector<std::string> names;
        for (const Dataset::Attribute& one : known) names.push_back(one.name);
        throw Error(
            ErrorCode::usage,
            fmt::format("--by {}: the data set has no such attribute; it has {}", attribute,
                        names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
    }
    constexpr std::size_t most_groups = 1000;
    for (std::size_t i = 0; i < column_->size() && groups_.size() <= most_groups; ++i)
        groups_.emplace(std::string((*column_)[i]), groups_.size());
    if (groups_.size() > most_groups)
        throw Error(ErrorCode::usage,
                    fmt::format("--by {}: more than {} different values", attribute, most_groups));
    std::size_t number = 0;
    for (auto& [name, at] : groups_) at = number++;
}

double Targets::value(std::size_t target, const std::vector<double>& correct) const {
    if (target >= models_ && target < models_ + pairs_.size()) {
        const auto& [a, b] = pairs_[target - models_];
        return (1 + correct[a] - correct[b]) / 2;
    }
    return correct[model_of(target)];
}

std::vector<Target> Targets::read(int threads, const ProgressCallback& progress) const {
    const std::size_t h = strata_.size() + 1;  // the last for settled images
    const DomainSums none{std::vector<double>(size() * h, 0), std::vector<double>(size() * h, 0),
                          std::vector<double>(size() * h, 0)};
    DomainSums all = none;
    pool_.sum(
        threads, progress, "groups", none,
        [&](DomainSums& sums, std::uint64_t row, const ImagePredictions& image) {
            const std::size_t stratum = std::min<std::size_t>(
                strata_.of(
                    row, {image.mean_consensus, image.unsure, image.apart, true, image.contested}),
                h - 1);
            visit(row, image, [&](std::size_t target, const Covariates& x) {
                const std::size_t at = target * h + stratum;
                ++sums.images[at];
                sums.first[at] += x[0];
                sums.second[at] += x[1];
            });
        },
        [&](const DomainSums& sums) {
            for (std::size_t i = 0; i < all.images.size(); ++i) {
                all.images[i] += sums.images[i];
                all.first[i] += sums.first[i];
                all.second[i] += sums.second[i];
            }
        });
    std::vector<Target> out(size());
    for (std::size_t t = 0; t < out.size(); ++t) {
        // The consensus about the only founder is its confidence.
        const bool of_pair = t >= models_ && t < models_ + pairs_.size();
        out[t].covariates = of_pair || pool_.founders() > 1 || model_of(t) > 0 ? 2 : 1;
        for (std::size_t s = 0; s + 1 < h; ++s) {
            const double images = all.images[t * h + s], n = std::max(images, 1.0);
            out[t].images.push_back(images);
            out[t].means.push_back({all.first[t * h + s] / n, all.second[t * h + s] / n});
        }
        out[t].known_x = {all.first[t * h + h - 1], all.second[t * h + h - 1]};
    }
    return out;
}

}  // namespace assay::few_labels
