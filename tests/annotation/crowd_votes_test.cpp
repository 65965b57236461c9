// Every layout of votes that labelling tools write, with what it says worked out by hand.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "assay/annotation/aggregate_votes.h"
#include "assay/annotation/label_stats.h"
#include "assay/error.h"
#include "core/file.h"
#include "data/crowd/crowd.h"
#include "made_votes.h"
#include "message_of.h"
#include "scratch.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;
using Cells = std::vector<std::vector<std::string>>;

struct Heard {
    std::multiset<std::string> votes;  ///< "annotator|image|class asked|answer"
    std::vector<std::string> problems;
    crowd::Reading reading;
    std::string notes() const { return fmt::format("{}", fmt::join(reading.notes, "\n")); }
};

Heard hear(const std::string& text) {
    Heard out;
    const crowd::Sink sink{
        .take =
            [&](const crowd::Vote& vote, const crowd::Where& where) {
                EXPECT_FALSE(where().empty());
                out.votes.insert(
                    fmt::format("{}|{}|{}|{}", vote.annotator, vote.item, vote.label, vote.answer));
            },
        .problem =
            [&](std::string_view kind, const crowd::Where& message) {
                out.problems.push_back(fmt::format("{}: {}", kind, message()));
            }};
    out.reading = crowd::read_votes(text, "votes", sink);
    return out;
}

std::string table_of(const Cells& rows, char delimiter) {
    std::string out;
    for (const auto& row : rows) {
        for (std::size_t c = 0; c < row.size(); ++c) {
            std::string quoted;
            for (const char ch : row[c])
                quoted += ch == '"' ? std::string("\"\"") : std::string(1, ch);
            out += fmt::format("{}\"{}\"", c == 0 ? "" : std::string(1, delimiter), quoted);
        }
        out += "\n";
    }
    return out;
}

struct TableCase {
    const char* name;
    char delimiter;
    Cells rows;
    std::multiset<std::string> votes;
    std::vector<std::string> needed;  ///< without one of these columns the table is refused
    std::vector<std::string> problems;
};

