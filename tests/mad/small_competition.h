// A competition of a few simulated classifiers on a few dozen made-up images. The rows
// of its selection are inserted by hand.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "../scratch.h"
#include "assay/mad/competition.h"
#include "assay/mad/questions.h"
#include "assay/store/prediction_store.h"
#include "containers/csv.h"
#include "core/file.h"
#include "mad/competition_rows.h"

namespace assay::mad::questions_test {

/// Image i shows class i % 5. Each classifier is wrong on every third image, at different images.
class SmallCompetition {
public:
    static constexpr std::size_t class_count = 5;

    explicit SmallCompetition(std::size_t classifiers = 3, std::size_t images = 45,
                              CompetitionSettings settings = usual_settings(),
                              std::string last_id = {})
        : images_(images), last_id_(std::move(last_id)) {
        std::filesystem::create_directories(scratch_ / "images");
        const Dataset dataset = made_images();
        for (std::size_t m = 0; m < classifiers; ++m) write_store(m, dataset);
        InitOptions options;
        options.settings = std::move(settings);
        options.stores = {(scratch_ / "runs").string()};
        options.images = scratch_ / "images";
        options.threads = 1;
        competition_ =
            std::make_unique<Competition>(Competition::create(scratch_ / "mad", options));
    }

    static CompetitionSettings usual_settings() {
        CompetitionSettings settings;
        settings.distance = DistanceReading::zero_one;
        settings.seed = 7;
        settings.gold = 0;
        return settings;
    }

    Competition& operator*() { return *competition_; }
    Competition* operator->() { return competition_.get(); }
    Database& database() { return competition_->impl().database; }
    std::filesystem::path file(const std::string& name) const { return scratch_ / name; }
    std::filesystem::path write(const std::string& name, std::string_view text) const {
        std::ofstream(file(name), std::ios::binary) << text;
        return file(name);
    }

    static std::uint16_t shown(std::size_t image) {
        return static_cast<std::uint16_t>(image % class_count);
    }
    static std::uint16_t predicted(std::size_t classifier, std::size_t image) {
        const bool errs = (image / class_count + classifier) % 3 == 0;
        return static_cast<std::uint16_t>((image + (errs ? 1 + classifier % 4 : 0)) % class_count);
    }
    std::string id(std::size_t image) const {
        if (image + 1 == images_ && !last_id_.empty()) return last_id_;
        if (image == 3) return R"(a,b "quoted".jpg)";
        if (image == 4) return "=1+1.jpg";
        return fmt::format("crawl/image {:03}.jpg", image);
    }
    /// Selects the first k images on which each two active classifiers differ, for questions in
    /// reverse order. Only uses pairs of the first `classifiers` (0: all) without images.
    void select(std::size_t k, std::size_t classifiers = 0) {
        const std::vector<CompetitionClassifier> active = competition_->active();
        const std::size_t end = classifiers == 0 ? active.size() : classifiers;
        for (std::size_t a = 0; a < end; ++a) {
            for (std::size_t b = a + 1; b < end; ++b) {
                if (count(fmt::format("pair WHERE first = {} AND second = {}", active[a].number,
                                      active[b].number)) == 0)
                    select_pair(active[a].number, active[b].number, k);
            }
        }
    }
    void add_control(const std::vector<std::uint64_t>& images) {
        note_images(*competition_, images);
        for (const std::uint64_t image : images)
            database().execute(fmt::format("INSERT INTO control VALUES ({}, 0, {}, {})", image,
                                           images_, images.size()));
    }
    /// The true answer of an open question.
    bool truth(const OpenQuestion& question) const {
        for (std::size_t i = 0; i < images_; ++i)
            if (id(i) == question.image)
                return competition_->classes().id(shown(i)) == question.label;
        ADD_FAILURE() << "no image " << question.image;
        return false;
    }
    /// A csv file of one annotator's answers to the questions.
    std::string answers(const std::vector<OpenQuestion>& questions, const std::string& annotator,
                        const std::function<std::string(const OpenQuestion&)>& say) const {
        std::string text;
        CsvWriter csv(text);
        csv.row({"question", "annotator", "answer"});
        for (const OpenQuestion& question : questions)
            csv.row({question.token, annotator, say(question)});
        return text;
    }
    /// Reads answers of annotators who know the truth, for all open questions.
    void answer_truly(const std::vector<std::string>& annotators) {
        const std::vector<OpenQuestion> open = open_questions(*competition_);
        for (const std::string& name : annotators) {
            const std::filesystem::path file =
                write("truth.csv", answers(open, name, [&](const OpenQuestion& q) {
                          return truth(q) ? "yes" : "no";
                      }));
            read_answers_into(*competition_, AnswerOptions{.file = file, .annotator = {}});
        }
    }
    std::int64_t count(const std::string& sql) {
        Statement row = database().prepare("SELECT count(*) FROM " + sql);
        EXPECT_TRUE(row.step());
        return row.integer(0);
    }

private:
    Dataset made_images() const {
        Dataset dataset;
        dataset.name = "crawl";
        for (std::size_t i = 0; i < images_; ++i) dataset.ids.append(id(i));
        for (std::size_t i = 0; i < images_; ++i) dataset.labels.append({});
        dataset.classes =
            ClassList({"n1", "n2", "n3", "n4", "n5"}, {"ant", "bee", "crane", "crane", "=eel"});
        return dataset;
    }
    void write_store(std::size_t classifier, const Dataset& dataset) const {
        StoreSpec spec;
        spec.dataset_name = "crawl";
        spec.model_name = fmt::format("net{}", classifier);
        spec.rows = images_;
        spec.classes = class_count;
        StoreWriter writer = StoreWriter::open(scratch_ / "runs", spec, dataset);
        std::vector<float> scores;
        for (std::size_t i = 0; i < images_; ++i)
            for (std::size_t c = 0; c < class_count; ++c)
                scores.push_back(predicted(classifier, i) == c ? 20.0F : 0.0F);
        for (std::size_t s = 0; s < writer.shards(); ++s) {
            const std::size_t first = writer.first_row(s), rows = writer.rows_in(s);
            writer.write_shard(s,
                               std::span(scores).subspan(first * class_count, rows * class_count),
                               std::vector<RowState>(rows, RowState::ok), {}, "");
        }
        writer.finish();
    }
    void select_pair(std::uint32_t a, std::uint32_t b, std::size_t k) {
        database().execute(fmt::format(
            "INSERT INTO pair (first, second, candidates, disagreeing, k) VALUES ({}, {}, 99, 99, "
            "{})",
            a, b, k));
        const std::int64_t pair = database().last_row();
        std::size_t place = 0;
        for (std::size_t i = 0; i < images_ && place < k; ++i) {
            if (predicted(a, i) == predicted(b, i)) continue;
            note_images(*competition_, {i});
            database().execute(fmt::format(
                "INSERT INTO selected (pair, image, place, turn, first_label, second_label, units, "
                "confidence, state, asked) VALUES ({}, {}, {}, {}, {}, {}, 1048576, 200, "
                "'accepted', 0)",
                pair, i, place, k - place, predicted(a, i), predicted(b, i)));
            ++place;
        }
        EXPECT_EQ(place, k) << "too few images differ";
    }

    std::size_t images_;
    std::string last_id_;  ///< label of the last image, or "" for that of the others
    Scratch scratch_;
    std::unique_ptr<Competition> competition_;
};

}  // namespace assay::mad::questions_test
