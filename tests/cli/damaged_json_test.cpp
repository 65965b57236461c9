// Every reader of JSON that users write or that other tools export: damage, and values of the wrong
// type. Messages say file, place and what was expected, and never name the JSON library.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "program.h"

namespace assay {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

/// A file and the command that reads it. "@" stands for the test's folder.
struct JsonFile {
    std::string file, text;
    std::vector<std::string> words;
};

const std::vector<JsonFile>& json_files() {
    static const std::vector<JsonFile> files = {
        {"scores.json",
         R"([{"id": "a.jpg", "scores": [0.1, 0.9]}, {"id": "b.jpg", "scores": [0.6, 0.4]}])",
         {"import", "@/scores.json", "--dataset-name", "d", "--out", "@/o"}},
        {"scores.jsonl",
         "{\"id\": \"a.jpg\", \"scores\": [0.1, 0.9]}\n{\"id\": \"b.jpg\", \"scores\": [0.6, 0.4]}",
         {"import", "@/scores.jsonl", "--dataset-name", "d", "--out", "@/o"}},
        {"coco.json",
         R"({"images": [{"id": 1, "file_name": "a.jpg"}, {"id": 2, "file_name": "b.jpg"}],
             "annotations": [{"image_id": 1, "category_id": 7}],
             "categories": [{"id": 7, "name": "cat"}, {"id": 9, "name": "dog"}]})",
         {"import", "@/s.csv", "--label-column", "none", "--items", "@/coco.json", "--out", "@/o"}},
        {"items.jsonl",
         "{\"id\": \"a.jpg\", \"label\": \"cat\"}\n{\"id\": \"b.jpg\"}",
         {"import", "@/s.csv", "--label-column", "none", "--items", "@/items.jsonl", "--out",
          "@/o"}},
        {"labels.json",
         R"({"a.jpg": [0], "b.jpg": ["dog"]})",
         {"score", "@/runs", "--labels", "@/labels.json", "--metrics", "top1"}},
        {"rows.json",
         "[[0], [1]]",
         {"score", "@/runs", "--labels", "@/rows.json", "--metrics", "top1"}},
        {"classes.json",
         R"(["cat", "dog"])",
         {"relabel", "@/runs/val", "--classes", "@/classes.json"}},
        {"config.json",
         R"({"id2label": {"0": "cat", "1": "dog"}})",
         {"relabel", "@/runs/val", "--classes", "@/config.json"}},
        {"map.json",
         R"({"name": "pets", "classes": [{"id": "pet", "members": ["cat", "dog"]}]})",
         {"score", "@/runs", "--class-map", "@/map.json", "--metrics", "top1"}},
        {"tree.json",
         R"({"name": "root", "children": [{"name": "cat"}, {"name": "dog"}]})",
         {"score", "@/runs", "--hierarchy", "@/tree.json", "--metrics", "top1"}},
        {"label_studio.json",
         R"([{"id": 1, "data": {"image": "a.jpg"}, "annotations": [{"id": 2, "completed_by": 3,
             "result": [{"from_name": "c", "to_name": "i", "type": "choices",
                         "value": {"choices": ["cat"]}}]}]}])",
         {"labels", "aggregate", "@/label_studio.json"}},
        {"minimal.json",
         R"([{"image": "a.jpg", "annotator": 3, "choice": "cat", "id": 1}])",
         {"labels", "aggregate", "@/minimal.json"}},
        {"datumaro.json",
         R"({"categories": {"label": {"labels": [{"name": "cat"}]}},
             "items": [{"id": "a", "annotations": [{"type": "label", "label_id": 0}]}]})",
         {"labels", "aggregate", "@/datumaro.json"}},
        {"output.manifest",
         "{\"source-ref\": \"s3://b/a.jpg\", \"k\": 0, \"k-metadata\": {\"class-name\": \"cat\", "
         "\"type\": \"groundtruth/image-classification\"}}\n",
         {"labels", "aggregate", "@/output.manifest"}},
        {"boxes.json",
         R"({"images": [{"id": 1, "file_name": "cat/a.png", "width": 9, "height": 9}],
             "annotations": [{"image_id": 1, "category_id": 7, "bbox": [0, 0, 4, 4]}],
             "categories": [{"id": 7, "name": "cat"}]})",
         {"patchml", "--data", "@/img", "--boxes", "@/boxes.json", "--out", "@/o"}},
        {"table.json",
         R"({"schema": "assay.quality", "schema_version": 1, "models": []})",
         {"quality", "merge", "@/table.json"}},
        {"result.json",
         R"({"schema": "assay.score/1", "measurements": []})",
         {"plot", "scores", "@/result.json", "-o", "@/o.svg"}},
        {"net.json",
         R"({"input_size": [3, 32, 32], "mean": [0.5, 0.5, 0.5]})",
         {"predict", "-m", "@/net.pt", "-d", "@/img", "--out", "@/o"}},
        {"list/metadata.jsonl",
         "{\"file_name\": \"a.png\", \"label\": \"cat\"}\n",
         {"inspect", "@/list"}},
        {"food/meta/test.json", R"({"cat": ["cat/1"], "dog": ["dog/2"]})", {"inspect", "@/food"}},
        {"saved/state.json",
         R"({"_data_files": [{"filename": "data-00000-of-00001.arrow"}]})",
         {"inspect", "@/saved"}},
        {"runs/val/dataset.json",
         R"({"schema": "assay.dataset", "schema_version": 3})",
         {"score", "@/runs"}},
        {"runs/val/m/manifest.json",
         R"({"schema": "assay.store", "schema_version": 3})",
         {"score", "@/runs"}},
        {"runs/val/m/shards/000000.json",
         R"({"schema": "assay.shard", "schema_version": 3})",
         {"score", "@/runs"}},
    };
    return files;
}

