#include "mad/rank_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "assay/error.h"
#include "core/shell_word.h"
#include "core/text.h"
#include "mad/image_draws.h"

namespace assay::mad {
namespace {

std::vector<CompetitionClassifier> ranked_classifiers(const Competition& competition,
                                                      const RankOptions& options) {
    std::vector<CompetitionClassifier> taking_part;
    std::vector<std::string> names;
    for (const CompetitionClassifier& one : competition.active()) names.push_back(one.name);
    for (const std::string& name : options.without) {
        if (std::find(names.begin(), names.end(), name) == names.end())
            throw Error(ErrorCode::usage,
                        fmt::format("`{}` is not a classifier of {}{}", shortened(name),
                                    competition.folder().string(), suggest(name, names)));
    }
    for (const CompetitionClassifier& one : competition.active()) {
        if (std::find(options.without.begin(), options.without.end(), one.name) ==
            options.without.end())
            taking_part.push_back(one);
    }
    if (taking_part.size() < 2)
        throw Error(
            ErrorCode::usage,
            fmt::format("a ranking needs at least two classifiers, but only {1} of {0} is left",
                        names.size(), taking_part.size()));
    return taking_part;
}

/// Says why no image can be used for the ranking yet, with the command to type next.
std::string what_is_lacking(const Competition& competition, const RankInput& in) {
    std::uint64_t accepted = 0, asked = 0, open = 0;
    for (const SelectedRow& row : in.selected) {
        if (row.state != SelectedState::accepted) continue;
        ++accepted;
        if (!row.asked) continue;
        ++asked;
        open += place_state(in.tally, row) == PlaceState::open ? 1 : 0;
    }
    if (accepted == 0) {
        return fmt::format("no image qualifies for any of {} pairs; to see why, run {}",
                           in.pairs.size(), command_for(competition, "mad select"));
    }
    if (asked == 0) {
        return fmt::format("there are no questions yet; run {}",
                           command_for(competition, "mad questions", " --out questions.csv"));
    }
    if (open == 0) {
        return fmt::format("nobody can judge the selected images; to replace them, run {}",
                           command_for(competition, "mad select"));
    }
    return fmt::format("{}; to import answers, run {}",
                       in.tally.answers() == 0 ? "no question is answered yet"
                                               : "no image has both of its questions settled",
                       command_for(competition, "mad answers", " FILE"));
}

}  // namespace

std::string command_for(const Competition& competition, std::string_view part,
                        std::string_view more) {
    return fmt::format("`assay {} {}{}`", part, shell_word(competition.folder().string()), more);
}

RankInput read_rank_input(const Competition& competition, const RankOptions& options) {
    const Database& database = competition.impl().database;
    RankInput in;
    in.classifiers = ranked_classifiers(competition, options);
    for (const CompetitionClassifier& one : in.classifiers) in.numbers.push_back(one.number);
    const auto takes_part = [&](std::uint32_t number) {
        return std::binary_search(in.numbers.begin(), in.numbers.end(), number);
    };
    std::set<std::int64_t> pairs;
    for (const PairRow& pair : read_pairs(database)) {
        if (!takes_part(pair.first) || !takes_part(pair.second)) continue;
        in.pairs.push_back(pair);
        pairs.insert(pair.id);
    }
    if (in.pairs.empty())
        throw Error(ErrorCode::usage, fmt::format("{}: no images are selected yet; run {}",
                                                  competition.folder().string(),
                                                  command_for(competition, "mad select")));
    const std::vector<SelectedRow> selected = read_selected(database);
    for (const SelectedRow& row : selected) {
        if (pairs.contains(row.pair) && (options.k == 0 || row.place < options.k))
            in.selected.push_back(row);
    }
    in.tally = tally_of(competition, options.votes);
    in.counts = counts_of_pairs(in.tally, in.pairs, in.selected, in.numbers);
    const ImageDraws draws = read_draws(competition);
    in.most_shared_first = std::any_of(draws.begin(), draws.end(), [](const auto& draw) {
        return draw.second.number && !draw.second.probability;
    });
    in.facts =
        facts_of_images(competition, in.selected, image_weights(competition, selected, draws));
    const bool any = std::any_of(in.counts.begin(), in.counts.end(),
                                 [](const PairCounts& pair) { return pair.n() > 0; });
    if (!any)
        throw Error(ErrorCode::usage,
                    fmt::format("{}: no ranking yet: {}", competition.folder().string(),
                                what_is_lacking(competition, in)));
    in.control = read_control_sample(competition, in.classifiers);
    return in;
}

}  // namespace assay::mad
