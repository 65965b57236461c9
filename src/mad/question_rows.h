// Determines which questions a competition needs, and stores them.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "mad/competition_rows.h"
#include "mad/tally.h"

namespace assay::mad {

struct ControlQuestions {
    std::int64_t image = 0;
    std::vector<std::uint16_t> labels;  ///< labels that active classifiers predict, ascending
};
/// In a random order that depends only on the seed, so that the first images are a random sample
/// for any number.
std::vector<ControlQuestions> control_questions(const Competition& competition);

/// The questions that people are asked now, settled or not. They are those of asked accepted places
/// and of the control sample. Places with an unclear question are excluded, because their images
/// will be replaced. Gold is not included.
std::set<QuestionKey> wanted_questions(const Competition& competition, const Tally& tally);

/// Adds missing rows of questions. Use it inside a transaction.
class QuestionWriter {
public:
    QuestionWriter(Competition& competition, const Tally& tally);
    /// True if the question exists by now.
    bool has(const QuestionKey& key) const { return there_.count(key) > 0; }
    /// Adds a question. Returns false if it existed already.
    bool add(const QuestionKey& key);
    /// Records the known answer of an existing question.
    void make_gold(const QuestionKey& key, bool yes, std::int64_t decision);
    std::uint64_t questions() const { return there_.size(); }

private:
    study::QuestionRows rows_;
    Statement gold_;
    std::set<QuestionKey> there_;
};

}  // namespace assay::mad
