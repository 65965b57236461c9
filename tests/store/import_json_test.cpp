// Saved predictions in JSON, as other tools write them: lists and tables by image, COCO's results,
// FiftyOne's exports, lm-eval's samples. The files are realistic in many spellings, or hostile.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "assay/store/row_reader.h"
#include "containers/npy.h"
#include "imports.h"

namespace assay {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const ClassList pets({"cat", "dog", "bird"});

class JsonImports : public Imports {
protected:
    PredictionStore store(const std::string& name, const std::string& text,
                          const ImportOptions& options = {}) {
        return PredictionStore::open(import(name, text, options).store);
    }
    ImportOptions with_items(const std::string& text, const std::string& name = "items.json") {
        put_text(scratch_ / name, text);
        ImportOptions options;
        options.ids = scratch_ / name;
        return options;
    }
    static ImportOptions of(const ClassList& classes) {
        ImportOptions options;
        options.classes = classes;
        return options;
    }
    static std::vector<std::string> ids(const PredictionStore& store) {
        std::vector<std::string> out;
        for (std::size_t i = 0; i < store.dataset().size(); ++i)
            out.emplace_back(store.dataset().ids[i]);
        return out;
    }
    static std::vector<std::vector<std::int32_t>> labels(const PredictionStore& store) {
        std::vector<std::vector<std::int32_t>> out;
        for (std::size_t i = 0; i < store.dataset().size(); ++i) {
            const auto set = store.dataset().labels[i];
            out.emplace_back(set.begin(), set.end());
        }
        return out;
    }
    static std::vector<std::int32_t> predicted(const PredictionStore& store) {
        const RowReader reader(store);
        std::vector<std::int32_t> out;
        for (std::uint64_t row = 0; row < store.rows(); ++row) {
            RowPrediction prediction;
            EXPECT_EQ(reader.read(row, {}, prediction), RowStatus::ok);
            out.push_back(prediction.predicted);
        }
        return out;
    }
};

// In every spelling, a.jpg is a cat (0), and b.jpg is a bird (2).
TEST_F(JsonImports, RowsInTenSpellings) {
    const std::string byte_order_mark =
        "\xEF\xBB\xBF"
        R"({"a.jpg": {"index": [0], "prob": [1]}, "b.jpg": {"index": [2], "prob": [1]}})"
        "\r\n";
    const char* spellings[] = {
        // pandas, with to_json(orient="records"), by name, by number, with labels
        R"([{"filename":"a.jpg","label":["cat","dog"],"prob":[0.75,0.25]},
            {"filename":"b.jpg","label":["bird","cat"],"prob":[0.75,0.25]}])",
        R"([{"image": "a.jpg", "index": [0, 1], "prob": [0.75, 0.25]},
            {"image": "b.jpg", "index": [2, 0], "prob": [0.75, 0.25]}])",
        R"([{"id": "a.jpg", "scores": [5, 0, 1]}, {"id": "b.jpg", "scores": [0, -1.5e0, 2]}])",
        R"([{"path": "a.jpg", "logits": [5, 0, 1], "target": 0},
            {"path": "b.jpg", "logits": [0, -1, 2], "target": 2}])",
        R"([{"id": "a.jpg", "pred": "cat"}, {"id": "b.jpg", "pred": "bird"}])",
        // one line for each entry
        R"([{"id": "a.jpg", "class": 0, "score": 0.75}, {"id": "a.jpg", "class": 1, "score": 0.25},
            {"id": "b.jpg", "class": 1, "score": 0.25}, {"id": "b.jpg", "class": 2, "score": 0.75}])",
        // timm, with --results-format json
        R"({"a.jpg": {"label": ["cat", "dog"], "prob": [0.75, 0.25]},
            "b.jpg": {"label": ["bird", "dog"], "prob": [0.75, 0.25]}})",
        byte_order_mark.c_str(),
        R"({"a.jpg": [5, 0, -Infinity], "b.jpg": [-Infinity, 0, 3]})",
        R"({"a.jpg": "cat", "b.jpg": "bird"})",
        R"({"a.jpg": 0, "b.jpg": 2})",
    };
    for (const char* text : spellings) {
        const PredictionStore read = store("p.json", text, of(pets));
        EXPECT_THAT(ids(read), ElementsAre("a.jpg", "b.jpg")) << text;
        EXPECT_THAT(predicted(read), ElementsAre(0, 2)) << text;
        EXPECT_EQ(read.spec().classes, 3U) << text;
    }
    EXPECT_THAT(labels(store("p.json", spellings[3], of(pets))),
                ElementsAre(ElementsAre(0), ElementsAre(2)));
    // Rows without names are a matrix, in the order of --items.
    put_text(scratch_ / "items.csv", "id,label\na.jpg,0\nb.jpg,2\n");
    ImportOptions options;
    options.ids = scratch_ / "items.csv";
    const PredictionStore matrix = store("p.json", "[[5, 0, 1], [0, 1, 2]]", options);
    EXPECT_THAT(ids(matrix), ElementsAre("a.jpg", "b.jpg"));
    EXPECT_THAT(predicted(matrix), ElementsAre(0, 2));
}

