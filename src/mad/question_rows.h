// Which questions a competition needs, and how they get into its tables.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "mad/competition_rows.h"
#include "mad/tally.h"

namespace assay::mad {

struct ControlQuestions {
    std::int64_t image = 0;
    std::vector<std::uint16_t> labels;  ///< those that active classifiers predict, ascending
};
/// In a random order of the images that depends on the seed alone, so that the first ones of any
/// number are a random sample, too.
std::vector<ControlQuestions> control_questions(const Competition& competition);

/// Those that people are asked now, settled or not: of accepted places that are asked, unless one
/// of their two questions turned out to be unclear, so that the image will be replaced; of the
/// control sample. Gold apart.
std::set<QuestionKey> wanted_questions(const Competition& competition, const Tally& tally);

/// Makes rows of questions that are not there yet. Used inside a transaction.
class QuestionWriter {
public:
    QuestionWriter(Competition& competition, const Tally& tally);
    /// Whether there is one by now.
    bool has(const QuestionKey& key) const { return there_.count(key) > 0; }
    /// False: it was there already.
    bool add(const QuestionKey& key);
    /// Records the known answer of a question that is there.
    void make_gold(const QuestionKey& key, bool yes, std::int64_t decision);
    std::uint64_t questions() const { return there_.size(); }

private:
    study::QuestionRows rows_;
    Statement gold_;
    std::set<QuestionKey> there_;
};

}  // namespace assay::mad
