// The commands labels and show, as a user runs them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "program.h"

namespace assay {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;
namespace fs = std::filesystem;

class LabelsShow : public ::testing::Test {
protected:
    std::string put(const std::string& name, const std::string& text) {
        const fs::path path = scratch_ / name;
        fs::create_directories(path.parent_path());
        std::ofstream(path, std::ios::binary) << text;
        return path.string();
    }
    std::string at(const std::string& name) { return (scratch_ / name).string(); }
    /// Two models on three images with four classes: m1 stores all scores, and m2 the 2 best.
    void make_runs(const std::string& dataset = "zoo") {
        // Another data set has other images.
        const std::string in = dataset == "zoo" ? "" : dataset + "/";
        const std::string items =
            put(in + "items.csv", "path,labels\n" + in + "a/1.png,cat dog\n" + in +
                                      "a/2.png,cat\n" + in + "b/1.png,bird\n");
        const std::string classes = put("classes.txt", "cat\ndog\nbird\nfish\n");
        const std::string scores = put("m1.csv",
                                       "cat,dog,bird,fish\n0.5,0.3,0.15,0.05\n0.1,0.7,0.15,0.05\n"
                                       "0.05,0.05,0.1,0.8\n");
        for (const auto& [name, storage] :
             {std::pair<std::string, std::string>{"m1", "full"}, {"m2", "top2"}, {"m3", "label"}}) {
            const Outcome r =
                assay_run({"import", scores, "--name", name, "--out", at("runs"), "--items", items,
                           "--classes", classes, "--kind", "probabilities", "--storage", storage,
                           "--dataset-name", dataset});
            ASSERT_EQ(r.status, 0) << r.err;
        }
    }
    Scratch scratch_;
};

const std::string votes_text =
    "annotator,item,label,answer\n"
    "anna,a/1.png,cat,yes\nbert,a/1.png,cat,yes\ncleo,a/1.png,cat,yes\n"
    "anna,a/1.png,dog,yes\nbert,a/1.png,dog,yes\ncleo,a/1.png,dog,maybe\n"
    "anna,a/2.png,cat,no\nbert,a/2.png,cat,no\ncleo,a/2.png,cat,no\n"
    "anna,a/2.png,dog,yes\nbert,a/2.png,dog,no\ncleo,a/2.png,dog,yes\n";

TEST_F(LabelsShow, VotesBecomeLabelSets) {
    const std::string votes = put("votes.csv", votes_text);
    const Outcome r = assay_run({"labels", "aggregate", votes, "--method", "majority",
                                 "--label-sets", at("labels.csv"), "--posteriors", at("p.csv"),
                                 "--annotator-quality", at("q.csv"), "--annotators"});
    EXPECT_EQ(r.status, 0) << r.err;
    EXPECT_EQ(slurp(scratch_ / "labels.csv"), "path,labels\na/1.png,cat dog\na/2.png,dog\n");
    EXPECT_THAT(slurp(scratch_ / "p.csv"), HasSubstr("a/1.png,dog,0,1,2,0.8333333333333334,1\n"));
    EXPECT_THAT(slurp(scratch_ / "p.csv"), HasSubstr("a/2.png,cat,3,0,0,0,0\n"));
    EXPECT_THAT(slurp(scratch_ / "q.csv"),
                HasSubstr("annotator,answers,given_no,given_maybe,given_yes,accuracy,"));
    EXPECT_THAT(r.out, HasSubstr("Krippendorff's alpha"));
    EXPECT_THAT(r.out, HasSubstr("cleo"));
    for (const char* method : {"dawid-skene", "weighted"}) {
        const Outcome other = assay_run(
            {"labels", "aggregate", votes, "--method", method, "--to", "object", "--label-sets",
             at(std::string(method) + ".json"), "--json", "--annotators"});
        EXPECT_EQ(other.status, 0) << other.err;
        const json report = json::parse(other.out);
        EXPECT_EQ(report.at("schema"), "assay.label_votes/2");
        EXPECT_EQ(report.at("votes").at("used"), 12);
        EXPECT_EQ(report.at("annotator_quality").size(), 3U);
        const json sets = json::parse(slurp(scratch_ / (std::string(method) + ".json")));
        EXPECT_EQ(sets.at("a/1.png"), (json{"cat", "dog"}));
    }
}

TEST_F(LabelsShow, BadVotesAreListedAndTheStatusSaysSo) {
    const std::string votes =
        put("votes.csv", votes_text + "dora,a/1.png,cat,perhaps\nanna,a/1.png,cat,no\n");
    const Outcome r = assay_run({"labels", "aggregate", votes, "--json"});
    EXPECT_EQ(r.status, 3);
    EXPECT_THAT(r.err, HasSubstr("unknown answer: 1"));
    EXPECT_THAT(r.err, HasSubstr("line 14: answer `perhaps`"));
    EXPECT_THAT(r.err, HasSubstr("repeated vote that contradicts: 1"));
    EXPECT_EQ(json::parse(r.out).at("problems").at("votes").size(), 2U);
    EXPECT_EQ(assay_run({"labels", "aggregate", votes, "--repeats", "error"}).status, 2);
    EXPECT_EQ(assay_run({"labels", "aggregate", at("absent.csv")}).status, 2);
    EXPECT_EQ(assay_run({"labels", "aggregate", put("w.csv", "annotator,item\n")}).status, 2);
    const Outcome weights =
        assay_run({"labels", "aggregate", put("good.csv", votes_text), "--method", "weighted",
                   "--weights", put("weights.csv", "annotator,weight\nanna,1\nbert,0.5\n")});
    EXPECT_EQ(weights.status, 2);
    EXPECT_THAT(weights.err, HasSubstr("no weight for 1 of 3 annotators: cleo"));
    EXPECT_THAT(assay_run({"labels", "agregate"}).err, HasSubstr("did you mean `aggregate`?"));
}

TEST_F(LabelsShow, ItemsWithoutVotesGetTheirOriginalLabel) {
    make_runs();
    const std::string votes = put("votes.csv", votes_text);
    const Outcome r = assay_run({"labels", "aggregate", votes, "--data", at("runs"), "--to", "csv",
                                 "--label-sets", at("l.csv"), "--method", "majority", "--against",
                                 at("items.csv")});
    EXPECT_EQ(r.status, 0) << r.err;
    EXPECT_EQ(slurp(scratch_ / "l.csv"),
              "path,labels\na/1.png,cat dog\na/2.png,dog\nb/1.png,bird\n");
    EXPECT_THAT(r.out, HasSubstr("not annotated, original label"));
    EXPECT_THAT(r.out, HasSubstr("decisions as in items.csv"));  // 2 of 4 answers agree
    const Outcome scored =
        assay_run({"score", at("runs"), "--labels", at("l.csv"), "--metrics", "real", "--csv"});
    EXPECT_THAT(scored.out, HasSubstr("real"));
}

TEST_F(LabelsShow, OneQuestionUnderSeveralNamesIsOne) {
    make_runs();
    const std::string votes =
        put("votes.csv",
            "annotator,item,label,answer\nanna,a/2.png,cat,no\nbert,a/2.png,cat,no\n"
            "cleo,2.png,cat,yes\nanna,2.png,0,yes\n");
    const std::vector<std::string> words = {"labels",   "aggregate", votes,      "--data",
                                            at("runs"), "--method",  "majority", "--json"};
    const Outcome r = assay_run(words);
    EXPECT_EQ(r.status, 3) << r.err;
    EXPECT_THAT(r.err, HasSubstr("repeated vote that contradicts: 1"));
    const json report = json::parse(r.out);
    EXPECT_EQ(report.at("questions"), 1);
    EXPECT_EQ(report.at("images"), 1);
    EXPECT_EQ(report.at("votes").at("pooled_questions"), 2);
    EXPECT_EQ(report.at("labels_kept"), 0);  // the answers are no, no and yes
    EXPECT_THAT(report.at("notes").dump(), HasSubstr("2 questions were asked under several names"));
    std::vector<std::string> strict = words;
    strict.insert(strict.end(), {"--repeats", "error"});
    EXPECT_EQ(assay_run(strict).status, 2);
}

TEST_F(LabelsShow, KnownAnnotatorsAreTrimmedAndSome) {
    const std::string votes = put("votes.csv", votes_text);
    const Outcome none = assay_run(
        {"labels", "aggregate", votes, "--known-annotators", put("none.csv", "annotator\n")});
    EXPECT_EQ(none.status, 2);
    EXPECT_THAT(none.err, HasSubstr("none.csv: the file names no annotator"));
    const Outcome others = assay_run({"labels", "aggregate", votes, "--known-annotators",
                                      put("others.csv", "annotator\nzoe\n")});
    EXPECT_EQ(others.status, 2);
    EXPECT_THAT(others.err, HasSubstr("no vote is by one of its 1 annotator (the first: `zoe`)"));
    for (const char* method : {"dawid-skene", "majority"}) {
        const Outcome empty =
            assay_run({"labels", "aggregate", put("empty.csv", "annotator,item,label,answer\n"),
                       "--method", method, "--known-annotators", at("others.csv")});
        EXPECT_EQ(empty.status, 2);
        EXPECT_THAT(empty.err, HasSubstr("empty.csv: there are no votes to combine; give"));
    }
    const Outcome two = assay_run({"labels", "aggregate", votes, "--json", "--known-annotators",
                                   put("two.csv", "annotator\n anna\nbert \n")});
    EXPECT_EQ(two.status, 3);
    EXPECT_EQ(json::parse(two.out).at("votes").at("used"), 8);
}

TEST_F(LabelsShow, ImagesThatAFileDoesNotNameAreCounted) {
    make_runs();
    make_runs("zoo2");
    const std::string labels = put("l.csv", "path,labels\na/1.png,cat dog\na/2.png,dog\n");
    const std::string warning = "1 of 3 images are not named in l.csv; they count as unlabelled";
    const Outcome scored =
        assay_run({"score", at("runs/zoo"), "--labels", labels, "--metrics", "real", "--json"});
    EXPECT_EQ(scored.status, 0) << scored.err;
    EXPECT_THAT(scored.err, HasSubstr(warning));
    EXPECT_EQ(scored.err.find(warning), scored.err.rfind(warning));  // printed once for all models
    const json counts = json::parse(scored.out).at("stores").at(0).at("counts");
    EXPECT_EQ(counts.at("unnamed"), 1);
    EXPECT_EQ(counts.at("unlabelled"), 1);
    const std::string all =
        put("all.csv", "path,labels\nzoo2/a/1.png,cat dog\nzoo2/a/2.png,dog\nzoo2/b/1.png,cat\n");
    const Outcome gap = assay_run({"gap", "zoo", "zoo2", "--runs", at("runs"), "--labels1", labels,
                                   "--labels2", all, "--json"});
    EXPECT_EQ(gap.status, 0) << gap.err;
    EXPECT_THAT(gap.err, HasSubstr(warning));
    EXPECT_EQ(json::parse(gap.out).at("first").at("histogram").at("unnamed"), 1);
    EXPECT_EQ(json::parse(gap.out).at("second").at("histogram").at("unnamed"), 0);
    const Outcome whole =
        assay_run({"score", at("runs/zoo"), "--labels", at("items.csv"), "--metrics", "real"});
    EXPECT_THAT(whole.err, Not(HasSubstr("not named")));
    // A wrong --runs is an error even if all folders are given in full.
    const Outcome wrong =
        assay_run({"gap", at("runs/zoo"), at("runs/zoo2"), "--runs", at("nosuch")});
    EXPECT_EQ(wrong.status, 2);
    EXPECT_THAT(wrong.err, HasSubstr("nosuch` is not a folder"));
}

// An id has one byte of Latin-1, which is not UTF-8. Reports show U+FFFD for it, and label sets
// with it are refused.
TEST_F(LabelsShow, TextThatIsNotUtf8) {
    const std::string labels = put("latin.csv", "path,labels\na.png,c\xe9\nb.png,dog\n");
    const Outcome stats = assay_run({"labels", "stats", labels, "--json"});
    EXPECT_EQ(stats.status, 0) << stats.err;
    EXPECT_EQ(json::parse(stats.out).at("classes").at(0).at("name"), "c\uFFFD");

    const std::string votes =
        put("votes.csv", "annotator,item,label,answer\nanna,a.png,c\xe9,yes\n");
    const Outcome sets = assay_run(
        {"labels", "aggregate", votes, "--method", "majority", "--label-sets", at("l.json")});
    EXPECT_EQ(sets.status, 2);
    EXPECT_THAT(sets.err, HasSubstr("class `c\\xe9` is not UTF-8"));
    EXPECT_EQ(assay_run({"labels", "aggregate", votes, "--method", "majority", "--label-sets",
                         at("l.csv"), "--json"})
                  .status,
              0);

    const std::string items = put("items.csv", "path,labels\na/\xe9.png,0\n");
    const Outcome imported =
        assay_run({"import", put("m\xe9.csv", "cat,dog\n0.5,0.5\n"), "--name", "m", "--out",
                   at("runs"), "--items", items, "--kind", "probabilities", "--dataset-name", "d"});
    ASSERT_EQ(imported.status, 0) << imported.err;
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"show", "a/\xe9.png", at("runs"), "--json"},
          {"labels", "propose", at("runs"), "--recall", "0.5", "--json"},
          {"verify", at("runs"), "--json"}}) {
        const Outcome r = assay_run(words);
        EXPECT_EQ(r.status, 0) << words[0] << r.err;
        EXPECT_TRUE(json::accept(r.out)) << words[0];
    }
}

