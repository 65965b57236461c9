// Reads answers from exports of Label Studio (fixtures in its formats, version 1.13).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "../message_of.h"
#include "assay/mad/questions.h"
#include "core/json_events.h"
#include "mad/answer_readers.h"
#include "small_competition.h"

namespace assay::mad {
namespace {

using nlohmann::json;
using questions_test::SmallCompetition;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::filesystem::path fixture(const std::string& name) {
    return std::filesystem::path(ASSAY_SOURCE_DIR) / "tests/mad/fixtures" / name;
}

/// The competition to which the fixtures belong.
struct LabelledCompetition {
    SmallCompetition small{3};

    LabelledCompetition() {
        small.select(6);
        ask_questions(*small);
    }
    AnswerRound take(const std::filesystem::path& file) {
        return read_answers_into(*small, {.file = file, .annotator = {}});
    }
    std::string refused(const json& tasks) {
        const auto file = small.write("export.json", tasks.dump());
        return message_of([&] { take(file); });
    }
    /// The image, label, annotator and answer of all answers that count.
    std::vector<std::string> all() {
        std::vector<std::string> said;
        Statement row = small.database().prepare(
            "SELECT image.id, label, annotator.name, answer, at FROM answer "
            "JOIN question ON question.id = question JOIN image ON number = image "
            "JOIN annotator ON annotator.id = annotator WHERE counts = 1 ORDER BY 1, 2, 3");
        while (row.step())
            said.push_back(fmt::format("{} {} {}: {} {}", row.text(0), row.integer(1), row.text(2),
                                       name_of(static_cast<Answer>(row.count(3, 2))),
                                       row.text(4).substr(11, 9)));
        return said;
    }
};

const auto expected_answers = [] {
    return ElementsAre(
        "=1+1.jpg 0 1: cannot say 08:04:00.", "crawl/image 001.jpg 2 1: yes 08:01:00.",
        "crawl/image 001.jpg 2 2: no 08:02:00.", "crawl/image 005.jpg 0 cleo@x.org: yes 08:06:00.",
        "crawl/image 009.jpg 4 1: no 08:07:00.");
};

TEST(MadLabelStudio, EachFormatGivesTheSameAnswers) {
    // Only JSON has the cancelled annotation, the draft, and the task without annotations.
    const std::pair<const char*, std::uint64_t> formats[] = {
        {"label_studio.json", 3}, {"label_studio_min.json", 0}, {"label_studio.csv", 0}};
    for (const auto& [name, skipped] : formats) {
        LabelledCompetition labelled;
        const AnswerRound round = labelled.take(fixture(name));
        EXPECT_EQ(round.read, 5U) << name;
        EXPECT_EQ(round.added, 5U) << name;
        EXPECT_EQ(round.skipped, skipped) << name;
        EXPECT_THAT(labelled.all(), expected_answers()) << name;
    }
}

TEST(MadAnswers, OfServicesAndOfAColumnPerPerson) {
    const auto answers = [](const std::string& text) {
        std::vector<std::string> out;
        AnswerSink sink;
        sink.found = [&](const FoundAnswer& found) {
            out.push_back(fmt::format("{} {} {} {}", found.annotator, found.image, found.label,
                                      name_of(found.answer)));
        };
        read_found_answers(text, "answers", sink);
        return out;
    };
    EXPECT_THAT(answers("WorkerId,AssignmentStatus,Input.image,Input.label,Answer.answer\n"
                        "w1,Approved,a.png,cat,Yes\nw2,Rejected,a.png,cat,No\n"),
                ElementsAre("w1 a.png cat yes"));
    EXPECT_THAT(answers("INPUT:image\tINPUT:label\tOUTPUT:answer\tASSIGNMENT:worker_id\n"
                        "a.png\tcat\t0\tw1\n"),
                ElementsAre("w1 a.png cat no"));
    EXPECT_THAT(answers("image,label,annotator:anna,annotator:bert\na.png,cat,?,\n"),
                ElementsAre("anna a.png cat cannot say"));
    EXPECT_THAT(message_of([&] {
                    answers("WorkerId,Input.image,Input.label,Answer.answer\nw,a.png,cat,purr\n");
                }),
                HasSubstr("answers line 2: the answer is `purr`; allowed: yes, no, cannot say"));
    EXPECT_THAT(message_of([&] { answers("WorkerId,Input.image,Answer.x\nw,a.png,cat\n"); }),
                HasSubstr("the answer is the class `cat`"));
}

TEST(MadLabelStudio, OneExportInThreeFormatsIsOne) {
    LabelledCompetition labelled;
    labelled.take(fixture("label_studio.json"));
    for (const char* name : {"label_studio_min.json", "label_studio.csv", "label_studio.json"}) {
        const AnswerRound round = labelled.take(fixture(name));
        EXPECT_EQ(round.repeated, 5U) << name;
        EXPECT_EQ(round.added + round.changed + round.outdated, 0U) << name;
    }
    EXPECT_EQ(labelled.small.count("answer"), 5);
}

TEST(MadLabelStudio, AnAnnotationThatIsEditedCountsAnew) {
    LabelledCompetition labelled;
    labelled.take(fixture("label_studio.json"));
    json tasks = json::parse(read_text(fixture("label_studio.json")));
    json& annotation = tasks[0]["annotations"][0];
    annotation["result"][0]["value"]["choices"] = {"No"};
    annotation["updated_at"] = "2026-11-21T08:00:00.000000Z";
    const AnswerRound round = labelled.take(labelled.small.write("edited.json", tasks.dump()));
    EXPECT_EQ(round.changed, 1U);
    EXPECT_EQ(round.repeated, 4U);
    EXPECT_EQ(labelled.small.count("answer WHERE counts = 0"), 1);
    // If the older export is read again, nothing is restored.
    EXPECT_EQ(labelled.take(fixture("label_studio.json")).repeated, 5U);
    EXPECT_EQ(labelled.small.count("answer WHERE counts = 1 AND answer = 1"), 1);
}

TEST(MadLabelStudio, AnAnnotationIsOneWhoeverItIsSaidToBeBy) {
    LabelledCompetition labelled;
    labelled.take(fixture("label_studio.json"));
    const std::vector<std::string> before = labelled.all();
    json tasks = json::parse(read_text(fixture("label_studio.json")));
    json& annotation = tasks[0]["annotations"][0];
    annotation["completed_by"] = {{"id", 1}, {"email", "anna@x.org"}};
    annotation["result"][0]["value"]["choices"] = {"No"};
    annotation["updated_at"] = "2026-11-21T09:00:00.000000Z";
    const auto edited = labelled.small.write("edited.json", tasks.dump());
    AnswerRound round = labelled.take(edited);
    EXPECT_EQ(round.changed, 1U);
    EXPECT_EQ(round.added, 0U);
    std::vector<std::string> expected = before;
    *std::find(expected.begin(), expected.end(), "crawl/image 001.jpg 2 1: yes 08:01:00.") =
        "crawl/image 001.jpg 2 anna@x.org: no 09:00:00.";
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(labelled.all(), expected);
    EXPECT_EQ(labelled.take(fixture("label_studio.json")).repeated, 5U);
    EXPECT_EQ(labelled.all(), expected);
    // The same with the newer version first.
    LabelledCompetition other;
    other.take(edited);
    round = other.take(fixture("label_studio.json"));
    EXPECT_EQ(round.outdated, 1U);
    EXPECT_EQ(round.repeated, 4U);
    EXPECT_EQ(other.all(), expected);
    // Annotation 1 of another server is a different annotation.
    annotation["completed_by"] = "dora@x.org";
    annotation["created_at"] = "2026-11-21T07:59:59.123456Z";
    annotation["updated_at"] = "2026-11-21T10:00:00.000000Z";
    EXPECT_EQ(other.take(other.small.write("server.json", tasks.dump())).added, 1U);
    EXPECT_EQ(other.all().size(), 6U);
}

TEST(MadLabelStudio, WhatIsTakenBackCountsNoMore) {
    for (const char* how : {"was_cancelled", "deleted", "result"}) {
        LabelledCompetition labelled;
        labelled.take(fixture("label_studio.json"));
        std::vector<std::string> expected = labelled.all();
        json tasks = json::parse(read_text(fixture("label_studio.json")));
        json& annotation = tasks[0]["annotations"][0];
        annotation[how] = std::string(how) == "result" ? json::array() : json(true);
        // An older version does not revoke answers.
        annotation["updated_at"] = "2026-11-20T08:01:00.150000Z";
        EXPECT_EQ(labelled.take(labelled.small.write("older.json", tasks.dump())).taken_back, 0U);
        EXPECT_EQ(labelled.all(), expected);
        annotation["updated_at"] = "2026-11-21T08:00:00Z";
        const auto newer = labelled.small.write("newer.json", tasks.dump());
        AnswerRound round = labelled.take(newer);
        EXPECT_EQ(round.taken_back, 1U);
        EXPECT_EQ(round.skipped, 4U);
        EXPECT_EQ(round.repeated, 4U);
        EXPECT_EQ(report_of(round).result["files"][0]["taken_back"], 1);
        expected.erase(
            std::find(expected.begin(), expected.end(), "crawl/image 001.jpg 2 1: yes 08:01:00."));
        EXPECT_EQ(labelled.all(), expected);
        const std::int64_t rows = labelled.small.count("answer");
        EXPECT_EQ(labelled.take(newer).taken_back, 0U);
        labelled.take(fixture("label_studio.json"));
        EXPECT_EQ(labelled.all(), expected);
        EXPECT_EQ(labelled.small.count("answer"), rows);
        // A version between both is not restored, either, nor through an exported table.
        json between = json::parse(read_text(fixture("label_studio.json")));
        between[0]["annotations"][0]["updated_at"] = "2026-11-20T12:00:00Z";
        EXPECT_EQ(labelled.take(labelled.small.write("between.json", between.dump())).outdated, 1U);
        EXPECT_EQ(labelled.all(), expected);
        const auto out = labelled.small.file("out");
        export_competition(*labelled.small, out);
        LabelledCompetition fresh;
        fresh.take(out / "answers.csv");
        EXPECT_EQ(fresh.all(), expected);
        // If an annotator submits the annotation again, the answer counts again.
        between[0]["annotations"][0]["updated_at"] = "2026-11-22T08:00:00Z";
        EXPECT_EQ(labelled.take(labelled.small.write("again.json", between.dump())).added, 1U);
        EXPECT_EQ(labelled.all().size(), expected.size() + 1);
    }
}

TEST(MadLabelStudio, AnotherControlMayBeCalledLabel) {
    LabelledCompetition labelled;
    json rows = json::parse(read_text(fixture("label_studio_min.json")));
    rows[0]["label"] = json::array({{{"x", 1}, {"rectanglelabels", {"dog"}}}});
    rows[1]["image"] = {{"choices", {"sharp", "dark"}}};
    rows[1].erase("image_id");
    const auto file = labelled.small.write("boxes.json", rows.dump());
    EXPECT_EQ(labelled.take(file).added, 5U);
    EXPECT_THAT(labelled.all(), expected_answers());
    rows[0]["question_id"] = "q0";
    EXPECT_THAT(labelled.refused(rows),
                AllOf(HasSubstr("task 1 (id 41): `q0` is not a question of"),
                      HasSubstr("and `label` is [")));
    rows[0].erase("question_id");
    rows[0].erase("question");
    EXPECT_THAT(labelled.refused(rows), HasSubstr(".label` is ["));
}

TEST(MadLabelStudio, AnExportComesBackThroughJsonAlone) {
    LabelledCompetition labelled;
    labelled.take(fixture("label_studio.json"));
    const std::vector<std::string> before = labelled.all();
    const auto out = labelled.small.file("out");
    export_competition(*labelled.small, out);
    json tasks = json::parse(read_text(out / "annotations.json"));
    json rows = json::array();
    std::string csv = "annotation_id,annotator,answer,question_id,exported_annotations\n";
    int number = 500;
    // The task in the form that Label Studio has after an import.
    for (json& task : tasks) {
        const json data = task["data"];
        EXPECT_EQ(data.contains("exported_annotations"), !task["annotations"].empty());
        for (json& annotation : task["annotations"]) {
            annotation["id"] = ++number;
            annotation["completed_by"] = 7;
            json row = data;
            row.update({{"annotator", 7}, {"annotation_id", number}, {"answer", "No"}});
            rows.push_back(row);
            csv += fmt::format("{},7,No,{},{}\n", number, data["question_id"].get<std::string>(),
                               data["exported_annotations"].dump());
        }
    }
    ASSERT_EQ(rows.size(), 5U);
    const auto whole = labelled.small.write("whole.json", tasks.dump());
    EXPECT_EQ(labelled.take(whole).repeated, 5U);
    EXPECT_EQ(labelled.all(), before);
    EXPECT_THAT(labelled.refused(rows),
                AllOf(HasSubstr("export.json task 1"), HasSubstr("does not name their annotators;"),
                      HasSubstr("export as JSON")));
    const auto table = labelled.small.write("export.csv", csv);
    EXPECT_THAT(message_of([&] { labelled.take(table); }),
                AllOf(HasSubstr("export.csv line 2"), HasSubstr("export as JSON")));
    EXPECT_EQ(labelled.all(), before);
    // Tasks that were imported without annotations only have those made in Label Studio.
    LabelledCompetition fresh;
    for (json& row : rows) row.erase("exported_annotations");
    EXPECT_EQ(fresh.take(fresh.small.write("min.json", rows.dump())).read, 5U);
}

TEST(MadLabelStudio, WhatIsNoControlsAnswerIsPassedOver) {
    LabelledCompetition labelled;
    json tasks = json::parse(read_text(fixture("label_studio.json")));
    json& results = tasks[0]["annotations"][0]["result"];
    results.insert(results.begin(), {nullptr, 7, "note"});
    EXPECT_EQ(labelled.take(labelled.small.write("more.json", tasks.dump())).added, 5U);
    EXPECT_THAT(labelled.all(), expected_answers());
    // A control without choices gives no answer.
    LabelledCompetition other;
    results.back()["value"] = "Yes";
    EXPECT_EQ(other.take(other.small.write("text.json", tasks.dump())).added, 4U);
}

TEST(MadLabelStudio, OurOwnTasksComeBackWhereverTheyAreServedFrom) {
    LabelledCompetition labelled;
    const std::vector<OpenQuestion> open = open_questions(*labelled.small);
    for (const char* prefix : {"", "/data/local-files/?d=pool/", "s3://bucket/a b/"}) {
        json tasks = json::parse(label_studio_tasks(open, prefix));
        for (json& task : tasks) {
            // The export has no name of the question.
            for (const char* gone : {"question_id", "image_id", "question"})
                task["data"].erase(gone);
            task["annotations"] = json::array({{{"completed_by", 1},
                                                {"result",
                                                 {{{"type", "choices"},
                                                   {"from_name", "answer"},
                                                   {"value", {{"choices", {"Yes"}}}}}}}}});
        }
        const AnswerRound round = labelled.take(labelled.small.write("export.json", tasks.dump()));
        EXPECT_EQ(round.added + round.repeated, open.size()) << prefix;
    }
    EXPECT_EQ(labelled.small.count("answer WHERE counts = 1"),
              static_cast<std::int64_t>(open.size()));
}

TEST(MadLabelStudio, WhatIsWrongIsNamedWithItsTask) {
    LabelledCompetition labelled;
    const json good = json::parse(read_text(fixture("label_studio.json")));
    json bad = good;
    bad[3]["annotations"][0]["result"][0]["value"]["choices"] = {"Yes", "No"};
    EXPECT_THAT(labelled.refused(bad), AllOf(HasSubstr("export.json task 4 (id 44) annotation 1"),
                                             HasSubstr("2 choices")));
    EXPECT_EQ(labelled.small.count("answer"), 0);  // no previous task is read, either
    bad = good;
    bad[3]["annotations"][0]["result"][0]["value"]["choices"] = {"Perhaps"};
    EXPECT_THAT(labelled.refused(bad), HasSubstr("the answer is `Perhaps`"));
    bad[3]["annotations"][0]["result"][0]["value"]["choices"] = json::array({json::array({"Yes"})});
    EXPECT_THAT(labelled.refused(bad), HasSubstr(".choices[0]` is [\"Yes\"]; allowed: "));
    bad = good;
    bad[1]["data"]["question_id"] = "q0";
    bad[1]["data"]["label"] = "n9";
    EXPECT_THAT(labelled.refused(bad), HasSubstr("`n9` is not a class"));
    bad[1]["data"] = {{"question_id", "q88764ae3159937e8"}};
    EXPECT_THAT(labelled.refused(bad), AllOf(HasSubstr("task 2 (id 42) annotation 2"),
                                             HasSubstr("did you mean `q88764ae3159937e9`?")));
    bad = good;
    bad[0]["annotations"][0]["completed_by"] = nullptr;
    EXPECT_THAT(labelled.refused(bad), HasSubstr("--annotator NAME"));
    bad[0]["annotations"][0]["completed_by"] = 1.5;
    EXPECT_THAT(labelled.refused(bad),
                HasSubstr(".completed_by` is 1.5; allowed: a text or a whole number"));
    bad[0]["annotations"] = {101};
    EXPECT_THAT(labelled.refused(bad), HasSubstr("export with annotations"));
    bad[0]["annotations"] = 2;
    EXPECT_THAT(labelled.refused(bad), HasSubstr(".annotations` is 2; allowed: a list"));
    bad = good;
    bad[2].erase("data");
    EXPECT_THAT(labelled.refused(bad), HasSubstr("task 3 (id 43).data` is missing"));
    bad = good;
    json second = bad[0]["annotations"][0]["result"][0];
    bad[0]["annotations"][0]["result"][0]["from_name"] = "one";
    second["from_name"] = "two";
    bad[0]["annotations"][0]["result"].push_back(second);
    EXPECT_THAT(labelled.refused(bad), HasSubstr("2 controls with choices"));
    EXPECT_THAT(labelled.refused(json::array({{{"categories", 3}}})),
                HasSubstr("allowed: a task of Label Studio"));
    EXPECT_THAT(labelled.refused(json::array({7})), HasSubstr("task 1` is 7; allowed: an object"));
    EXPECT_THAT(labelled.refused(good[0]), HasSubstr("export.json: the JSON is not a list"));
}

TEST(MadLabelStudio, DamagedAndHostileJson) {
    LabelledCompetition labelled;
    const std::string whole = read_text(fixture("label_studio.json"));
    for (const std::size_t size : {1UL, 100UL, whole.size() / 2, whole.size() - 1}) {
        const auto file = labelled.small.write("export.json", whole.substr(0, size));
        EXPECT_THAT(message_of([&] { labelled.take(file); }),
                    HasSubstr("export.json: damaged JSON"))
            << size;
    }
    EXPECT_EQ(labelled.small.count("answer"), 0);
    const auto deep =
        labelled.small.write("export.json", "[{\"data\":" + std::string(100'000, '['));
    EXPECT_THAT(message_of([&] { labelled.take(deep); }), HasSubstr("nested deeper than 32"));
    std::string wide = "[{\"data\":{\"x\":[0";
    for (int i = 0; i < 300'000; ++i) wide += ",0";
    const auto large = labelled.small.write("export.json", wide + "]}}]");
    EXPECT_THAT(message_of([&] { labelled.take(large); }),
                HasSubstr("element 1 has more than 200000 values"));
    const auto twice = labelled.small.write("export.json", R"([{"data": {}, "data": {}}])");
    EXPECT_THAT(message_of([&] { labelled.take(twice); }), HasSubstr("key `data` appears twice"));
    const auto none = labelled.small.write("export.json", "\xEF\xBB\xBF []");
    EXPECT_EQ(labelled.take(none).read, 0U);
}

TEST(JsonElements, EachIsGivenAlone) {
    std::vector<std::string> seen;
    const auto visit = [&](json&& element, std::uint64_t number) {
        seen.push_back(fmt::format("{} {}", number, element.dump()));
    };
    read_json_elements(R"([1, [], {"a": [2, {}]}, "x", null, [[3]]])", 4, 10, "x.json", visit);
    EXPECT_THAT(seen,
                ElementsAre("0 1", "1 []", R"(2 {"a":[2,{}]})", R"(3 "x")", "4 null", "5 [[3]]"));
    seen.clear();
    read_json_elements("[]", 4, 10, "x.json", visit);
    EXPECT_TRUE(seen.empty());
    for (const char* text : {"{}", "1", "null", "\"x\""})
        EXPECT_THAT(message_of([&] { read_json_elements(text, 4, 10, "x.json", visit); }),
                    HasSubstr("x.json: the JSON is not a list"))
            << text;
    EXPECT_THAT(message_of([&] { read_json_elements("[1, 2", 4, 10, "x.json", visit); }),
                HasSubstr("x.json: damaged JSON"));
    EXPECT_THAT(message_of([&] { read_json_elements("[[[[[]]]]]", 4, 10, "x.json", visit); }),
                HasSubstr("deeper than 4"));
    EXPECT_THAT(message_of([&] { read_json_elements("[[1,2,3,4]]", 4, 4, "x.json", visit); }),
                HasSubstr("element 1 has more than 4 values"));
}

}  // namespace
}  // namespace assay::mad
