#include "mad/selection_work.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/random.h"
#include "core/refuse.h"
#include "mad/exclusions.h"

namespace assay::mad {
namespace {

Candidate candidate_of(const SelectedRow& row, std::span<const std::uint64_t> parents) {
    if (row.image < 0)
        refuse(fmt::format("the selected image {} is none of the data set", row.image));
    Candidate c;
    c.image = static_cast<std::uint64_t>(row.image);
    c.units = row.units;
    c.first_label = row.first_label;
    c.second_label = row.second_label;
    c.confidence = row.confidence;
    c.parent = c.image < parents.size() ? parents[c.image] : c.image;
    return c;
}

/// Why a place of a pair is given up; "" where it is not.
class Departures {
public:
    explicit Departures(const Competition& competition)
        : excluded_(read_exclusions(competition)), unclear_(unclear_questions(competition)) {}

    bool excluded(std::int64_t image) const {
        return image >= 0 && excluded_.contains(static_cast<std::uint64_t>(image));
    }
    std::string why(const SelectedRow& row) const {
        if (excluded(row.image)) {
            const std::string& reason = excluded_.at(static_cast<std::uint64_t>(row.image));
            return reason.empty() ? "it is excluded" : fmt::format("it is excluded: {}", reason);
        }
        for (const std::uint16_t label : {row.first_label, row.second_label}) {
            const auto found = unclear_.find({row.image, label});
            if (found != unclear_.end()) return found->second;
        }
        return "";
    }

private:
    std::map<std::uint64_t, std::string> excluded_;
    std::map<std::pair<std::int64_t, std::uint16_t>, std::string> unclear_;
};

}  // namespace

std::map<std::pair<std::int64_t, std::uint16_t>, std::string> unclear_questions(
    const Competition& competition) {
    const Database& database = competition.impl().database;
    std::map<std::int64_t, std::vector<Answer>> answers;
    for (const AnswerRow& row : read_answers(database)) answers[row.question].push_back(row.answer);
    std::map<std::pair<std::int64_t, std::uint16_t>, std::string> unclear;
    for (const QuestionRow& question : read_questions(database)) {
        const auto found = answers.find(question.id);
        if (found == answers.end()) continue;
        const std::vector<Answer>& all = found->second;
        if (!is_settled(all, competition.settings().votes) || !settle(all).unclear) continue;
        unclear[{question.image, question.label}] =
            fmt::format("{} of {} annotators cannot say whether it shows {}",
                        std::count(all.begin(), all.end(), Answer::cannot_say), all.size(),
                        question.label < competition.classes().size()
                            ? competition.classes().name(question.label)
                            : fmt::to_string(question.label));
    }
    return unclear;
}

std::vector<PairWork> find_work(const Competition& competition,
                                std::span<const std::uint64_t> parents) {
    const Database& database = competition.impl().database;
    const SelectionRule& rule = competition.settings().rule;
    const Departures departures(competition);
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
            for (const SelectedRow& row : selected[work.row.id]) {
                const Candidate c = candidate_of(row, parents);
                const std::string why =
                    row.state == SelectedState::accepted ? departures.why(row) : "";
                if (row.state == SelectedState::accepted && why.empty()) {
                    work.settled.push_back(c);
                    continue;
                }
                // What is excluded is no candidate: it needs no reserve.
                const bool excluded = departures.excluded(row.image);
                if (!excluded) work.rejected.push_back(c);
                if (!why.empty()) work.leaving.push_back({row, why, excluded});
            }
            const std::size_t accepted = work.settled.size() + work.leaving.size();
            if (found != rows.end() && work.leaving.empty()) {
                if (work.row.k >= rule.k) continue;
                work.look = accepted >= work.row.k;
            }
            // Near duplicates come on top of what was rejected before.
            const std::size_t more = competition.settings().near_duplicates ? rule.reserves : 0;
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