TEST_F(LabelsShow, Propose) {
    make_runs();
    const Outcome r = assay_run({"labels", "propose", at("runs/zoo/m1"), "--recall", "1",
                                 "--questions", at("questions.csv"), "--json"});
    EXPECT_EQ(r.status, 0) << r.err;
    const json report = json::parse(r.out);
    EXPECT_EQ(report.at("reached"), true);
    EXPECT_EQ(report.at("recall_original").at("value"), 1.0);
    EXPECT_THAT(
        slurp(scratch_ / "questions.csv"),
        HasSubstr("item,path,label,class,proposed_by,prior\na/1.png,a/1.png,cat,cat,m1,0.5\n"));
    EXPECT_THAT(assay_run({"labels", "propose", at("runs/zoo/m1")}).out,
                HasSubstr("recall of the original labels"));
    // m3 stores too few classes to reach a recall of 1.
    EXPECT_EQ(assay_run({"labels", "propose", at("runs/zoo/m3"), "--recall", "1"}).status, 3);
}

TEST_F(LabelsShow, Stats) {
    make_runs();
    const Outcome r = assay_run({"labels", "stats", at("runs"), "--min-together", "1"});
    EXPECT_EQ(r.status, 0) << r.err;
    EXPECT_THAT(r.out, HasSubstr("1.3333 labels per labelled image"));
    const json report = json::parse(
        assay_run({"labels", "stats", at("items.csv"), "--json", "--min-together", "1"}).out);
    EXPECT_EQ(report.at("labels_per_image"), (json{{"1", 2}, {"2", 1}}));
    EXPECT_EQ(report.at("pairs").size(), 1U);
    EXPECT_EQ(assay_run({"labels", "stats", at("items.csv"), "--csv"}).out.substr(0, 36),
              "class,name,images,alone,with_others\n");
    // Without a class list, the names in the file are the classes, both in JSON and in csv.
    const Outcome names = assay_run(
        {"labels", "stats", put("l.json", R"({"a": ["great white shark", "cat"], "b": "cat"})")});
    EXPECT_EQ(names.status, 0) << names.err;
    EXPECT_THAT(names.out, HasSubstr("l: 2 images, 3 labels, 2 classes"));
    const Outcome mixed = assay_run({"labels", "stats", put("m.json", R"([["cat"], [1]])")});
    EXPECT_EQ(mixed.status, 2);
    EXPECT_THAT(mixed.err, HasSubstr("labels are numbers and names (`cat`)"));
}

