// Competitions as rows, in memory or as a folder, for tests of the steps after the answers.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "assay/mad/competition.h"
#include "containers/npy.h"
#include "core/file.h"
#include "mad/competition_rows.h"
#include "mad/competition_settings.h"
#include "mad/predictions.h"
#include "mad/tally.h"
#include "study/study_file.h"

namespace assay::mad::rank_test {

struct RankWorld {
    std::vector<std::string> names;
    std::vector<bool> active;  ///< empty for all
    std::uint64_t images = 20'000;
    std::uint32_t classes = 60, votes = 5, k = 30;
    std::vector<PairRow> pairs;
    std::vector<SelectedRow> selected;
    std::vector<QuestionRow> questions;
    std::vector<AnnotatorRow> annotators;
    std::vector<AnswerRow> answers;
    std::vector<ControlRow> control;
    std::vector<std::vector<std::uint16_t>> labels;  ///< contents of all images; empty: no files

    explicit RankWorld(std::vector<std::string> classifiers, std::size_t people = 3)
        : names(std::move(classifiers)) {
        for (std::size_t a = 0; a < people; ++a)
            annotators.push_back({static_cast<std::int64_t>(a + 1), fmt::format("p{}", a + 1)});
    }

    std::int64_t pair(std::uint32_t first, std::uint32_t second) {
        pairs.push_back({.id = static_cast<std::int64_t>(pairs.size() + 1),
                         .first = first,
                         .second = second,
                         .candidates = 100,
                         .disagreeing = 200,
                         .k = k});
        return pairs.back().id;
    }
    /// Adds the next place of the pair.
    SelectedRow& place(std::int64_t of_pair, std::int64_t image, std::uint16_t first,
                       std::uint16_t second, bool asked = true) {
        std::uint32_t next = 0;
        for (const SelectedRow& row : selected) next += row.pair == of_pair ? 1 : 0;
        selected.push_back({.pair = of_pair,
                            .image = image,
                            .place = next,
                            .turn = next,
                            .first_label = first,
                            .second_label = second,
                            .units = 1000,
                            .confidence = 190,
                            .state = SelectedState::accepted,
                            .asked = asked});
        return selected.back();
    }
    /// Adds a question. Repeated calls return the same question.
    std::int64_t question(std::int64_t image, std::uint16_t label, std::optional<bool> gold = {}) {
        const auto [found, fresh] =
            known_.try_emplace({image, label}, static_cast<std::int64_t>(questions.size() + 1));
        if (fresh) {
            questions.push_back({.id = found->second,
                                 .token = fmt::format("q{}", found->second),
                                 .image = image,
                                 .label = label,
                                 .turn = static_cast<std::uint32_t>(found->second),
                                 .gold = gold});
        }
        return found->second;
    }
    /// Adds answers of annotators 1, 2, ...: 0 is no, 1 is yes, 2 is cannot say.
    void answer(std::int64_t to, const std::vector<int>& said) {
        for (std::size_t a = 0; a < said.size(); ++a)
            answers.push_back({to, static_cast<std::int64_t>(a + 1), static_cast<Answer>(said[a])});
    }
    /// Adds a pair with new images, on which all annotators give the same answers.
    void counts(const PairCounts& counts) {
        const std::int64_t of = pair(counts.first, counts.second);
        const auto add = [&](std::uint64_t n, bool first, bool second) {
            for (std::uint64_t i = 0; i < n; ++i) {
                const std::int64_t image = next_image_++;
                place(of, image, 1, 2);
                answer(question(image, 1), std::vector<int>(annotators.size(), first ? 1 : 0));
                answer(question(image, 2), std::vector<int>(annotators.size(), second ? 1 : 0));
            }
        };
        add(counts.both, true, true);
        add(counts.only_first, true, false);
        add(counts.only_second, false, true);
        add(counts.neither, false, false);
    }

