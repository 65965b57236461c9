// Error consistency with people: the formula of Geirhos et al. 2020 by hand, on small tables and on
// the published answers to the cue-conflict images.
#include "assay/evaluate/people.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "assay/error.h"
#include "assay/report.h"
#include "core/file.h"
#include "saved_scores.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// (observed - expected) / (1 - expected) for two lists of truth values.
double kappa_by_hand(const std::vector<int>& one, const std::vector<int>& two) {
    double alike = 0, p = 0, q = 0;
    const auto n = static_cast<double>(one.size());
    for (std::size_t i = 0; i < one.size(); ++i) {
        alike += one[i] == two[i] ? 1 / n : 0;
        p += one[i] / n;
        q += two[i] / n;
    }
    const double expected = p * q + (1 - p) * (1 - q);
    return (alike - expected) / (1 - expected);
}

/// A model with the arg-max `predicted[i]` for item i, and the classes `classes`.
Made decided(const std::vector<std::string>& ids, const std::vector<int>& predicted,
             const std::vector<std::string>& classes) {
    Made made;
    made.classes = classes.size();
    made.class_ids = classes;
    made.ids = ids;
    made.dataset = "cues";
    for (const int p : predicted) {
        for (std::size_t c = 0; c < classes.size(); ++c)
            made.scores.push_back(static_cast<int>(c) == p ? 2.0F : 0.0F);
        made.labels.push_back({0});
    }
    return made;
}

const std::string header = "subj,session,trial,rt,object_response,category,condition,imagename\n";

class People : public testing::Test {
protected:
    fs::path answers(const std::string& text, const std::string& name = "people.csv") {
        write_file_atomically(scratch_ / name, header + text);
        return scratch_ / name;
    }
    PeopleResult run(const fs::path& store, const fs::path& csv) {
        PeopleOptions options;
        options.stores = {store};
        options.answers = {csv};
        return compare_with_people(options);
    }
    std::string refusal(const fs::path& store, const fs::path& csv) {
        try {
            run(store, csv);
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::bad_input);
            return error.message();
        }
        return "nothing was thrown";
    }
    Scratch scratch_;
};

TEST_F(People, StoresOfAttacksAreSkipped) {
    const Made made = decided({"a.png", "b.png"}, {0, 1}, {"cat", "dog"});
    for (const char* model : {"m", "m@pgd-linf-8_255"}) save(scratch_, made, model);
    const fs::path csv = answers("anna,1,1,0.5,cat,cat,0,a.png\nanna,1,2,0.5,cat,dog,0,b.png\n");
    const PeopleResult result = run(scratch_ / "runs/cues", csv);
    ASSERT_EQ(result.models.size(), 1U);
    EXPECT_EQ(result.models[0].model, "m");
    EXPECT_THAT(result.warnings, testing::ElementsAre(HasSubstr("1 store of an attack")));
    EXPECT_EQ(run(scratch_ / "runs/cues/m@pgd-linf-8_255", csv).models.size(), 1U);
}

TEST_F(People, TheFormulaByHand) {
    // The labels are cat, cat, dog, dog, and the model predicts cat, dog, dog, cat: correct 1 0 1
    // 0.
    const auto store = save(scratch_,
                            decided({"cat/cat1-dog1.png", "cat/cat2-dog1.png", "dog/dog1-cat1.png",
                                     "dog/dog2-cat1.png"},
                                    {0, 1, 1, 0}, {"cat", "dog"}),
                            "m");
    const PeopleResult result =
        run(store.folder(), answers("anna,1,1,0.5,cat,cat,0,0001_s5_x_cat1-dog1.png\n"
                                    "anna,1,2,0.5,dog,cat,0,0002_s5_x_cat2-dog1.png\n"
                                    "anna,1,3,0.5,na,dog,0,0003_s5_x_dog1-cat1.png\n"
                                    "anna,1,4,0.5,cat,dog,0,0004_s5_x_dog2-cat1.png\n"
                                    "bert,1,1,0.5,cat,cat,0,0001_s6_x_cat1-dog1.png\n"
                                    "bert,1,2,0.5,cat,cat,0,0002_s6_x_cat2-dog1.png\n"
                                    "bert,1,3,0.5,dog,dog,0,0003_s6_x_dog1-cat1.png\n"));
    ASSERT_EQ(result.models.size(), 1U);
    const ModelAndPeople& m = result.models[0];
    ASSERT_EQ(m.people.size(), 2U);
    // anna is correct on 1 0 0 0. Both agree on 3 of 4. By chance they agree on 1/2 1/4 + 1/2 3/4 =
    // 1/2, so kappa is (3/4 - 1/2) / (1/2).
    EXPECT_EQ(m.people[0].other, "anna");
    EXPECT_DOUBLE_EQ(m.people[0].observed, 0.75);
    EXPECT_DOUBLE_EQ(m.people[0].by_chance, 0.5);
    EXPECT_DOUBLE_EQ(m.people[0].kappa.value.value(), 0.5);
    EXPECT_EQ(m.people[0].only_model_correct, 1U);
    EXPECT_DOUBLE_EQ(m.people[0].person.value.value(), 0.25);
    // bert is correct on all of three images. With accuracies of 2/3 and 1, both agree as often as
    // by chance.
    EXPECT_DOUBLE_EQ(m.people[1].kappa.value.value(), 0);
    EXPECT_EQ(m.people[1].model.n, 3U);
    EXPECT_DOUBLE_EQ(m.mean.value.value(), 0.25);
    EXPECT_EQ(result.answers, 7U);
    EXPECT_EQ(result.unanswered, 1U);
    // anna and bert share three images, with 1 0 0 and 1 1 1.
    EXPECT_DOUBLE_EQ(result.between_people.value.value(), 0);
    const auto json = to_json(result);
    EXPECT_EQ(json.at("schema"), "assay.people/1");
    EXPECT_EQ(json.at("models").at(0).at("people").at(0).at("error_consistency").at("value"), 0.5);
    EXPECT_THAT(render(report_of(result), ReportFormat::text), HasSubstr("1 of 7 answers"));
}