TEST_F(LabelsShow, ShowMarksWhatIsCorrect) {
    make_runs();
    const Outcome r = assay_run({"show", "a/1.png", at("runs")});
    EXPECT_EQ(r.status, 0) << r.err;
    EXPECT_THAT(r.out, HasSubstr("labels: cat (cat), dog (dog)"));
    EXPECT_THAT(r.out, HasSubstr("variable top-k: 2 of the 2 best are correct"));
    EXPECT_THAT(r.out, HasSubstr("dog: not among the 1 classes stored"));
    EXPECT_THAT(r.out, HasSubstr("variable top-k is unknown: 2 labels, but only 1 classes stored"));
    EXPECT_THAT(r.out, HasSubstr("50.0  ████████████"));
    const json report =
        json::parse(assay_run({"show", "a/2.png", at("runs"), "--json", "--top", "2"}).out);
    const json& models = report.at("images").at(0).at("models");
    ASSERT_EQ(models.size(), 3U);
    EXPECT_EQ(models[0].at("predictions").size(), 2U);
    EXPECT_EQ(models[0].at("predictions")[0].at("name"), "dog");
    EXPECT_EQ(models[0].at("predictions")[0].at("correct"), false);
    EXPECT_EQ(models[0].at("labels")[0].at("rank"), 3);
    EXPECT_FALSE(models[1].at("labels")[0].contains("rank"));  // the 2 best are kept
    EXPECT_EQ(models[0].at("variable_top_k_hits"), 0);
    // Labels from a file, a suffix of the id, and an unknown id.
    const Outcome other = assay_run({"show", "2.png", at("runs/zoo/m1"), "--labels",
                                     put("l.csv", "image,label\na/2.png,dog\n")});
    EXPECT_THAT(other.out, HasSubstr("label: dog"));
    // it has one label, so this equals top-1
    EXPECT_THAT(other.out, testing::Not(HasSubstr("variable top-k")));
    const Outcome unknown = assay_run({"show", "a/3.png", at("runs")});
    EXPECT_EQ(unknown.status, 2);
    EXPECT_THAT(unknown.err, HasSubstr("did you mean `a/"));
    EXPECT_THAT(assay_run({"show", "1.png", at("runs")}).err, HasSubstr("a suffix of 2 items"));
}

