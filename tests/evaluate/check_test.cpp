#include "assay/evaluate/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>

#include "assay/error.h"
#include "colour_classifier.h"
#include "core/file.h"
#include "data/temp_folder.h"

namespace assay {
namespace {

using testing::HasSubstr;
using Ends = ColourClassifier::Ends;
using Severity = Finding::Severity;

void put_u32(std::string& out, std::size_t at, std::uint32_t value) {
    for (std::size_t i = 0; i < 4; ++i) out[at + i] = static_cast<char>(value >> (8 * i));
}

/// The bytes of a 24-bit BMP of one colour.
std::string bmp(std::array<int, 3> rgb) {
    constexpr std::uint32_t side = ColourClassifier::side, header = 54,
                            pixels = side * side * 3;  // rows of 12 bytes need no padding
    std::string out(header + pixels, '\0');
    out[0] = 'B';
    out[1] = 'M';
    put_u32(out, 2, header + pixels);
    put_u32(out, 10, header);
    put_u32(out, 14, 40);
    put_u32(out, 18, side);
    put_u32(out, 22, side);
    out[26] = 1;
    out[28] = 24;
    put_u32(out, 34, pixels);
    for (std::size_t i = 0; i < pixels; ++i) out[header + i] = static_cast<char>(rgb[2 - i % 3]);
    return out;
}

/// 144 images, 12 per class. Their colors are so noisy that some are predicted incorrectly.
class Check : public testing::Test {
protected:
    static std::string name_of_image(std::size_t i) {
        return "p" + std::to_string(1000 + i) + ".bmp";
    }

    void SetUp() override {
        for (std::size_t i = 0; i < count; ++i) {
            RandomStream random(1, "colours", i);
            auto colour = colour_of(i % colour_classes);
            for (int& level : colour)
                level =
                    std::clamp(level + static_cast<int>(std::lround(14 * random.normal())), 0, 255);
            folder.write(name_of_image(i), bmp(colour));
        }
        dataset.name = "colours";
        dataset.root = folder.path();
        for (std::size_t i = 0; i < count; ++i) {
            dataset.ids.append(name_of_image(i));
            labels.push_back(static_cast<std::int32_t>(i % colour_classes));
        }
        dataset.classes = numbered_classes(colour_classes);
        spec.preprocess = model.expects;
        options.sample = 128;
        options.threads = 2;
    }

    std::vector<Finding> run() {
        dataset.labels = LabelSets::from_single(labels);
        return check_model(model, spec, dataset, options);
    }
    /// The worst finding of one check.
    Finding finding(const std::string& id) {
        Finding worst{Severity::ok, "no finding " + id, "", "", ""};
        bool found = false;
        for (const Finding& f : run()) {
            if (f.id != id) continue;
            if (!found || f.severity > worst.severity) worst = f;
            found = true;
        }
        EXPECT_TRUE(found) << id;
        return worst;
    }
    std::vector<std::string> faults() {
        std::vector<std::string> out;
        for (const Finding& f : run()) {
            if (f.severity >= Severity::warning)
                out.push_back(f.id + ": " + f.title + " [" + f.detail + "]");
        }
        return out;
    }