const std::vector<TableCase>& table_cases() {
    static const std::vector<TableCase> cases = {
        {"long, yes/no",
         ',',
         {{"annotator", "item", "label", "answer", "at"},
          {"anna", "a.png", "cat", "yes", "1"},
          {"bert", "a.png", "cat", "no", "2"}},
         {"anna|a.png|cat|yes", "bert|a.png|cat|no"},
         {"annotator", "item"},
         {}},
        {"long, which class, as crowd-kit",
         '\t',
         {{"task", "worker", "label"}, {"a.png", "w1", "cat"}, {"a.png", "w2", "dog"}},
         {"w1|a.png||cat", "w2|a.png||dog"},
         {"task", "worker", "label"},
         {}},
        {"semicolons of a spreadsheet",
         ';',
         {{"image", "rater", "class", "vote"}, {"a.png", "r1", "cat", "1"}},
         {"r1|a.png|cat|1"},
         {"image", "rater"},
         {}},
        {"a column per person, which class",
         ',',
         {{"image", "rater_1", "rater_2", "rater_3"},
          {"a.png", "cat", "dog", ""},
          {"b.png", "dog", "dog", "cat"}},
         {"rater_1|a.png||cat", "rater_2|a.png||dog", "rater_1|b.png||dog", "rater_2|b.png||dog",
          "rater_3|b.png||cat"},
         {"image"},
         {}},
        {"a column per person, yes/no",
         ',',
         {{"image", "label", "annotator:anna", "annotator:bert"}, {"a.png", "cat", "yes", "no"}},
         {"anna|a.png|cat|yes", "bert|a.png|cat|no"},
         {"image"},
         {}},
        {"a column per class",
         ',',
         {{"image", "annotator", "cat", "dog"},
          {"a.png", "anna", "1", "0"},
          {"a.png", "bert", "", "1"}},
         {"anna|a.png|cat|1", "anna|a.png|dog|0", "bert|a.png|dog|1"},
         {"image", "annotator", "cat", "dog"},
         {}},
        {"Mechanical Turk, a crowd-image-classifier",
         ',',
         {{"HITId", "WorkerId", "AssignmentId", "AssignmentStatus", "Input.image_url",
           "Answer.category.label"},
          {"H1", "W1", "A1", "Approved", "https://x.org/a.png", "cat"},
          {"H1", "W2", "A2", "Rejected", "https://x.org/a.png", "dog"},
          {"H1", "W3", "A3", "Submitted", "https://x.org/a.png", "dog"}},
         {"W1|https://x.org/a.png||cat", "W3|https://x.org/a.png||dog"},
         {"WorkerId", "Input.image_url", "Answer.category.label"},
         {}},
        {"Mechanical Turk, radio buttons, a class asked about",
         ',',
         {{"WorkerId", "Input.image", "Input.label", "Answer.fits.yes", "Answer.fits.no"},
          {"W1", "a.png", "cat", "true", "false"},
          {"W2", "a.png", "cat", "false", "true"},
          {"W3", "a.png", "cat", "true", "true"},
          {"W4", "a.png", "cat", "false", "false"}},
         {"W1|a.png|cat|yes", "W2|a.png|cat|no"},
         {"WorkerId", "Input.image"},
         {"several answers in one: votes line 4: 2 answers (`yes`, `no`); allowed: one"}},
        {"Mechanical Turk, answers in JSON",
         ',',
         {{"WorkerId", "Input.image", "Answer.taskAnswers"},
          {"W1", "a.png", R"([{"category":{"label":"cat"}}])"},
          {"W2", "a.png", R"([{"choice":{"cat":false,"dog":true}}])"}},
         {"W1|a.png||cat", "W2|a.png||dog"},
         {"WorkerId", "Input.image", "Answer.taskAnswers"},
         {}},
        {"Toloka",
         '\t',
         {{"INPUT:image", "OUTPUT:result", "GOLDEN:result", "ASSIGNMENT:worker_id",
           "ASSIGNMENT:status"},
          {"a.png", "cat", "", "w1", "APPROVED"},
          {"a.png", "dog", "", "w2", "REJECTED"},
          {"b.png", "dog", "dog", "w1", "APPROVED"}},
         {"w1|a.png||cat", "w1|b.png||dog"},
         {"INPUT:image", "OUTPUT:result", "ASSIGNMENT:worker_id"},
         {}},
        {"Zooniverse",
         ',',
         {{"classification_id", "user_name", "annotations", "subject_data"},
          {"1", "anna", R"([{"task":"T0","task_label":"What is it?","value":"cat"}])",
           R"({"17":{"retired":null,"#filename":"a.png"}})"},
          {"2", "not-logged-in-1a", R"([{"task":"T0","task_label":"What is it?","value":"dog"}])",
           R"({"17":{"retired":null,"#filename":"a.png"}})"},
          {"3", "bert", R"([{"task":"T0","task_label":"What is it?","value":null}])",
           R"({"18":{"retired":null}})"}},
         {"anna|a.png||cat", "not-logged-in-1a|a.png||dog"},
         {"user_name", "annotations", "subject_data"},
         {}},
    };
    return cases;
}

/// The rows with the columns `order` alone.
Cells columns(const Cells& rows, const std::vector<std::size_t>& order) {
    Cells out;
    for (const auto& row : rows) {
        out.emplace_back();
        for (const std::size_t c : order) out.back().push_back(row[c]);
    }
    return out;
}

TEST(CrowdVotes, TablesOfEveryLayout) {
    for (const TableCase& one : table_cases()) {
        SCOPED_TRACE(one.name);
        const Heard heard = hear(table_of(one.rows, one.delimiter));
        EXPECT_EQ(heard.votes, one.votes);
        EXPECT_EQ(heard.problems, one.problems);
        EXPECT_EQ(hear("\xEF\xBB\xBF" + table_of(one.rows, one.delimiter)).votes, one.votes);
    }
}

TEST(CrowdVotes, TheOrderOfColumnsDoesNotMatter) {
    for (const TableCase& one : table_cases()) {
        SCOPED_TRACE(one.name);
        std::vector<std::size_t> order(one.rows[0].size());
        for (std::size_t c = 0; c < order.size(); ++c) order[c] = order.size() - 1 - c;
        const Heard heard = hear(table_of(columns(one.rows, order), one.delimiter));
        EXPECT_EQ(heard.votes, one.votes);
        EXPECT_EQ(heard.problems.size(), one.problems.size());
    }
}

TEST(CrowdVotes, AColumnThatIsMissingOrThereTwiceIsRefused) {
    for (const TableCase& one : table_cases()) {
        for (const std::string& column : one.needed) {
            SCOPED_TRACE(fmt::format("{}: {}", one.name, column));
            const auto& header = one.rows[0];
            const auto at = static_cast<std::size_t>(
                std::find(header.begin(), header.end(), column) - header.begin());
            ASSERT_LT(at, header.size());
            std::vector<std::size_t> without, twice;
            for (std::size_t c = 0; c < header.size(); ++c) {
                if (c != at) without.push_back(c);
                twice.push_back(c);
            }
            twice.push_back(at);
            EXPECT_THAT(
                message_of([&] { hear(table_of(columns(one.rows, without), one.delimiter)); }),
                HasSubstr("column"));
            EXPECT_THAT(
                message_of([&] { hear(table_of(columns(one.rows, twice), one.delimiter)); }),
                HasSubstr("two columns are named"));
        }
    }
}

TEST(CrowdVotes, WhatWasTakenForWhatIsSaid) {
    const auto notes = [](const char* name) {
        for (const TableCase& one : table_cases())
            if (std::string_view(one.name) == name)
                return hear(table_of(one.rows, one.delimiter)).notes();
        return std::string();
    };
    EXPECT_EQ(notes("long, yes/no"),
              "votes: table of votes; image: column item; annotator: column annotator; class asked "
              "about: column label; answer: column answer; not used: at");
    EXPECT_THAT(notes("Mechanical Turk, a crowd-image-classifier"),
                HasSubstr("class chosen: column Answer.category.label; not used: HITId, "
                          "AssignmentId\nvotes: not counted: 1 rejected assignments"));
    EXPECT_THAT(notes("Toloka"), HasSubstr("1 rows are of control tasks"));
    EXPECT_THAT(notes("Zooniverse"), HasSubstr("else the subject's number"));
    EXPECT_THAT(notes("Zooniverse"), HasSubstr("not counted: 1 without an answer"));
}

TEST(CrowdVotes, OneReadingMustBePlausible) {
    EXPECT_THAT(
        message_of([] { hear("WorkerId,Input.a,Input.b,Answer.x\nw,1,2,cat\n"); }),
        HasSubstr("which of the columns Input.a, Input.b is the image? Name it input.image"));
    EXPECT_THAT(message_of([] { hear("WorkerId,Input.a,Answer.x,Answer.y\nw,1,2,cat\n"); }),
                HasSubstr("which of the columns Answer.x, Answer.y is the answer?"));
    EXPECT_THAT(message_of([] { hear("image,annotator,species\na,b,cat\n"); }),
                HasSubstr("Name that column label"));
    const std::string two =
        R"("[{""task"":""T0"",""value"":""a""},{""task"":""T1"",""value"":""b""}]")";
    EXPECT_THAT(message_of([&] {
                    hear("user_name,annotations,subject_data\nx," + two +
                         R"(,"{""1"":{""file"":""a""}}")" + "\n");
                }),
                HasSubstr("answers to two tasks, `T0` and `T1`"));
    EXPECT_THAT(message_of([] { hear("[1, 2]"); }), HasSubstr("no known export of votes"));
    EXPECT_THAT(message_of([] { hear("[{\"data\":"); }), HasSubstr("JSON"));
    EXPECT_THAT(message_of([] { hear(""); }), HasSubstr("empty"));
}

struct TextCase {
    const char* name;
    crowd::Layout layout;
    std::string text;
    std::multiset<std::string> votes;
};

const std::string manifest_line =
    R"({"source-ref":"s3://b/a.png","job":0,"job-metadata":{"class-name":"cat","human-annotated":"yes","type":"groundtruth/image-classification"}})";

std::vector<TextCase> text_cases() {
    return {
        {"Label Studio's JSON",
         crowd::Layout::label_studio,
         R"([{"id":1,"data":{"image":"a.png"},"drafts":[{}],"predictions":[{},{}],"annotations":[)"
         R"({"completed_by":{"id":3,"email":"a@x.org"},"result":[{"type":"choices","from_name":"c","value":{"choices":["cat"]}}]},)"
         R"({"completed_by":4,"was_cancelled":true,"result":[{"type":"choices","from_name":"c","value":{"choices":["dog"]}}]},)"
         R"({"completed_by":6,"deleted":true,"result":[{"type":"choices","from_name":"c","value":{"choices":["dog"]}}]},)"
         R"({"completed_by":5,"result":[]}]}])",
         {"a@x.org|a.png||cat"}},
        {"its JSON-MIN",
         crowd::Layout::records,
         R"([{"annotator":1,"choice":"cat","image":"a.png","lead_time":1.5},{"image":"a.png","annotator":2,"choice":"dog"}])",
         {"1|a.png||cat", "2|a.png||dog"}},
        {"Ground Truth's manifest",
         crowd::Layout::ground_truth,
         manifest_line + "\n" +
             R"({"source-ref":"s3://b/b.png","job":1,"job-metadata":{"class-name":"dog","human-annotated":"no"}})" +
             "\n" +
             R"({"source-ref":"s3://b/c.png","boxes":{},"boxes-metadata":{"class-map":{"0":"dog"},"type":"groundtruth/object-detection"}})",
         {"job|s3://b/a.png||cat"}},
        {"Ground Truth's workers",
         crowd::Layout::consolidation,
         R"([{"datasetObjectId":"0","dataObject":{"s3Uri":"s3://b/a.png"},"annotations":[)"
         R"({"workerId":"w1","annotationData":{"content":"{\"crowd-image-classifier\":{\"label\":\"cat\"}}"}},)"
         R"({"workerId":"w2","annotationData":{"content":"{\"crowd-image-classifier\":{\"label\":\"dog\"}}"}}]}])",
         {"w1|s3://b/a.png||cat", "w2|s3://b/a.png||dog"}},
        {"Datumaro",
         crowd::Layout::datumaro,
         R"({"info":{},"categories":{"label":{"labels":[{"name":"cat"},{"name":"dog"}]}},"items":[)"
         R"({"id":"a","image":{"path":"a.png"},"annotations":[{"type":"label","label_id":1,"attributes":{"annotator":"anna"}},)"
         R"({"type":"bbox","label_id":0},{"type":"label","label_id":0}]}]})",
         {"anna|a.png||dog", "votes|a.png||cat"}},
        {"CVAT",
         crowd::Layout::cvat,
         "<?xml version=\"1.0\"?><annotations><version>1.1</version><!-- <tag label='no'/> -->"
         "<image id=\"0\" name=\"a &amp; b.png\" width=\"1\" height=\"1\">"
         "<tag label=\"cat\" source=\"manual\"><attribute name=\"annotator\">anna</attribute></tag>"
         "<tag label=\"dog\" source=\"auto\"></tag><box label=\"x\"></box></image>"
         "<image name='b.png'><tag label='dog'/></image></annotations>",
         {"anna|a & b.png||cat", "votes|b.png||dog"}},
    };
}

