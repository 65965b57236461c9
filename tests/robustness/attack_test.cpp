#include "assay/robustness/attack.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "assay/robustness/pixel_model.h"
#include "message_of.h"
#include "robustness/linear_model.h"

namespace assay {
namespace {

/// A model whose classes are ranges of the angle of two nonlinear projections of the image, so that
/// several steps are needed.
class BentModel final : public LinearModel {
public:
    BentModel() : LinearModel(5, 11, 2), inner_(LinearModel(16, 12, 3)) { set_outer(); }

    void scores(std::span<const float> images, std::size_t n, std::span<float> out) override {
        for (std::size_t i = 0; i < n; ++i) {
            const auto h = hidden(images.subspan(i * size.size(), size.size()));
            for (std::size_t c = 0; c < classes(); ++c) {
                double z = 0;
                for (std::size_t k = 0; k < h.size(); ++k) z += outer_[c][k] * h[k];
                out[i * classes() + c] = static_cast<float>(z);
            }
        }
    }
    void gradients(const LossBatch& batch, const LossGradients& out) override {
        const std::size_t n = batch.labels.size();
        scores(batch.input, n, out.scores);
        std::vector<float> d(classes());
        for (std::size_t i = 0; i < n; ++i) {
            out.losses[i] =
                loss_of(batch.loss, out.scores.subspan(i * classes(), classes()), batch.labels[i],
                        batch.targets.empty() ? 0 : batch.targets[i], d);
            const auto h = hidden(batch.input.subspan(i * size.size(), size.size()));
            for (std::size_t p = 0; p < size.size(); ++p) {
                double sum = 0;
                for (std::size_t k = 0; k < h.size(); ++k) {
                    double through = 0;
                    for (std::size_t c = 0; c < classes(); ++c)
                        through += static_cast<double>(d[c]) * outer_[c][k];
                    sum += through * (1 - h[k] * h[k]) * inner_.w[k][p];
                }
                out.gradient[i * size.size() + p] = static_cast<float>(sum);
            }
        }
    }

private:
    std::vector<double> hidden(std::span<const float> x) const {
        auto h = inner_.exact(x);
        for (double& v : h) v = std::tanh(v);
        return h;
    }
    void set_outer() {
        for (std::size_t c = 0; c < classes(); ++c) {
            RandomStream random(13, "bent model", c);
            outer_.emplace_back();
            for (std::size_t k = 0; k < 16; ++k) outer_.back().push_back(random.normal());
        }
    }