    static constexpr std::size_t count = 144;
    TempFolder folder;
    ColourClassifier model;
    ModelSpec spec;
    Dataset dataset;
    std::vector<std::int32_t> labels;
    CheckOptions options;
};

TEST_F(Check, NothingWrongIsSaidSo) {
    EXPECT_THAT(faults(), testing::IsEmpty());
    std::vector<std::string> ids;
    for (const Finding& f : run()) {
        EXPECT_EQ(f.severity, Severity::ok) << f.id << ": " << f.title << " [" << f.detail << "]";
        ids.push_back(f.id);
    }
    EXPECT_THAT(ids, testing::ElementsAre("data.classes", "data.labels", "data.images",
                                          "outputs.finite", "outputs.constant", "outputs.kind",
                                          "classes.order", "pixels.values", "pixels.geometry",
                                          "batch.repeat", "batch.neighbours"));
}

TEST_F(Check, SameFindingsForAnyNumberOfThreads) {
    model.expects.mean = {0.485, 0.456, 0.406};
    model.expects.std = {0.229, 0.224, 0.225};
    const auto texts = [&](int threads) {
        options.threads = threads;
        std::vector<std::string> out;
        for (const Finding& f : run()) out.push_back(f.id + f.title + f.detail + f.advice);
        return out;
    };
    const auto one = texts(1);
    EXPECT_EQ(texts(2), one);
    EXPECT_EQ(texts(7), one);
}

// --- classes.order ---

TEST_F(Check, FoldersSortedAsText) {
    // The order of the outputs is 0 1 10 11 2 3 and so on, so class 10 is output 2.
    std::vector<std::string> texts;
    for (std::size_t c = 0; c < colour_classes; ++c) texts.push_back(std::to_string(c));
    std::vector<std::size_t> order(colour_classes);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return texts[a] < texts[b]; });
    model.output_of.resize(colour_classes);
    for (std::size_t j = 0; j < colour_classes; ++j) model.output_of[order[j]] = j;
    ASSERT_EQ(model.output_of[10], 2U);
    const Finding found = finding("classes.order");
    EXPECT_EQ(found.severity, Severity::error);
    EXPECT_THAT(found.title, HasSubstr("folders named 0..11 sorted as text"));
    EXPECT_THAT(found.detail, HasSubstr("of 128"));

    // The reverse case: the data set's labels are numbered in the order of the texts.
    model.output_of.clear();
    for (auto& label : labels)
        label = static_cast<std::int32_t>(
            std::find(order.begin(), order.end(), static_cast<std::size_t>(label)) - order.begin());
    const Finding other = finding("classes.order");
    EXPECT_EQ(other.severity, Severity::error);
    EXPECT_THAT(other.title, HasSubstr("labels numbered by folders 0..11 sorted as text"));
}

TEST_F(Check, BackgroundClassInFront) {
    ColourClassifier thirteen(colour_classes + 1);
    for (std::size_t c = 0; c < colour_classes; ++c) thirteen.output_of.push_back(c + 1);
    dataset.labels = LabelSets::from_single(labels);
    bool order = false, counts = false;
    for (const Finding& f : check_model(thirteen, spec, dataset, options)) {
        order |= f.id == "classes.order" && f.severity == Severity::error &&
                 f.title.find("outputs are shifted by +1:") != std::string::npos;
        counts |= f.id == "data.classes" && f.severity == Severity::error &&
                  f.advice.find("background") != std::string::npos;
    }
    EXPECT_TRUE(order);
    EXPECT_TRUE(counts);
}

TEST_F(Check, LabelsThatCountFromOne) {
    for (auto& label : labels) label += 1;
    dataset.classes = {};
    std::erase_if(labels, [](int) { return false; });
    for (auto& label : labels)
        label = label == static_cast<std::int32_t>(colour_classes) ? -1 : label;
    EXPECT_THAT(finding("classes.order").title, HasSubstr("outputs are shifted by -1:"));
}

TEST_F(Check, ClassesSortedByName) {
    dataset.classes = ClassList(
        {"n01", "n02", "n03", "n04", "n05", "n06", "n07", "n08", "n09", "n10", "n11", "n12"},
        {"l", "c", "b", "a", "k", "d", "j", "e", "i", "f", "h", "g"});
    const std::vector<std::size_t> rank = {11, 2, 1, 0, 10, 3, 9, 4, 8, 5, 7, 6};  // for each name
    model.output_of = rank;
    EXPECT_THAT(finding("classes.order").title, HasSubstr("classes sorted by name"));
}