TEST(CrowdVotes, TextsOfEveryLayout) {
    for (const TextCase& one : text_cases()) {
        SCOPED_TRACE(one.name);
        EXPECT_EQ(crowd::layout_of(one.text), one.layout);
        const Heard heard = hear(one.text);
        EXPECT_EQ(heard.votes, one.votes);
        EXPECT_THAT(heard.problems, IsEmpty());
        EXPECT_TRUE(heard.reading.which_class);
        // Cut anywhere, it is an error or votes that are there, never others.
        for (std::size_t end = 0; end < one.text.size(); ++end) {
            try {
                const Heard cut = hear(one.text.substr(0, end));
                EXPECT_TRUE(std::includes(one.votes.begin(), one.votes.end(), cut.votes.begin(),
                                          cut.votes.end()));
            } catch (const Error& error) {
                EXPECT_EQ(error.code(), ErrorCode::bad_input);
            }
        }
    }
}

TEST(CrowdVotes, AColumnThatMayBeTheAnswerIsAskedAbout) {
    for (const char* name : {"selected", "anwser", "Correct"}) {
        EXPECT_THAT(
            message_of([&] { hear(fmt::format("annotator,image,label,{}\na,p,cat,0\n", name)); }),
            HasSubstr(fmt::format("is column {} the answer to whether label fits", name)));
    }
    EXPECT_EQ(hear("annotator,image,label,note,time\na,p,cat,x,1\n").votes.size(), 1U);
    // By what it holds, as a control of Label Studio may have any name.
    EXPECT_THAT(message_of([] { hear("annotator,image,label,q1\na,p,cat,no\nb,p,cat,yes\n"); }),
                HasSubstr("is column q1 the answer"));
    EXPECT_THAT(
        message_of([] { hear(R"([{"annotator":1,"image":"p","label":"cat","q1":"No"}])"); }),
        HasSubstr("is `q1` the answer to whether `label` fits"));
}