TEST_F(LabelsShow, AnotherOrderOfClassesIsNotMixedIn) {
    make_runs();
    const std::string scores = put("turned.csv",
                                   "dog,cat,bird,fish\n0.3,0.5,0.15,0.05\n0.7,0.1,0.15,0.05\n"
                                   "0.05,0.05,0.1,0.8\n");
    const Outcome imported =
        assay_run({"import", scores, "--name", "turned", "--out", at("runs2"), "--items",
                   at("items.csv"), "--classes", put("turned.txt", "dog\ncat\nbird\nfish\n"),
                   "--kind", "probabilities", "--dataset-name", "zoo"});
    ASSERT_EQ(imported.status, 0) << imported.err;
    const std::string one = at("runs/zoo/m1"), two = at("runs2/zoo/turned");
    const json shown =
        json::parse(assay_run({"show", "a/1.png", one, two, "--json"}).out).at("images");
    ASSERT_EQ(shown.size(), 2U);
    for (const json& image : shown) {
        const json& best = image.at("models").at(0).at("predictions").at(0);
        EXPECT_EQ(best.at("name"), "cat");
        EXPECT_EQ(best.at("probability"), 0.5);
        EXPECT_EQ(best.at("correct"), true);
    }
    const Outcome proposed =
        assay_run({"labels", "propose", one, two, "--recall", "0.5", "--json"});
    EXPECT_EQ(proposed.status, 2);
    EXPECT_THAT(proposed.err, HasSubstr("class 0 is `cat` and `dog`"));
    const Outcome pair = assay_run({"compare", one, two, "--json"});
    EXPECT_EQ(pair.status, 0) << pair.err;
    EXPECT_EQ(json::parse(pair.out).at("pairs").at(0).at("predictions").at("same"), 3);
}