TEST_F(Check, UnknownOrderIsSeenByItsConsistency) {
    model.output_of = {7, 3, 0, 9, 11, 1, 10, 5, 2, 4, 8, 6};
    const Finding found = finding("classes.order");
    EXPECT_EQ(found.severity, Severity::error);
    EXPECT_THAT(found.title, HasSubstr("separates the classes, but"));
    EXPECT_THAT(found.detail, HasSubstr("are predicted as"));
}

TEST_F(Check, TooFewImagesToConclude) {
    model.output_of = {7, 3, 0, 9, 11, 1, 10, 5, 2, 4, 8, 6};
    options.sample = 9;
    EXPECT_EQ(finding("classes.order").severity, Severity::note);
    EXPECT_THAT(finding("classes.order").title, HasSubstr("too few images"));
}

TEST_F(Check, OneClassCannotBeChecked) {
    for (auto& label : labels) label = 3;
    EXPECT_THAT(finding("classes.order").title, HasSubstr("all images have the same labels"));
}

TEST_F(Check, ChanceIsNotCalledAnOrder) {
    for (std::size_t i = 0; i < count; ++i)
        labels[i] = static_cast<std::int32_t>(RandomStream(5, "labels", i).below(colour_classes));
    const Finding found = finding("classes.order");
    EXPECT_EQ(found.severity, Severity::warning);
    EXPECT_THAT(found.title, HasSubstr("no better than chance"));
    EXPECT_EQ(finding("pixels.values").severity, Severity::ok);
}

// --- pixels ---

TEST_F(Check, EachUsualPreparationIsRecognised) {
    const auto expect_advice = [&](const char* advice) {
        const Finding found = finding("pixels.values");
        EXPECT_EQ(found.severity, Severity::error) << found.detail;
        EXPECT_THAT(found.advice, HasSubstr(advice)) << found.detail;
        EXPECT_EQ(finding("classes.order").severity, Severity::ok);
    };
    const Preprocess good = model.expects;
    model.expects.mean = {0.485, 0.456, 0.406};
    model.expects.std = {0.229, 0.224, 0.225};
    expect_advice("--mean 0.485,0.456,0.406");
    model.expects = good;
    model.expects.mean = {0, 0, 0};
    model.expects.std = {1, 1, 1};
    expect_advice("--mean 0,0,0 --std 1,1,1");
    model.expects.scale = 1;
    expect_advice("--scale 1 --mean 0,0,0");
    model.expects = good;
    model.expects.channel_order = ChannelOrder::bgr;
    expect_advice("--channel-order bgr");
    model.expects = good;
    spec.preprocess.mean = {0, 0, 0};
    spec.preprocess.std = {1, 1, 1};
    expect_advice("--mean 0.5,0.5,0.5");
}

/// The finding's advice, from the first option on: "--mean ...; not clearly worse: ...".
std::string advice_of(const Finding& finding) {
    return finding.advice.substr(0, finding.advice.find(';'));
}

// With B G R or another scale, only the options of the correct preprocessing would leave these
// settings unchanged.
TEST_F(Check, AdviceHoldsWhatChangesAndNothingElse) {
    const Preprocess good = spec.preprocess;
    spec.preprocess.channel_order = ChannelOrder::bgr;
    EXPECT_EQ(advice_of(finding("pixels.values")), "--channel-order rgb");
    spec.preprocess.mean = {103.939, 116.779, 123.68};
    spec.preprocess.std = {1, 1, 1};
    spec.preprocess.scale = 1;
    EXPECT_EQ(
        advice_of(finding("pixels.values")),
        "--channel-order rgb --scale 0.00392156862745098 --mean 0.5,0.5,0.5 --std 0.5,0.5,0.5");
    spec.preprocess = good;
    spec.preprocess.scale = 1;
    EXPECT_EQ(advice_of(finding("pixels.values")), "--scale 0.00392156862745098");
    // After the advice is followed, there is no finding, because 15 digits of 1/255 are the same
    // float.
    EXPECT_EQ(static_cast<float>(0.00392156862745098), 1.0F / 255.0F);
}