TEST(CrowdVotes, OtherFilesAreNone) {
    using namespace std::string_view_literals;
    for (const std::string_view text :
         {"image,label\na.png,cat\n"sv, "cat\ndog\n"sv, "0 1\n2\n"sv, "[[0], [1, 2]]"sv,
          R"({"a.png": 1, "b.png": [0, 2]})"sv, R"([{"image": "a.png", "label": "cat"}])"sv,
          R"({"classes": ["cat"], "labels": {"a": 0, "items": 0, "categories": 0}})"sv,
          R"({"images": [], "annotations": [], "categories": []})"sv, "\xFF\xFEi\0,\0"sv,
          "\x93NUMPY\x01\0v\0"sv, "image,label,\xE9\na.png,cat,\xE9\n"sv, "<html></html>"sv, ""sv})
        EXPECT_EQ(crowd::layout_of(text), crowd::Layout::none) << text;
}

TEST(CrowdVotes, WholeNumbersMayHaveAPoint) {
    EXPECT_THAT(hear(R"([{"image":"a","annotator":1.0,"choice":2.0}])").votes,
                ElementsAre("1|a||2"));
}

TEST(CrowdVotes, FieldsThatAreMissingOrThereTwiceAreRefused) {
    const auto refused = [](const std::string& text) { return message_of([&] { hear(text); }); };
    EXPECT_THAT(refused(R"([{"data":{"x":1,"y":2},"annotations":[]}])"),
                HasSubstr("name it image"));
    EXPECT_THAT(refused(R"([{"data":{"image":"a"},"annotations":[]},{"data":{"image":"a"}}])"),
                HasSubstr("no task of Label Studio"));
    EXPECT_THAT(refused(R"([{"data":{"image":"a"},"data":{"image":"b"},"annotations":[]}])"),
                HasSubstr("key `data` appears twice"));
    EXPECT_THAT(
        refused(
            R"([{"image":"a","label":"cat","annotator":1,"answer":"yes"},{"image":"a","annotator":1,"answer":"cat"}])"),
        HasSubstr("it names no class that was asked about"));
    EXPECT_THAT(refused(manifest_line + "\n{\"x\":3}"), HasSubstr("source-ref"));
    EXPECT_THAT(refused(R"([{"datasetObjectId":"0","dataObject":{},"annotations":[]}])"),
                HasSubstr("s3Uri"));
    EXPECT_THAT(
        refused(
            R"({"categories":{"label":{"labels":[{"name":"cat"}]}},"items":[{"id":"a","annotations":[{"type":"label","label_id":1}]}]})"),
        HasSubstr("`label_id` is 1; allowed: 0 to 0"));
    EXPECT_THAT(refused(R"({"categories":{},"items":[]})"), HasSubstr("no classes"));
    EXPECT_THAT(refused("<annotations><image><tag label='a'/></image></annotations>"),
                HasSubstr("an image without a name"));
    EXPECT_THAT(refused("<annotations><image name='a'><tag/></image></annotations>"),
                HasSubstr("without a label"));
    EXPECT_THAT(refused("<annotations><image name='a'>"), HasSubstr("cut off"));
}

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
        const Aggregation found = settle(label_studio(name));
        EXPECT_TRUE(found.votes.which_class);
        EXPECT_EQ(found.options.method, "majority");
        EXPECT_EQ(found.votes.read, 7U);
        EXPECT_EQ(found.votes.used(), 7U);
        EXPECT_EQ(found.votes.problems.total(), 0U);
        EXPECT_EQ(found.ties, 1U);
        const auto expected = std::map<std::string, std::vector<std::string>>{
            {"a.png", {"cat"}}, {"b.png", {"dog"}}, {"c.png", {}}};
        EXPECT_EQ(sets(found), expected);
        // Of the pairs of answers 1 of 3 agree at a, 1 of 1 at b, 0 of 1 at c; the answers are 3
        // cats and 4 dogs. kappa = (4/9 - 25/49) / (1 - 25/49) = (-29/441) / (216/441).
        ASSERT_TRUE(found.agreement.fleiss_kappa.value);
        EXPECT_NEAR(*found.agreement.fleiss_kappa.value, -29.0 / 216, 1e-12);
    }
}