TEST_F(LabelsShow, HolmIsNamedWhereThereAreCandidatesToCorrectFor) {
    make_runs();
    const std::string a = at("runs/zoo/m1"), b = at("runs/zoo/m2"), c = at("runs/zoo/m3");
    EXPECT_THAT(assay_run({"compare", a, b}).out, Not(HasSubstr("Holm")));
    EXPECT_THAT(assay_run({"compare", a, b, c}).out,
                HasSubstr("Holm's correction over the candidates"));
}

TEST_F(LabelsShow, GatesSayWhoseValueTheyFound) {
    make_runs();
    const Outcome table =
        assay_run({"score", at("runs"), "--metrics", "real", "--gate", "real >= 0"});
    EXPECT_EQ(table.status, 0) << table.err;
    const std::string gates = table.out.substr(table.out.find("Gates"));
    for (const char* model : {"m1", "m2", "m3"}) EXPECT_THAT(gates, HasSubstr(model));
    EXPECT_THAT(gates, Not(HasSubstr("zoo")));  // it is the only data set
    const std::string one =
        assay_run({"score", at("runs/zoo/m1"), "--metrics", "real", "--gate", "real >= 0"}).out;
    EXPECT_THAT(one.substr(one.find("Gates")), Not(HasSubstr("m1")));
    const json pairs =
        json::parse(assay_run({"compare", at("runs/zoo/m1"), at("runs/zoo/m2"), at("runs/zoo/m3"),
                               "--gate", "real.delta >= 0", "--json"})
                        .out);
    ASSERT_EQ(pairs.at("gates").size(), 2U);
    EXPECT_EQ(pairs.at("gates").at(1).at("candidate"), "m3");
    EXPECT_EQ(pairs.at("gates").at(1).at("baseline"), "m1");
}