TEST_F(JsonImports, ShapesThatAreNoPredictionsAreNamed) {
    const auto refused = [&](const std::string& text) { return refusal("p.json", text, of(pets)); };
    EXPECT_THAT(refused(R"({"filename": {"0": "a.jpg"}, "prob": {"0": 0.5}})"),
                AllOf(HasSubstr("JSON with the keys `filename`, `prob`; allowed: "),
                      HasSubstr("orient='records'")));
    EXPECT_THAT(refused(R"({"ids": ["a"], "scores": [[1, 2, 3]]})"), HasSubstr("`ids`, `scores`"));
    EXPECT_THAT(refused(R"({"results": {"x": 1}, "versions": {}, "configs": {}})"),
                HasSubstr("lm-eval's totals, not single predictions: with --log_samples"));
    EXPECT_THAT(refused(R"({"images": [], "annotations": [], "categories": []})"),
                HasSubstr("COCO's annotations, not predictions: pass them with --items"));
    for (const char* text : {"[]", "{\"labels\": {}}", "{\"samples\": []}"})
        EXPECT_THAT(refused(text), HasSubstr("the file has no rows")) << text;
    EXPECT_THAT(refused("{}"), HasSubstr("JSON with the keys of no member"));
    EXPECT_THAT(refused("3"), HasSubstr("JSON with the keys of no member"));
    EXPECT_THAT(refused(""), HasSubstr("damaged JSON"));
    EXPECT_THAT(refused("[{\"id\": \"a\", \"scores\": [1, 2, 3]}"), HasSubstr("damaged JSON"));
    EXPECT_THAT(refused("[" + std::string(40, '[') + std::string(41, ']')),
                HasSubstr("nested deeper than 16"));
    EXPECT_THAT(refused(R"([{"id": "a", "scores": [1, 2, 3], "id": "b"}])"),
                HasSubstr("key `id` appears twice"));
    EXPECT_THAT(refused(R"({"a.jpg": 0, "a.jpg": 1})"), HasSubstr("key `a.jpg` appears twice"));
    EXPECT_THAT(refused(R"([{"id": "a", "pred": 0}, {"id": "b", "pred": 3}])"),
                AllOf(HasSubstr("class 3 is not among the 3 classes"),
                      HasSubstr("reading element 1"), HasSubstr("reading p.json")));
    EXPECT_THAT(refused(R"({"a.jpg": "cow"})"),
                AllOf(HasSubstr("`cow` is not a class"), HasSubstr("reading `a.jpg`")));
    EXPECT_THAT(refused(R"({"a.jpg": 1e300})"),
                HasSubstr("`prediction` is 1e+300; allowed: a text or a whole number"));
    EXPECT_THAT(refused(R"({"a.jpg": 18446744073709551615})"), HasSubstr("is not a class"));
    EXPECT_THAT(refused(R"([{"id": "a", "scores": [1, "x", 3]}])"),
                HasSubstr("`scores[1]` is \"x\"; allowed: a number"));
    EXPECT_THAT(refused(R"([{"id": "a", "scores": [1, 2, 3]}, {"id": "b", "scores": [1, 2]}])"),
                HasSubstr("2 scores, but the rows before have 3"));
    EXPECT_THAT(refused(R"([{"id": "a", "pred": 1}, {"id": "a", "pred": 1}])"),
                HasSubstr("the id `a` of row 1 is also the id of row 0"));
}

