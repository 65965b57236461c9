// Data sets with all five severities, as in the files of CIFAR-10-C.
#include <gmock/gmock.h>

#include "assay/robustness/corrupted_accuracy.h"
#include "evaluate/saved_scores.h"

namespace assay {
namespace {

/// The layout of CIFAR-10-C: 10,000 images of each severity in one data set.
class SeverityStack : public testing::Test {
protected:
    /// The images up to `correct` of each severity are correct.
    void store(const std::string& dataset, const std::vector<std::size_t>& correct,
               std::size_t images = 10'000) {
        Made made;
        made.dataset = dataset;
        made.classes = 2;
        for (std::size_t s = 0; s < correct.size(); ++s) {
            for (std::size_t i = 0; i < images; ++i) {
                made.labels.push_back({1});
                made.scores.push_back(i < correct[s] ? 0.0F : 2.0F);
                made.scores.push_back(1.0F);
                made.ids.push_back(fmt::format("{}/{}", dataset, 10'000 * s + i));
                if (correct.size() > 1) made.severity.push_back(std::to_string(s + 1));
            }
        }
        save(scratch_, made, "m", StorageFormat::full_f32, 100'000, false, "runs");
    }
    CorruptedModel measure() const {
        return measure_corrupted({.paths = {(scratch_ / "runs").string()}, .clean = "test_batch"})
            .models.at(0);
    }
    Scratch scratch_;
};

TEST_F(SeverityStack, IsFiveVersions) {
    store("test_batch", {9'000});
    store("fog", {8'000, 7'000, 6'000, 5'000, 4'000});
    const CorruptedModel m = measure();
    ASSERT_EQ(m.versions.size(), 5U);
    EXPECT_EQ(m.images, 10'000U);
    for (int severity = 1; severity <= 5; ++severity) {
        EXPECT_EQ(m.versions[severity - 1].severity, severity);
        EXPECT_EQ(m.versions[severity - 1].dataset, "fog");
        EXPECT_DOUBLE_EQ(*m.versions[severity - 1].accuracy.value, .9 - .1 * severity);
    }
    EXPECT_DOUBLE_EQ(*m.present.accuracy.value, .6);
    EXPECT_DOUBLE_EQ(*m.present.relative.value, .6 / .9);
    EXPECT_EQ(m.profile, CorruptionProfile::cifar);
}

TEST_F(SeverityStack, MayBeAPart) {
    store("test_batch", {9'000});
    store("fog", {8'000, 7'000, 6'000}, 9'000);
    EXPECT_EQ(measure().versions.size(), 3U);
    store("snow", {1, 1, 1, 1, 1}, 10);
    const CorruptedModel m = measure();
    EXPECT_EQ(m.versions.size(), 8U);
    EXPECT_EQ(m.images, 10U);
}

TEST_F(SeverityStack, HasSeveritiesByItsNumbers) {
    store("test_batch", {9'000}, 20);
    store("fog", {8, 7}, 20);
    store("snow", {8, 7}, 10'001);  // image 10,000 has label severity 1, but severity 2
    const CorruptedModel m = measure();
    EXPECT_EQ(m.versions.size(), 2U);
    EXPECT_DOUBLE_EQ(*m.versions[1].accuracy.value, .35);
}

}  // namespace
}  // namespace assay