class DamagedJson : public testing::TestWithParam<JsonFile> {
protected:
    void SetUp() override {
        put("s.csv", "id,label,cat,dog\na.jpg,cat,.9,.1\nb.jpg,dog,.2,.8\n");
        put("net.pt", "x");
        put("img/cat/a.png", "x");
        put("saved/dataset_info.json", "{}");
        put("saved/data-00000-of-00001.arrow", "x");
        put("food/images/cat/1.jpg", "x");
        const Outcome made = assay_run({"import", scratch_ / "s.csv", "--name", "m",
                                        "--dataset-name", "val", "--out", scratch_ / "runs", "-q"});
        ASSERT_EQ(made.status, 0) << made.err;
    }
    void put(const std::string& name, const std::string& text) {
        fs::create_directories((scratch_ / name).parent_path());
        std::ofstream(scratch_ / name, std::ios::binary) << text;
    }
    Outcome read(const std::string& text) {
        put(GetParam().file, text);
        std::vector<std::string> words = GetParam().words;
        for (std::string& word : words) {
            if (word.starts_with('@')) word = (scratch_ / word.substr(2)).string();
        }
        const Outcome outcome = assay_run(words);
        fs::remove_all(scratch_ / "o");
        EXPECT_THAT(outcome.out + outcome.err,
                    AllOf(Not(HasSubstr("json.exception")), Not(HasSubstr("nlohmann")),
                          Not(HasSubstr("exception")), Not(HasSubstr("internal error"))))
            << text;
        return outcome;
    }
    Scratch scratch_;
};

TEST_P(DamagedJson, ErrorHasFilePlaceAndWhatWasExpected) {
    const std::string& sound = GetParam().text;
    EXPECT_THAT(read(sound).err, Not(HasSubstr("damaged JSON")));
    std::string quotes = sound;
    for (char& c : quotes) c = c == '"' ? '\'' : c;
    const bool has_quotes = quotes != sound;
    const std::size_t end = sound.find_last_of("]}");
    const std::string cut = sound.substr(0, end), more = cut + ",]" + sound.substr(end);
    for (const std::string& text : {cut, more, has_quotes ? quotes : cut}) {
        const Outcome outcome = read(text);
        EXPECT_EQ(outcome.status, 2) << outcome.err;
        EXPECT_THAT(outcome.err, AllOf(HasSubstr("damaged JSON at "), HasSubstr("column "),
                                       HasSubstr(fs::path(GetParam().file).filename().string())))
            << text;
    }
}

/// Replaces one value after the other by a value of another type.
void replace_values(json& value, const json& whole, int& count, std::vector<std::string>& out) {
    const json others[] = {json(7),
                           json("x"),
                           json::array({json::array()}),
                           json::object({{"x", json::object()}}),
                           json(nullptr),
                           json(-0.5)};
    const json old = value;
    if (&value != &whole) {
        while (value.type() == old.type()) value = others[count++ % 6];
        out.push_back(whole.dump());
        value = old;
    }
    if (!value.is_structured()) return;
    for (json& member : value) replace_values(member, whole, count, out);
}

TEST_P(DamagedJson, ValuesOfOtherTypesAreNoInternalErrors) {
    const std::string& sound = GetParam().text;
    const std::string first = sound.substr(0, sound.find("}\n"));
    json whole = json::parse(first == sound ? sound : first + "}");
    std::vector<std::string> changed;
    int count = 0;
    replace_values(whole, whole, count, changed);
    EXPECT_GE(changed.size(), 2U);
    for (const std::string& text : changed) {
        const Outcome outcome = read(text);
        EXPECT_THAT(outcome.status, testing::AnyOf(0, 2, 3)) << text << "\n" << outcome.err;
    }
}

INSTANTIATE_TEST_SUITE_P(Readers, DamagedJson, testing::ValuesIn(json_files()),
                         [](const testing::TestParamInfo<JsonFile>& info) {
                             std::string name = info.param.file;
                             for (char& c : name) {
                                 if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
                             }
                             return name;
                         });

}  // namespace
}  // namespace assay
