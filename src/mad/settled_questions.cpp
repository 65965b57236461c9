#include "assay/mad/settled.h"

#include <algorithm>
#include <map>

#include "assay/mad/competition.h"
#include "mad/competition_rows.h"
#include "mad/tally.h"

namespace assay::mad {

std::vector<SettledQuestion> settled_questions(const std::filesystem::path& folder) {
    const Competition competition = Competition::open(folder);
    const Tally tally = tally_of(competition);
    const std::map<std::int64_t, ImageRow> images = read_images(competition.impl().database);
    std::vector<SettledQuestion> out;
    for (const auto& [key, place] : tally.place) {
        const auto& [image, label] = key;
        const QuestionTally& question = tally.of[place];
        // Negative numbers are gold images outside the data set.
        if (image < 0 || !question.known()) continue;
        out.push_back({images.at(image).id, competition.classes().id(label), question.outcome.yes,
                       question.outcome.unclear});
    }
    return out;
}

}  // namespace assay::mad