/// Opens a colour classifier that was trained at `side`. At other sizes, it sees the wrong colours.
std::function<std::unique_ptr<Classifier>(const ModelSpec&)> trained_at(int side, bool fixed,
                                                                        const Preprocess& expects) {
    return [=](const ModelSpec& spec) {
        if (fixed && spec.preprocess.height != side)
            throw Error(ErrorCode::bad_input, "sizes of tensors must match");
        auto classifier = std::make_unique<ColourClassifier>();
        classifier->expects = expects;
        if (spec.preprocess.height != side) classifier->expects.mean = {0.1, 0.9, 0.5};
        return classifier;
    };
}

TEST_F(Check, IncorrectInputSize) {
    const Preprocess expects = model.expects;
    options.reopen = trained_at(64, false, expects);
    spec.preprocess.height = spec.preprocess.width = 96;
    model.expects.mean = {0.1, 0.9, 0.5};  // check_model gets a model that was opened at 96
    const Finding found = finding("pixels.size");
    EXPECT_EQ(found.severity, Severity::error) << found.title << found.detail;
    EXPECT_THAT(found.title, HasSubstr("64 x 64 does much better than 96 x 96"));
    EXPECT_EQ(found.advice, "--input-size 64");
}

TEST_F(Check, TheGivenSizeIsGood) {
    options.reopen = trained_at(64, false, model.expects);
    spec.preprocess.height = spec.preprocess.width = 64;
    EXPECT_EQ(finding("pixels.size").severity, Severity::ok);
    options.reopen = trained_at(64, true, model.expects);
    EXPECT_THAT(finding("pixels.size").title, HasSubstr("takes images of 64 x 64 only"));
    // The smallest tested size is 32, so 8 x 8 cannot be checked.
    spec.preprocess.height = spec.preprocess.width = 8;
    options.reopen = trained_at(8, false, model.expects);
    EXPECT_EQ(finding("pixels.size").severity, Severity::note);
    EXPECT_EQ(finding("pixels.size").title, "cannot be checked: no usual input size is near 8 x 8");
}

TEST_F(Check, ARefusedSizeIsNamedWithTheOneThatIsTaken) {
    options.reopen = trained_at(64, true, model.expects);
    spec.preprocess.height = spec.preprocess.width = 96;
    const auto found = refused_size(spec, options, "sizes of tensors must match");
    ASSERT_TRUE(found);
    EXPECT_THAT(found->title, HasSubstr("refuses images of 96 x 96 and takes 64 x 64"));
    EXPECT_EQ(found->advice, "--input-size 64");
    spec.preprocess.height = spec.preprocess.width = 448;
    EXPECT_FALSE(refused_size(spec, options, ""));  // the size is more than twice as large
}

TEST_F(Check, WrongPixelsAndWrongOrderTogether) {
    model.expects.mean = {0, 0, 0};
    model.expects.std = {1, 1, 1};
    model.expects.scale = 1;
    for (std::size_t c = 0; c < colour_classes; ++c)
        model.output_of.push_back(colour_classes - 1 - c);
    // The model expects bytes, so values of -1..1 look black. No class order is correct with them,
    // and only both changes together help.
    const Finding order = finding("classes.order");
    EXPECT_GE(order.severity, Severity::warning);
}

// --- outputs ---