// COCO's annotations have ids with gaps, an image with two categories, and an image without.
constexpr const char* coco_items = R"({"info": {"year": 2017}, "licenses": [],
    "images": [{"id": 139, "file_name": "000139.jpg", "width": 64}, {"id": 7, "file_name": "b.jpg"},
               {"id": 285, "file_name": "c.jpg"}],
    "annotations": [{"id": 1, "image_id": 7, "category_id": 18, "bbox": [1, 2, 3, 4]},
                    {"id": 2, "image_id": 139, "category_id": 90},
                    {"id": 3, "image_id": 139, "category_id": 1},
                    {"id": 4, "image_id": 139, "category_id": 90}],
    "categories": [{"id": 18, "name": "dog"}, {"id": 1, "name": "person"},
                   {"id": 90, "name": "toothbrush", "supercategory": "indoor"}]})";

TEST_F(JsonImports, CocosResultsMeanWhatTheirAnnotationFileSays) {
    const std::string results = R"([
        {"image_id": 285, "category_id": 90, "score": 0.25}, {"image_id": 285, "category_id": 1, "score": 0.5},
        {"image_id": 139, "category_id": 90, "score": 0.75}, {"image_id": 139, "category_id": 18, "score": 0.25},
        {"image_id": 7, "category_id": 18, "score": 0.5}, {"image_id": 7, "category_id": 1, "score": 0.25}])";
    const ImportReport report = import("results.json", results, with_items(coco_items));
    EXPECT_EQ(report.kind, ScoreKind::probabilities);
    const PredictionStore read = PredictionStore::open(report.store);
    EXPECT_THAT(ids(read), ElementsAre("000139.jpg", "b.jpg", "c.jpg"));
    EXPECT_THAT(read.dataset().classes.ids(), ElementsAre("person", "dog", "toothbrush"));
    EXPECT_THAT(predicted(read), ElementsAre(2, 1, 0));
    EXPECT_THAT(labels(read), ElementsAre(ElementsAre(0, 2), ElementsAre(1), IsEmpty()));
    // Given classes, or those of an existing data set, are found by name.
    ImportOptions other = with_items(coco_items);
    other.classes = ClassList({"n1", "n2", "n3"}, {"toothbrush", "person", "dog"});
    EXPECT_THAT(predicted(store("results.json", results, other)), ElementsAre(0, 2, 1));
    other.classes = pets;
    EXPECT_THAT(refusal("results.json", results, other), HasSubstr("`person` is not a class"));
    // These files only have predicted classes, or are other files of scores by image name.
    EXPECT_THAT(predicted(store("results.json",
                                R"([{"image_id": 7, "category_id": 1}, {"image_id": 139,
                                "category_id": 18}, {"image_id": 285, "category_id": 90}])",
                                with_items(coco_items))),
                ElementsAre(1, 0, 2));
    const PredictionStore csv = store(
        "scores.csv",
        "filename,person,dog,toothbrush\nval/c.jpg,0,0,5\nval/b.jpg,0,5,0\nval/000139.jpg,5,0,0\n",
        with_items(coco_items));
    EXPECT_THAT(predicted(csv), ElementsAre(0, 1, 2));
    EXPECT_THAT(labels(csv), ElementsAre(ElementsAre(0, 2), ElementsAre(1), IsEmpty()));
}