TEST_F(LabelsShow, ShowKeepsTheLabelsOfDataSetsThatAFileDoesNotFit) {
    make_runs();
    const std::string ids = put("ids.txt", "a/2.png\n");
    const Outcome imported = assay_run(
        {"import", put("s.csv", "cat,dog,bird,fish\n0.5,0.3,0.15,0.05\n"), "--name", "m1", "--out",
         at("runs"), "--items", ids, "--kind", "probabilities", "--dataset-name", "cages"});
    ASSERT_EQ(imported.status, 0) << imported.err;
    const std::string labels = put("l.csv", "image,label\nb/1.png,cat\n");
    const Outcome r = assay_run({"show", "a/2.png", at("runs"), "--labels", labels, "--json"});
    EXPECT_EQ(r.status, 0) << r.err;
    EXPECT_THAT(r.err, HasSubstr("cages: its own labels; " + labels +
                                 " does not fit: l.csv: `b/1.png` is not an item"));
    const json images = json::parse(r.out).at("images");
    ASSERT_EQ(images.size(), 2U);
    EXPECT_EQ(images.at(0).at("dataset"), "cages");
    EXPECT_EQ(images.at(1).at("dataset"), "zoo");
    // Labels that fit no data set are an error.
    EXPECT_EQ(assay_run({"show", "a/2.png", at("runs"), "--labels",
                         put("n.csv", "image,label\nz.png,dog\n")})
                  .status,
              2);
}

}  // namespace
}  // namespace assay