TEST_F(CrowdFiles, LabelStudioExportsOfYesAndNoAreAlike) {
    options_.method = "majority";
    for (const char* name : {"yesno.json", "yesno.min.json", "yesno.csv", "yesno.tsv"}) {
        SCOPED_TRACE(name);
        const Aggregation found = settle(label_studio(name));
        EXPECT_FALSE(found.votes.which_class);
        EXPECT_EQ(found.votes.read, 5U);
        // cat: yes, yes, no; dog: no, no (and one that was cancelled).
        EXPECT_THAT(sets(found).at("a.png"), ElementsAre("cat"));
    }
}

TEST_F(CrowdFiles, ZeroAndOneAreNoAndYes) {
    const std::string header = "annotator,item,label,answer\n";
    const Votes two = read(header + "a,p,cat,1\nb,p,cat,0\nc,p,cat,1.0\n");
    EXPECT_THAT(two.codes, ElementsAre(2U, 3U, 8U));  // yes; no; yes
    EXPECT_THAT(two.notes.back(), HasSubstr("read as no and yes"));
    const Votes three = read(header + "a,p,cat,1\nb,p,cat,0\nc,p,cat,2\n");
    EXPECT_THAT(three.codes, ElementsAre(1U, 3U, 8U));  // maybe; no; yes
    EXPECT_EQ(three.notes.size(), 1U);
    const Votes words = read(header + "a,p,cat,true\nb,p,cat,N\nc,p,cat,unsure\n");
    EXPECT_THAT(words.codes, ElementsAre(2U, 3U, 7U));
    // Without a class that was asked about they are two classes.
    EXPECT_TRUE(read("annotator,item,answer\na,p,1\nb,p,0\n").which_class);
}

