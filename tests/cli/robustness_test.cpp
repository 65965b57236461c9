// `assay robustness` as a user runs it.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "evaluate/saved_scores.h"

namespace assay {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class RobustnessCommand : public testing::Test {
protected:
    /// One digit per image: 1 for correct, 0 for incorrect.
    void store(const std::string& dataset, const std::string& correct,
               const std::string& model = "m") {
        Made made;
        made.dataset = dataset;
        made.classes = 2;
        for (const char c : correct) {
            made.labels.push_back({1});
            made.scores.push_back(c == '1' ? 0.0F : 2.0F);
            made.scores.push_back(1.0F);
        }
        save(scratch_, made, model, StorageFormat::full_f32, 100, false, "runs");
    }
    Outcome run(std::vector<std::string> more) {
        more.insert(more.begin(), {"robustness", (scratch_ / "runs").string()});
        return assay_run(more);
    }
    Scratch scratch_;
};

TEST_F(RobustnessCommand, MeasuresWhatIsThereAndNamesTheRest) {
    store("val", "1110");
    store("fog_1", "1100");
    store("fog_2", "1000");
    store("val", "0000", "m@pgd-linf-8_255");
    const Outcome text = run({"--clean", "val"});
    ASSERT_EQ(text.status, 0) << text.err;
    EXPECT_THAT(text.out, HasSubstr("fog"));
    EXPECT_THAT(
        text.out,
        HasSubstr(
            "a store of attacks, smoothed models or calibrated scores (MODEL@...) is skipped"));
    EXPECT_THAT(text.err, testing::Not(HasSubstr("warning")));
    const Outcome made = run({"--clean", "val", "--json"});
    ASSERT_EQ(made.status, 0) << made.err;
    const json result = json::parse(made.out);
    EXPECT_EQ(result["schema"], "assay.corrupted_accuracy/1");
    ASSERT_EQ(result["models"].size(), 1U);
    EXPECT_EQ(result["models"][0]["versions"].size(), 2U);
    EXPECT_NEAR(result["models"][0]["clean"]["value"].get<double>(), .75, 1e-12);
    const Outcome csv = run({"--clean", "val", "--csv"});
    EXPECT_EQ(std::count(csv.out.begin(), csv.out.end(), '\n'), 3);
}

TEST_F(RobustnessCommand, SaysWhatIsMissing) {
    store("val", "11");
    const Outcome unknown = run({"--clean", "vall"});
    EXPECT_EQ(unknown.status, 2);
    EXPECT_THAT(unknown.err, HasSubstr("did you mean `val`?"));
    const Outcome none = run({"--clean", "val"});
    EXPECT_EQ(none.status, 2);
    EXPECT_THAT(none.err, HasSubstr("`m` has no predictions on corrupted images"));
    EXPECT_EQ(run({}).status, 2);
}

}  // namespace
}  // namespace assay
