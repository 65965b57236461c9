#include <fmt/format.h>

#include "assay/error.h"
#include "assay/mad/competition.h"
#include "core/refuse.h"
#include "mad/control_accuracy.h"
#include "mad/exclusions.h"
#include "mad/items.h"
#include "mad/tables.h"

namespace assay::mad {

CompetitionCheck verify_competition(const std::filesystem::path& folder) {
    const Competition competition = Competition::open(folder);
    CompetitionCheck check{.folder = folder, .problems = competition.impl().database.problems()};
    const auto look = [&](const auto& part) {
        try {
            part();
        } catch (const Error& error) {
            if (error.code() != ErrorCode::bad_input) throw;
            check.problems.emplace_back(error.what());
        }
    };
    look([&] {
        std::uint64_t images = 0;
        visit_ids(competition, [&](std::uint64_t, std::string_view) { ++images; });
        if (images != competition.images())
            refuse(fmt::format("{}: it lists {} images, and the competition has {}",
                               (folder / "items.csv").string(), images, competition.images()));
    });
    look([&] { competition.distances(); });
    look([&] { read_pairs(competition.impl().database); });
    look([&] { read_images(competition.impl().database); });
    look([&] { read_exclusions(competition); });
    look([&] { read_annotators(competition.impl().database); });
    look([&] { read_selected(competition.impl().database); });
    look([&] { read_questions(competition.impl().database); });
    look([&] { read_answers(competition.impl().database, true); });
    look([&] { read_control_sample(competition, {}); });
    for (const CompetitionClassifier& one : competition.classifiers())
        look([&] { competition.predictions(one).check(one); });
    return check;
}

Report report_of(const CompetitionCheck& check) {
    Report report;
    report.title = check.folder.string();
    const std::string state = check.problems.empty() ? "sound" : "damaged";
    Table table{.title = "",
                .columns = {{"competition", false}, {"state", false}, {"problem", false}},
                .rows = {},
                .notes = {}};
    for (const std::string& problem : check.problems)
        table.add({check.folder.string(), state, problem});
    if (check.problems.empty()) table.add({check.folder.string(), state, std::string()});
    report.sections.push_back({.title = "", .blocks = {std::move(table)}, .sections = {}});
    report.result = {{"schema", "assay.mad_verify/1"},
                     {"competition", check.folder.string()},
                     {"state", state},
                     {"problems", check.problems}};
    return report;
}

}  // namespace assay::mad