TEST_F(CrowdFiles, AnswersOfNoKnownSpellingAreRefused) {
    EXPECT_THAT(
        message_of([&] { read("annotator,item,label,answer\na,p,cat,perhaps\n"); }),
        HasSubstr("none of 1 answer is known (the first is `perhaps`); allowed: no, maybe, yes"));
    EXPECT_THAT(message_of([&] {
                    settle(write(folder_ / "v.csv", "annotator,item,answer\na,p,yes\nb,p,no\n"));
                }),
                HasSubstr("nothing names the class that was asked about"));
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
    // What one annotator said of each image in a tool are labels.
    const std::string one =
        R"([{"image":"/data/upload/1/1a2b3c4d-a.png","annotator":1,"choice":"dog"},{"image":"c.png","annotator":2,"choice":"cat"}])";
    const LabelSets sets = labels(write(folder_ / "one.json", one));
    EXPECT_THAT(std::vector(sets[0].begin(), sets[0].end()), ElementsAre(1));
    EXPECT_TRUE(sets[1].empty());
    EXPECT_THAT(std::vector(sets[2].begin(), sets[2].end()), ElementsAre(0));
    EXPECT_EQ(open_labelled(folder_ / "one.json", {}).size(), 2U);
    // So is a table in which each image has one annotator.
    const LabelSets table =
        labels(write(folder_ / "one.csv", "image,label,user\na.png,dog,u\nb.png,cat,v\n"));
    EXPECT_EQ(table.labels(), 2U);
    // What was read as what is said once.
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
    // None of the columns is called as in votes.
    EXPECT_EQ(labels("image,species,user\na.png,cat,u\nb.png,dog,v\n"), 2U);
    EXPECT_EQ(labels("image,user,cat,dog\na.png,u,1,0\nb.png,u,0,1\n"), 2U);
    EXPECT_EQ(labels("image,label,user,score\na.png,cat,u,1\nb.png,dog,v,2\n"), 2U);
    EXPECT_THAT(message_of([&] { labels("image,species,user\na.png,cat,u\na.png,dog,v\n"); }),
                HasSubstr("`u` and `v` both labelled `a.png`"));
}

TEST_F(CrowdFiles, PosteriorsAndCurvesKeepNoTies) {
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
    // Two of four chose cat: most votes, and no majority.
    options_.against =
        write(folder_ / "v.csv", "annotator,item,label\na,p,cat\nb,p,cat\nc,p,dog\nd,p,bird\n");
    const Aggregation found = settle(options_.against);
    EXPECT_EQ(found.comparison->both_accept, 1U);
    EXPECT_EQ(found.comparison->both_reject, 2U);
    EXPECT_EQ(found.comparison->same_set, 1U);
    // Whoever names another class rejects these.
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