TEST_F(JsonImports, CocosFilesAreChecked) {
    const auto refused = [&](const std::string& results, const std::string& items = coco_items) {
        return refusal("results.json", results, with_items(items));
    };
    EXPECT_THAT(refusal("results.json", R"([{"image_id": 1, "category_id": 1, "score": 1}])"),
                HasSubstr("with --items"));
    EXPECT_THAT(refused(R"([{"image_id": 8, "category_id": 1, "score": 1}])"),
                AllOf(HasSubstr("image_id 8 is not an image"), HasSubstr("element 0")));
    EXPECT_THAT(refused(R"([{"image_id": 7, "category_id": 2, "score": 1}])"),
                HasSubstr("category_id 2 is no category"));
    EXPECT_THAT(refused(R"([{"image_id": "7", "category_id": 1, "score": 1}])"),
                HasSubstr("`image_id` is \"7\"; allowed: a whole number"));
    EXPECT_THAT(refused(R"([{"category_id": 1, "score": 1}])"), HasSubstr("`image_id` is missing"));
    EXPECT_THAT(refused(R"([{"image_id": 7, "category_id": 1, "bbox": [1, 2, 3, 4], "score": 1}])"),
                HasSubstr("detections are not predictions of whole images"));
    EXPECT_THAT(refused(R"([{"image_id": 7, "category_id": 1, "score": "high"}])"),
                HasSubstr("`score` is \"high\"; allowed: a number"));
    EXPECT_THAT(refused(R"([{"image_id": 7, "category_id": 1, "score": 1},
                            {"image_id": 7, "category_id": 1, "score": 0}])"),
                HasSubstr("class 0 appears twice"));
    EXPECT_THAT(refused(R"([{"image_id": 7, "category_id": 1, "score": 1}])"),
                HasSubstr("2 of the 3 items of `items.json` have no row"));

    const auto items = [&](const std::string& images, const std::string& annotations,
                           const std::string& categories) {
        return refused("[]", R"({"images": [)" + images + R"(], "annotations": [)" + annotations +
                                 R"(], "categories": [)" + categories + "]}");
    };
    const std::string cat = R"({"id": 1, "name": "cat"})", a = R"({"id": 1, "file_name": "a"})";
    EXPECT_THAT(items(a + "," + a, "", cat),
                HasSubstr("`images[1]`: an earlier image also has the id 1"));
    EXPECT_THAT(items(R"({"id": 1})", "", cat), HasSubstr("`images[0].file_name` is missing"));
    EXPECT_THAT(items(R"({"id": 1.5, "file_name": "a"})", "", cat),
                HasSubstr("`images[0].id` is 1.5; allowed: a whole number"));
    EXPECT_THAT(items("3", "", cat), HasSubstr("`images[0]` is 3; allowed: an object"));
    EXPECT_THAT(items(a, R"({"image_id": 2, "category_id": 1})", cat),
                HasSubstr("`annotations[0]`: image_id 2 is not an image's id"));
    EXPECT_THAT(items(a, R"({"image_id": 1, "category_id": 5})", cat),
                HasSubstr("`annotations[0]`: category_id 5 is not a category's id"));
    EXPECT_THAT(items(a, "", cat + R"(, {"id": 1, "name": "dog"})"),
                HasSubstr("the category 1 appears twice: `cat` and `dog`"));
    EXPECT_THAT(items(a, "", cat + R"(, {"id": 2, "name": "cat"})"), HasSubstr("cat"));
    EXPECT_THAT(refused(R"([{"image_id": 1, "category_id": 1}])",
                        R"({"images": [{"id": 1, "file_name": "a"}, {"id": 2, "file_name": "a"}],
                            "annotations": [], "categories": [{"id": 1, "name": "cat"}]})"),
                HasSubstr("the id `a` of row 1 is also the id of row 0"));
    EXPECT_THAT(refused("[]", R"({"images": [], "x": 1})"),
                HasSubstr("not a list of items; supported JSON:"));
    EXPECT_THAT(refused("[]", R"([["cat"]])"), HasSubstr("labels only, use --labels"));
}

