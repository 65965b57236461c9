#include "mad/question_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/random.h"
#include "core/refuse.h"
#include "mad/question_texts.h"

namespace assay::mad {

std::vector<ControlQuestions> control_questions(const Competition& competition) {
    const std::vector<ControlRow> rows = read_control(competition.impl().database);
    if (rows.empty()) return {};
    std::vector<StoredPredictions> predictions;
    for (const CompetitionClassifier& one : competition.active())
        predictions.push_back(competition.predictions(one));

    std::vector<std::pair<std::uint64_t, ControlQuestions>> drawn;
    for (const ControlRow& row : rows) {
        if (row.image < 0 || static_cast<std::uint64_t>(row.image) >= competition.images()) {
            refuse(fmt::format("{}: the control sample has image {}, and there are {}",
                               competition.impl().database.path().string(), row.image,
                               competition.images()));
        }
        ControlQuestions questions;
        questions.image = row.image;
        for (const StoredPredictions& one : predictions) {
            const std::uint16_t label =
                one.predictions().labels[static_cast<std::size_t>(row.image)];
            if (label == no_label) continue;
            if (label >= competition.classes().size())
                refuse(fmt::format("{}: label {} of image {} is no class",
                                   competition.folder().string(), label, row.image));
            questions.labels.push_back(label);
        }
        std::sort(questions.labels.begin(), questions.labels.end());
        questions.labels.erase(std::unique(questions.labels.begin(), questions.labels.end()),
                               questions.labels.end());
        RandomStream order(competition.settings().seed, "mad control order",
                           static_cast<std::uint64_t>(row.image));
        drawn.emplace_back(order.next_u64(), std::move(questions));
    }
    std::sort(drawn.begin(), drawn.end(), [](const auto& a, const auto& b) {
        return a.first != b.first ? a.first < b.first : a.second.image < b.second.image;
    });
    std::vector<ControlQuestions> ordered;
    for (auto& [hash, questions] : drawn) ordered.push_back(std::move(questions));
    return ordered;
}

std::set<QuestionKey> wanted_questions(const Competition& competition, const Tally& tally) {
    std::set<QuestionKey> wanted;
    const auto unclear = [&](const QuestionKey& key) {
        const QuestionTally* const found = tally.find(key.first, key.second);
        return found != nullptr && found->known() && found->outcome.unclear;
    };
    for (const SelectedRow& row : read_selected(competition.impl().database)) {
        if (row.state != SelectedState::accepted || !row.asked) continue;
        const auto [first, second] = questions_of(row);
        if (unclear(first) || unclear(second)) continue;
        wanted.insert(first);
        wanted.insert(second);
    }
    for (const ControlQuestions& control : control_questions(competition))
        for (const std::uint16_t label : control.labels) wanted.insert({control.image, label});
    return wanted;
}

QuestionWriter::QuestionWriter(Competition& competition, const Tally& tally)
    : competition_(competition),
      insert_(competition.impl().database.prepare(
          "INSERT INTO question (token, image, label, turn) VALUES (?, ?, ?, ?)")),
      gold_(competition.impl().database.prepare(
          "UPDATE question SET gold = ?, decision = ? WHERE image = ? AND label = ?")) {
    for (const QuestionRow& row : tally.questions) there_.insert({row.image, row.label});
}

bool QuestionWriter::add(const QuestionKey& key) {
    if (!there_.insert(key).second) return false;
    const QuestionName name = question_name(competition_.settings().seed, key.first, key.second);
    insert_.bind(std::string_view(name.token))
        .bind(key.first)
        .bind(std::int64_t{key.second})
        .bind(std::int64_t{name.turn})
        .run();
    return true;
}

void QuestionWriter::make_gold(const QuestionKey& key, bool yes, std::int64_t decision) {
    gold_.bind(std::int64_t{yes}).bind(decision).bind(key.first).bind(std::int64_t{key.second});
    gold_.run();
}

}  // namespace assay::mad
