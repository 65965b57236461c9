#include "mad/selection_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/shell_word.h"
#include "mad/competition_rows.h"
#include "mad/competition_settings.h"
#include "mad/exclusions.h"

namespace assay::mad {
namespace {

/// Lists pairs: "`a` and `b`, `a` and `c` and 4 more pairs".
std::string some_pairs(const std::vector<const PairSelection*>& pairs) {
    constexpr std::size_t most = 3;
    std::string text;
    for (std::size_t p = 0; p < std::min(most, pairs.size()); ++p)
        text +=
            fmt::format("{}`{}` and `{}`", p == 0 ? "" : ", ", pairs[p]->first, pairs[p]->second);
    if (pairs.size() > most) text += fmt::format(" and {} more pairs", pairs.size() - most);
    return text;
}

void warn_of_equal_labels(const Competition& competition, SelectionRound& round) {
    std::map<std::string, std::string> hashes;
    for (const CompetitionClassifier& one : competition.active())
        hashes[one.name] = one.labels_hash;
    std::vector<const PairSelection*> equal, never;
    for (const PairSelection& pair : round.pairs) {
        if (hashes[pair.first] == hashes[pair.second])
            equal.push_back(&pair);
        else if (pair.disagreeing == 0)
            never.push_back(&pair);
    }
    if (!equal.empty()) {
        // Neither of two classifiers can be removed.
        const std::string advice =
            hashes.size() < 3 ? ""
                              : fmt::format("; to remove one, type `assay mad remove {} {}`",
                                            shell_word(competition.folder().string()),
                                            shell_word(equal.front()->second));
        round.warnings.push_back(
            fmt::format("{} predict the same label for every image: they cannot be distinguished, "
                        "and they share a rank{}",
                        some_pairs(equal), advice));
    }
    if (!never.empty())
        round.warnings.push_back(fmt::format(
            "{} agree on every image that both have scores for, so they need no questions",
            some_pairs(never)));
}

/// Advice on a competition that accepts less confident predictions; "" if this one accepts all.
std::string more_confident(const CompetitionSettings& settings) {
    if (settings.confident)
        return *settings.confident < 1 ? "`assay mad init` with a larger --confident" : "";
    if (settings.threshold <= 0) return "";
    return "`assay mad init` with a lower --threshold, or with --confident and a proportion of "
           "each classifier's images";
}

/// The caps that limit the candidates of a list, as text.
std::string what_limits(const CompetitionSettings& settings,
                        const std::vector<const PairSelection*>& pairs) {
    const SelectionRule& rule = settings.rule;
    std::vector<std::string> limits;
    switch (rule.mode) {
        case CapMode::side:
            limits.push_back(fmt::format("within the cap of {} of a label", rule.cap));
            break;
        case CapMode::first:
            limits.push_back(
                fmt::format("within the cap of {} of a label of the first classifier", rule.cap));
            break;
        case CapMode::shared:
            limits.push_back(
                fmt::format("within the cap of {} of a label of either classifier", rule.cap));
            break;
        case CapMode::official:
            limits.push_back(fmt::format(
                "among the first {} that show a label, one of each two labels", rule.cap));
            break;
        case CapMode::none:
            break;
    }
    if (rule.one_of_a_parent) limits.emplace_back("of different parents");
    const auto lost = [](const PairSelection* pair) {
        return pair->replaced > 0 || pair->duplicates > 0;
    };
    if (limits.empty() || std::any_of(pairs.begin(), pairs.end(), lost))
        limits.emplace_back("without excluded ones");
    std::string text;
    for (std::size_t i = 0; i < limits.size(); ++i)
        text += (i == 0 ? "" : i + 1 == limits.size() ? " and " : ", ") + limits[i];
    return text;
}

/// Advice on a competition with longer lists.
std::string more_under_limits(const CompetitionSettings& settings) {
    const SelectionRule& rule = settings.rule;
    std::vector<std::string> ways;
    if (rule.mode == CapMode::official) ways.emplace_back("with --cap-mode side");
    if (rule.mode != CapMode::none) ways.emplace_back("with a larger --cap");
    if (rule.one_of_a_parent) ways.emplace_back("without --one-of-a-parent");
    if (settings.confident) {
        if (*settings.confident < 1) ways.emplace_back("with a larger --confident");
    } else if (settings.threshold > 0) {
        ways.emplace_back("with a lower --threshold");
    }
    std::string text = ways.empty() ? "" : "`assay mad init` ";
    for (std::size_t i = 0; i < ways.size(); ++i) text += (i == 0 ? "" : ", or ") + ways[i];
    return text;
}

/// A competition's rule is fixed, so the advice is to begin a new one.
std::string more_in_a_new_one(const std::string& how) {
    return how.empty() ? "" : fmt::format("; a new competition ({}) has more", how);
}

void warn_of_few(const Competition& competition, SelectionRound& round) {
    const CompetitionSettings& settings = round.settings;
    for (const CompetitionClassifier& one : competition.active()) {
        if (one.confident == 0)
            round.warnings.push_back(
                fmt::format("no prediction of `{}` reaches its threshold {}, so it has no images{}",
                            one.name, one.threshold / double{confidence_levels},
                            more_in_a_new_one(more_confident(settings))));
    }
    std::vector<const PairSelection*> few, capped;
    for (const PairSelection& pair : round.pairs) {
        if (pair.selected >= pair.wanted || pair.disagreeing == 0) continue;
        (pair.candidates < pair.wanted ? few : capped).push_back(&pair);
    }
    const auto fewest = [](const PairSelection* a, const PairSelection* b) {
        return a->selected < b->selected;
    };
    if (!few.empty()) {
        const PairSelection& least = **std::min_element(few.begin(), few.end(), fewest);
        round.warnings.push_back(fmt::format(
            "{} of {} pairs have fewer than {} images on which both are confident and disagree "
            "(`{}` and `{}`: {}){}",
            few.size(), round.pairs.size(), settings.rule.k, least.first, least.second,
            least.selected, more_in_a_new_one(more_confident(settings))));
    }
    if (!capped.empty()) {
        const PairSelection& least = **std::min_element(capped.begin(), capped.end(), fewest);
        round.warnings.push_back(fmt::format(
            "{} of {} pairs have enough candidates, but fewer than {} images {} (`{}` and `{}`: "
            "{}){}",
            capped.size(), round.pairs.size(), settings.rule.k, what_limits(settings, capped),
            least.first, least.second, least.selected,
            more_in_a_new_one(more_under_limits(settings))));
    }
}

void warn_of_the_rest(const Competition& competition, const SelectionFacts& facts,
                      SelectionRound& round) {
    // Images outside the domain count as having no scores.
    std::uint64_t most = competition.settings().where.empty() ? round.images : 0;
    for (const CompetitionClassifier& one : competition.active()) most = std::max(most, one.scored);
    if (round.scored < most) {
        std::vector<std::string> names;
        for (const CompetitionClassifier& one : competition.active())
            if (one.scored < most) names.push_back(one.name);
        round.warnings.push_back(
            fmt::format("{} of {} images lack scores of some classifier ({}{}), so they are not "
                        "candidates for its pairs",
                        most - round.scored, most, names.empty() ? "" : names[0],
                        names.size() > 1 ? fmt::format(" and {} more", names.size() - 1) : ""));
    }
    if (facts.no_parents)
        round.warnings.push_back(
            "the images have no attribute `parent`: each counts as its own parent, and variants of "
            "one photograph are not recognised");
}

}  // namespace

SelectionRound summary_of(const Competition& competition, const SelectionFacts& facts) {
    const Database& database = competition.impl().database;
    SelectionRound round;
    round.settings = competition.settings();
    round.images = competition.images();
    round.scored = facts.scored;
    round.scanned = facts.scanned;
    round.excluded = read_exclusions(competition).size();
    round.control = read_control(database).size();

    std::map<std::int64_t, std::size_t> places;
    for (const PairRow& row : read_pairs(database)) {
        places[row.id] = round.pairs.size();
        PairSelection pair;
        pair.first = competition.classifiers().at(row.first).name;
        pair.second = competition.classifiers().at(row.second).name;
        pair.candidates = row.candidates;
        pair.disagreeing = row.disagreeing;
        pair.wanted = competition.settings().rule.k;
        const auto added = facts.added.find({row.first, row.second});
        if (added != facts.added.end()) pair.added = added->second;
        round.pairs.push_back(std::move(pair));
    }
    std::set<std::int64_t> images;
    std::set<std::pair<std::int64_t, std::uint16_t>> questions;
    for (const SelectedRow& row : read_selected(database)) {
        PairSelection& pair = round.pairs.at(places.at(row.pair));
        if (row.state == SelectedState::replaced) ++pair.replaced;
        if (row.state == SelectedState::duplicate) ++pair.duplicates;
        if (row.state != SelectedState::accepted) continue;
        ++pair.selected;
        ++round.accepted;
        images.insert(row.image);
        questions.emplace(row.image, row.first_label);
        questions.emplace(row.image, row.second_label);
    }
    round.distinct = images.size();
    round.questions = questions.size();
    warn_of_equal_labels(competition, round);
    warn_of_few(competition, round);
    warn_of_the_rest(competition, facts, round);
    return round;
}

std::string packed_round(const SelectionRound& round) {
    nlohmann::json pairs = nlohmann::json::array();
    for (const PairSelection& p : round.pairs)
        pairs.push_back({p.first, p.second, p.candidates, p.disagreeing, p.wanted, p.selected,
                         p.added, p.replaced, p.duplicates});
    const nlohmann::json all = {{"settings", settings_text(round.settings)},
                                {"pairs", std::move(pairs)},
                                {"numbers",
                                 {round.images, round.scored, round.excluded, round.accepted,
                                  round.distinct, round.questions, round.control, round.scanned}},
                                {"warnings", round.warnings}};
    // Names may be any bytes, which CBOR preserves.
    const std::vector<std::uint8_t> bytes = nlohmann::json::to_cbor(all);
    return {bytes.begin(), bytes.end()};
}

SelectionRound unpacked_round(std::string_view text) {
    const nlohmann::json all = nlohmann::json::from_cbor(text.begin(), text.end());
    SelectionRound round;
    round.settings =
        settings_from(all.at("settings").get<std::map<std::string, std::string>>(), "rank 0");
    for (const nlohmann::json& p : all.at("pairs")) {
        round.pairs.push_back({.first = p.at(0),
                               .second = p.at(1),
                               .candidates = p.at(2),
                               .disagreeing = p.at(3),
                               .wanted = p.at(4),
                               .selected = p.at(5),
                               .added = p.at(6),
                               .replaced = p.at(7),
                               .duplicates = p.at(8)});
    }
    const nlohmann::json& numbers = all.at("numbers");
    round.images = numbers.at(0);
    round.scored = numbers.at(1);
    round.excluded = numbers.at(2);
    round.accepted = numbers.at(3);
    round.distinct = numbers.at(4);
    round.questions = numbers.at(5);
    round.control = numbers.at(6);
    round.scanned = numbers.at(7);
    round.warnings = all.at("warnings").get<std::vector<std::string>>();
    return round;
}

}  // namespace assay::mad