TEST_F(JsonImports, FiftyOnesLabels) {
    // Positions in the file's class list, with and without confidences, or names if it has no list.
    const PredictionStore places =
        store("labels.json", R"({"classes": ["dog", "cat"], "labels": {"a": 1, "b": 0}})");
    EXPECT_THAT(ids(places), ElementsAre("a", "b"));
    EXPECT_THAT(places.dataset().classes.ids(), ElementsAre("dog", "cat"));
    EXPECT_THAT(predicted(places), ElementsAre(1, 0));
    EXPECT_EQ(places.spec().kind, ScoreKind::labels);
    for (
        const char* text :
        {R"({"labels": {"a": 1, "b": 0}, "classes": ["dog", "cat"]})",
         R"({"classes": ["dog", "cat"], "labels": {"a": {"label": 1, "attributes": {"x": 1}}, "b": {"label": 0}}})",
         R"({"classes": ["dog", "cat"], "labels": {"a": {"label": 1, "confidence": null}, "b": 0}})",
         R"({"classes": null, "labels": {"a": "cat", "b": "dog"}})",
         R"({"labels": {"a": {"label": "cat"}, "b": "dog"}})"}) {
        const PredictionStore read = store("labels.json", text, of(pets));
        EXPECT_THAT(predicted(read), ElementsAre(0, 1)) << text;  // the names of --classes
    }
    const ImportReport sure =
        import("labels.json",
               R"({"classes": ["dog", "cat"], "labels": {"a": {"label": 1, "confidence": 0.75},
                           "b": {"label": 0, "confidence": 1e-1}}})");
    EXPECT_EQ(sure.kind, ScoreKind::probabilities);
    EXPECT_EQ(sure.storage, StorageFormat::top_k);

    const auto refused = [&](const std::string& text, const ImportOptions& options = {}) {
        return refusal("labels.json", text, options);
    };
    EXPECT_THAT(refused(R"({"labels": {"a": "cat"}})"), HasSubstr("pass them with --classes"));
    EXPECT_THAT(
        refused(R"({"classes": ["cat"], "labels": {"a": 1}})"),
        AllOf(HasSubstr("the label is 1; allowed: an index into the file's `classes`, 0 to 0"),
              HasSubstr("reading the label of `a`")));
    for (const char* label : {"-1", "0.5", "\"cat\"", "[0]", "true", "1e400"})
        EXPECT_THAT(refused(std::string(R"({"classes": ["cat"], "labels": {"a": )") + label + "}}"),
                    testing::AnyOf(HasSubstr("allowed: "), HasSubstr("damaged JSON")))
            << label;
    EXPECT_THAT(refused(R"({"classes": ["cat"], "labels": {"a": {"confidence": 1}}})"),
                HasSubstr("`label` is missing"));
    EXPECT_THAT(
        refused(R"({"classes": ["cat"], "labels": {"a": {"label": 0, "confidence": "1"}}})"),
        HasSubstr("`confidence` is \"1\"; allowed: a number"));
    EXPECT_THAT(refused(R"({"classes": ["cat"], "labels": {"a": null}})"),
                HasSubstr("there is no prediction: null"));
    EXPECT_THAT(refused(R"({"classes": ["cat", 3], "labels": {"a": 0}})"),
                HasSubstr("`classes[1]` is 3; allowed: a text"));
    EXPECT_THAT(refused(R"({"classes": ["cat", "cow"], "labels": {"a": 0}})", of(pets)),
                HasSubstr("`cow` is not a class"));
    // If a name is a number, it is not a class number.
    EXPECT_THAT(refused(R"({"labels": {"a": "1"}})", of(pets)), HasSubstr("`1` is not a class"));
    EXPECT_THAT(refused(R"({"classes": ["cat", "dog"], "labels":
                            {"a": {"label": 0, "confidence": 0.5}, "b": 1}})"),
                HasSubstr("some rows have scores and others a class only"));
    // The same file as the list of items: ids, classes and labels. null means no label.
    const PredictionStore items =
        store("scores.csv", "id,dog,cat\nx/b.png,1,2\nx/a.png,2,1\n",
              with_items(R"({"classes": ["dog", "cat"], "labels": {"a": 1, "b": null}})"));
    EXPECT_THAT(ids(items), ElementsAre("a", "b"));
    EXPECT_THAT(labels(items), ElementsAre(ElementsAre(1), IsEmpty()));
    EXPECT_THAT(predicted(items), ElementsAre(0, 1));
}

/// An array in the form in which FiftyOne stores it: a NumPy file, compressed by zlib, in base64.
std::string binary(const std::vector<float>& values) {
    const std::uint64_t shape[] = {values.size()};
    std::string bytes = npy_header("<f4", shape);
    bytes.append(reinterpret_cast<const char*>(values.data()), 4 * values.size());
    uLongf size = ::compressBound(bytes.size());
    std::string packed(size, '\0');
    EXPECT_EQ(::compress(reinterpret_cast<Bytef*>(packed.data()), &size,
                         reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()),
              Z_OK);
    packed.resize(size);
    constexpr std::string_view digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    for (std::size_t i = 0; i < packed.size(); i += 3) {
        std::uint32_t word = 0;
        for (std::size_t k = 0; k < 3; ++k)
            word = word << 8U |
                   (i + k < packed.size() ? static_cast<unsigned char>(packed[i + k]) : 0U);
        for (std::size_t k = 0; k < 4; ++k)
            out += i + k > packed.size() ? '=' : digits[word >> (18 - 6 * k) & 63U];
    }
    return out;
}