    std::vector<AnswerRow> sorted_answers() const {
        std::vector<AnswerRow> sorted = answers;
        std::stable_sort(sorted.begin(), sorted.end(),
                         [](const auto& a, const auto& b) { return a.question < b.question; });
        return sorted;
    }
    Tally tally(VoteRule rule = VoteRule::majority) const {
        return tally_of(questions, sorted_answers(), votes, rule);
    }
    std::vector<std::uint32_t> numbers() const {
        std::vector<std::uint32_t> all(names.size());
        for (std::size_t c = 0; c < all.size(); ++c) all[c] = static_cast<std::uint32_t>(c);
        return all;
    }

private:
    std::map<std::pair<std::int64_t, std::uint16_t>, std::int64_t> known_;
    std::int64_t next_image_ = 0;
};

/// Counts for tests in which single images do not matter. As many images as possible show neither
/// label.
inline PairCounts counts_of_correct(std::uint32_t i, std::uint32_t j, std::uint64_t n,
                                    std::uint64_t first, std::uint64_t second) {
    PairCounts pair{.first = i, .second = j};
    pair.both = first + second > n ? first + second - n : 0;
    pair.only_first = first - pair.both;
    pair.only_second = second - pair.both;
    pair.neither = n - pair.both - pair.only_first - pair.only_second;
    return pair;
}

/// Replaces the hash of a file. Equal predictions have equal values.
inline std::string labels_text(const std::vector<std::uint16_t>& labels) {
    return {reinterpret_cast<const char*>(labels.data()), labels.size() * 2};
}

template <class T>
void write_column(const std::filesystem::path& path, NumberType type, const std::vector<T>& of) {
    const std::array<std::uint64_t, 1> shape = {of.size()};
    const std::string header = npy_header(name_of(type), shape);
    const std::vector<std::span<const std::byte>> parts = {std::as_bytes(std::span(header)),
                                                           std::as_bytes(std::span(of))};
    write_file_atomically(path, parts);
}

/// Writes a competition with these rows, as Competition::create() does.
inline Competition write_world(const std::filesystem::path& folder, const RankWorld& world) {
    make_folders(folder / "predictions");
    {
        Database db(folder / "competition.sqlite", Database::Access::create);
        study::make_study(db, study::StudyKind::competition);
        Transaction all(db);
        const std::int64_t why = decide(db, DecisionKind::created, "test", "", "");
        CompetitionSettings settings;
        settings.name = "test";
        settings.distance = DistanceReading::zero_one;
        settings.votes = world.votes;
        settings.rule.k = world.k;
        std::map<std::string, std::string> text = settings_text(settings);
        text["images"] = fmt::to_string(world.images);
        for (const char* name : {"image_root", "items_hash", "ids_hash", "dataset", "hierarchy"})
            text[name] = "";
        for (const auto& [name, value] : text) write_setting(db, name, value, "");
        Statement one_class = db.prepare("INSERT INTO class (number, id, name) VALUES (?, ?, ?)");
        for (std::uint32_t c = 0; c < world.classes; ++c)
            one_class.bind(std::int64_t{c})
                .bind(fmt::format("c{}", c))
                .bind(fmt::format("class {}", c))
                .run();
        for (std::size_t c = 0; c < world.names.size(); ++c) {
            db.prepare("INSERT INTO classifier VALUES (?, ?, '', '', ?, '', 160, ?, ?, ?, ?)")
                .bind(static_cast<std::int64_t>(c))
                .bind(world.names[c])
                .bind(world.labels.empty() ? world.names[c] : labels_text(world.labels[c]))
                .bind(static_cast<std::int64_t>(world.images))
                .bind(static_cast<std::int64_t>(world.images))
                .bind(std::int64_t{world.active.empty() || world.active[c]})
                .bind(why)
                .run();
        }
        std::set<std::int64_t> images;
        for (const SelectedRow& row : world.selected) images.insert(row.image);
        for (const QuestionRow& row : world.questions) images.insert(row.image);
        for (const ControlRow& row : world.control) images.insert(row.image);
        Statement image = db.prepare("INSERT INTO image (number, id, path) VALUES (?, ?, '')");
        for (const std::int64_t number : images)
            image.bind(number).bind(fmt::format("i{}", number)).run();
        for (const PairRow& row : world.pairs)
            db.prepare("INSERT INTO pair VALUES (?, ?, ?, ?, ?, ?)")
                .bind(row.id)
                .bind(std::int64_t{row.first})
                .bind(std::int64_t{row.second})
                .bind(static_cast<std::int64_t>(row.candidates))
                .bind(static_cast<std::int64_t>(row.disagreeing))
                .bind(std::int64_t{row.k})
                .run();
        Statement place =
            db.prepare("INSERT INTO selected VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)");
        for (const SelectedRow& row : world.selected)
            place.bind(row.pair)
                .bind(row.image)
                .bind(std::int64_t{row.place})
                .bind(std::int64_t{row.turn})
                .bind(std::int64_t{row.first_label})
                .bind(std::int64_t{row.second_label})
                .bind(std::int64_t{row.units})
                .bind(std::int64_t{row.confidence})
                .bind(name_of(row.state))
                .bind(std::int64_t{row.asked})
                .run();
        Statement question = db.prepare("INSERT INTO question VALUES (?, ?, ?, ?, ?, ?, NULL)");
        for (const QuestionRow& row : world.questions)
            question.bind(row.id)
                .bind(row.token)
                .bind(row.image)
                .bind(std::int64_t{row.label})
                .bind(std::int64_t{row.turn})
                .bind(row.gold ? std::optional<std::int64_t>(*row.gold) : std::nullopt)
                .run();
        for (const AnnotatorRow& row : world.annotators)
            db.prepare("INSERT INTO annotator VALUES (?, ?, ?, NULL)")
                .bind(row.id)
                .bind(row.name)
                .bind(std::int64_t{row.blocked})
                .run();
        Statement answer = db.prepare(
            "INSERT INTO answer (question, annotator, answer, at, source, key, counts) VALUES "
            "(?, ?, ?, '', '', NULL, 1)");
        for (const AnswerRow& row : world.answers)
            answer.bind(row.question)
                .bind(row.annotator)
                .bind(static_cast<std::int64_t>(row.answer))
                .run();
        for (const ControlRow& row : world.control)
            db.prepare("INSERT INTO control VALUES (?, ?, ?, ?)")
                .bind(row.image)
                .bind(std::int64_t{row.stratum})
                .bind(static_cast<std::int64_t>(row.stratum_images))
                .bind(static_cast<std::int64_t>(row.stratum_sample))
                .run();
        all.commit();
    }
    for (std::size_t c = 0; c < world.labels.size(); ++c) {
        write_column(labels_file(folder, world.names[c]), NumberType::u2, world.labels[c]);
        write_column(confidences_file(folder, world.names[c]), NumberType::u1,
                     std::vector<std::uint8_t>(world.labels[c].size(), 200));
    }
    return Competition::open(folder);
}

}  // namespace assay::mad::rank_test
