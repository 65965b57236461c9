#include "mad/question_rows.h"

#include <algorithm>

#include "core/random.h"
#include "mad/control_accuracy.h"

namespace assay::mad {

std::vector<ControlQuestions> control_questions(const Competition& competition) {
    const ControlSample sample = read_control_sample(competition, competition.active());
    std::vector<std::pair<std::uint64_t, ControlQuestions>> drawn;
    for (std::size_t r = 0; r < sample.rows.size(); ++r) {
        ControlQuestions questions;
        questions.image = sample.rows[r].image;
        for (const auto& labels : sample.labels)
            if (labels[r]) questions.labels.push_back(*labels[r]);
        std::sort(questions.labels.begin(), questions.labels.end());
        questions.labels.erase(std::unique(questions.labels.begin(), questions.labels.end()),
                               questions.labels.end());
        RandomStream order(competition.settings().seed, "mad control order",
                           static_cast<std::uint64_t>(questions.image));
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
    for (const SelectedRow& row : read_selected(competition.impl().database)) {
        if (row.state != SelectedState::accepted || !row.asked) continue;
        if (place_state(tally, row) == PlaceState::unclear) continue;
        for (const QuestionKey& key : questions_of(row)) wanted.insert(key);
    }
    wanted.merge(control_keys(read_control_sample(competition, competition.active())));
    return wanted;
}

QuestionWriter::QuestionWriter(Competition& competition, const Tally& tally)
    : rows_(competition.impl().database, competition.settings().seed),
      gold_(competition.impl().database.prepare(
          "UPDATE question SET gold = ?, decision = ? WHERE image = ? AND label = ?")) {
    for (const QuestionRow& row : tally.questions) there_.insert({row.image, row.label});
}

bool QuestionWriter::add(const QuestionKey& key) {
    if (!there_.insert(key).second) return false;
    rows_.add(key.first, key.second);
    return true;
}

void QuestionWriter::make_gold(const QuestionKey& key, bool yes, std::int64_t decision) {
    gold_.run(yes, decision, key.first, key.second);
}

}  // namespace assay::mad
