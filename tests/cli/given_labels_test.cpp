// Tests which labels each data set of a command gets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "program.h"

namespace assay {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
namespace fs = std::filesystem;

/// Two data sets of four images and three classes, on which one model always predicts `cat`.
class LabelsOfDataSets : public ::testing::Test {
protected:
    std::string put(const std::string& name, const std::string& text) {
        const fs::path path = scratch_ / name;
        fs::create_directories(path.parent_path());
        std::ofstream(path, std::ios::binary) << text;
        return path.string();
    }
    std::string at(const std::string& name) { return (scratch_ / name).string(); }

    /// `items`: lines of a path and its labels.
    void import(const std::string& runs, const std::string& dataset, const std::string& items,
                const std::string& classes = "cat\ndog\nbird\n", const std::string& model = "m") {
        std::string scores;
        for (const char c : items) scores += c == '\n' ? "0.8,0.1,0.1\n" : "";
        const Outcome r = assay_run(
            {"import", put("s.csv", "c0,c1,c2\n" + scores), "--name", model, "--out", at(runs),
             "--items", put("items.csv", "path,labels\n" + items), "--classes",
             put("classes.txt", classes), "--kind", "probabilities", "--dataset-name", dataset});
        ASSERT_EQ(r.status, 0) << r.err;
    }
    /// Both data sets have the same ids and different images. v1 has two cats, v2 one.
    void two_data_sets_of_equal_ids() {
        import("runs", "v1", "1.png,cat\n2.png,cat\n3.png,dog\n4.png,dog\n");
        import("runs", "v2", "1.png,dog\n2.png,cat\n3.png,bird\n4.png,dog\n");
    }
    void two_data_sets_of_other_ids() {
        import("runs", "v1", "1.png,cat\n2.png,cat\n3.png,dog\n4.png,dog\n");
        import("runs", "v2", "a.png,dog\nb.png,cat\nc.png,bird\nd.png,dog\n");
    }
    /// Every image of v1 also shows a cat: ReaL is 1 there.
    std::string labels_of_v1() {
        return put("l1.csv", "path,labels\n1.png,cat\n2.png,cat dog\n3.png,cat dog\n4.png,cat\n");
    }
    std::map<std::string, double> values(const Outcome& outcome, const std::string& metric) {
        std::map<std::string, double> found;
        if (outcome.status != 0) return found;
        const json result = json::parse(outcome.out);
        for (const json& m : result.at("measurements")) {
            if (m.at("metric") == metric && m.at("value").is_number())
                found[m.at("dataset")] = m.at("value");
        }
        return found;
    }
    using Values = std::map<std::string, double>;
    Scratch scratch_;
};

TEST_F(LabelsOfDataSets, EqualNamesOfOtherImagesAreRefusedUntilTheDataSetIsNamed) {
    two_data_sets_of_equal_ids();
    const std::string l1 = labels_of_v1();
    const Outcome silent = assay_run({"score", at("runs"), "--labels", l1, "--json"});
    EXPECT_EQ(silent.status, 2);
    EXPECT_EQ(silent.out, "");
    EXPECT_THAT(silent.err,
                AllOf(HasSubstr("names images of v1 and of v2"), HasSubstr("--labels v1=" + l1)));

    const Outcome one = assay_run(
        {"score", at("runs"), "--labels", "v1=" + l1, "--metrics", "real,top1", "--json"});
    EXPECT_EQ(one.status, 0) << one.err;
    EXPECT_EQ(values(one, "real"), (Values{{"v1", 1.0}, {"v2", 0.25}}));  // in v2, 1 of 4 is a cat
    EXPECT_EQ(values(one, "top1"), (Values{{"v1", 0.5}, {"v2", 0.25}}));
    EXPECT_THAT(one.err, AllOf(HasSubstr("v1: labels of " + l1 + ": 4 of 4 images have some"),
                               HasSubstr("v2: its own labels")));

    const std::string l2 =
        put("l2.csv", "path,labels\n1.png,cat\n2.png,cat\n3.png,cat\n4.png,dog\n");
    const Outcome both = assay_run({"score", at("runs"), "--labels", "v1=" + l1, "--labels",
                                    "v2=" + l2, "--metrics", "real", "--json"});
    EXPECT_EQ(both.status, 0) << both.err;
    EXPECT_EQ(values(both, "real"), (Values{{"v1", 1.0}, {"v2", 0.75}}));
    // A pattern that names both data sets assigns the labels to both.
    const Outcome all =
        assay_run({"score", at("runs"), "--labels", "v*=" + l1, "--metrics", "real", "--json"});
    EXPECT_EQ(all.status, 0) << all.err;
    EXPECT_EQ(values(all, "real"), (Values{{"v1", 1.0}, {"v2", 1.0}}));
}

TEST_F(LabelsOfDataSets, WhatTheFileDoesNotFitKeepsItsOwnLabels) {
    two_data_sets_of_other_ids();
    const std::string l1 = labels_of_v1();
    const Outcome scored =
        assay_run({"score", at("runs"), "--labels", l1, "--metrics", "real,top1,nll", "--json"});
    EXPECT_EQ(scored.status, 0) << scored.err;
    EXPECT_EQ(values(scored, "real"), (Values{{"v1", 1.0}, {"v2", 0.25}}));
    EXPECT_EQ(values(scored, "top1"), (Values{{"v1", 0.5}, {"v2", 0.25}}));
    EXPECT_EQ(values(scored, "nll").size(), 2U);
    EXPECT_THAT(scored.err, AllOf(HasSubstr("v1: labels of " + l1),
                                  HasSubstr("v2: its own labels; " + l1 +
                                            " does not fit: l1.csv: `1.png` is not an item")));
    // If two files are given without names, each is used for the data set that it fits.
    const std::string l2 =
        put("l2.csv", "path,labels\na.png,cat\nb.png,cat\nc.png,cat\nd.png,cat\n");
    const Outcome two = assay_run(
        {"score", at("runs"), "--labels", l1, "--labels", l2, "--metrics", "real", "--json"});
    EXPECT_EQ(two.status, 0) << two.err;
    EXPECT_EQ(values(two, "real"), (Values{{"v1", 1.0}, {"v2", 1.0}}));

    // One file may hold the labels of both.
    const std::string all = put("all.csv", slurp(l1) + "a.png,cat\nb.png,cat\nc.png,cat\n");
    const Outcome file =
        assay_run({"score", at("runs"), "--labels", all, "--metrics", "real", "--json"});
    EXPECT_EQ(file.status, 0) << file.err;
    EXPECT_EQ(values(file, "real"), (Values{{"v1", 1.0}, {"v2", 1.0}}));
    // Labels by order alone fit any data set of that size, so they are refused.
    const std::string order = put("order.txt", "cat\ncat\ncat\ncat\n");
    EXPECT_EQ(assay_run({"score", at("runs"), "--labels", order}).status, 2);

    const Outcome report =
        assay_run({"report", at("runs"), "--labels", l1, "--json", "-o", at("report.json")});
    EXPECT_EQ(report.status, 0) << report.err;
    std::set<std::string> measured;
    const json document = json::parse(slurp(at("report.json")));
    for (const json& result : document.at("results")) {
        if (result.at("result").at("schema") != "assay.scores/2") continue;
        for (const json& store : result.at("result").at("stores"))
            measured.insert(store.at("dataset"));
    }
    EXPECT_EQ(measured, (std::set<std::string>{"v1", "v2"}));
}

TEST_F(LabelsOfDataSets, AFileThatFitsNoneShowsIdsOfBothSides) {
    two_data_sets_of_other_ids();
    const std::string none = put("n.csv", "path,labels\nx.png,cat\ny.png,dog\n");
    for (const std::string& runs : {at("runs"), at("runs/v1")}) {
        const Outcome r = assay_run({"score", runs, "--labels", none});
        EXPECT_EQ(r.status, 2);
        EXPECT_THAT(r.err, AllOf(HasSubstr("`x.png`"), HasSubstr("`y.png`"), HasSubstr("`1.png`"),
                                 HasSubstr("`assay export " + at("runs/v1/m") + " --top 0`")));
    }
    const Outcome named = assay_run({"score", at("runs"), "--labels", "v2=" + labels_of_v1()});
    EXPECT_EQ(named.status, 2);
    EXPECT_THAT(named.err, AllOf(HasSubstr("`1.png`"), HasSubstr("`a.png`")));
}

TEST_F(LabelsOfDataSets, WhatCannotBeMeantIsAnError) {
    two_data_sets_of_other_ids();
    const std::string l1 = labels_of_v1();
    const auto refused = [&](const std::vector<std::string>& labels) {
        std::vector<std::string> words = {"score", at("runs")};
        for (const std::string& text : labels) words.insert(words.end(), {"--labels", text});
        const Outcome r = assay_run(words);
        EXPECT_EQ(r.status, 2);
        EXPECT_EQ(r.out, "");
        return r.err;
    };
    EXPECT_THAT(refused({"v3=" + l1}),
                AllOf(HasSubstr("`v3`, which is not a data set here"), HasSubstr("v1")));
    EXPECT_THAT(refused({"v1="}), HasSubstr("FILE or NAME=FILE is allowed"));
    EXPECT_THAT(refused({"v1=" + at("absent.csv")}), HasSubstr("no labels at"));
    EXPECT_THAT(refused({at("absent.csv")}),
                AllOf(HasSubstr("no labels at"), HasSubstr("`assay export RUNS --top 0 -o")));
    put("near.csv", slurp(l1));
    EXPECT_THAT(refused({at("naer.csv")}), HasSubstr("did you mean `near.csv`?"));
    EXPECT_THAT(refused({"v1=" + l1, "v1=" + put("l3.csv", slurp(l1))}),
                HasSubstr("v1 gets labels from"));
    EXPECT_THAT(refused({"v*=" + put("all.csv", slurp(l1) + "a.png,cat\n"), l1}),
                HasSubstr("are used for no data set, because"));
    EXPECT_THAT(refused({put("damaged.json", "{\"1.png\": ")}), HasSubstr("damaged.json"));
}

TEST_F(LabelsOfDataSets, OneDataSetInTwoFoldersIsOne) {
    import("r1", "v1", "1.png,cat\n2.png,cat\n");
    import("r2", "v1", "1.png,cat\n2.png,cat\n", "cat\ndog\nbird\n", "m2");
    const std::string labels = put("l.csv", "path,labels\n1.png,dog\n2.png,cat\n");
    const Outcome r =
        assay_run({"score", at("r1"), "--labels", labels, "--metrics", "real", "--json"});
    EXPECT_EQ(r.status, 0) << r.err;
    const Outcome both = assay_run({"export", at("r1"), at("r2"), "--labels", labels, "--csv"});
    EXPECT_EQ(both.status, 0) << both.err;
    // If two data sets with different images have the same name, the error asks for the folder.
    import("r3", "v1", "1.png,cat\n2.png,dog\n3.png,dog\n");
    const Outcome three = assay_run({"export", at("r1"), at("r3"), "--labels", labels, "--csv"});
    EXPECT_EQ(three.status, 2);
    EXPECT_THAT(three.err, HasSubstr("--labels " + at("r1/v1") + "=" + labels));
    const Outcome folder =
        assay_run({"export", at("r1"), at("r3"), "--labels", at("r1/v1") + "=" + labels, "--csv"});
    EXPECT_EQ(folder.status, 0) << folder.err;
}

TEST_F(LabelsOfDataSets, CompareTakesThoseOfTheBaseline) {
    import("runs", "v1", "1.png,cat\n2.png,cat\n3.png,dog\n4.png,dog\n");
    import("runs", "v1", "1.png,cat\n2.png,cat\n3.png,dog\n4.png,dog\n", "cat\ndog\nbird\n", "m2");
    const std::string l1 = labels_of_v1();
    for (const std::string& labels : {l1, "v1=" + l1}) {
        const Outcome r = assay_run({"compare", at("runs/v1/m"), at("runs/v1/m2"), "--labels",
                                     labels, "--metrics", "real", "--json"});
        EXPECT_EQ(r.status, 0) << r.err;
        EXPECT_THAT(r.err, HasSubstr("v1: labels of " + l1));
        const json metric = json::parse(r.out).at("pairs").at(0).at("metrics").at(0);
        EXPECT_EQ(metric.at("baseline").at("value"), 1.0);
    }
    EXPECT_EQ(
        assay_run({"compare", at("runs/v1/m"), at("runs/v1/m2"), "--labels", "v2=" + l1}).status,
        2);
}

TEST_F(LabelsOfDataSets, ShowHasEachStoresOwnLabels) {
    import("r1", "zoo", "1.png,cat\n2.png,cat\n");
    import("r2", "zoo", "1.png,dog\n2.png,cat\n", "cat\ndog\nbird\n", "m2");
    import("r3", "zoo", "1.png,dog\n2.png,cat\n", "cat\ndog\nbird\n", "m3");
    const Outcome r = assay_run({"show", "1.png", at("r1"), at("r2"), at("r3"), "--json"});
    EXPECT_EQ(r.status, 0) << r.err;
    const json images = json::parse(r.out).at("images");
    ASSERT_EQ(images.size(), 2U);
    const auto label = [&](std::size_t i) { return images[i].at("labels").at(0).at("name"); };
    EXPECT_EQ(label(0), "cat");
    EXPECT_EQ(images[0].at("models").at(0).at("predictions").at(0).at("correct"), true);
    EXPECT_EQ(label(1), "dog");
    EXPECT_EQ(images[1].at("models").at(0).at("predictions").at(0).at("correct"), false);
    // data sets with equal labels are listed together
    EXPECT_EQ(images[1].at("models").size(), 2U);
    EXPECT_EQ(images[0].at("dataset"), at("r1/zoo"));
    EXPECT_EQ(images[1].at("dataset"), at("r2/zoo"));

    const std::string labels = put("l.csv", "path,labels\n1.png,bird\n");
    const Outcome given = assay_run({"show", "1.png", at("r1"), "--labels", "zoo=" + labels});
    EXPECT_EQ(given.status, 0) << given.err;
    EXPECT_THAT(given.out, HasSubstr("label: bird"));
}

// Labels are compared as class numbers, because names of another class list would mislead.
TEST_F(LabelsOfDataSets, MessagesShowWhatWasCompared) {
    import("runs", "zoo", "1.png,dog\n2.png,cat\n");
    const Outcome turned =
        assay_run({"import", put("s.csv", "c0,c1,c2\n1,0,0\n1,0,0\n"), "--name", "turned", "--out",
                   at("runs"), "--items", put("items.csv", "path,labels\n1.png,dog\n2.png,cat\n"),
                   "--classes", put("turned.txt", "dog\ncat\nbird\n"), "--kind", "probabilities",
                   "--dataset-name", "zoo"});
    EXPECT_EQ(turned.status, 2);
    EXPECT_THAT(turned.err,
                AllOf(Not(HasSubstr("`dog` there and `dog` now")),
                      HasSubstr("class 0 is `cat` and `dog` (there: cat, dog, bird; now: dog, cat, "
                                "bird)")));
    // Data sets with the same name and the same number of images.
    import("other", "zoo", "1.png,dog\n3.png,cat\n");
    const Outcome items = assay_run({"labels", "propose", at("runs/zoo/m"), at("other/zoo/m")});
    EXPECT_EQ(items.status, 2);
    EXPECT_THAT(items.err, AllOf(HasSubstr("other items"), HasSubstr("`2.png`"),
                                 HasSubstr("`3.png`"), HasSubstr(at("runs/zoo"))));
}

TEST_F(LabelsOfDataSets, ColumnsOfATableOfLabelsAreNamed) {
    import("runs", "zoo", "1.png,dog\n2.png,cat\n");
    // Both columns hold classes. With the column `second`, the model is always correct, because it
    // always predicts cat.
    const std::string table = put("t.csv", "shown,first,second\n1.png,dog,cat\n2.png,bird,cat\n");
    const auto real = [&](std::vector<std::string> more) {
        std::vector<std::string> line = {"score",  at("runs"),  "--labels", table,
                                         "--json", "--metrics", "real"};
        line.insert(line.end(), more.begin(), more.end());
        return assay_run(line);
    };
    const Outcome unclear = real({});
    EXPECT_EQ(unclear.status, 2);
    EXPECT_THAT(unclear.err, AllOf(HasSubstr("first, second"), HasSubstr("--label-column NAME")));
    EXPECT_EQ(values(real({"--label-column", "second"}), "real").begin()->second, 1);
    EXPECT_EQ(values(real({"--label-column", "first", "--image-column", "shown"}), "real")
                  .begin()
                  ->second,
              0);
    const Outcome none = real({"--label-column", "third"});
    EXPECT_EQ(none.status, 2);
    EXPECT_THAT(none.err, AllOf(HasSubstr("third"), HasSubstr("shown, first, second")));
    const Outcome no_file = assay_run({"score", at("runs"), "--label-column", "first"});
    EXPECT_EQ(no_file.status, 2);
    EXPECT_THAT(no_file.err, HasSubstr("--labels FILE"));
    const Outcome no_columns = assay_run(
        {"score", at("runs"), "--label-column", "first", "--labels", put("l.json", "[[0], [1]]")});
    EXPECT_EQ(no_columns.status, 2);
    EXPECT_THAT(no_columns.err, HasSubstr("l.json"));
}

// Three of four images are correct, and one of the two dark ones.
TEST_F(LabelsOfDataSets, AGateSaysWhichSubgroupsDoNotMeetIt) {
    const Outcome made =
        assay_run({"import", put("g.csv", "c0,c1\n1,0\n1,0\n1,0\n1,0\n"), "--name", "m", "--out",
                   at("groups"), "--items",
                   put("gi.csv", "path,label,light\n1,0,day\n2,0,day\n3,0,dark\n4,1,dark\n"),
                   "--kind", "probabilities", "--dataset-name", "val"});
    ASSERT_EQ(made.status, 0) << made.err;
    const auto gated = [&](const std::string& gate) {
        return assay_run({"score", at("groups"), "--subgroup", "light", "--gate", gate});
    };
    const Outcome passes = gated("top1 >= 0.7");
    EXPECT_EQ(passes.status, 0);
    EXPECT_THAT(passes.err, AllOf(HasSubstr("covers all items and passes, but"),
                                  HasSubstr("1 of 2 subgroups do not meet it: light=dark (0.5)")));
    EXPECT_THAT(gated("top1 >= 0.5").err, Not(HasSubstr("subgroups")));
    EXPECT_EQ(gated("top1 >= 0.8").status, 1);
}

}  // namespace
}  // namespace assay
