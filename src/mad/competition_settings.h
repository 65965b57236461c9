// Reads and writes a competition's settings as rows of its database.
#pragma once

#include <map>
#include <string>

#include "assay/mad/competition.h"
#include "study/setting_rows.h"

namespace assay {

template <>
struct Kind<mad::DistanceReading> {
    static constexpr ValueShape shape = {.allowed = "the name of a distance"};
    static void to(mad::DistanceReading value, nlohmann::json& out) {
        out = mad::facts_of(value).name;
    }
    static bool from(const nlohmann::json& value, mad::DistanceReading& out) {
        for (const mad::DistanceFacts& facts : mad::distance_table()) {
            if (value != facts.name) continue;
            out = facts.reading;
            return true;
        }
        return false;
    }
};

// The JSON names are those of the rows.
template <>
inline constexpr auto description<mad::SelectionRule> = describe<mad::SelectionRule>({
    field<&mad::SelectionRule::k>({.min = 1, .max = 100'000}),
    field<&mad::SelectionRule::cap>({}),
    field<&mad::SelectionRule::mode>({.name = "cap_mode"}),
    field<&mad::SelectionRule::ties>({.name = "hashed_ties"}),
    field<&mad::SelectionRule::reserves>({}),
    field<&mad::SelectionRule::one_of_a_parent>({}),
});
template <>
inline constexpr auto description<mad::CompetitionSettings> = describe<mad::CompetitionSettings>({
    field<&mad::CompetitionSettings::name>({}),
    field<&mad::CompetitionSettings::distance>({}),
    field<&mad::CompetitionSettings::threshold>({.min = 0, .max = 1}),
    field<&mad::CompetitionSettings::confident>({.min = 0, .max = 1, .empty = "the threshold"}),
    field<&mad::CompetitionSettings::near_duplicates>({.max = 20,
                                                       .empty = "images are not looked at"}),
    field<&mad::CompetitionSettings::votes>({.min = 1, .max = 99}),
    field<&mad::CompetitionSettings::gold>({.min = 0, .max = 1}),
    field<&mad::CompetitionSettings::seed>({}),
    field<&mad::CompetitionSettings::where>({.empty = "all images"}),
    field<&mad::CompetitionSettings::single_precision>({}),
});

}  // namespace assay

namespace assay::mad {

/// Throws usage for values out of range.
void check_settings(const CompetitionSettings& settings);
/// The name and value of each setting.
std::map<std::string, std::string> settings_text(const CompetitionSettings& settings);
/// The settings with current names, because older competitions used other names for some.
std::map<std::string, std::string> todays_settings(std::map<std::string, std::string> text);
/// Reads the settings. Throws bad_input, naming setting, value and what is allowed.
CompetitionSettings settings_from(const std::map<std::string, std::string>& text,
                                  const std::string& file);

}  // namespace assay::mad