std::string sample(const std::string& path, const std::string& label, const std::string& more) {
    return R"({"_id": {"$oid": "65"}, "filepath": ")" + path + R"(", "tags": [], "metadata": null,
        "_media_type": "image", "ground_truth": {"_id": {"$oid": "66"}, "_cls": "Classification",
        "tags": [], "label": "dog"}, "predictions": {"_cls": "Classification", "label": ")" +
           label + "\"" + more + "}}";
}
std::string samples(const std::vector<std::string>& all) {
    std::string text = R"({"samples": [)";
    for (const std::string& one : all) text += (&one == all.data() ? "" : ",") + one;
    return text + "]}";
}

TEST_F(JsonImports, FiftyOnesSamples) {
    const PredictionStore names = store(
        "samples.json", samples({sample("data/a.jpg", "cat", ""), sample("data/b.jpg", "dog", "")}),
        of(pets));
    EXPECT_THAT(ids(names), ElementsAre("data/a.jpg", "data/b.jpg"));
    EXPECT_THAT(predicted(names), ElementsAre(0, 1));
    EXPECT_THAT(labels(names), ElementsAre(ElementsAre(1), ElementsAre(1)));
    const ImportReport sure = import(
        "samples.json", samples({sample("a.jpg", "bird", R"(, "confidence": 0.5)")}), of(pets));
    EXPECT_EQ(sure.kind, ScoreKind::probabilities);

    const std::string forms[] = {
        R"(, "logits": [1.5, 7.25, -3])",
        R"(, "confidence": 0.9, "logits": {"$binary": {"base64": ")" + binary({1.5F, 7.25F, -3}) +
            R"(", "subType": "00"}})",
        R"(, "logits": {"$binary": ")" + binary({1.5F, 7.25F, -3}) + R"(", "$type": "00"})",
        R"(, "logits": ")" + binary({1.5F, 7.25F, -3}) + "\""};
    for (const std::string& form : forms) {
        const PredictionStore read =
            store("samples.json", samples({sample("a.jpg", "dog", form)}), of(pets));
        EXPECT_EQ(read.spec().kind, ScoreKind::logits) << form;
        EXPECT_THAT(read.shard(0).f32(), ElementsAre(1.5F, 7.25F, -3)) << form;
    }
}

TEST_F(JsonImports, FiftyOnesSamplesAreChecked) {
    const auto refused = [&](const std::vector<std::string>& all, const std::string& field = "") {
        ImportOptions options = of(pets);
        options.array = field;
        return refusal("samples.json", samples(all), options);
    };
    EXPECT_THAT(refusal("samples.json", samples({sample("a.jpg", "cat", "")})),
                HasSubstr("pass them with --classes"));
    EXPECT_THAT(refused({sample("a.jpg", "cow", "")}),
                AllOf(HasSubstr("`cow` is not a class"), HasSubstr("reading the sample `a.jpg`"),
                      HasSubstr("reading samples[0]")));
    // If --classes has another order than the logits, only this check can detect it.
    EXPECT_THAT(refused({sample("a.jpg", "cat", R"(, "logits": [1, 2, 3])")}),
                HasSubstr("the label is `cat`, but the greatest logit belongs to class 2, `bird`: "
                          "check that --classes is in the order of the logits"));
    EXPECT_THAT(refused({sample("a.jpg", "cat", R"(, "logits": [3, 2])")}),
                HasSubstr("2 logits of 3 classes"));
    EXPECT_THAT(refused({sample("a.jpg", "cat", R"(, "logits": [3, 2, "x"])")}),
                HasSubstr("logits[2]` is \"x\"; allowed: a number"));
    EXPECT_THAT(refused({sample("a.jpg", "cat", R"(, "logits": "eJ!")")}),
                HasSubstr("the logits are not base64"));
    EXPECT_THAT(refused({sample("a.jpg", "cat", R"(, "logits": "AAAA")")}),
                HasSubstr("zlib cannot decompress them"));
    EXPECT_THAT(refused({sample("a.jpg", "cat", R"(, "logits": 3)")}),
                HasSubstr("allowed: a list of numbers, or MongoDB's $binary"));
    const std::string many = binary(std::vector<float>(100'000, 1));
    EXPECT_LT(many.size(), 2000U);  // the file is 400 KB when decompressed
    EXPECT_THAT(refused({sample("a.jpg", "cat", R"(, "logits": ")" + many + "\"")}),
                HasSubstr("decompress to more than 4120 bytes"));

    const std::string two =
        R"({"filepath": "a.jpg", "resnet": {"_cls": "Classification", "label": "cat"},
                                "vit": {"_cls": "Classification", "label": "dog"}})";
    EXPECT_THAT(
        refused({two}),
        HasSubstr(
            "the fields resnet, vit hold classifications: choose the predictions with --array"));
    ImportOptions vit = of(pets);
    vit.array = "vit";
    EXPECT_THAT(predicted(store("samples.json", samples({two}), vit)), ElementsAre(1));
    EXPECT_THAT(refused({two}, "swin"), HasSubstr("no prediction in the field `swin`"));
    const std::string one =
        R"({"filepath": "b.jpg", "vit": {"_cls": "Classification", "label": "dog"}})";
    EXPECT_THAT(refused({one, two}), HasSubstr("the fields resnet, vit hold"));
    EXPECT_THAT(refused({R"({"filepath": "c.jpg", "vit": null})"}),
                HasSubstr("no prediction in any field"));
    EXPECT_THAT(refused({one, R"({"filepath": "c.jpg", "vit": null})"}),
                HasSubstr("no prediction in the field `vit`"));
    EXPECT_THAT(refused({R"({"filepath": 3})"}), HasSubstr("`filepath` is 3; allowed: a text"));
    EXPECT_THAT(refused({"7"}), HasSubstr("the sample is 7; allowed: an object"));
    EXPECT_THAT(refused({R"({"filepath": "a", "vit": {"_cls": "Classification"}})"}),
                HasSubstr("`vit.label` is missing"));
    EXPECT_THAT(
        refused(
            {R"({"filepath": "a", "vit": {"_cls": "Classifications", "classifications": []}})"}),
        HasSubstr("every sample needs a Classification"));
    EXPECT_THAT(refused({sample("a.jpg", "cat", ""), sample("a.jpg", "dog", "")}),
                HasSubstr("the id `a.jpg` of row 1 is also the id of row 0"));
}

