// The targets of a study: the accuracy of each classifier, the difference of each pair, and the
// accuracy of each classifier in each group and on the images of each predicted class.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "assay/progress.h"
#include "few_labels/pool.h"
#include "few_labels/strata.h"
#include "few_labels/target.h"

namespace assay::few_labels {

/// Targets have indices: accuracies first, then pairs, groups by classifier, and predicted classes
/// by classifier.
class Targets {
public:
    /// `attribute` defines the groups; "" means none. `predicted` are classes whose precision is
    /// a target for each classifier. The pool and its strata must outlive this object. Throws usage
    /// if the data set lacks the attribute, or it has more than 1,000 values.
    Targets(const Pool& pool, const Strata& strata, const std::string& attribute,
            const std::vector<std::int32_t>& predicted = {});

    std::size_t size() const { return first_predicted() + predicted_.size() * models_; }
    const std::vector<std::pair<std::size_t, std::size_t>>& pairs() const { return pairs_; }
    const std::map<std::string, std::size_t, std::less<>>& groups() const { return groups_; }
    std::size_t of_pair(std::size_t pair) const { return models_ + pair; }
    std::size_t of_group(std::size_t group, std::size_t model) const {
        return models_ + pairs_.size() + group * models_ + model;
    }
    /// The images of which the classifier predicts this class; nothing for other classes.
    std::optional<std::size_t> of_prediction(std::int32_t cls, std::size_t model) const {
        const auto found = predicted_.find(cls);
        if (found == predicted_.end()) return std::nullopt;
        return first_predicted() + found->second * models_ + model;
    }

    /// Calls visit(target, covariates) for each target whose domain includes the image.
    template <class Visit>
    void visit(std::uint64_t row, const ImagePredictions& image, const Visit& visit) const {
        const auto own = [&](std::size_t m) {
            return Covariates{image.consensus[m], image.confidences[m]};
        };
        for (std::size_t m = 0; m < models_; ++m) visit(m, own(m));
        if (image.differ) {
            for (std::size_t p = 0; p < pairs_.size(); ++p) {
                const auto& [a, b] = pairs_[p];
                if (image.labels[a] == image.labels[b]) continue;
                visit(of_pair(p), Covariates{image.consensus[a] - image.consensus[b],
                                             image.confidences[a] - image.confidences[b]});
            }
        }
        if (column_ != nullptr) {
            const std::size_t group = groups_.find((*column_)[row])->second;
            for (std::size_t m = 0; m < models_; ++m) visit(of_group(group, m), own(m));
        }
        if (predicted_.empty()) return;
        for (std::size_t m = 0; m < models_; ++m)
            if (const auto target = of_prediction(image.labels[m], m)) visit(*target, own(m));
    }

    /// The value of a labelled image. `correct` has one entry per classifier.
    double value(std::size_t target, const std::vector<double>& correct) const;

    /// The number of images of each target in each stratum, and the means of their covariates. Of
    /// the settled images, the sums of the covariates.
    /// Cost: one pass over the pool. Memory: 24 bytes for each target and stratum, 64 times.
    std::vector<Target> read(int threads, const ProgressCallback& progress) const;

private:
    std::size_t first_predicted() const { return of_group(groups_.size(), 0); }
    /// Of a target that is not a pair.
    std::size_t model_of(std::size_t target) const {
        return target < models_ ? target : (target - models_ - pairs_.size()) % models_;
    }

    const Pool& pool_;
    const Strata& strata_;
    std::size_t models_;
    std::vector<std::pair<std::size_t, std::size_t>> pairs_;
    const StringColumn* column_ = nullptr;
    std::map<std::string, std::size_t, std::less<>> groups_;
    std::unordered_map<std::int32_t, std::size_t> predicted_;  ///< place of each class
};

}  // namespace assay::few_labels
