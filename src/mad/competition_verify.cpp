#include <fmt/format.h>

#include "assay/error.h"
#include "assay/mad/competition.h"
#include "core/refuse.h"
#include "mad/competition_items.h"
#include "mad/competition_rows.h"
#include "mad/control_accuracy.h"
#include "mad/exclusions.h"
#include "study/study_check.h"

namespace assay::mad {
namespace {

/// Checks the consistency of rows, and the files next to the database.
void check_opened(study::Problems& problems, const Competition& competition) {
    const Database& database = competition.impl().database;
    problems.look([&] {
        std::uint64_t images = 0;
        visit_ids(competition, [&](std::uint64_t, std::string_view) { ++images; });
        if (images != competition.images())
            refuse(fmt::format("{}: it lists {} images, but the competition has {}",
                               (competition.folder() / "items.csv").string(), images,
                               competition.images()));
    });
    problems.look([&] { competition.distances(); });
    problems.look([&] { read_pairs(database); });
    problems.look([&] { read_images(database); });
    problems.look([&] { read_exclusions(competition); });
    problems.look([&] { read_annotators(database); });
    problems.look([&] { read_selected(database); });
    problems.look([&] { read_questions(database); });
    problems.look([&] { read_answers(database, true); });
    problems.look([&] { read_control_sample(competition, {}); });
    for (const CompetitionClassifier& one : competition.classifiers())
        problems.look([&] { competition.predictions(one).check(one); });
}

}  // namespace

study::StudyCheck verify_competition(const std::filesystem::path& folder) {
    return study::check_study(
        folder, study::StudyKind::competition,
        [&](study::Problems& problems) { check_opened(problems, Competition::open(folder)); });
}

}  // namespace assay::mad