TEST_F(Check, KindsOfOutputs) {
    struct Case {
        Ends ends;
        ScoreKind said;
        Severity severity;
        const char* title;
        const char* advice;
    };
    for (const Case& c : {
             Case{Ends::logits, ScoreKind::logits, Severity::ok, "look like logits", ""},
             Case{Ends::softmax, ScoreKind::probabilities, Severity::ok, "look like probabilities",
                  ""},
             Case{Ends::log_softmax, ScoreKind::log_probabilities, Severity::ok,
                  "look like log_probabilities", ""},
             Case{Ends::softmax, ScoreKind::logits, Severity::error,
                  "softmax would be applied twice", "--outputs probabilities"},
             Case{Ends::softmax_twice, ScoreKind::logits, Severity::error,
                  "softmax is applied twice", "without the outer softmax"},
             Case{Ends::softmax_twice, ScoreKind::probabilities, Severity::error,
                  "softmax is applied twice", "without the outer softmax"},
             Case{Ends::sigmoid, ScoreKind::logits, Severity::warning, "sigmoids, not logits?",
                  "last activation"},
             Case{Ends::sigmoid, ScoreKind::probabilities, Severity::error, "rows do not sum to 1",
                  "export the logits"},
             Case{Ends::logits, ScoreKind::probabilities, Severity::error, "are not in [0, 1]",
                  "--outputs logits"},
             Case{Ends::log_softmax, ScoreKind::logits, Severity::note, "are log-probabilities",
                  "log_probabilities"},
             Case{Ends::log_softmax, ScoreKind::probabilities, Severity::error,
                  "are log-probabilities", "log_probabilities"},
             Case{Ends::logits, ScoreKind::log_probabilities, Severity::error, "do not sum to 1",
                  "--outputs logits"},
             Case{Ends::softmax, ScoreKind::log_probabilities, Severity::error, "do not sum to 1",
                  "--outputs probabilities"},
         }) {
        model.ends = c.ends;
        spec.outputs = c.said;
        const Finding found = finding("outputs.kind");
        EXPECT_EQ(found.severity, c.severity) << c.title << found.detail;
        EXPECT_THAT(found.title, HasSubstr(c.title));
        EXPECT_THAT(found.advice, HasSubstr(c.advice));
    }
}

TEST_F(Check, ConstantAndNotFinite) {
    model.constant = true;
    EXPECT_THAT(finding("outputs.constant").title, HasSubstr("every image gets the same scores"));
    EXPECT_EQ(finding("outputs.constant").severity, Severity::error);
    model.constant = false;
    model.not_a_number = true;
    EXPECT_THAT(finding("outputs.finite").title,
                HasSubstr("NaN scores for 128 of 128 (100.0 %) images"));
    // Scores that are not finite give no information about classes and pixels.
    EXPECT_THAT(finding("classes.order").title, HasSubstr("no image has finite scores"));
    EXPECT_EQ(finding("pixels.values").severity, Severity::note);
}

TEST_F(Check, SomeScoresAreNotNumbers) {
    options.threads = 1;
    model.nan_after = 100;  // 28 of the 128 images
    EXPECT_THAT(finding("outputs.finite").title, HasSubstr("NaN scores for 28 of 128"));
    model.nan_after = 100;
    EXPECT_THAT(finding("classes.order").detail, HasSubstr("correct as given"));
    model.nan_after = 100;
    model.infinite = true;
    EXPECT_THAT(finding("outputs.finite").title, HasSubstr("infinite scores for 28 of 128"));
}

// --- batches ---

TEST_F(Check, DropoutAndBatchNormalisation) {
    model.dropout = true;
    options.threads = 1;
    EXPECT_EQ(finding("batch.repeat").severity, Severity::error);
    EXPECT_THAT(finding("batch.repeat").advice, HasSubstr("model.eval()"));
    model.dropout = false;
    model.batch_norm = true;
    EXPECT_EQ(finding("batch.repeat").severity, Severity::ok);
    EXPECT_EQ(finding("batch.neighbours").severity, Severity::error);
    EXPECT_THAT(finding("batch.neighbours").detail, HasSubstr("alone, compared with a batch of 8"));
}

TEST_F(Check, FixedBatch) {
    model.fix_batch(5);  // 128 is not a multiple of 5
    EXPECT_THAT(faults(), testing::IsEmpty());
    model.batch_norm = true;
    EXPECT_EQ(finding("batch.neighbours").severity, Severity::error);
    model.batch_norm = false;
    model.fix_batch(1);
    EXPECT_EQ(finding("batch.neighbours").severity, Severity::note);
}

