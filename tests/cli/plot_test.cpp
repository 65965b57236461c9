#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/file.h"
#include "core/paths.h"
#include "program.h"
#include "scratch.h"

namespace assay {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class PlotCommand : public testing::Test {
protected:
    void SetUp() override {
        std::string scores = "path,cat,dog\n", items = "path,labels\n";
        for (int i = 0; i < 10; ++i) {
            scores += "p" + std::to_string(i) + ".png,0." + std::to_string(i) +
                      (i == 0 ? ",0.6\n" : ",0.5\n");
            items += "p" + std::to_string(i) + ".png," + (i % 3 == 0 ? "cat" : "dog") + "\n";
        }
        write_file_atomically(folder_ / "scores.csv", scores);
        write_file_atomically(folder_ / "items.csv", items);
        const Outcome made = assay_run({"import", folder_ / "scores.csv", "--items",
                                        folder_ / "items.csv", "--dataset-name", "v1", "--name",
                                        "a", "--kind", "logits", "--out", folder_ / "runs", "-q"});
        ASSERT_EQ(made.status, 0) << made.err;
    }

    Scratch folder_;
};

TEST_F(PlotCommand, DrawsAFolderAndTheSavedResultAlike) {
    const Outcome saved = assay_run({"score", folder_ / "runs", "--reliability", "--per-class",
                                     "--confusion", "--json", "-o", folder_ / "scores.json"});
    ASSERT_EQ(saved.status, 0) << saved.err;
    for (const char* plot : {"scores", "reliability", "confusion-matrix"}) {
        const Outcome live =
            assay_run({"plot", plot, folder_ / "runs", "-o", folder_ / "live.pdf", "-q"});
        EXPECT_EQ(live.status, 0) << live.err;
        const Outcome later =
            assay_run({"plot", plot, folder_ / "scores.json", "-o", folder_ / "later.pdf", "-q"});
        EXPECT_EQ(later.status, 0) << later.err;
        const std::string pdf = read_text(folder_ / "live.pdf");
        EXPECT_THAT(pdf, StartsWith("%PDF-"));
        EXPECT_TRUE(pdf == read_text(folder_ / "later.pdf"));
    }
}

TEST_F(PlotCommand, RefusesWithoutAFile) {
    write_file_atomically(folder_ / "other.json", R"({"schema": "assay.gap/3"})");
    const std::vector<std::pair<std::vector<std::string>, std::string>> refused = {
        {{"scores", folder_ / "runs"}, "--output is required"},
        {{"scores", folder_ / "runs", "-o", folder_ / "x.gif"}, "allowed: .svg, .pdf, .png"},
        {{"scroes", folder_ / "runs", "-o", folder_ / "x.svg"}, "`scores`"},
        {{"gap", folder_ / "runs", "-o", folder_ / "x.svg"}, "assay gap FIRST SECOND"},
        {{"scores", folder_ / "other.json", "-o", folder_ / "x.svg"}, "assay.scores/2"},
        {{"gap", folder_ / "other.json", "-o", folder_ / "x.svg"}, "`models` is missing"},
        {{"scores", folder_ / "runs", "--model", "b", "-o", folder_ / "x.svg"}, "no model `b`"},
        {{"scores", folder_ / "runs", "--metric", "tpo1", "-o", folder_ / "x.svg"}, "top1"},
        {{"scores", folder_ / "runs", "--dpi", "9", "-o", folder_ / "x.svg"}, "30 to 1200"},
        {{"scores", folder_ / "items.csv", "-o", folder_ / "x.svg"}, "items.csv"},
    };
    for (const auto& [words, expected] : refused) {
        std::vector<std::string> all = {"plot"};
        all.insert(all.end(), words.begin(), words.end());
        const Outcome outcome = assay_run(all);
        EXPECT_EQ(outcome.status, 2) << expected;
        EXPECT_THAT(outcome.err, HasSubstr(expected));
        EXPECT_FALSE(is_there(folder_ / "x.svg"));
    }
}

TEST_F(PlotCommand, ListsItsPlots) {
    const Outcome help = assay_run({"plot", "--help"});
    EXPECT_EQ(help.status, 0);
    for (const char* name : {"reliability", "quality-scatter", "mad-ranking"})
        EXPECT_THAT(help.out, HasSubstr(name));
}

}  // namespace
}  // namespace assay
