// False alarms of `assay check`: many samples without a fault, or in which nothing can be decided.
#include <gtest/gtest.h>

#include <bit>

#include "colour_classifier.h"
#include "core/hash.h"
#include "evaluate/check/check_parts.h"

namespace assay::checks {
namespace {

constexpr std::size_t classes = 10, images = 100;

/// A model that is correct with probability `skill`, independently for each preprocessing. So all
/// kinds of preprocessing are equally good.
class Gambler : public Classifier {
public:
    explicit Gambler(double skill) : skill_(skill) { facts_.classes = classes; }
    const ModelFacts& facts() const override { return facts_; }
    void scores(std::span<const float> input, std::size_t n, std::span<float> out) override {
        const std::size_t size = input.size() / n;
        for (std::size_t i = 0; i < n; ++i) {
            const auto image = input.subspan(i * size, size);
            std::uint64_t bits = 0;
            for (const float x : image)
                bits = bits * 1099511628211U + std::bit_cast<std::uint32_t>(x);
            RandomStream random(bits, "gamble");
            // The order of the pixels encodes the label, because no preprocessing changes it: the
            // first pixel is a step above the second.
            const auto label = label_of(image);
            const auto answer =
                random.uniform() < skill_ ? label : static_cast<std::size_t>(random.below(classes));
            for (std::size_t c = 0; c < classes; ++c)
                out[i * classes + c] = c == answer ? 5.0F : static_cast<float>(random.uniform());
        }
    }
    /// The label of an image, which is the position of the brightest of its 4 x 4 pixels. Ten
    /// positions are used.
    static std::size_t label_of(std::span<const float> image) {
        const auto plane = image.first(16);
        return static_cast<std::size_t>(std::max_element(plane.begin(), plane.end()) -
                                        plane.begin());
    }

private:
    ModelFacts facts_;
    double skill_;
};

struct World {
    Sample sample;
    Dataset dataset;
    ModelSpec spec;
};

World make_world(std::uint64_t seed, bool labels_known) {
    World world;
    world.sample.labelled = true;
    world.sample.asked = images;
    world.spec.preprocess.height = world.spec.preprocess.width = 4;
    std::vector<std::int32_t> labels;
    for (std::uint32_t i = 0; i < images; ++i) {
        RandomStream random(seed, "world", i);
        const auto brightest = static_cast<std::size_t>(random.below(classes));
        Image image{.width = 4, .height = 4, .pixels = std::vector<std::uint8_t>(64)};
        for (std::size_t p = 0; p < 16; ++p) {
            for (std::size_t c = 0; c < 3; ++c)
                image.pixels[4 * p + c] = static_cast<std::uint8_t>(
                    random.below(p == brightest ? 1 : 200) + (p == brightest ? 255 : 0));
        }
        world.sample.items.push_back(i);
        world.sample.windows.push_back(std::move(image));
        world.dataset.ids.append(std::to_string(i));
        labels.push_back(
            static_cast<std::int32_t>(labels_known ? brightest : random.below(classes)));
    }
    world.dataset.labels = LabelSets::from_single(labels);
    world.dataset.classes = numbered_classes(classes);
    return world;
}

struct Alarms {
    int values = 0, order = 0, above_chance = 0;
};

Alarms count_alarms(double skill, bool labels_known, std::uint64_t worlds) {
    Gambler classifier(skill);
    Alarms alarms;
    for (std::uint64_t seed = 0; seed < worlds; ++seed) {
        const World world = make_world(seed, labels_known);
        CheckOptions options;
        options.seed = seed;
        const Runner runner(classifier, 16, 1);
        const Scores scores = runner.run(world.sample.windows, world.spec.preprocess);
        const OrderResult order = check_order(scores, world.sample, world.dataset, options);
        alarms.order += order.findings.front().severity == Severity::error;
        alarms.above_chance += order.findings.front().severity == Severity::ok;
        const auto values = check_values(runner, scores, world.sample, world.dataset, world.spec,
                                         given_order(classes), options, {});
        alarms.values += values.findings.front().severity >= Severity::warning;
    }
    ::testing::Test::RecordProperty("values", alarms.values);
    ::testing::Test::RecordProperty("order", alarms.order);
    ::testing::Test::RecordProperty("above_chance", alarms.above_chance);
    return alarms;
}

// At level 0.01 after Holm's correction, at most 1.5 false alarms are expected in 150 samples. Even
// at that rate, 8 or more have a probability below 0.0003.
TEST(CheckSimulation, EquallyGoodWaysRaiseNoAlarm) {
    const Alarms alarms = count_alarms(0.6, true, 150);
    EXPECT_LE(alarms.values, 7);
    EXPECT_EQ(alarms.order, 0);
    EXPECT_EQ(alarms.above_chance, 150);  // 60 % is always significantly above the chance of 10 %
}

// The model is random, so nothing can be decided. There are three tests (orders, shuffles,
// association) at level 0.01 each. A false alarm of the shuffles is an incorrect "in order".
TEST(CheckSimulation, ChanceIsSeldomTakenForAnOrder) {
    const Alarms alarms = count_alarms(0.0, false, 150);
    EXPECT_LE(alarms.order, 10);  // there are two tests, so at most 3 are expected
    EXPECT_LE(alarms.above_chance, 7);
    EXPECT_LE(alarms.values, 7);
}

// The power is sufficient: a reversed class order is found with 40 images of a classifier that is
// correct half of the time.
TEST(CheckSimulation, SmallSamplesSuffice) {
    int found = 0;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        World world = make_world(seed, true);
        world.sample.items.resize(40);
        world.sample.windows.resize(40);
        Gambler classifier(0.5);
        const Runner runner(classifier, 16, 1);
        Scores scores = runner.run(world.sample.windows, world.spec.preprocess);
        for (std::size_t i = 0; i < 40; ++i) {
            const auto row = scores.values.begin() + static_cast<std::ptrdiff_t>(i * classes);
            std::reverse(row, row + classes);
        }
        const OrderResult order = check_order(scores, world.sample, world.dataset, {});
        found += order.findings.front().title.find("reversed") != std::string::npos;
    }
    EXPECT_GE(found, 80);
}

}  // namespace
}  // namespace assay::checks
