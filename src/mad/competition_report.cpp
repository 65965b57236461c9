#include <fmt/format.h>

#include "assay/mad/competition.h"
#include "mad/predict_alike.h"
#include "mad/settings.h"
#include "mad/tables.h"

namespace assay::mad {
namespace {

/// What nobody meant: classifiers that cannot differ, or that nothing is asked of.
std::vector<std::string> competition_warnings(const std::vector<CompetitionClassifier>& all) {
    std::vector<std::string> warnings;
    for (std::size_t i = 0; i < all.size(); ++i) {
        for (std::size_t j = i + 1; j < all.size(); ++j) {
            if (predict_alike(all[i], all[j]))
                warnings.push_back(
                    fmt::format("`{}` and `{}` predict the same label for every image: they are "
                                "not compared",
                                all[i].name, all[j].name));
        }
        if (all[i].confident == 0)
            warnings.push_back(
                fmt::format("`{}` is never as sure as {:.3g}, its threshold: it has no candidates; "
                            "a competition that begins with --confident 0.3 takes the surest three "
                            "in ten of each",
                            all[i].name, all[i].threshold / double{confidence_levels}));
    }
    return warnings;
}

}  // namespace

Report report_of(const Competition& competition) {
    const CompetitionSettings& settings = competition.settings();
    const std::vector<CompetitionClassifier> active = competition.active();
    Report report;
    report.title = settings.name;
    Table table{.title = "",
                .columns = {{"classifier", false},
                            {"images with scores"},
                            {"threshold"},
                            {"confident images"},
                            {"confident %"}},
                .rows = {},
                .notes = {}};
    report.records.columns = {{.name = "classifier", .numbers = false},
                              {.name = "scored"},
                              {.name = "threshold"},
                              {.name = "confident"}};
    nlohmann::json classifiers = nlohmann::json::array();
    for (const CompetitionClassifier& one : active) {
        const double threshold = one.threshold / double{confidence_levels};
        const double confident =
            static_cast<double>(one.confident) / static_cast<double>(one.scored);
        table.add({one.name, Count{one.scored}, Number{.value = threshold, .digits = 3},
                   Count{one.confident},
                   Number{.value = confident, .unit = Unit::proportion, .digits = 1}});
        report.records.add(
            {one.name, Count{one.scored}, Number{.value = threshold}, Count{one.confident}});
        classifiers.push_back({{"classifier", one.name},
                               {"store", one.store.string()},
                               {"scored", one.scored},
                               {"threshold", threshold},
                               {"confident", one.confident}});
    }
    const SelectionRule& rule = settings.rule;
    table.notes.push_back(fmt::format(
        "{} images, {} classes. Of each two classifiers the {} images on which they disagree most "
        "({} distance), both at least as sure as their thresholds{}.",
        count_text(competition.images()), count_text(competition.classes().size()), rule.k,
        facts_of(settings.distance).name,
        rule.mode == CapMode::none
            ? std::string()
            : fmt::format(", at most {} of a label (cap mode {})", rule.cap, name_of(rule.mode))));
    report.sections.push_back({.title = "", .blocks = {std::move(table)}, .sections = {}});
    report.result = {{"schema", "assay.mad/1"},
                     {"competition", competition.folder().string()},
                     {"images", competition.images()},
                     {"classes", competition.classes().size()},
                     {"settings", settings_text(settings)},
                     {"classifiers", classifiers}};
    report.warnings = competition_warnings(active);
    if (const std::string& skipped = competition.impl().skipped; !skipped.empty())
        report.warnings.push_back(skipped);
    return report;
}

}  // namespace assay::mad
