// The inputs of a report, and errors for files with any contents.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assay/error.h"
#include "assay/image/encode.h"
#include "assay/image/image.h"
#include "assay/report/page.h"
#include "core/file.h"
#include "core/paths.h"
#include "made_document.h"
#include "message_of.h"
#include "report/placed.h"

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
    const json result = {{"schema", "assay.gap/3"}, {"x", {1, 2.5, nullptr, "</script>"}}};
    const auto file = written(result.dump());
    const json document = document_of(report_options({file, file})).json;
    ASSERT_EQ(document["results"].size(), 1U);  // a file that is given twice counts once
    EXPECT_EQ(document["results"][0]["result"], result);
    EXPECT_EQ(document["results"][0]["source"], file.string());
    EXPECT_EQ(document["provenance"]["files"][0]["schema"], "assay.gap/3");
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
    EXPECT_THAT(refusal("{\"schema\": \"assay.scores/2\", \"schema\": \"assay.gap/3\"}"),
                HasSubstr("appears twice"));
    EXPECT_THAT(refusal("{\"schema\": \"assay.scores/2\", \"x\": \"\xff\"}"), HasSubstr("UTF-8"));
    EXPECT_THAT(refusal("{\"schema\": \"assay.scores/2\", \"x\": 1e999}"), HasSubstr("x.json"));
    EXPECT_THAT(refusal("hello", "x.csv"), AllOf(HasSubstr("x.csv"), HasSubstr("RUNS folders")));
    EXPECT_THAT(refusal("", "x.csv"), HasSubstr("x.csv"));
    EXPECT_THAT(refusal(std::string("\0\1\2", 3), "x.bin"), HasSubstr("x.bin"));
    const std::string deep = "{\"schema\": \"assay.scores/2\", \"x\": " + std::string(5000, '[') +
                             std::string(5000, ']') + "}";
    EXPECT_THAT(refusal(deep), HasSubstr("nested deeper"));
    EXPECT_THAT(message_of([&] { document_of(report_options({folder_ / "none"})); }),
                HasSubstr("does not exist"));
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

/// A folder in the form of assay attack: two images under two attacks.
class AttackExamplesInput : public ReportInput {
protected:
    void picture(const std::string& path, int side, std::uint8_t level) const {
        Image image;
        image.width = image.height = side;
        image.pixels.assign(static_cast<std::size_t>(4 * side * side), level);
        make_folders((folder_ / path).parent_path());
        save_png(image, folder_ / path);
    }
    static json shown(const std::string& original, const std::string& name) {
        return {{"original", original},
                {"attacked", name + ".png"},
                {"difference", name + "-difference.png"}};
    }
    void SetUp() override {
        for (const char* original : {"e/1.png", "e/2.png"}) picture(original, 300, 90);
        for (const char* name : {"e/a/1", "e/a/2", "e/b/1"}) {
            picture(std::string(name) + ".png", 300, 91);
            picture(std::string(name) + "-difference.png", 300, 128);
        }
        write_file_atomically(folder_ / "attack.json", "{}");
        write_examples({{{"shown", {shown("e/1.png", "e/a/1"), shown("e/2.png", "e/a/2")}}},
                        {{"shown", {shown("e/1.png", "e/b/1")}}}});
    }
    void write_examples(const json& attacks) const {
        const json result = {{"schema", "assay.attack_examples/1"}, {"attacks", attacks}};
        write_file_atomically(folder_ / "examples.json", result.dump());
    }
    ReportDocument with(std::size_t thumbnails) const {
        ReportOptions options = report_options({folder_.path()});
        options.thumbnails = thumbnails;
        return document_of(options);
    }
    static std::vector<std::string> ids(const ReportDocument& document) {
        std::vector<std::string> out;
        for (const Thumbnail& one : document.thumbnails) out.push_back(one.id);
        return out;
    }
};

TEST_F(AttackExamplesInput, PicturesComeWholeExampleByExampleOfEachAttackInTurn) {
    EXPECT_TRUE(with(2).thumbnails.empty());
    const std::vector<std::string> first = {"e/1.png", "e/a/1.png", "e/a/1-difference.png"};
    EXPECT_EQ(ids(with(4)), first);
    // The original image of the second attack already exists.
    std::vector<std::string> all = first;
    all.insert(all.end(), {"e/b/1.png", "e/b/1-difference.png"});
    EXPECT_EQ(ids(with(7)), all);
    all.insert(all.end(), {"e/2.png", "e/a/2.png", "e/a/2-difference.png"});
    EXPECT_EQ(ids(with(100)), all);
}

TEST_F(AttackExamplesInput, DifferencesKeepTheirPixelsAndTheOthersAreThumbnails) {
    const ReportDocument document = with(100);
    ASSERT_EQ(document.json["results"].size(), 1U);
    const std::string source = (folder_.path() / "examples.json").string();
    EXPECT_EQ(document.json["results"][0]["source"], source);
    const json placed = with_embedded_thumbnails(document)["thumbnails"];
    for (std::size_t i = 0; i < document.thumbnails.size(); ++i) {
        const Thumbnail& one = document.thumbnails[i];
        SCOPED_TRACE(one.id);
        EXPECT_EQ(one.dataset, source);
        const bool difference = one.id.find("difference") != std::string::npos;
        EXPECT_EQ(one.width, difference ? 300 : 160);
        EXPECT_THAT(placed[i]["source"].get<std::string>(),
                    testing::StartsWith(difference ? "data:image/png;" : "data:image/jpeg;"));
        if (!difference) continue;
        const Image image = decode_image(std::as_bytes(std::span(one.bytes)));
        EXPECT_EQ(image.pixels[0], 128);
        EXPECT_EQ(file_of(one).substr(file_of(one).size() - 4), ".png");
    }
}

TEST_F(AttackExamplesInput, PicturesOutsideOfTheFolderAndDamagedOnesAreLeftOut) {
    const Scratch elsewhere;
    Image secret;
    secret.width = secret.height = 1;
    secret.pixels.assign(4, 7);
    save_png(secret, elsewhere / "secret.png");
    const std::string outside = (elsewhere / "secret.png").string();
    std::filesystem::create_symlink(outside, folder_ / "link.png");
    write_file_atomically(folder_ / "torn.png", "\x89PNG\r\n");
    for (const std::string& path :
         {outside, "../" + elsewhere.path().filename().string() + "/secret.png",
          std::string("link.png"), std::string("torn.png"), std::string("."), std::string(),
          std::string(5000, 'x'), std::string("a\0b", 3)}) {
        SCOPED_TRACE(path.substr(0, 80));
        write_examples({{{"shown", {shown(path, "e/a/1")}}}});
        const ReportDocument document = with(100);
        EXPECT_THAT(ids(document), testing::ElementsAre("e/a/1.png", "e/a/1-difference.png"));
        EXPECT_THAT(document.json["left_out"].dump(), HasSubstr("1 picture of"));
    }
    // None of these files is a valid example.
    for (const char* attacks :
         {"7", "[7]", "[{\"shown\": 7}]", "[{\"shown\": [7, {}, {\"original\": 7}]}]"}) {
        write_examples(json::parse(attacks));
        EXPECT_TRUE(with(100).thumbnails.empty());
    }
}

}  // namespace
}  // namespace assay
