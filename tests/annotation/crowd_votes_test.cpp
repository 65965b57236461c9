// Every layout of votes that labelling tools write, with the votes derived by hand.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "assay/error.h"
#include "data/crowd/crowd.h"
#include "message_of.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
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
    std::vector<std::string> needed;  ///< columns without which the table is refused
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
         // The columns of toloka.ai/docs/guide/result-of-eval.
         {{"INPUT:image", "OUTPUT:result", "GOLDEN:result", "HINT:text", "ASSIGNMENT:link",
           "ASSIGNMENT:assignment_id", "ASSIGNMENT:worker_id", "ASSIGNMENT:started",
           "ASSIGNMENT:status"},
          {"a.png", "cat", "", "", "l1", "1", "w1", "2020-01-01T10:00:00.000", "APPROVED"},
          {"a.png", "dog", "", "", "l2", "2", "w2", "2020-01-01T10:01:00.000", "REJECTED"},
          {"b.png", "dog", "dog", "", "l3", "3", "w1", "2020-01-01T10:02:00.000", "APPROVED"}},
         {"w1|a.png||cat", "w1|b.png||dog"},
         {"INPUT:image", "OUTPUT:result", "ASSIGNMENT:worker_id"},
         {}},
        {"Zooniverse",
         ',',
         // The columns of help.zooniverse.org/next-steps/data-exports.
         {{"classification_id", "user_name", "user_id", "user_ip", "workflow_id", "workflow_name",
           "workflow_version", "created_at", "gold_standard", "expert", "metadata", "annotations",
           "subject_data", "subject_ids"},
          {"1", "anna", "7", "1a2b", "3", "Animals", "4.2", "2026-01-01 10:00:00 UTC", "", "",
           R"({"source":"api"})", R"([{"task":"T0","task_label":"What is it?","value":"cat"}])",
           R"({"17":{"retired":null,"#filename":"a.png"}})", "17"},
          {"2", "not-logged-in-1a", "", "1a2c", "3", "Animals", "4.2", "2026-01-01 10:00:01 UTC",
           "", "", R"({"source":"api"})",
           R"([{"task":"T0","task_label":"What is it?","value":"dog"}])",
           R"({"17":{"retired":null,"#filename":"a.png"}})", "17"},
          {"3", "bert", "8", "1a2d", "3", "Animals", "4.2", "2026-01-01 10:00:02 UTC", "", "",
           R"({"source":"api"})", R"([{"task":"T0","task_label":"What is it?","value":null}])",
           R"({"18":{"retired":null}})", "18"}},
         {"anna|a.png||cat", "not-logged-in-1a|a.png||dog"},
         {"annotations", "subject_data"},  // without user_name, user_id is the annotator
         {}},
    };
    return cases;
}

/// The rows with only the columns in `order`.
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
    EXPECT_THAT(notes("Toloka"), HasSubstr("1 rows belong to control tasks"));
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
    EXPECT_THAT(message_of([] { hear("\n\n{\"data\":]}"); }), HasSubstr("line 3, column 9"));
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
        // If the file is cut at any position, the result is an error or a part of its votes, never
        // other votes.
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
    // The column is recognized by its values, because a control of Label Studio may have any name.
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

}  // namespace
}  // namespace assay