// Compares the interval of the mean with a jackknife that recomputes everything without each image.
TEST_F(People, TheMeansIntervalIsAJackknifeOverTheImages) {
    const std::size_t n = 30;
    std::vector<std::string> ids;
    std::vector<int> predicted, model, anna, bert;
    std::string text;
    for (std::size_t i = 0; i < n; ++i) {
        ids.push_back("x/i" + std::to_string(i) + ".png");
        model.push_back(i % 3 != 0);
        anna.push_back(i % 4 != 0);
        bert.push_back(i % 5 != 1);
        predicted.push_back(model.back() == 1 ? 0 : 1);
        for (const auto& [name, right] : {std::pair{"anna", anna.back()}, {"bert", bert.back()}})
            text += std::string(name) + ",1,1,1," + (right == 1 ? "cat" : "dog") + ",cat,0,1_i" +
                    std::to_string(i) + ".png\n";
    }
    const auto store = save(scratch_, decided(ids, predicted, {"cat", "dog"}), "m");
    const Estimate mean = run(store.folder(), answers(text)).models.at(0).mean;
    const auto mean_of = [&](const std::vector<int>& a, const std::vector<int>& b,
                             const std::vector<int>& c) {
        return (kappa_by_hand(a, b) + kappa_by_hand(a, c)) / 2;
    };
    EXPECT_NEAR(mean.value.value(), mean_of(model, anna, bert), 1e-12);
    std::vector<double> left;
    for (std::size_t i = 0; i < n; ++i) {
        std::array<std::vector<int>, 3> less{model, anna, bert};
        for (auto& list : less) list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
        left.push_back(mean_of(less[0], less[1], less[2]));
    }
    double centre = 0, squares = 0;
    for (const double v : left) centre += v / static_cast<double>(n);
    for (const double v : left) squares += (v - centre) * (v - centre);
    const double error = std::sqrt((n - 1.0) / n * squares);
    EXPECT_NEAR(mean.standard_error.value(), error, 1e-12);
    EXPECT_NEAR(mean.interval->high - mean.interval->low, 2 * 1.959963984540054 * error, 1e-9);
    EXPECT_EQ(mean.n, n);
}

