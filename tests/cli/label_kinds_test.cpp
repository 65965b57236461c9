// Soft labels, hierarchies and grades, as a user sees them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "program.h"

namespace assay {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

/// Four images and three classes; one model predicts cat, dog, bird, cat.
class LabelKinds : public ::testing::Test {
protected:
    void SetUp() override {
        const Outcome r = assay_run(
            {"import", put("s.csv", "cat,dog,bird\n.8,.1,.1\n.1,.8,.1\n.1,.1,.8\n.5,.3,.2\n"),
             "--name", "m", "--out", at("runs"), "--items",
             put("items.csv", "path,label\n1.png,cat\n2.png,dog\n3.png,dog\n4.png,bird\n"),
             "--classes", put("classes.txt", "cat\ndog\nbird\n"), "--kind", "probabilities",
             "--dataset-name", "val"});
        ASSERT_EQ(r.status, 0) << r.err;
    }
    std::string put(const std::string& name, const std::string& text) {
        const fs::path path = scratch_ / name;
        std::ofstream(path, std::ios::binary) << text;
        return path.string();
    }
    std::string at(const std::string& name) { return (scratch_ / name).string(); }
    Outcome score(std::vector<std::string> more) {
        more.insert(more.begin(), {"score", at("runs")});
        return assay_run(more);
    }
    /// By definition id, and level.
    std::map<std::string, double> values(const Outcome& outcome) {
        std::map<std::string, double> found;
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        if (outcome.status != 0) return found;
        const json result = json::parse(outcome.out);
        for (const json& m : result.at("measurements")) {
            if (!m.at("value").is_number()) continue;
            const std::string level =
                m.value("parameters", json::object()).value("level", std::string());
            found[m.at("definition").get<std::string>() + level] = m.at("value");
        }
        return found;
    }
    Scratch scratch_;
};

TEST_F(LabelKinds, RowsWithFractionsAreSoftLabels) {
    const std::string soft = put("soft.csv",
                                 "path,bird,cat,dog\n2.png,0,.25,.75\n1.png,0,1,0\n"
                                 "3.png,.5,0,.5\n4.png,1,0,0\n");
    const Outcome r = score({"--labels", soft, "--json"});
    const auto found = values(r);
    EXPECT_THAT(r.err, AllOf(HasSubstr("soft labels: 3 columns, one per class"),
                             HasSubstr("4 of 4 images have one"),
                             HasSubstr("the image's own label in 4 of 4 images")));
    EXPECT_DOUBLE_EQ(found.at("top1.first_index"), .5);
    EXPECT_DOUBLE_EQ(found.at("soft_accuracy.expected"), (1 + .75 + .5 + 0) / 4);
    EXPECT_DOUBLE_EQ(found.at("soft_top1.any_mode"), .75);  // the third ties
    const Outcome text = score({"--labels", soft});
    EXPECT_THAT(text.out, HasSubstr("soft_accuracy"));
}

TEST_F(LabelKinds, VotesAreAskedFor) {
    const std::string votes =
        put("votes.csv", "path,cat,dog,bird\n1.png,3,0,0\n2.png,1,3,0\n3.png,0,2,2\n4.png,0,0,9\n");
    const Outcome r = score({"--labels", votes});
    EXPECT_EQ(r.status, 2);
    EXPECT_THAT(r.err, AllOf(HasSubstr("line 2 sums to 3"), HasSubstr("--label-votes")));
    const auto found = values(score({"--labels", votes, "--label-votes", "--json"}));
    EXPECT_DOUBLE_EQ(found.at("soft_accuracy.expected"), (1 + .75 + .5 + 0) / 4);
    const Outcome none = score({"--label-votes"});
    EXPECT_EQ(none.status, 2);
    EXPECT_THAT(none.err, HasSubstr("--labels FILE"));
}

TEST_F(LabelKinds, ColumnsOfAnotherOrderAreDoubted) {
    const std::string soft = put("soft.csv",
                                 "path,bird,cat,dog\n1.png,.9,.1,0\n2.png,.9,.1,0\n"
                                 "3.png,.9,.1,0\n4.png,0,.9,.1\n");
    const Outcome r = score({"--labels", soft});
    EXPECT_EQ(r.status, 0);
    EXPECT_THAT(r.err, HasSubstr("in the order of another data set?"));
    const Outcome map = score({"--labels", soft, "--class-map", at("classes.txt")});
    EXPECT_EQ(map.status, 2);
    EXPECT_THAT(map.err, HasSubstr("a class map does not go with them"));
}

TEST_F(LabelKinds, AHierarchyHasLevelsAndDistances) {
    const std::string tree =
        put("tree.csv", "child,parent\ncat,mammal\ndog,mammal\nmammal,animal\nbird,animal\n");
    const auto found = values(score({"--hierarchy", tree, "--json"}));
    EXPECT_DOUBLE_EQ(found.at("level_accuracy.from_root1"), .5);  // 3 and 4 mix birds and mammals
    EXPECT_DOUBLE_EQ(found.at("ancestor_height.all"), (0 + 0 + 2 + 2) / 4.0);
    EXPECT_DOUBLE_EQ(found.at("ancestor_height.mistakes"), 2);
    EXPECT_DOUBLE_EQ(found.at("tree_distance.mistakes"), 3);
    const Outcome circle =
        score({"--hierarchy", put("circle.csv", "child,parent\ncat,dog\ndog,cat\nbird,\n")});
    EXPECT_EQ(circle.status, 2);
    EXPECT_THAT(circle.err, HasSubstr("circle.csv"));
    const Outcome other = score({"--hierarchy", put("other.csv", "child,parent\ncat,a\ndgo,a\n")});
    EXPECT_EQ(other.status, 2);
    EXPECT_THAT(other.err, AllOf(HasSubstr("2 of 3 classes are no node"), HasSubstr("`dog`"),
                                 HasSubstr("other.csv")));
    const Outcome missing = score({"--hierarchy", at("none.csv")});
    EXPECT_EQ(missing.status, 2);
    EXPECT_THAT(missing.err, HasSubstr("there is no such file"));
}

TEST_F(LabelKinds, GradesAreInTheOrderOfTheListOrOfAFile) {
    const Outcome r = score({"--ordinal", "--json"});
    const auto found = values(r);
    EXPECT_DOUBLE_EQ(found.at("ordinal_error.mean_absolute"), (0 + 0 + 1 + 2) / 4.0);
    EXPECT_DOUBLE_EQ(found.at("within_one.grade"), .75);
    EXPECT_THAT(score({"--ordinal"}).out, HasSubstr("from `cat` up to `bird`"));
    const auto turned =
        values(score({"--class-order", put("order.txt", "dog\nbird\ncat\n"), "--json"}));
    EXPECT_DOUBLE_EQ(turned.at("ordinal_error.mean_absolute"), (0 + 0 + 1 + 1) / 4.0);
    const Outcome few = score({"--class-order", put("few.txt", "dog\ncat\n")});
    EXPECT_EQ(few.status, 2);
    EXPECT_THAT(few.err, AllOf(HasSubstr("few.txt"), HasSubstr("has 2 classes"),
                               HasSubstr("each class once")));
}

TEST_F(LabelKinds, EachClassHasAThreshold) {
    const std::string metric = "exact_match:scores=sigmoid";
    const auto with = [&](const std::string& name, const std::string& text) {
        return score({"--threshold-file", put(name, text), "--metrics", metric, "--json"});
    };
    // cat, dog, bird and no class reach these; the third image shows a dog and the fourth a bird.
    const std::string csv = "class,threshold\ndog,.5\ncat,0.6\nbird,.5\n";
    EXPECT_DOUBLE_EQ(values(with("t.csv", csv)).at("exact_match.threshold.per_class"), .5);
    EXPECT_EQ(values(with("t.json", "{\"cat\": 0.6, \"dog\": 0.5, \"bird\": 0.5}")),
              values(with("t.csv", csv)));
    EXPECT_EQ(values(with("l.json", "[0.6, 0.5, 0.5]")), values(with("t.csv", csv)));
    for (const auto& [text, said] : std::vector<std::pair<std::string, std::string>>{
             {"class,threshold\ncat,.5\n", "2 of 3 classes have no threshold, the first `dog`"},
             {"class,threshold\ncat,1.5\ndog,.5\nbird,.5\n", "between 0 and 1"},
             {"class,threshold\ncat,.5\ncat,.5\n", "line 3: the class `cat` appears twice"},
             {"class,threshold\ncta,.5\n", "`cta` is no class"},
             {"class,threshold\ncat,x\n", "`x` is no number"},
             {"class,limit\ncat,.5\n", "threshold"},
             {"", "is empty"}}) {
        const Outcome r = with("bad.csv", text);
        EXPECT_EQ(r.status, 2) << text;
        EXPECT_THAT(r.err, HasSubstr(said));
    }
    const Outcome none = score({"--threshold-file", at("t.csv")});
    EXPECT_EQ(none.status, 2);
    EXPECT_THAT(none.err, HasSubstr("--metrics multilabel_f1"));
}

TEST_F(LabelKinds, AMetricSaysWhatItNeeds) {
    const Outcome r = score({"--metrics", "qwk,mistake_severity,soft_brier"});
    EXPECT_EQ(r.status, 0);
    EXPECT_THAT(r.out, AllOf(HasSubstr("--ordinal"), HasSubstr("--hierarchy FILE"),
                             HasSubstr("--labels FILE takes rows of probabilities")));
}

}  // namespace
}  // namespace assay