// The logs of lm-eval for a choice between classes, and the answers of a model for images and
// texts.
TEST_F(JsonImports, LmEvalsSamples) {
    const PredictionStore chosen = store(
        "samples.jsonl",
        R"({"doc_id": 0, "doc": {"q": "?"}, "target": "1", "arguments": {"gen_args_0": {"arg_0": "x"}}, )"
        R"("resps": [[["-3.5", "False"]], [["-1.25", "True"]]], "filtered_resps": [["-3.5", "False"], )"
        R"(["-1.25", "True"]], "acc": 1.0})"
        "\n"
        R"({"doc_id": 1, "target": "0", "filtered_resps": [[-0.5, true], [-4, false]]})"
        "\n");
    EXPECT_EQ(chosen.spec().kind, ScoreKind::logits);
    EXPECT_THAT(ids(chosen), ElementsAre("0", "1"));
    EXPECT_THAT(predicted(chosen), ElementsAre(1, 0));
    EXPECT_THAT(labels(chosen), ElementsAre(ElementsAre(1), ElementsAre(0)));
    EXPECT_THAT(chosen.shard(0).f32(), ElementsAre(-3.5F, -1.25F, -0.5F, -4));
    const PredictionStore said =
        store("samples.jsonl",
              R"({"doc_id": 7, "target": "dog", "filtered_resps": ["bird"]})"
              "\n",
              of(pets));
    EXPECT_THAT(predicted(said), ElementsAre(2));
    EXPECT_THAT(labels(said), ElementsAre(ElementsAre(1)));

    const auto refused = [&](const std::string& answers) {
        return refusal("samples.jsonl",
                       R"({"doc_id": 0, "target": 0, "filtered_resps": )" + answers + "}\n",
                       of(pets));
    };
    for (const char* answers :
         {"[]", "3", "[[1]]", R"(["a", "b"])", R"([["x", "False"]])", "[[[1, true]]]"})
        EXPECT_THAT(refused(answers), AllOf(HasSubstr("`filtered_resps` is "), HasSubstr("line 1")))
            << answers;
    EXPECT_THAT(refused(R"(["The answer is a dog."])"),
                HasSubstr("`The answer is a dog.` is not a class"));
    EXPECT_THAT(refusal("samples.jsonl", R"({"doc_id": 0, "filtered_resps": ["cat"]}
{"doc_id": 0, "filtered_resps": ["dog"]})",
                        of(pets)),
                HasSubstr("the id `0` of row 1 is also the id of row 0"));  // there are two filters
}

}  // namespace
}  // namespace assay
