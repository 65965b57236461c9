// Images that are passed to a model together, and its output for them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "assay/robustness/attack.h"
#include "core/parallel.h"
#include "store/reduce.h"

namespace assay::attack {

class Query {
public:
    /// Passes are counted in `result`.
    Query(AttackedModel& model, AttackResult& result)
        : model_(model), result_(result), size_(model.shape().size()), classes_(model.classes()) {}

    void clear() {
        input_.clear();
        labels_.clear();
        targets_.clear();
    }
    void add(std::span<const float> image, std::uint32_t label, std::uint32_t target = 0) {
        input_.insert(input_.end(), image.begin(), image.end());
        labels_.push_back(label);
        targets_.push_back(target);
    }
    std::size_t count() const { return labels_.size(); }

    void ask_scores() {
        if (prepare()) model_.scores(input_, count(), scores_);
    }
    void ask_gradients(Loss loss) {
        losses_.resize(count());
        gradient_.resize(input_.size());
        if (!prepare()) return;
        result_.backward += count();
        model_.gradients({loss, input_, labels_,
                          has_target(loss) ? std::span<const std::uint32_t>(targets_)
                                           : std::span<const std::uint32_t>()},
                         {scores_, losses_, gradient_});
        gaps_.assign(count(), 0);
        for (std::size_t k = 0; k < count(); ++k) {
            for (float& element : std::span(gradient_).subspan(k * size_, size_)) {
                if (std::isfinite(element)) continue;
                element = 0;
                ++gaps_[k];
            }
        }
    }

    std::span<const float> scores(std::size_t k) const {
        return std::span(scores_).subspan(k * classes_, classes_);
    }
    std::span<const float> gradient(std::size_t k) const {
        return std::span(gradient_).subspan(k * size_, size_);
    }
    double loss(std::size_t k) const { return losses_[k]; }

    /// True if the label is not the first class with the largest score. Scores that no store
    /// accepts do not count as fooled.
    bool fooled(std::size_t k) const {
        const auto row = scores(k);
        if (!sound(row)) return false;
        return static_cast<std::uint32_t>(std::max_element(row.begin(), row.end()) - row.begin()) !=
               labels_[k];
    }
    bool sound_scores(std::size_t k) const { return sound(scores(k)); }
    /// True if elements of the gradient were not finite. They are set to 0, so these pixels do not
    /// change.
    bool has_gaps(std::size_t k) const { return gaps_[k] > 0; }
    /// True if there is a direction to follow, or a gradient of 0.
    bool usable_gradient(std::size_t k) const {
        return sound(scores(k)) && std::isfinite(loss(k)) && gaps_[k] < size_;
    }
    bool zero_gradient(std::size_t k) const {
        const auto g = gradient(k);
        return gaps_[k] < size_ && std::all_of(g.begin(), g.end(), [](float v) { return v == 0; });
    }

private:
    /// A class may be masked (-infinity). Such a model is attacked like any other model.
    static bool sound(std::span<const float> row) {
        return store::is_sound(row, ScoreKind::logits, StorageFormat::full_f32);
    }
    bool prepare() {
        throw_if_stopped();
        scores_.resize(count() * classes_);
        result_.forward += count();
        return count() > 0;
    }

    AttackedModel& model_;
    AttackResult& result_;
    std::size_t size_, classes_;
    std::vector<float> input_, scores_, gradient_;
    std::vector<double> losses_;
    std::vector<std::size_t> gaps_;  ///< elements of each gradient that were not finite
    std::vector<std::uint32_t> labels_, targets_;
};

/// The targets: at most `count` classes other than the label, with the best score first. Masked
/// classes (-infinity) are excluded.
std::vector<std::uint32_t> targets_by_score(std::span<const float> scores, std::uint32_t label,
                                            std::size_t count);

/// Image i of a batch.
inline std::span<const float> image_of(const AttackBatch& batch, std::size_t i) {
    const std::size_t size = batch.images.size() / batch.labels.size();
    return batch.images.subspan(i * size, size);
}

/// Evaluates the first gradient of an attack, or of its part, for an image. `usable` and `unusable`
/// have the length of the batch. At the end, an image without a usable gradient at any start is
/// AttackResult::unusable. An image whose scores are not finite at the start is still attacked and
/// counts according to its scores.
class FirstGradients {
public:
    explicit FirstGradients(AttackResult& result) : result_(result) {
        usable_.assign(result.fooled.size(), 0);
    }
    void look(const Query& query, std::size_t k, std::size_t place) {
        if (query.zero_gradient(k)) result_.zero_gradient[place] = 1;
        if (query.usable_gradient(k) || !query.sound_scores(k)) {
            usable_[place] = 1;
            result_.unusable[place] = 0;
        } else if (usable_[place] == 0) {
            result_.unusable[place] = 1;
        }
    }

private:
    AttackResult& result_;
    std::vector<std::uint8_t> usable_;
};

/// Returns a result that contains the originals.
AttackResult untouched(const AttackBatch& batch);
void keep(AttackResult& result, std::size_t i, std::span<const float> image);

// The attacks in the table.
AttackResult noise(AttackedModel&, const AttackBatch&, const AttackOptions&);
AttackResult fgsm(AttackedModel&, const AttackBatch&, const AttackOptions&);
AttackResult pgd(AttackedModel&, const AttackBatch&, const AttackOptions&);
AttackResult apgd_ce(AttackedModel&, const AttackBatch&, const AttackOptions&);
AttackResult apgd_dlr(AttackedModel&, const AttackBatch&, const AttackOptions&);
AttackResult apgd_targeted(AttackedModel&, const AttackBatch&, const AttackOptions&);
AttackResult fab_targeted(AttackedModel&, const AttackBatch&, const AttackOptions&);
AttackResult square(AttackedModel&, const AttackBatch&, const AttackOptions&);
AttackResult fast_minimum_norm(AttackedModel&, const AttackBatch&, const AttackOptions&);
AttackResult decoupled_norm(AttackedModel&, const AttackBatch&, const AttackOptions&);

}  // namespace assay::attack
