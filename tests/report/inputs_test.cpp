// What a report takes, and what it refuses of files that may be anything.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/error.h"
#include "assay/report/page.h"
#include "core/file.h"
#include "made_document.h"
#include "message_of.h"

namespace assay {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

class ReportInput : public testing::Test {
protected:
    std::filesystem::path written(const std::string& text, const std::string& name = "x.json") {
        write_file_atomically(folder_ / name, text);
        return folder_ / name;
    }
    std::string refusal(const std::string& text, const std::string& name = "x.json") {
        const auto file = written(text, name);
        return message_of([&] { document_of(report_options({file})); });
    }
    Scratch folder_;
};

TEST_F(ReportInput, SavedJsonIsInItAsItIs) {
    const json result = {{"schema", "assay.gap/2"}, {"x", {1, 2.5, nullptr, "</script>"}}};
    const auto file = written(result.dump());
    const json document = document_of(report_options({file, file})).json;
    ASSERT_EQ(document["results"].size(), 1U);  // a file that is named twice is one
    EXPECT_EQ(document["results"][0]["result"], result);
    EXPECT_EQ(document["results"][0]["source"], file.string());
    EXPECT_EQ(document["provenance"]["files"][0]["schema"], "assay.gap/2");
    EXPECT_EQ(document["title"], "x.json");
}

TEST_F(ReportInput, WrongTypesInAKnownSchemaPassThrough) {
    for (const char* schema : {"assay.scores/2", "assay.quality/1", "assay.comparisons/2",
                               "assay.mad_ranking/1", "assay.corrupted_accuracy/1"}) {
        for (const char* rest :
             {"\"stores\": 7, \"measurements\": {\"a\": []}", "\"models\": [null, [], 1e300]",
              "\"definition\": [\"top1\"], \"metric\": {}",
              "\"a\": [{\"definition\": \"x\", \"metric\": \"top1\"}]"}) {
            const auto file =
                written(std::string("{\"schema\": \"") + schema + "\", " + rest + "}");
            const ReportDocument document = document_of(report_options({file}));
            EXPECT_EQ(document.json["results"][0]["result"], json::parse(read_text(file)));
            EXPECT_FALSE(page_of(document.json).empty());
        }
    }
}

TEST_F(ReportInput, RefusalsNameTheFileThePlaceAndWhatIsAllowed) {
    EXPECT_THAT(refusal("{\"schema\": \"assay.scores/2\", "),
                AllOf(HasSubstr("x.json"), HasSubstr("damaged JSON"), HasSubstr("column")));
    EXPECT_THAT(
        refusal("{\"schema\": \"assay.scores/3\"}"),
        AllOf(HasSubstr("x.json"), HasSubstr("`assay.scores/3`"), HasSubstr("assay.scores/2")));
    EXPECT_THAT(refusal("{\"schema\": 7}"), HasSubstr("RUNS folders"));
    EXPECT_THAT(refusal("[1, 2]"), HasSubstr("RUNS folders"));
    EXPECT_THAT(refusal("{}"), HasSubstr("schema"));
    EXPECT_THAT(refusal("{\"schema\": \"assay.scores/2\", \"schema\": \"assay.gap/2\"}"),
                HasSubstr("stands twice"));
    EXPECT_THAT(refusal("{\"schema\": \"assay.scores/2\", \"x\": \"\xff\"}"), HasSubstr("UTF-8"));
    EXPECT_THAT(refusal("{\"schema\": \"assay.scores/2\", \"x\": 1e999}"), HasSubstr("x.json"));
    EXPECT_THAT(refusal("hello", "x.csv"), AllOf(HasSubstr("x.csv"), HasSubstr("RUNS folders")));
    EXPECT_THAT(refusal("", "x.csv"), HasSubstr("x.csv"));
    EXPECT_THAT(refusal(std::string("\0\1\2", 3), "x.bin"), HasSubstr("x.bin"));
    const std::string deep = "{\"schema\": \"assay.scores/2\", \"x\": " + std::string(5000, '[') +
                             std::string(5000, ']') + "}";
    EXPECT_THAT(refusal(deep), HasSubstr("nested deeper"));
    EXPECT_THAT(message_of([&] { document_of(report_options({folder_ / "none"})); }),
                HasSubstr("is not there"));
    EXPECT_THAT(message_of([&] { document_of(report_options({folder_.path()})); }),
                AllOf(HasSubstr("no prediction store"), HasSubstr("RUNS folders")));
    EXPECT_THAT(message_of([&] { document_of(report_options({})); }, ErrorCode::usage),
                HasSubstr("nothing to report"));
}

TEST_F(ReportInput, ATableOfOneDimensionIsScoredByThatOne) {
    const auto file = written("model,accuracy\na,0.7\nb,0.8\n", "q.csv");
    const json document = document_of(report_options({file})).json;
    EXPECT_EQ(result_of(document, "assay.quality/1")["models"].size(), 2U);
    EXPECT_EQ(result_of(document, "assay.quality_score/1")["models"].size(), 2U);
}

TEST_F(ReportInput, NamesThatAreHtmlStayNames) {
    Made made = made_up(60, 3, 1);
    made.class_ids = {"</script>", "<img src=x onerror=alert(1)>", "__proto__"};
    made.dataset = "<b>val & \"co\"";
    save(folder_, made, "<img src=x onerror=alert(1)>");
    save(folder_, made, "__proto__");
    const json document = document_of(report_options({folder_ / "runs"})).json;
    std::set<std::string> models;
    const json scores = result_of(document, "assay.scores/2");
    for (const json& store : scores["stores"]) {
        models.insert(store["model"]);
        EXPECT_EQ(store["dataset"], made.dataset);
        EXPECT_EQ(store["per_class"][0]["id"], "</script>");
    }
    EXPECT_EQ(models, (std::set<std::string>{"<img src=x onerror=alert(1)>", "__proto__"}));
    EXPECT_THAT(page_of(document), testing::Not(HasSubstr("onerror=alert")));
}

}  // namespace
}  // namespace assay