// --- data ---

TEST_F(Check, UnreadableImages) {
    const auto broken = folder.write("broken.bmp", "BM");
    dataset.ids.append("broken.bmp");
    labels.push_back(0);
    options.sample = 1000;  // all images are affected
    Finding found = finding("data.images");
    EXPECT_EQ(found.severity, Severity::warning);
    EXPECT_THAT(found.title, HasSubstr("1 of 145 images looked at cannot be read"));
    EXPECT_THAT(found.detail, HasSubstr("broken.bmp"));
    options.sample = 12;
    options.decode_all = true;
    EXPECT_THAT(finding("data.images").title, HasSubstr("1 of 145"));

    Dataset all_broken;
    all_broken.root = folder.path();
    all_broken.ids.append("broken.bmp");
    all_broken.labels.append({});
    const auto findings = check_model(model, spec, all_broken, options);
    EXPECT_EQ(findings.back().id, "data.images");
    EXPECT_EQ(findings.back().severity, Severity::error);
    std::filesystem::remove(broken);
}

TEST_F(Check, LabelsAndClasses) {
    for (std::size_t i = 0; i < count; i += 2) labels[i] = -1;
    EXPECT_THAT(finding("data.labels").detail, HasSubstr("72 of 144"));
    EXPECT_THAT(finding("data.classes").title, HasSubstr("6 of 12 classes have no images"));
    labels.assign(count, -1);
    EXPECT_THAT(finding("data.labels").title, HasSubstr("the images have no label"));
    EXPECT_THAT(finding("classes.order").title, HasSubstr("no labels"));
    EXPECT_EQ(finding("pixels.values").severity, Severity::note);
    EXPECT_EQ(finding("batch.repeat").severity, Severity::ok);
    labels.assign(count, 12);
    EXPECT_THAT(finding("data.classes").title,
                HasSubstr("label 12, but the classifier's classes are 0 to 11"));
    labels.assign(count, 0);
    dataset.classes = numbered_classes(10);
    EXPECT_THAT(finding("data.classes").title,
                HasSubstr("the data set has 10 classes, but the classifier has 12"));
    spec.classes = numbered_classes(11);
    EXPECT_THAT(finding("data.classes").title,
                HasSubstr("the classifier's class list has 11 classes, but its output has 12"));
}

TEST_F(Check, ClassesOfAnotherDataSet) {
    const TempFolder other;
    for (const char* name : {"cat", "dog"})
        other.write(std::string(name) + "/1.bmp", bmp({200, 100, 50}));
    DatasetOptions how;
    how.classes = ClassList({"plane", "ship"});
    std::vector<std::string> notes;
    DataToCheck opened = open_to_check(other.path(), how, &notes);
    EXPECT_EQ(opened.dataset.size(), 2U);
    ASSERT_EQ(opened.findings.size(), 1U);
    EXPECT_EQ(opened.findings[0].id, "data.classes");
    EXPECT_EQ(opened.findings[0].severity, Severity::error);
    EXPECT_THAT(opened.findings[0].detail, HasSubstr("cat"));
    const auto findings = check_model(model, spec, std::move(opened), options);
    ASSERT_GT(findings.size(), 1U);  // the other checks run anyway
    EXPECT_THAT(findings[0].title, HasSubstr(""));

    how.classes = ClassList({"cat", "dog"});
    EXPECT_TRUE(open_to_check(other.path(), how).findings.empty());
    EXPECT_THROW(open_to_check(other.path() / "none", how), Error);  // undecided for a new reason
}

TEST_F(Check, EmptyDataSet) {
    EXPECT_THROW(check_model(model, spec, Dataset{}, options), Error);
}

}  // namespace
}  // namespace assay
