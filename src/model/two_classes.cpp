#include "model/two_classes.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "assay/error.h"
#include "model/isolated/supervised.h"

namespace assay {
namespace {

/// The scores of both classes of an image, and their derivatives by the single score.
struct TwoScores {
    float negative, positive;
    double negative_slope, positive_slope;
};

TwoScores two_scores(float score, ScoreKind kind) {
    const auto x = static_cast<double>(score);
    if (kind == ScoreKind::probabilities) return {1.0F - score, score, -1, 1};
    if (kind == ScoreKind::log_probabilities) {
        // Returns 1 - p. If rounding leaves 0, the score has no slope either.
        const double other = x > 0 ? 0.0 : -std::expm1(x);
        return {static_cast<float>(std::log(other)), score, other == 0 ? 0.0 : -std::exp(x) / other,
                1};
    }
    return {0.0F, score, 0, 1};
}

class TwoClassClassifier : public Classifier {
public:
    TwoClassClassifier(std::unique_ptr<Classifier> model, ScoreKind outputs)
        : model_(std::move(model)), outputs_(outputs), facts_(model_->facts()) {
        facts_.classes = 2;
        const std::string_view what = outputs == ScoreKind::probabilities ? "the probability"
                                      : outputs == ScoreKind::log_probabilities
                                          ? "the logarithm of the probability"
                                          : "the logit";
        const std::string_view advice = outputs == ScoreKind::logits
                                            ? "; --outputs probabilities, if it ends in a sigmoid"
                                            : "";
        facts_.notes.push_back(
            fmt::format("the model returns one score per image: assuming {} of class 1 (the "
                        "positive class) of two{}",
                        what, advice));
    }

    const ModelFacts& facts() const override { return facts_; }

    void scores(std::span<const float> input, std::size_t n, std::span<float> out) override {
        check_sizes(n, out.size());
        std::vector<float> one(n);
        model_->scores(input, n, one);
        both(one, out);
    }

    bool prefers_bytes() const override { return model_->prefers_bytes(); }

    void score_bytes(const ByteBatch& batch, std::size_t n, std::span<float> out) override {
        check_sizes(n, out.size());
        std::vector<float> one(n);
        model_->score_bytes(batch, n, one);
        both(one, out);
    }

    void gradients(const LossBatch& batch, const LossGradients& out) override {
        const std::size_t n = batch.labels.size();
        check_sizes(n, out.scores.size());
        if (least_classes(batch.loss) > 2) {
            throw Error(
                ErrorCode::bad_input,
                fmt::format(
                    "the loss {} needs {} classes, but the model has two (one score per image)",
                    name_of(batch.loss), least_classes(batch.loss)));
        }
        std::vector<float> one(n);
        const std::vector<std::uint32_t> only(n, 0);
        model_->gradients({Loss::cross_entropy, batch.input, only, {}},
                          {one, out.losses, out.gradient});
        both(one, out.scores);
        const std::size_t numbers = n == 0 ? 0 : out.gradient.size() / n;
        for (std::size_t i = 0; i < n; ++i) {
            std::array<float, 2> derivative{};
            out.losses[i] = loss_of(batch.loss, out.scores.subspan(2 * i, 2), batch.labels[i],
                                    batch.targets.empty() ? 0 : batch.targets[i], derivative);
            const TwoScores s = two_scores(one[i], outputs_);
            const auto factor =
                static_cast<float>(static_cast<double>(derivative[0]) * s.negative_slope +
                                   static_cast<double>(derivative[1]) * s.positive_slope);
            for (float& value : out.gradient.subspan(i * numbers, numbers)) value *= factor;
        }
    }

    ModelCost cost(const CostRequest& request) override { return model_->cost(request); }

protected:
    Classifier& model() const { return *model_; }

private:
    static void check_sizes(std::size_t n, std::size_t scores) {
        if (scores == 2 * n) return;
        throw Error(ErrorCode::internal,
                    "a classifier of two classes called with buffers of the "
                    "wrong size");
    }

    /// A value outside a probability's range by more than rounding is no probability.
    void check_score(float score) const {
        constexpr float rounding = 1e-6F;
        const bool beyond = outputs_ == ScoreKind::probabilities
                                ? score < -rounding || score > 1 + rounding
                                : outputs_ != ScoreKind::logits && score > rounding;
        if (!beyond) return;
        throw Error(ErrorCode::bad_input,
                    fmt::format("the model returns {:.6g} for an image, which is not one of the "
                                "declared {}. Pass --outputs logits if it is the logit of class 1",
                                score, name_of(outputs_)));
    }

    void both(std::span<const float> one, std::span<float> out) const {
        for (std::size_t i = 0; i < one.size(); ++i) {
            check_score(one[i]);
            const TwoScores s = two_scores(one[i], outputs_);
            out[2 * i] = s.negative;
            out[2 * i + 1] = s.positive;
        }
    }

    std::unique_ptr<Classifier> model_;
    ScoreKind outputs_;
    ModelFacts facts_;
};

/// The wrapper for a model in a separate process.
class SupervisedTwoClasses final : public TwoClassClassifier, public isolated::Supervised {
public:
    using TwoClassClassifier::TwoClassClassifier;

    isolated::BatchGate& gate() override { return supervised().gate(); }
    std::optional<isolated::ProcessEnd> process_end() override {
        return supervised().process_end();
    }
    bool can_restart() const override { return supervised().can_restart(); }
    void restart() override { supervised().restart(); }

private:
    Supervised& supervised() const { return dynamic_cast<Supervised&>(model()); }
};

}  // namespace

std::unique_ptr<Classifier> two_classes_of(std::unique_ptr<Classifier> model, ScoreKind outputs) {
    if (dynamic_cast<isolated::Supervised*>(model.get()) != nullptr)
        return std::make_unique<SupervisedTwoClasses>(std::move(model), outputs);
    return std::make_unique<TwoClassClassifier>(std::move(model), outputs);
}

}  // namespace assay
