#include "mad/selection_work.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/random.h"
#include "core/refuse.h"
#include "mad/tally.h"

namespace assay::mad {
namespace {

Candidate candidate_of(const SelectedRow& row, std::span<const std::uint64_t> parents) {
    if (row.image < 0)
        refuse(fmt::format("the selected image {} is not in the data set", row.image));
    Candidate c;
    c.image = static_cast<std::uint64_t>(row.image);
    c.units = row.units;
    c.first_label = row.first_label;
    c.second_label = row.second_label;
    c.confidence = row.confidence;
    c.parent = c.image < parents.size() ? parents[c.image] : c.image;
    return c;
}

/// The reason to give up a place of a pair; "" if there is none.
class Departures {
public:
    Departures(const std::map<std::uint64_t, std::string>& excluded,
               const UnclearQuestions& unclear)
        : excluded_(excluded), unclear_(unclear) {}

    bool excluded(std::int64_t image) const {
        return image >= 0 && excluded_.contains(static_cast<std::uint64_t>(image));
    }
    std::string why(const SelectedRow& row) const {
        if (excluded(row.image)) {
            const std::string& reason = excluded_.at(static_cast<std::uint64_t>(row.image));
            return reason.empty() ? "it is excluded" : fmt::format("it is excluded: {}", reason);
        }
        const std::string* const unclear =
            unclear_of(unclear_, row.image, row.first_label, row.second_label);
        return unclear == nullptr ? "" : *unclear;
    }

private:
    const std::map<std::uint64_t, std::string>& excluded_;
    const UnclearQuestions& unclear_;
};

}  // namespace

UnclearQuestions unclear_questions(const Competition& competition) {
    const Tally tally = tally_of(competition);
    UnclearQuestions unclear;
    for (std::size_t q = 0; q < tally.of.size(); ++q) {
        const QuestionTally& question = tally.of[q];
        if (!question.unclear()) continue;
        const auto deciding = question.deciding();
        const auto cannot = std::count_if(
            deciding.begin(), deciding.end(),
            [](const AnswerRow& answer) { return answer.answer == Answer::cannot_say; });
        const QuestionRow& row = tally.questions[q];
        unclear[{row.image, row.label}] = fmt::format(
            "{} of {} annotators cannot say whether it shows {}", cannot, deciding.size(),
            row.label < competition.classes().size() ? competition.classes().name(row.label)
                                                     : fmt::to_string(row.label));
    }
    return unclear;
}

const std::string* unclear_of(const UnclearQuestions& unclear, std::int64_t image,
                              std::uint16_t first_label, std::uint16_t second_label) {
    for (const std::uint16_t label : {first_label, second_label}) {
        const auto found = unclear.find({image, label});
        if (found != unclear.end()) return &found->second;
    }
    return nullptr;
}

std::vector<PairWork> find_work(const Competition& competition,
                                const std::map<std::uint64_t, std::string>& excluded_images,
                                const UnclearQuestions& unclear,
                                std::span<const std::uint64_t> parents) {
    const Database& database = competition.impl().database;
    const SelectionRule& rule = competition.settings().rule;
    const Departures departures(excluded_images, unclear);
    std::map<std::pair<std::uint32_t, std::uint32_t>, PairRow> rows;
    for (const PairRow& row : read_pairs(database)) rows[{row.first, row.second}] = row;
    std::map<std::int64_t, std::vector<SelectedRow>> selected;
    for (SelectedRow& row : read_selected(database)) selected[row.pair].push_back(row);

    std::vector<PairWork> all;
    const std::vector<CompetitionClassifier> active = competition.active();
    for (std::size_t i = 0; i < active.size(); ++i) {
        for (std::size_t j = i + 1; j < active.size(); ++j) {
            PairWork work;
            work.first = active[i].name;
            work.second = active[j].name;
            const auto found = rows.find({active[i].number, active[j].number});
            work.row = {.id = 0, .first = active[i].number, .second = active[j].number};
            if (found != rows.end()) work.row = found->second;
            work.rows = selected[work.row.id].size();
            std::size_t duplicates = 0;
            for (const SelectedRow& row : selected[work.row.id]) {
                if (row.state == SelectedState::duplicate) {
                    // The check is repeated, because the image that it resembles may not be in the
                    // list any more.
                    ++duplicates;
                    continue;
                }
                const Candidate c = candidate_of(row, parents);
                const std::string why =
                    row.state == SelectedState::accepted ? departures.why(row) : "";
                if (row.state == SelectedState::accepted && why.empty()) {
                    work.settled.push_back(c);
                    continue;
                }
                // Excluded images are no candidates, so they need no reserve.
                const bool excluded = departures.excluded(row.image);
                if (!excluded) work.rejected.push_back(c);
                if (!why.empty()) work.leaving.push_back({row, why, excluded});
            }
            const std::size_t accepted = work.settled.size() + work.leaving.size();
            if (found != rows.end() && work.leaving.empty()) {
                if (work.row.k >= rule.k) continue;
                work.look = accepted >= work.row.k;
            }
            // The number of near duplicates is added to that of images rejected before.
            const std::size_t more =
                competition.settings().near_duplicates ? duplicates + rule.reserves : 0;
            work.reserves = std::max<std::uint32_t>(
                rule.reserves, static_cast<std::uint32_t>(work.rejected.size() + more));
            all.push_back(std::move(work));
        }
    }
    return all;
}

std::uint32_t turn_of(std::uint64_t seed, std::string_view first, std::string_view second,
                      std::uint64_t image) {
    const auto [a, b] = std::minmax(first, second);
    return RandomStream(seed, fmt::format("turns of {}/{}", a, b), image).next_u32();
}

}  // namespace assay::mad
