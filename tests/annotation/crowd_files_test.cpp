// Files of votes from labelling tools: the aggregated labels, and which files are accepted as
// labels.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "assay/annotation/aggregate_votes.h"
#include "assay/annotation/label_stats.h"
#include "assay/store/open_labelled.h"
#include "made_votes.h"
#include "message_of.h"
#include "scratch.h"

namespace assay {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

class CrowdFiles : public ::testing::Test {
protected:
    Votes read(const std::string& text, const std::string& name = "votes.csv") {
        return read_votes(write(folder_ / name, text), {});
    }
    Aggregation settle(const std::filesystem::path& votes) {
        options_.votes = votes;
        return aggregate_votes(options_);
    }
    static std::map<std::string, std::vector<std::string>> sets(const Aggregation& a) {
        std::map<std::string, std::vector<std::string>> out;
        for (std::size_t i = 0; i < a.built.sets.size(); ++i) {
            auto& set = out[std::string(a.dataset.ids[i])];
            for (const std::int32_t c : a.built.sets[i])
                set.push_back(a.classes.id(static_cast<std::size_t>(c)));
        }
        return out;
    }
    Scratch folder_;
    AggregateOptions options_;
};

/// Written by label-studio-sdk 2.1.2's converter.
std::filesystem::path label_studio(const std::string& name) {
    return std::filesystem::path(__FILE__).parent_path() / "fixtures/label_studio" / name;
}

// a: cat, cat, dog; b: dog, dog, and a cat that was cancelled; c: cat, dog; d: nothing.
TEST_F(CrowdFiles, LabelStudioExportsOfWhichClassProjectsAreAlike) {
    for (const char* name : {"which.json", "which.min.json", "which.csv", "which.tsv"}) {
        SCOPED_TRACE(name);
        options_.method = "majority";
        const Aggregation found = settle(label_studio(name));
        EXPECT_TRUE(found.votes.which_class);
        EXPECT_EQ(found.votes.read, 7U);
        EXPECT_EQ(found.votes.used(), 7U);
        EXPECT_EQ(found.votes.problems.total(), 0U);
        EXPECT_EQ(found.ties, 1U);
        const auto expected = std::map<std::string, std::vector<std::string>>{
            {"a.png", {"cat"}}, {"b.png", {"dog"}}, {"c.png", {}}};
        EXPECT_EQ(sets(found), expected);
        // 1 of 3 pairs of answers agrees at a, 1 of 1 at b, and 0 of 1 at c. The answers are 3 cats
        // and 4 dogs. kappa = (4/9 - 25/49) / (1 - 25/49) = (-29/441) / (216/441).
        ASSERT_TRUE(found.agreement.fleiss_kappa.value);
        EXPECT_NEAR(*found.agreement.fleiss_kappa.value, -29.0 / 216, 1e-12);
    }
}

// Annotators may choose several classes. a: cat and dog, cat, cat and emu; b: emu, dog and emu; c:
// cat. Each choice is a yes to its classes, and a no to the other classes that were chosen for the
// image.
TEST_F(CrowdFiles, LabelStudioExportsOfSeveralChoicesAreSetsOfClasses) {
    for (const char* name : {"several.json", "several.min.json", "several.csv", "several.tsv"}) {
        SCOPED_TRACE(name);
        options_.method = "majority";
        const Aggregation found = settle(label_studio(name));
        EXPECT_FALSE(found.votes.which_class);
        EXPECT_EQ(found.votes.problems.total(), 0U);
        EXPECT_EQ(found.votes.read, 9U);
        EXPECT_EQ(found.votes.used(), 9U);
        // At a: cat 3 of 3, dog 1 of 3, emu 1 of 3; at b: emu 2 of 2, dog 1 of 2.
        EXPECT_EQ(found.votes.implied, 5U);
        const auto expected = std::map<std::string, std::vector<std::string>>{
            {"a.png", {"cat"}}, {"b.png", {"emu"}}, {"c.png", {"cat"}}};
        EXPECT_EQ(sets(found), expected);
        EXPECT_THAT(found.votes.notes, Contains(HasSubstr("3 answers chose several classes.")));
        options_.threshold = 0.5;
        EXPECT_THAT(sets(settle(label_studio(name))).at("b.png"),
                    UnorderedElementsAre("dog", "emu"));
        options_.threshold.reset();
    }
}

TEST_F(CrowdFiles, SeveralChoicesOfOneAnnotatorAreLabelsThatAreAllValid) {
    Dataset dataset;
    for (const char* id : {"a.png", "b.png"}) dataset.ids.append(id);
    const std::string text =
        R"([{"image":"a.png","annotator":1,"animal":{"choices":["dog","cat"]}},)"
        R"({"image":"b.png","annotator":1,"animal":"cat"}])";
    const LabelSets sets =
        read_label_sets(write(folder_ / "one.json", text), dataset, ClassList({"cat", "dog"}));
    EXPECT_THAT(std::vector(sets[0].begin(), sets[0].end()), ElementsAre(0, 1));
    EXPECT_THAT(std::vector(sets[1].begin(), sets[1].end()), ElementsAre(0));
}

// A second list of classes is a second answer, and is not added to the first one.
TEST_F(CrowdFiles, AnAnnotatorsSecondSetOfClassesIsRepeated) {
    const std::string text =
        R"([{"image":"a.png","annotator":1,"animal":{"choices":["dog","cat"]}},)"
        R"({"image":"a.png","annotator":1,"animal":{"choices":["emu","dog"]}},)"
        R"({"image":"a.png","annotator":2,"animal":"emu"}])";
    const std::filesystem::path file = write(folder_ / "one.json", text);
    // dog: yes, no; cat: yes, no; emu: no, yes.
    const Votes first = read_votes(file, {});
    EXPECT_THAT(first.codes, ElementsAre(2U, 3U, 2U, 3U, 0U, 5U));
    EXPECT_EQ(first.repeated, 1U);
    EXPECT_EQ(first.problems.count("repeated vote that contradicts"), 1U);
    VotesOptions options;
    options.repeats = Repeats::last;
    EXPECT_THAT(read_votes(file, options).codes, ElementsAre(2U, 3U, 0U, 3U, 2U, 5U));
    options.repeats = Repeats::refuse;
    EXPECT_THAT(message_of([&] { read_votes(file, options); }),
                HasSubstr("annotator `1` chose a class of `a.png` 2 times"));
}

TEST_F(CrowdFiles, LabelStudioExportsOfYesAndNoAreAlike) {
    options_.method = "majority";
    for (const char* name : {"yesno.json", "yesno.min.json", "yesno.csv", "yesno.tsv"}) {
        SCOPED_TRACE(name);
        const Aggregation found = settle(label_studio(name));
        EXPECT_FALSE(found.votes.which_class);
        EXPECT_EQ(found.votes.read, 5U);
        // cat: yes, yes, no; dog: no, no (and a cancelled answer).
        EXPECT_THAT(sets(found).at("a.png"), ElementsAre("cat"));
    }
}

TEST_F(CrowdFiles, ZeroAndOneAreNoAndYes) {
    const std::string header = "annotator,item,label,answer\n";
    const Votes two = read(header + "a,p,cat,1\nb,p,cat,0\nc,p,cat,1.0\n");
    EXPECT_THAT(two.codes, ElementsAre(2U, 3U, 8U));  // the answers yes; no; yes
    EXPECT_THAT(two.notes.back(), HasSubstr("read as no and yes"));
    const Votes three = read(header + "a,p,cat,1\nb,p,cat,0\nc,p,cat,2\n");
    EXPECT_THAT(three.codes, ElementsAre(1U, 3U, 8U));  // the answers maybe; no; yes
    EXPECT_EQ(three.notes.size(), 1U);
    const Votes words = read(header + "a,p,cat,true\nb,p,cat,N\nc,p,cat,unsure\n");
    EXPECT_THAT(words.codes, ElementsAre(2U, 3U, 7U));
    // Without a column for the class in question, 1 and 0 are two classes.
    EXPECT_TRUE(read("annotator,item,answer\na,p,1\nb,p,0\n").which_class);
}

// The answer 1 means yes if the answers are 0 and 1, and maybe if they are 0, 1 and 2.
TEST_F(CrowdFiles, WordsBesideOneAreAskedAbout) {
    const std::string header = "annotator,item,label,answer\n";
    for (const char* answers : {"a,p,cat,yes\nb,p,cat,1\n", "a,p,cat,1.0\nb,p,cat,no\n",
                                "a,p,cat,0\nb,p,cat,1\nc,p,cat,true\n"}) {
        EXPECT_THAT(message_of([&] { read(header + answers); }),
                    AllOf(HasSubstr("some answers are words"), HasSubstr("--answers no,yes")))
            << answers;
    }
    VotesOptions two;
    two.scale = answer_scale({"no", "yes"});
    const std::filesystem::path file =
        write(folder_ / "two.csv", header + "a,p,cat,yes\nb,p,cat,1\n");
    EXPECT_THAT(read_votes(file, two).codes, ElementsAre(1U, 3U));  // the answers yes; yes
    // Because 2 occurs, 1 means maybe. 0 means no in both cases.
    const Votes three = read(header + "a,p,cat,yes\nb,p,cat,1\nc,p,cat,2\n");
    EXPECT_THAT(three.codes, ElementsAre(2U, 4U, 8U));
    EXPECT_THAT(read(header + "a,p,cat,yes\nb,p,cat,0\n").codes, ElementsAre(2U, 3U));
    // Classes may be called 1 and yes.
    EXPECT_TRUE(read("annotator,item,answer\na,p,1\nb,p,yes\n").which_class);
}

TEST_F(CrowdFiles, AnswersOfNoKnownSpellingAreRefused) {
    EXPECT_THAT(
        message_of([&] { read("annotator,item,label,answer\na,p,cat,perhaps\n"); }),
        HasSubstr("none of 1 answer is known (the first is `perhaps`); allowed: no, maybe, yes"));
    EXPECT_THAT(message_of([&] {
                    settle(write(folder_ / "v.csv", "annotator,item,answer\na,p,yes\nb,p,no\n"));
                }),
                HasSubstr("no column names the class that was asked about"));
}

TEST_F(CrowdFiles, AnAnnotatorChoosesOneClass) {
    const std::string text = "annotator,item,label\na,p,cat\na,p,dog\nb,p,dog\n";
    const Votes first = read(text);
    EXPECT_EQ(first.problems.count("repeated vote that contradicts"), 1U);
    EXPECT_EQ(first.used(), 2U);
    // cat: a yes, b no; dog: a no, b yes.
    EXPECT_THAT(first.codes, ElementsAre(2U, 3U, 0U, 5U));
    VotesOptions options;
    options.repeats = Repeats::last;
    const Votes last = read_votes(folder_ / "votes.csv", options);
    EXPECT_THAT(last.codes, ElementsAre(0U, 3U, 2U, 5U));
    options.repeats = Repeats::refuse;
    EXPECT_THAT(message_of([&] { read_votes(folder_ / "votes.csv", options); }),
                HasSubstr("annotator `a` chose a class of `p` 2 times"));
}

TEST_F(CrowdFiles, AnAddressAPathAndAFileNameAreOneImage) {
    options_.method = "majority";
    const Aggregation found = settle(write(folder_ / "v.csv",
                                           "annotator,item,label\na,s3://b/x/1.png,cat\n"
                                           "b,x/1.png,cat\nc,1.png,dog\nc,y/2.png,dog\n"));
    const auto expected =
        std::map<std::string, std::vector<std::string>>{{"1.png", {"cat"}}, {"y/2.png", {"dog"}}};
    EXPECT_EQ(sets(found), expected);
    EXPECT_NEAR(found.yes[0], 2.0 / 3, 1e-12);
}

TEST_F(CrowdFiles, VotesAreNoLabels) {
    Dataset dataset;
    for (const char* id : {"a.png", "b.png", "c.png"}) dataset.ids.append(id);
    const ClassList classes({"cat", "dog"});
    const auto labels = [&](const std::filesystem::path& file) {
        return read_label_sets(file, dataset, classes);
    };
    for (const char* name : {"which.json", "which.min.json", "which.csv", "yesno.json"}) {
        const std::filesystem::path file = label_studio(name);
        EXPECT_THAT(
            message_of([&] { labels(file); }),
            HasSubstr("assay labels aggregate " + file.string() + " --label-sets labels.json"));
        EXPECT_THAT(message_of([&] { open_labelled(file, classes); }),
                    HasSubstr("Disagreement is not several valid labels"));
    }
    // A tool's file with one annotator for each image can be read as labels.
    const std::string one =
        R"([{"image":"/data/upload/1/1a2b3c4d-a.png","annotator":1,"choice":"dog"},{"image":"c.png","annotator":2,"choice":"cat"}])";
    const LabelSets sets = labels(write(folder_ / "one.json", one));
    EXPECT_THAT(std::vector(sets[0].begin(), sets[0].end()), ElementsAre(1));
    EXPECT_TRUE(sets[1].empty());
    EXPECT_THAT(std::vector(sets[2].begin(), sets[2].end()), ElementsAre(0));
    EXPECT_EQ(open_labelled(folder_ / "one.json", {}).size(), 2U);
    // The same holds for a table in which each image has one annotator.
    const LabelSets table =
        labels(write(folder_ / "one.csv", "image,label,user\na.png,dog,u\nb.png,cat,v\n"));
    EXPECT_EQ(table.labels(), 2U);
    // The format that was detected is reported once.
    std::vector<std::string> notes;
    open_labelled(folder_ / "one.json", {}, &notes);
    EXPECT_THAT(notes, ElementsAre(HasSubstr("JSON list of votes")));
}

TEST_F(CrowdFiles, ListsThatNamePeopleAreLists) {
    Dataset dataset;
    for (const char* id : {"a.png", "b.png"}) dataset.ids.append(id);
    const ClassList classes({"cat", "dog"});
    const auto labels = [&](const std::string& text) {
        return read_label_sets(write(folder_ / "list.csv", text), dataset, classes).labels();
    };
    // No column has a name that votes use.
    EXPECT_EQ(labels("image,species,user\na.png,cat,u\nb.png,dog,v\n"), 2U);
    EXPECT_EQ(labels("image,user,cat,dog\na.png,u,1,0\nb.png,u,0,1\n"), 2U);
    EXPECT_EQ(labels("image,label,user,score\na.png,cat,u,1\nb.png,dog,v,2\n"), 2U);
    EXPECT_THAT(message_of([&] { labels("image,species,user\na.png,cat,u\na.png,dog,v\n"); }),
                HasSubstr("`u` and `v` both labelled `a.png`"));
}

TEST_F(CrowdFiles, PosteriorsAndCurvesKeepNoTies) {
    options_.method = "majority";
    options_.against = write(folder_ / "experts.csv", "annotator,item,label\nx,p,cat\nx,q,cat\n");
    const Aggregation found = settle(
        write(folder_ / "v.csv", "annotator,item,label\na,p,cat\nb,p,dog\na,q,cat\nb,q,cat\n"));
    EXPECT_EQ(found.ties, 1U);
    EXPECT_THAT(posterior_csv(found),
                HasSubstr("p,cat,1,0,1,0.5,0\np,dog,1,0,1,0.5,0\nq,cat,0,0,2,1,1\n"));
    ASSERT_EQ(found.curve->points.size(), 1U);
    EXPECT_EQ(found.curve->points[0].kept, 1U);
    EXPECT_EQ(found.comparison->only_second, 1U);
}

TEST_F(CrowdFiles, VotesAgreeWithThemselves) {
    // Two of four chose cat: the most votes, but not a majority.
    options_.against =
        write(folder_ / "v.csv", "annotator,item,label\na,p,cat\nb,p,cat\nc,p,dog\nd,p,bird\n");
    const Aggregation found = settle(options_.against);
    EXPECT_EQ(found.comparison->both_accept, 1U);
    EXPECT_EQ(found.comparison->both_reject, 2U);
    EXPECT_EQ(found.comparison->same_set, 1U);
    // If an expert names another class, these classes are rejected.
    options_.against = write(folder_ / "experts.csv", "annotator,item,label\nx,p,fox\n");
    const Aggregation other = settle(folder_ / "v.csv");
    EXPECT_EQ(other.comparison->only_first, 1U);
    EXPECT_EQ(other.comparison->both_reject, 2U);
    EXPECT_EQ(other.comparison->same_set, 0U);
}

TEST_F(CrowdFiles, RoundingOfWeightsBreaksNoTie) {
    const Votes votes = read("annotator,item,label\na,p,cat\nb,p,dog\na,q,cat\n");
    std::uint64_t ties = 0;
    const std::vector<double> yes = {0.1 + 0.2, 0.3, 1};
    EXPECT_THAT(most_voted(votes, yes, ties), ElementsAre(0, 0, 1));
    EXPECT_EQ(ties, 1U);
}

TEST_F(CrowdFiles, AFileNameOfTwoImagesIsNoneOfThem) {
    Dataset dataset;
    for (const char* id : {"1.png", "cat/1.png"}) dataset.ids.append(id);
    const Votes votes =
        read("annotator,item,label\na,dog/1.png,cat\na,s3://b/cat/1.png,cat\na,1.png,cat\n");
    EXPECT_THAT(meanings_among(dataset, ClassList({"cat", "dog"}), votes).items,
                ElementsAre(-1, 1, 0));
}

}  // namespace
}  // namespace assay
