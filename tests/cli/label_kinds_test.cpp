// Soft labels, hierarchies and grades, as a user sees them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "program.h"

namespace assay {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
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
    /// The values by definition id and level.
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
    EXPECT_DOUBLE_EQ(found.at("soft_top1.any_mode"), .75);  // the third image has a tie
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
    EXPECT_THAT(r.err, HasSubstr("in the order of this data set"));
    const Outcome map = score({"--labels", soft, "--class-map", at("classes.txt")});
    EXPECT_EQ(map.status, 2);
    EXPECT_THAT(map.err, HasSubstr("omit --class-map"));
}

TEST_F(LabelKinds, AHierarchyHasLevelsAndDistances) {
    const std::string tree =
        put("tree.csv", "child,parent\ncat,mammal\ndog,mammal\nmammal,animal\nbird,animal\n");
    const auto found = values(score({"--hierarchy", tree, "--json"}));
    // the clusters 3 and 4 mix birds and mammals
    EXPECT_DOUBLE_EQ(found.at("level_accuracy.from_root1"), .5);
    EXPECT_DOUBLE_EQ(found.at("ancestor_height.all"), (0 + 0 + 2 + 2) / 4.0);
    EXPECT_DOUBLE_EQ(found.at("ancestor_height.mistakes"), 2);
    EXPECT_DOUBLE_EQ(found.at("tree_distance.mistakes"), 3);
    const Outcome circle =
        score({"--hierarchy", put("circle.csv", "child,parent\ncat,dog\ndog,cat\nbird,\n")});
    EXPECT_EQ(circle.status, 2);
    EXPECT_THAT(circle.err, HasSubstr("circle.csv"));
    const Outcome other = score({"--hierarchy", put("other.csv", "child,parent\ncat,a\ndgo,a\n")});
    EXPECT_EQ(other.status, 2);
    EXPECT_THAT(other.err, AllOf(HasSubstr("2 of 3 classes are not nodes"), HasSubstr("`dog`"),
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
    EXPECT_THAT(score({"--ordinal"}).out, HasSubstr("from `cat` to `bird`"));
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
    // On the four images, these thresholds are reached by cat, dog, bird and no class. The third
    // image shows a dog, and the fourth a bird.
    const std::string csv = "class,threshold\ndog,.5\ncat,0.6\nbird,.5\n";
    EXPECT_DOUBLE_EQ(values(with("t.csv", csv)).at("exact_match.threshold.per_class"), .5);
    EXPECT_EQ(values(with("t.json", "{\"cat\": 0.6, \"dog\": 0.5, \"bird\": 0.5}")),
              values(with("t.csv", csv)));
    EXPECT_EQ(values(with("l.json", "[0.6, 0.5, 0.5]")), values(with("t.csv", csv)));
    for (const auto& [text, said] : std::vector<std::pair<std::string, std::string>>{
             {"class,threshold\ncat,.5\n", "2 of 3 classes have no threshold, the first `dog`"},
             {"class,threshold\ncat,1.5\ndog,.5\nbird,.5\n", "allowed: 0 to 1"},
             {"class,threshold\ncat,.5\ncat,.5\n", "line 3: the class `cat` appears twice"},
             {"class,threshold\ncta,.5\n", "`cta` is not a class"},
             {"class,threshold\ncat,x\n", "`x` is not a number"},
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

TEST_F(LabelKinds, ThresholdsMayBeTypedOneByOne) {
    const auto with = [&](std::vector<std::string> options) {
        std::vector<std::string> all = {"--metrics", "exact_match:scores=sigmoid", "--json"};
        for (const std::string& text : options) all.insert(all.end(), {"--threshold", text});
        return score(all);
    };
    // The same thresholds as in the file of the previous test.
    const Outcome typed = with({"cat=.6", "dog=0.5", "bird = .5"});
    EXPECT_DOUBLE_EQ(values(typed).at("exact_match.threshold.per_class"), .5);
    EXPECT_EQ(values(with({"*=.5", "cat=.6"})), values(typed));
    const json recorded = json::parse(typed.out).at("stores").at(0).at("thresholds");
    EXPECT_EQ(recorded, json::parse(R"([{"id": "cat", "threshold": 0.6},
                                        {"id": "dog", "threshold": 0.5},
                                        {"id": "bird", "threshold": 0.5}])"));
    // An option that is typed overrides the file.
    const std::string file = put("t.csv", "class,threshold\ndog,.5\ncat,.1\nbird,.5\n");
    EXPECT_EQ(values(score({"--threshold-file", file, "--threshold", "cat=.6", "--metrics",
                            "exact_match:scores=sigmoid", "--json"})),
              values(typed));
    EXPECT_FALSE(json::parse(score({"--json"}).out).at("stores").at(0).contains("thresholds"));
    for (const auto& [given, said] : std::vector<std::pair<std::vector<std::string>, std::string>>{
             {{"cat=.5"}, "2 of 3 classes have no threshold, the first `dog`"},
             {{"cat=.5"}, "--threshold '*=0.5'"},
             {{"cta=.5"}, "`cta` is not a class; known: cat, dog, bird"},
             {{"cat=1"}, "the threshold of `cat` is 1"},
             {{"cat=nan"}, "expected NAME=VALUE"},
             {{"cat"}, "expected NAME=VALUE"},
             {{"=.5"}, "expected NAME=VALUE"},
             {{"cat=.5", "cat=.6"}, "`cat` appears twice"},
             {{"*=.5", "*=.6"}, "`*` appears twice"}}) {
        const Outcome r = with(given);
        EXPECT_EQ(r.status, 2) << said;
        EXPECT_THAT(r.err, HasSubstr(said));
    }
    EXPECT_THAT(score({"--threshold", "*=.5"}).err, HasSubstr("--metrics multilabel_f1"));
}

/// Sixteen classes in a tree with 1, 2, 4, 8 and twice 8 nodes above them.
TEST_F(LabelKinds, ManyLevelsHaveATableOfTheirOwn) {
    std::string tree = "child,parent\n", scores, classes;
    for (int c = 0; c < 16; ++c) {
        classes += fmt::format("n{}x\n", c);
        scores += fmt::format("{}n{}x", c == 0 ? "" : ",", c);
        tree += fmt::format("n{0}x,e{1}\n", c, c / 2);
    }
    scores += "\n" + std::string("1") + [] {
        std::string rest;
        for (int c = 1; c < 16; ++c) rest += ",0";
        return rest;
    }() + "\n";
    for (int i = 0; i < 8; ++i) tree += fmt::format("e{0},d{0}\nd{0},c{1}\n", i, i / 2);
    for (int i = 0; i < 4; ++i) tree += fmt::format("c{0},b{0}\nb{0},a{1}\n", i, i / 2);
    for (int i = 0; i < 2; ++i) tree += fmt::format("a{0},z{0}\nz{0},root\n", i);
    for (const char* model : {"one", "two"}) {
        const Outcome r =
            assay_run({"import", put("s.csv", scores), "--name", model, "--out", at("many"),
                       "--items", put("i.csv", "path,label\n1.png,n0x\n"), "--classes",
                       put("c.txt", classes), "--kind", "probabilities", "--dataset-name", "val"});
        ASSERT_EQ(r.status, 0) << r.err;
    }
    const std::vector<std::string> line = {"score", at("many"), "--hierarchy", put("t.csv", tree)};
    const Outcome text = assay_run(line);
    ASSERT_EQ(text.status, 0) << text.err;
    // Levels 1 and 2 have 2 nodes, 3 and 4 have 4, 5 and 6 have 8.
    EXPECT_THAT(text.out,
                AllOf(HasSubstr("val: accuracy at levels of the hierarchy"), HasSubstr("level 1 %"),
                      HasSubstr("level 6 %"), Not(HasSubstr("level_accuracy (level"))));
    std::vector<std::string> as_json = line;
    as_json.emplace_back("--json");
    std::size_t levels = 0;
    const json result = json::parse(assay_run(as_json).out);
    for (const json& m : result.at("measurements"))
        levels += m.at("metric") == "level_accuracy" ? 1 : 0;
    EXPECT_EQ(levels, 12U);
}

TEST_F(LabelKinds, AReportSkipsAHierarchyOfOtherClasses) {
    const std::string other = put("other.csv", "child,parent\nplane,vehicle\nship,vehicle\n");
    const Outcome r = assay_run({"report", at("runs"), "--hierarchy", other, "--out", at("r.html"),
                                 "--threshold", "plane=.5", "--metrics", "top1,exact_match"});
    EXPECT_EQ(r.status, 0) << r.err;
    EXPECT_THAT(r.out, AllOf(HasSubstr("does not fit the classes of val and is skipped"),
                             HasSubstr("A threshold for each class"), HasSubstr("`plane`")));
    EXPECT_TRUE(fs::exists(at("r.html")));
    // A hierarchy that fits the classes of no data set is an error.
    const std::string circle = put("circle.csv", "child,parent\ncat,dog\ndog,cat\n");
    EXPECT_EQ(
        assay_run({"report", at("runs"), "--hierarchy", circle, "--out", at("c.html")}).status, 2);
}

TEST_F(LabelKinds, AMetricSaysWhatItNeeds) {
    const Outcome r = score({"--metrics", "qwk,mistake_severity,soft_brier"});
    EXPECT_EQ(r.status, 0);
    EXPECT_THAT(r.out, AllOf(HasSubstr("--ordinal"), HasSubstr("--hierarchy FILE"),
                             HasSubstr("pass rows of probabilities")));
}

}  // namespace
}  // namespace assay