    LinearModel inner_;
    std::vector<std::vector<double>> outer_;
};

AttackOptions small_options() {
    AttackOptions options;
    options.eps = 6. / 255;
    return options;
}

int few_steps(const Attack& attack) {
    return std::min(attack.steps, 60);
}

double distance(Norm norm, std::span<const float> a, std::span<const float> b) {
    double most = 0;
    double squares = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const auto d = static_cast<double>(a[i]) - static_cast<double>(b[i]);
        most = std::max(most, std::abs(d));
        squares += d * d;
    }
    return norm == Norm::linf ? most : std::sqrt(squares);
}

TEST(AttackTable, EveryAttackStaysWithinBudgetAndBoxAndFoolsWhomItSays) {
    BentModel model;
    const Labelled data(model, 60);
    for (const Attack& attack : attacks()) {
        for (const Norm norm : {Norm::linf, Norm::l2}) {
            if (!attack.takes(norm)) continue;
            SCOPED_TRACE(std::string(attack.name) + " " + std::string(name_of(norm)));
            AttackOptions options = small_options();
            options.norm = norm;
            if (norm == Norm::l2) options.eps = .2;
            options.steps = few_steps(attack);
            const AttackResult result = run_attack(attack, model, data.batch(), options);
            ASSERT_EQ(result.images.size(), data.images.size());
            std::vector<float> z(60 * model.classes());
            model.scores(result.images, 60, z);
            std::size_t fooled = 0;
            for (std::size_t i = 0; i < 60; ++i) {
                const auto image = std::span(result.images).subspan(i * 48, 48);
                EXPECT_LE(distance(norm, image, data.image(i)), options.eps + 1e-6) << i;
                EXPECT_GE(*std::min_element(image.begin(), image.end()), 0);
                EXPECT_LE(*std::max_element(image.begin(), image.end()), 1);
                const auto row = std::span(z).subspan(i * model.classes(), model.classes());
                const bool wrong = std::max_element(row.begin(), row.end()) - row.begin() !=
                                   static_cast<std::ptrdiff_t>(data.labels[i]);
                EXPECT_TRUE(wrong || result.fooled[i] == 0) << i;
                fooled += result.fooled[i];
            }
            EXPECT_TRUE(fooled > 3 || attack.name == "noise") << fooled;
            EXPECT_LT(fooled, 60U);
            EXPECT_EQ(result.backward > 0, attack.gradients);
            EXPECT_EQ(ones(result.not_finite), 0U);
            EXPECT_EQ(ones(result.zero_gradient), 0U);
        }
    }
}

TEST(AttackTable, AnImageIsAttackedAlikeInEveryBatch) {
    BentModel model;
    const Labelled data(model, 12);
    for (const Attack& attack : attacks()) {
        SCOPED_TRACE(std::string(attack.name));
        AttackOptions options = small_options();
        options.norm = attack.norms.front();
        options.steps = few_steps(attack);
        const AttackResult together = run_attack(attack, model, data.batch(), options);
        for (std::size_t i = 0; i < 12; ++i) {
            const AttackBatch one = {data.image(i), std::span(data.labels).subspan(i, 1),
                                     std::span(data.items).subspan(i, 1)};
            const AttackResult alone = run_attack(attack, model, one, options);
            EXPECT_EQ(alone.fooled[0], together.fooled[i]) << i;
            EXPECT_TRUE(std::equal(alone.images.begin(), alone.images.end(),
                                   together.images.begin() + static_cast<std::ptrdiff_t>(48 * i)))
                << i;
        }
    }
}

TEST(AttackTable, WithoutABudgetNothingChanges) {
    BentModel model;
    const Labelled data(model, 10);
    for (const Attack& attack : attacks()) {
        AttackOptions options;
        options.eps = 0;
        options.norm = attack.norms.front();
        options.steps = few_steps(attack);
        const AttackResult result = run_attack(attack, model, data.batch(), options);
        EXPECT_EQ(fooled_by(result), 0U) << attack.name;
        EXPECT_EQ(result.images, data.images) << attack.name;
    }
}

TEST(AttackTable, NoImagesNoResult) {
    BentModel model;
    const AttackBatch none;
    for (const Attack& attack : attacks()) {
        AttackOptions options;
        options.norm = attack.norms.front();
        const AttackResult result = run_attack(attack, model, none, options);
        EXPECT_TRUE(result.images.empty() && result.fooled.empty() && result.forward == 0)
            << attack.name;
    }
}

TEST(AttackOrder, StrongerAttacksAndLargerBudgetsFoolMore) {
    BentModel model;
    const Labelled data(model, 60);
    const auto fooled = [&](std::string_view name, double eps) {
        AttackOptions options;
        options.eps = eps;
        if (name == "square") options.steps = 300;
        return fooled_by(run_attack(attack_named(name), model, data.batch(), options));
    };
    std::size_t before = 0;
    for (const double eps : {2. / 255, 8. / 255}) {
        const std::size_t noise = fooled("noise", eps);
        const std::size_t fgsm = fooled("fgsm", eps);
        const std::size_t pgd = fooled("pgd", eps);
        const std::size_t apgd = fooled("apgd-ce", eps);
        const std::size_t targeted = fooled("apgd-t", eps);
        EXPECT_LT(noise, fgsm) << eps;
        EXPECT_LE(fgsm, pgd) << eps;
        EXPECT_LE(pgd, apgd) << eps;
        EXPECT_LE(apgd, targeted) << eps;
        EXPECT_LT(noise, fooled("square", eps)) << eps;
        EXPECT_GT(targeted, before) << eps;
        AttackOptions options;
        options.eps = eps;
        options.steps = 100;
        const EnsembleResult all = run_ensemble(autoattack_parts(), model, data.batch(), options);
        EXPECT_GE(fooled_by(all.result), targeted) << eps;
        for (std::size_t i = 0; i < 60; ++i)
            EXPECT_EQ(all.by[i] >= 0, all.result.fooled[i] != 0) << i;
        before = targeted;
    }
}

/// A model whose gradient is zero, because every score is rounded.
class SteppedModel final : public LinearModel {
public:
    SteppedModel() : LinearModel(4, 21, 4) {}
    void scores(std::span<const float> images, std::size_t n, std::span<float> out) override {
        LinearModel::scores(images, n, out);
        for (float& z : out) z = std::round(8 * z) / 8;
    }
    void gradients(const LossBatch& batch, const LossGradients& out) override {
        LinearModel::gradients(batch, out);
        scores(batch.input, batch.labels.size(), out.scores);
        std::fill(out.gradient.begin(), out.gradient.end(), 0.0F);
    }
};

TEST(AttackSigns, AMaskedGradientIsCountedAndSquareIsNotDeceived) {
    SteppedModel model;
    const Labelled data(model, 40);
    const AttackOptions options = small_options();
    for (const char* name : {"fgsm", "apgd-ce", "apgd-dlr"}) {
        const AttackResult result = run_attack(attack_named(name), model, data.batch(), options);
        EXPECT_GE(ones(result.zero_gradient) + fooled_by(result), 40U) << name;
    }
    const AttackResult pgd = run_attack(attack_named("pgd"), model, data.batch(), options);
    AttackOptions queries = options;
    queries.steps = 1000;
    const AttackResult square = run_attack(attack_named("square"), model, data.batch(), queries);
    EXPECT_GT(fooled_by(square), fooled_by(pgd) + 10);
}

class BrokenModel final : public LinearModel {
public:
    BrokenModel() : LinearModel(4, 22) {}
    void scores(std::span<const float> images, std::size_t n, std::span<float> out) override {
        LinearModel::scores(images, n, out);
        out[0] = std::numeric_limits<float>::quiet_NaN();
    }
};

TEST(AttackSigns, NumbersThatAreNoneFoolNobodyAndAreCounted) {
    LinearModel sound(4, 22);
    const Labelled data(sound, 8);
    BrokenModel model;
    AttackOptions options;
    options.eps = 1;
    for (const Attack& attack : attacks()) {
        options.norm = attack.norms.front();
        options.steps = few_steps(attack);
        const AttackBatch one = {data.image(0), std::span(data.labels).first(1),
                                 std::span(data.items).first(1)};
        const AttackResult result = run_attack(attack, model, one, options);
        EXPECT_EQ(fooled_by(result), 0U) << attack.name;
        EXPECT_EQ(ones(result.not_finite), 1U) << attack.name;
    }
}

/// A hill on each side of the gray image, along the mean. Only the brighter one fools the model, so
/// a run of pgd succeeds if and only if its random start has a mean above that of the image.
class TwoHills final : public LinearModel {
public:
    TwoHills() : LinearModel(2, 1) { size = {1, 1, 1}; }
    void scores(std::span<const float> images, std::size_t n, std::span<float> out) override {
        for (std::size_t i = 0; i < n; ++i) {
            const float d = images[i] - .5F;
            out[2 * i] = 0;
            out[2 * i + 1] = d > 0 ? 2 * d - .1F : -d - .1F;
        }
    }
    void gradients(const LossBatch& batch, const LossGradients& out) override {
        scores(batch.input, batch.labels.size(), out.scores);
        std::vector<float> d(2);
        for (std::size_t i = 0; i < batch.labels.size(); ++i) {
            out.losses[i] =
                loss_of(batch.loss, out.scores.subspan(2 * i, 2), batch.labels[i], 0, d);
            out.gradient[i] = d[1] * (batch.input[i] > .5F ? 2.0F : -1.0F);
        }
    }
};

TEST(AttackRestarts, EachRunHasItsOwnChance) {
    TwoHills model;
    constexpr std::size_t n = 4000;
    std::vector<std::uint64_t> items(n);
    std::iota(items.begin(), items.end(), 0);
    const std::vector<float> images(n, .5F);
    const std::vector<std::uint32_t> labels(n, 0);
    const AttackBatch batch = {images, labels, items};
    AttackOptions options;
    options.eps = .08;  // the brighter hill is at .06, the darker one at -.02
    std::vector<std::uint8_t> before(n, 0);
    std::uint64_t passes = 0;
    for (const int restarts : {1, 2, 3, 6}) {
        options.restarts = restarts;
        const AttackResult result = run_attack(attack_named("pgd"), model, batch, options);
        // A run fails with chance 1/2: n (1 - 2^-R) are fooled, within four standard errors.
        const double left = std::pow(.5, restarts);
        EXPECT_NEAR(static_cast<double>(fooled_by(result)), n * (1 - left),
                    4 * std::sqrt(n * left * (1 - left)))
            << restarts;
        for (std::size_t i = 0; i < n; ++i) {
            EXPECT_GE(result.fooled[i], before[i]) << i;
            EXPECT_FLOAT_EQ(result.images[i], result.fooled[i] != 0 ? .58F : .42F) << i;
        }
        before = result.fooled;
        // A run is for the images that no earlier run fooled.
        EXPECT_EQ(result.backward % 10, 0U);
        EXPECT_GT(result.backward, passes);
        EXPECT_LE(result.backward, 10 * 2 * n);
        passes = result.backward;
    }
}

TEST(AttackRestarts, NeedARandomStart) {
    LinearModel model(2, 1);
    const Labelled data(model, 40, .3F, .7F);
    AttackOptions options;
    const AttackResult one = run_attack(attack_named("fgsm"), model, data.batch(), options);
    options.restarts = 8;
    const AttackResult same = run_attack(attack_named("fgsm"), model, data.batch(), options);
    EXPECT_EQ(same.backward, one.backward);
    EXPECT_EQ(same.images, one.images);
    options.random_start = false;
    EXPECT_THROW(run_attack(attack_named("pgd"), model, data.batch(), options), Error);
}

TEST(AttackRestarts, TheLastImageOfTheHighestLossIsKept) {
    LinearModel model(2, 1);
    const Labelled data(model, 40, .3F, .7F);
    AttackOptions options;
    options.eps = 1e-3;  // far too small
    options.steps = 1;
    options.step_size = 1e-5;
    const AttackResult one = run_attack(attack_named("pgd"), model, data.batch(), options);
    options.restarts = 8;
    const AttackResult best = run_attack(attack_named("pgd"), model, data.batch(), options);
    std::size_t larger = 0;
    for (std::size_t i = 0; i < data.labels.size(); ++i) {
        if (best.fooled[i] != 0) continue;
        const auto loss = [&](const AttackResult& result) {
            const auto z = model.exact(std::span(result.images).subspan(48 * i, 48));
            return z[1 - data.labels[i]] - z[data.labels[i]];
        };
        EXPECT_GE(loss(best), loss(one) - 1e-6) << i;
        larger += loss(best) > loss(one) + 1e-6 ? 1 : 0;
    }
    EXPECT_GT(larger, data.labels.size() / 2);
}

TEST(AttackRefusals, SayWhatIsAllowed) {
    LinearModel model(3, 1);
    const Labelled data(model, 2);
    AttackOptions options;
    options.eps = -.1;
    EXPECT_THAT(message_of([&] { run_attack(attack_named("pgd"), model, data.batch(), options); },
                           ErrorCode::usage),
                testing::HasSubstr("eps is -0.1"));
    options.eps = .1;
    options.norm = Norm::l2;
    EXPECT_THAT(
        message_of([&] { run_attack(attack_named("square"), model, data.batch(), options); },
                   ErrorCode::usage),
        testing::HasSubstr("linf only"));
    EXPECT_THAT(message_of([&] { attack_named("cw"); }, ErrorCode::usage),
                testing::HasSubstr("apgd-ce"));
    Labelled wrong(model, 2);
    wrong.labels[1] = 3;
    EXPECT_THAT(message_of([&] { run_attack(attack_named("pgd"), model, wrong.batch(), {}); }),
                testing::HasSubstr("label 3, but the model has 3 classes"));
}

TEST(AttackFewClasses, TwoAndThreeClassesAreAttackedWithOtherLosses) {
    for (const std::uint32_t classes : {2U, 3U}) {
        LinearModel model(classes, 31);
        const Labelled data(model, 50);
        for (const char* name : {"apgd-dlr", "apgd-t"}) {
            const AttackResult result =
                run_attack(attack_named(name), model, data.batch(), small_options());
            EXPECT_GT(fooled_by(result), 0U) << name << classes;
        }
    }
}

/// A LinearModel of normalized planes. For gray images, it only uses the first plane.
class NormalisedClassifier final : public Classifier {
public:
    explicit NormalisedClassifier(const Preprocess& p) : p_(p), model_(4, 41) {
        facts_.classes = 4;
        if (p.channel_order != ChannelOrder::gray) return;
        for (auto& of_class : model_.w) std::fill(of_class.begin() + 16, of_class.end(), 0.0);
    }
    const ModelFacts& facts() const override { return facts_; }
    void scores(std::span<const float> input, std::size_t n, std::span<float> out) override {
        last.assign(input.begin(), input.end());
        model_.scores(input, n, out);
    }
    void gradients(const LossBatch& batch, const LossGradients& out) override {
        model_.gradients(batch, out);
    }
    std::vector<float> last;

private:
    Preprocess p_;
    LinearModel model_;
    ModelFacts facts_;
};

Preprocess small_preprocess(double scale) {
    Preprocess p;
    p.height = p.width = 4;
    p.crop_mode = CropMode::none;
    p.interpolation = Interpolation::nearest;
    p.scale = scale;
    const double unit = 255 * scale;
    p.mean = {.485 * unit, .456 * unit, .406 * unit};
    p.std = {.229 * unit, .224 * unit, .225 * unit};
    p.channel_order = ChannelOrder::bgr;
    return p;
}

TEST(PixelModel, WholeGreyLevelsGetTheBitsOfThePreprocessing) {
    for (const double scale : {1.0 / 255, 1.0, 2.0 / 255, 1.0 / 128}) {
        const Preprocess p = small_preprocess(scale);
        const auto classifier = std::make_shared<NormalisedClassifier>(p);
        const auto model = pixel_model(classifier, p);
        for (int first = 0; first < 256; first += 16) {
            Image image;
            image.width = image.height = 4;
            for (int i = 0; i < 16; ++i) {
                for (const int c : {first + i, 255 - first - i, (first + 7 * i) % 256, 255})
                    image.pixels.push_back(static_cast<std::uint8_t>(c));
            }
            std::vector<float> want(48);
            std::vector<float> pixels(48);
            std::vector<float> z(4);
            preprocess_into(image, p, want);
            preprocess_into(image, attacked_preprocess(p, AttackSpace::pixels), pixels);
            model->scores(pixels, 1, z);
            EXPECT_EQ(classifier->last, want) << scale << " " << first;
        }
    }
}

TEST(PixelModel, TheGradientIsByPixels) {
    for (const double scale : {1.0 / 255, 1.0}) {
        const Preprocess p = small_preprocess(scale);
        const auto model = pixel_model(std::make_shared<NormalisedClassifier>(p), p);
        const Labelled data(*model, 1);
        std::vector<float> z(4);
        std::vector<float> gradient(48);
        std::vector<float> unused(48);
        std::vector<double> loss(1);
        const auto loss_at = [&](std::span<const float> image, std::span<float> g) {
            model->gradients({Loss::cross_entropy, image, data.labels, {}}, {z, loss, g});
            return loss[0];
        };
        loss_at(data.images, gradient);
        for (std::size_t k = 0; k < 48; k += 5) {
            std::vector<float> up = data.images;
            std::vector<float> down = data.images;
            up[k] += 1e-3F;
            down[k] -= 1e-3F;
            const double want = (loss_at(up, unused) - loss_at(down, unused)) /
                                (static_cast<double>(up[k]) - static_cast<double>(down[k]));
            EXPECT_NEAR(static_cast<double>(gradient[k]), want, .02 * (std::abs(want) + .01)) << k;
        }
    }
}

TEST(PixelModel, OfGrayImagesItIsOnePlane) {
    Preprocess p = small_preprocess(1.0 / 255);
    p.channel_order = ChannelOrder::gray;
    p.mean.fill(.4);
    p.std.fill(.25);
    const auto classifier = std::make_shared<NormalisedClassifier>(p);
    const auto model = pixel_model(classifier, p);
    EXPECT_EQ(model->shape().channels, 1U);
    ASSERT_EQ(model->shape().size(), 16U);
    const Labelled data(*model, 50);
    std::vector<float> z(4), gradient(16);
    std::vector<double> loss(1);
    const auto loss_at = [&](std::span<const float> image) {
        model->gradients({Loss::cross_entropy, image, std::span(data.labels).first(1), {}},
                         {z, loss, gradient});
        return loss[0];
    };
    const auto image = std::span<const float>(data.images).first(16);
    loss_at(image);
    const std::vector<float> found = gradient;
    for (std::size_t k = 0; k < 16; ++k) {
        std::vector<float> up(image.begin(), image.end()), down = up;
        up[k] += 1e-3F;
        down[k] -= 1e-3F;
        const double want = (loss_at(up) - loss_at(down)) /
                            (static_cast<double>(up[k]) - static_cast<double>(down[k]));
        EXPECT_NEAR(static_cast<double>(found[k]), want, .02 * (std::abs(want) + .01)) << k;
    }
    // The classifier gets the result of the preprocessing, which is three equal planes.
    model->scores(image, 1, z);
    ASSERT_EQ(classifier->last.size(), 48U);
    for (std::size_t k = 0; k < 48; ++k)
        EXPECT_EQ(classifier->last[k], (image[k % 16] - .4F) / .25F) << k;
    AttackOptions options;
    options.eps = 4. / 255;
    for (const char* name : {"noise", "fgsm", "pgd", "square"}) {
        const auto result = run_attack(attack_named(name), *model, data.batch(), options);
        ASSERT_EQ(result.images.size(), data.images.size());
        for (std::size_t k = 0; k < result.images.size(); ++k)
            EXPECT_LE(std::abs(result.images[k] - data.images[k]), 4.F / 255 + 1e-6F) << name;
    }
    const auto fooled = run_attack(attack_named("fgsm"), *model, data.batch(), options);
    EXPECT_GT(fooled_by(fooled), 0U);
}

TEST(PixelModel, AttacksDoNotCareWhereTheNormalisationIs) {
    // The scores of (x - mean) / std with weights w equal those of x with weights w / std.
    const Preprocess p = small_preprocess(1.0 / 255);
    const auto outside = pixel_model(std::make_shared<NormalisedClassifier>(p), p);
    LinearModel folded(4, 41);
    for (std::size_t c = 0; c < 4; ++c) {
        for (std::size_t k = 0; k < 48; ++k) {
            folded.b[c] -= folded.w[c][k] * p.mean[k / 16] / p.std[k / 16];
            folded.w[c][k] /= p.std[k / 16];
        }
    }
    const Labelled data(folded, 100);
    AttackOptions options;
    options.eps = 2. / 255;
    for (const char* name : {"fgsm", "pgd", "apgd-t", "square"}) {
        options.steps = std::string_view(name) == "square" ? 300 : 0;
        const auto a = run_attack(attack_named(name), *outside, data.batch(), options);
        const auto b = run_attack(attack_named(name), folded, data.batch(), options);
        EXPECT_EQ(a.fooled, b.fooled) << name;
        EXPECT_GT(fooled_by(a), 10U) << name;
        EXPECT_LT(fooled_by(a), 100U) << name;
    }
}

}  // namespace
}  // namespace assay
