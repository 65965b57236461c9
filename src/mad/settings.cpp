#include "mad/settings.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "assay/error.h"
#include "core/refuse.h"
#include "core/text.h"
#include "study/setting_rows.h"

namespace assay::mad {
namespace {

/// The shortest text that reads back to the same number.
std::string exact(double value) {
    return fmt::format("{}", value);
}

class SettingsReader {
public:
    SettingsReader(const std::map<std::string, std::string>& text, const std::string& file)
        : text_(text), file_(file) {}

    const std::string& of(const std::string& name) const {
        return study::setting_of(text_, name, file_);
    }
    std::uint64_t count(const std::string& name, std::uint64_t most) const {
        std::uint64_t value = 0;
        if (!parse_number(of(name), value) || value > most)
            wrong(name, fmt::format("0 to {}", most));
        return value;
    }
    double number(const std::string& name) const {
        const std::string& value = of(name);
        double parsed = 0;
        const auto [stop, problem] =
            std::from_chars(value.data(), value.data() + value.size(), parsed);
        if (problem != std::errc() || stop != value.data() + value.size() || !std::isfinite(parsed))
            wrong(name, "a number");
        return parsed;
    }
    bool flag(const std::string& name) const { return count(name, 1) == 1; }

private:
    [[noreturn]] void wrong(const std::string& name, std::string_view allowed) const {
        refuse(fmt::format("{}: the setting {} is `{}`; allowed: {}", file_, name,
                           shortened(of(name)), allowed));
    }
    const std::map<std::string, std::string>& text_;
    const std::string& file_;
};

void need(bool holds, std::string message) {
    if (!holds) throw Error(ErrorCode::usage, std::move(message));
}

}  // namespace

void check_settings(const CompetitionSettings& settings) {
    const SelectionRule& rule = settings.rule;
    need(rule.k >= 1 && rule.k <= 100'000,
         fmt::format("k is {}; allowed: 1 to 100,000 images of a pair", rule.k));
    need(rule.mode == CapMode::none || rule.cap >= 1,
         "the cap is 0; allowed: 1 or more images of a label");
    need(rule.mode != CapMode::official || !rule.one_of_a_parent,
         "the cap mode `official` knows no parents of images; take `side`");
    need(settings.threshold >= 0 && settings.threshold <= 1,
         fmt::format("the threshold is {}; allowed: 0 to 1", settings.threshold));
    need(!settings.confident || (*settings.confident > 0 && *settings.confident <= 1),
         fmt::format("the proportion of confident images is {}; allowed: above 0, up to 1",
                     settings.confident.value_or(0)));
    need(!settings.near_duplicates || *settings.near_duplicates <= 20,
         fmt::format("near duplicates differ in {} bits; allowed: 0 to 20 of 64",
                     settings.near_duplicates.value_or(0)));
    need(settings.votes % 2 == 1 && settings.votes <= 99,
         fmt::format("{} answers to a question; allowed: 1, 3, ... 99, an odd number",
                     settings.votes));
    need(settings.gold >= 0 && settings.gold < 1,
         fmt::format("the proportion of gold questions is {}; allowed: 0 to below 1",
                     settings.gold));
}

std::map<std::string, std::string> settings_text(const CompetitionSettings& settings) {
    const SelectionRule& rule = settings.rule;
    return {
        {"name", settings.name},
        {"distance", std::string(facts_of(settings.distance).name)},
        {"k", fmt::to_string(rule.k)},
        {"cap", fmt::to_string(rule.cap)},
        {"cap_mode", std::string(name_of(rule.mode))},
        {"hashed_ties", rule.hashed_ties ? "1" : "0"},
        {"reserves", fmt::to_string(rule.reserves)},
        {"one_of_a_parent", rule.one_of_a_parent ? "1" : "0"},
        {"threshold", exact(settings.threshold)},
        {"confident", settings.confident ? exact(*settings.confident) : ""},
        {"near_duplicates",
         settings.near_duplicates ? fmt::to_string(*settings.near_duplicates) : ""},
        {"votes", fmt::to_string(settings.votes)},
        {"gold", exact(settings.gold)},
        {"seed", fmt::to_string(settings.seed)},
    };
}

CompetitionSettings settings_from(const std::map<std::string, std::string>& text,
                                  const std::string& file) {
    const SettingsReader read(text, file);
    CompetitionSettings settings;
    try {
        settings.name = read.of("name");
        settings.distance = distance_named(read.of("distance"));
        SelectionRule& rule = settings.rule;
        rule.k = static_cast<std::uint32_t>(read.count("k", UINT32_MAX));
        rule.cap = static_cast<std::uint32_t>(read.count("cap", UINT32_MAX));
        rule.mode = cap_mode_named(read.of("cap_mode"));
        rule.hashed_ties = read.flag("hashed_ties");
        rule.reserves = static_cast<std::uint32_t>(read.count("reserves", UINT32_MAX));
        rule.one_of_a_parent = read.flag("one_of_a_parent");
        settings.threshold = read.number("threshold");
        if (!read.of("confident").empty()) settings.confident = read.number("confident");
        if (!read.of("near_duplicates").empty()) {
            settings.near_duplicates =
                static_cast<std::uint32_t>(read.count("near_duplicates", 64));
        }
        settings.votes = static_cast<std::uint32_t>(read.count("votes", 99));
        settings.gold = read.number("gold");
        settings.seed = read.count("seed", UINT64_MAX);
        rule.seed = settings.seed;
        check_settings(settings);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::usage) throw;
        refuse(fmt::format("{}: {}", file, error.message()));
    }
    return settings;
}

}  // namespace assay::mad