TEST_F(People, BadInput) {
    const auto store =
        save(scratch_, decided({"a/x1.png", "b/x2.png"}, {0, 1}, {"cat", "dog"}), "m").folder();
    EXPECT_THAT(refusal(store, answers("anna,1,1,1,cat,cat,0,1_y.png\n")),
                AllOf(HasSubstr("none of the images that people saw"), HasSubstr("`1_y.png`"),
                      HasSubstr("`a/x1.png`")));
    EXPECT_THAT(refusal(store, answers("anna,1,1,1,cat,bird,0,1_x1.png\n")),
                HasSubstr("the category `bird` is not one of the 2 classes"));
    EXPECT_THAT(refusal(store, answers("anna,1,1,1,cat,cat,0,1_x1.png\n"
                                       "bert,1,1,1,cat,dog,0,1_x1.png\n")),
                HasSubstr("has the category `cat` and, in another answer, `dog`"));
    EXPECT_THAT(refusal(store, answers("")), HasSubstr("nobody answered anything"));
    write_file_atomically(scratch_ / "other.csv", "subj,answer\nanna,cat\n");
    EXPECT_THAT(refusal(store, scratch_ / "other.csv"), HasSubstr("object_response"));
    fs::create_directory(scratch_ / "empty");
    EXPECT_THAT(refusal(store, scratch_ / "empty"), HasSubstr("holds no csv"));
    const auto twins = save(scratch_, decided({"a/x1.png", "b/x1.png"}, {0, 1}, {"cat", "dog"}),
                            "twins", StorageFormat::full_f32, 100, false, "runs2")
                           .folder();
    EXPECT_THAT(refusal(twins, answers("anna,1,1,1,cat,cat,0,1_x1.png\n")),
                HasSubstr("have the same file name"));
    // A note says which answers are excluded.
    const PeopleResult result = run(store, answers("anna,1,1,1,cat,cat,0,1_x1.png\n"
                                                   "anna,1,2,1,dog,cat,0,2_x1.png\n"
                                                   "anna,1,3,1,dog,dog,0,3_x9.png\n"));
    EXPECT_THAT(result.warnings,
                testing::UnorderedElementsAre(
                    HasSubstr("1 of 3 answers are about images that are not in the data set"),
                    HasSubstr("1 answer repeat")));
    EXPECT_EQ(result.answers, 1U);
    EXPECT_EQ(result.between_people.undefined, "there is one person");
}

/// The published files, read without Assay's readers: subject -> image -> correct.
std::map<std::string, std::map<std::string, int>> published(const fs::path& folder,
                                                            std::set<std::string>& classes) {
    std::map<std::string, std::map<std::string, int>> out;
    for (const auto& entry : fs::directory_iterator(folder)) {
        std::ifstream file(entry.path());
        std::string line;
        std::getline(file, line);
        while (std::getline(file, line)) {
            if (line.ends_with('\r')) line.pop_back();
            std::vector<std::string> cells;
            std::istringstream in(line);
            for (std::string cell; std::getline(in, cell, ',');) cells.push_back(cell);
            classes.insert(cells[5]);
            out[cells[0]][cells[5] + "/" + cells[7].substr(cells[7].rfind('_') + 1)] =
                cells[4] == cells[5] ? 1 : 0;
        }
    }
    return out;
}

// The first person as a model.
TEST_F(People, ThePublishedAnswers) {
    const fs::path folder = ASSAY_SOURCE_DIR "/../shared/data/human_cue_conflict";
    if (!fs::exists(folder)) GTEST_SKIP() << "no " << folder;
    std::set<std::string> categories;
    auto all = published(folder, categories);
    ASSERT_EQ(all.size(), 10U);
    ASSERT_EQ(categories.size(), 16U);
    const std::vector<std::string> classes(categories.begin(), categories.end());
    std::vector<std::string> ids;
    std::vector<int> predicted;
    const auto& model = all.begin()->second;
    for (const auto& [image, right] : model) {
        const auto truth = static_cast<int>(
            std::find(classes.begin(), classes.end(), image.substr(0, image.find('/'))) -
            classes.begin());
        ids.push_back(image);
        predicted.push_back(right == 1 ? truth : (truth + 1) % 16);
    }
    EXPECT_EQ(ids.size(), 1280U);
    const auto store = save(scratch_, decided(ids, predicted, classes), "m");
    const PeopleResult result = run(store.folder(), folder);
    ASSERT_EQ(result.models.at(0).people.size(), 10U);
    EXPECT_THAT(result.warnings, testing::IsEmpty());
    EXPECT_EQ(result.answers, 12'800U);
    const auto list = [](const std::map<std::string, int>& person) {
        std::vector<int> out;
        for (const auto& [image, right] : person) out.push_back(right);
        return out;
    };
    double between = 0, mean = 0;
    std::size_t k = 0;
    for (auto a = all.begin(); a != all.end(); ++a, ++k) {
        const double kappa = kappa_by_hand(list(model), list(a->second));
        EXPECT_NEAR(result.models[0].people[k].kappa.value.value(), kappa, 1e-12) << a->first;
        mean += kappa / 10;
        for (auto b = std::next(a); b != all.end(); ++b)
            between += kappa_by_hand(list(a->second), list(b->second)) / 45;
    }
    EXPECT_DOUBLE_EQ(result.models[0].people[0].kappa.value.value(), 1);  // people with themselves
    EXPECT_NEAR(result.models[0].mean.value.value(), mean, 1e-12);
    EXPECT_NEAR(result.between_people.value.value(), between, 1e-12);
    EXPECT_EQ(result.between_people.n, 1280U);
    ASSERT_TRUE(result.between_people.interval);
    EXPECT_LT(result.between_people.interval->high - result.between_people.interval->low, 0.1);
}

}  // namespace
}  // namespace assay
