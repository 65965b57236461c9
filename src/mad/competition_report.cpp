#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "assay/describe_result.h"
#include "assay/mad/competition.h"
#include "core/result_table.h"
#include "mad/competition_rows.h"
#include "mad/competition_settings.h"
#include "mad/predict_alike.h"

namespace assay::mad {
namespace {

double threshold_of(const CompetitionClassifier& one) {
    return one.threshold / double{confidence_levels};
}

/// Warnings about probable mistakes: classifiers that cannot differ, or without any questions.
std::vector<std::string> competition_warnings(const std::vector<CompetitionClassifier>& all) {
    std::vector<std::string> warnings;
    for (std::size_t i = 0; i < all.size(); ++i) {
        for (std::size_t j = i + 1; j < all.size(); ++j) {
            if (predict_alike(all[i], all[j]))
                warnings.push_back(
                    fmt::format("`{}` and `{}` predict the same label for every image, so they are "
                                "not compared",
                                all[i].name, all[j].name));
        }
        if (all[i].confident == 0)
            warnings.push_back(fmt::format(
                "`{}` never reaches its threshold of {:.3g} and has no candidates; start a "
                "competition with --confident 0.3 to use the most confident 30 % of each",
                all[i].name, threshold_of(all[i])));
    }
    return warnings;
}

}  // namespace

ResultType result_type(ResultOf<CompetitionClassifier>) {
    using Of = CompetitionClassifier;
    static constexpr auto rows = describe_result<Of>(
        {.name = "MadClassifier", .columns = "classifier,scored,threshold,confident"},
        {
            part<&Of::name>({.name = "classifier"}),
            part<&Of::store>({}),
            part<&Of::scored>({.help = "Images with scores"}),
            part({.help = "Smallest confidence of its candidates", .name = "threshold"},
                 [](const Of& o) { return threshold_of(o); }),
            part<&Of::confident>({.help = "Images that reach the threshold"}),
        });
    return rows;
}

ResultType result_type(ResultOf<Competition>) {
    using Of = Competition;
    static constexpr auto rows = describe_result<Of>(
        {.name = "MadCompetition",
         .help = "The classifiers, images and settings of a competition",
         .schema = "assay.mad/1"},
        {
            part(
                {.name = "competition"}, [](const Of& o) -> const auto& { return o.folder(); }),
            part({.name = "images"}, [](const Of& o) { return o.images(); }),
            part({.name = "classes"}, [](const Of& o) { return o.classes().size(); }),
            part({.help = "All settings, as text", .name = "settings"},
                 [](const Of& o) { return settings_text(o.settings()); }),
            part<&Of::active>({.name = "classifiers"}),
        });
    return rows;
}

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
    for (const CompetitionClassifier& one : active) {
        const double threshold = threshold_of(one);
        const double confident =
            static_cast<double>(one.confident) / static_cast<double>(one.scored);
        table.add({one.name, Count{one.scored}, Number{.value = threshold, .digits = 3},
                   Count{one.confident},
                   Number{.value = confident, .unit = Unit::proportion, .digits = 1}});
    }
    const SelectionRule& rule = settings.rule;
    table.notes.push_back(fmt::format(
        "{} images{}, {} classes. For each pair of classifiers: the {} images on which they "
        "disagree most ({} distance) and both reach their confidence thresholds{}.",
        count_text(competition.images()),
        settings.where.empty() ? std::string()
                               : fmt::format(" (those with {} take part)", settings.where),
        count_text(competition.classes().size()), rule.k, facts_of(settings.distance).name,
        rule.mode == CapMode::none
            ? std::string()
            : fmt::format(", at most {} of a label (cap mode {})", rule.cap, name_of(rule.mode))));
    report.sections.push_back({.title = "", .blocks = {std::move(table)}, .sections = {}});
    report.records = table_of(active);
    report.result = to_json(competition);
    report.warnings = competition_warnings(active);
    if (const std::string& skipped = competition.impl().skipped; !skipped.empty())
        report.warnings.push_back(skipped);
    return report;
}

}  // namespace assay::mad
