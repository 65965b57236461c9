#include "mad/competition_settings.h"

#include <fmt/format.h>

namespace assay::mad {
namespace {

/// Checks rules that involve several fields, and open ends of ranges.
std::string fault_in_rules(const CompetitionSettings& settings) {
    const SelectionRule& rule = settings.rule;
    if (rule.mode != CapMode::none && rule.cap < 1)
        return "the cap is 0; allowed: 1 or more images of a label";
    if (rule.mode == CapMode::official && rule.one_of_a_parent)
        return "the cap mode `official` ignores parents of images; use `side`";
    if (settings.confident && *settings.confident <= 0)
        return "the proportion of confident images is 0; allowed: above 0, up to 1";
    if (settings.votes % 2 == 0)
        return fmt::format("{} answers per question; allowed: an odd number from 1 to 99",
                           settings.votes);
    if (settings.gold >= 1)
        return fmt::format("the proportion of gold questions is {}; allowed: 0 to below 1",
                           settings.gold);
    return "";
}

}  // namespace

void check_settings(const CompetitionSettings& settings) {
    settings_from(settings_text(settings), "");
}

std::map<std::string, std::string> settings_text(const CompetitionSettings& settings) {
    auto text = study::settings_of_fields(&settings, description<CompetitionSettings>);
    text.merge(study::settings_of_fields(&settings.rule, description<SelectionRule>));
    return text;
}

std::map<std::string, std::string> todays_settings(std::map<std::string, std::string> text) {
    // In older competitions this was true or false, with only one kind of hash (that of the image).
    const auto ties = text.find("hashed_ties");
    if (ties != text.end() && ties->second == "1") ties->second = "image";
    text.try_emplace("where", "");
    text.try_emplace("single_precision", "0");
    return text;
}

CompetitionSettings settings_from(const std::map<std::string, std::string>& written,
                                  const std::string& file) {
    const std::map<std::string, std::string> text = todays_settings(written);
    CompetitionSettings settings;
    study::take_settings(&settings, description<CompetitionSettings>, text, file);
    study::take_settings(&settings.rule, description<SelectionRule>, text, file);
    settings.rule.seed = settings.seed;
    if (const std::string fault = fault_in_rules(settings); !fault.empty())
        study::refuse_settings(fault, file);
    return settings;
}

}  // namespace assay::mad
