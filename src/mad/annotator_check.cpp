#include "mad/annotator_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "assay/report.h"
#include "assay/study/answer.h"
#include "core/statistics.h"
#include "core/text.h"

namespace assay::mad {
namespace {

constexpr double small_probability = 0.01;
constexpr double wanted_of_gold = 0.75;

/// True if P(at most `hits` of `trials` with probability p) <= alpha, by the upper bound.
bool too_few(std::uint64_t hits, std::uint64_t trials, double p, double alpha) {
    return trials > 0 && clopper_pearson(hits, trials, 1 - 2 * alpha).high < p;
}

/// Counts of answers by annotators who are not blocked: no, yes, cannot say.
using Said = std::array<std::uint64_t, 3>;

/// The majority of yes and no; nothing if most cannot say, or on a tie.
std::optional<Answer> most_say(const Said& said) {
    if (said[2] > said[0] + said[1]) return Answer::cannot_say;
    if (said[0] == said[1]) return std::nullopt;
    return said[1] > said[0] ? Answer::yes : Answer::no;
}

struct AgainstOthers {
    std::uint64_t compared = 0, equal = 0;  ///< yes and no answers compared with other people
                                            ///< majority
    std::uint64_t elsewhere = 0;            ///< gold or the other annotators answer differently
    std::uint64_t gold = 0, correct = 0;
    std::uint64_t comparable = 0;  ///< questions that gold or other people answer
};

std::string shown_name(const std::string& name) {
    return fmt::format("`{}`", shortened(name));
}

/// The lowest agreement to tolerate: twice the others' disagreement is allowed, but not less
/// agreement than by chance.
double usual_agreement(const AgainstOthers& others) {
    if (others.compared == 0) return 0;
    const double disagreement = 1 - clopper_pearson(others.equal, others.compared).low;
    return std::max(.5, 1 - 2 * disagreement);
}

/// `others` are all other annotators together, each compared with the majority of the rest.
void find_faults(AnnotatorCheck& check, const AgainstOthers& against, const AgainstOthers& others,
                 double alpha) {
    const std::string name = shown_name(check.annotator.name);
    const std::array<std::uint64_t, 3> given = {check.no, check.yes, check.cannot_say};
    for (std::size_t a = 0; a < given.size(); ++a) {
        if (given[a] == 0 || given[a] != check.answers) continue;
        if (against.elsewhere > 0 && too_few(0, against.elsewhere, .5, alpha)) {
            check.findings.push_back(
                fmt::format("annotator {} says {} to everything ({} answers), even to the {} "
                            "questions on which the gold answer or the other annotators disagree",
                            name, study::words_for(static_cast<Answer>(a)).name,
                            count_text(check.answers), count_text(against.elsewhere)));
        } else if (against.comparable == 0 && too_few(0, check.answers, .5, alpha / 2)) {
            check.findings.push_back(fmt::format(
                "annotator {} says {} to everything ({} answers), and there are neither gold "
                "questions nor other annotators to compare with",
                name, study::words_for(static_cast<Answer>(a)).name, count_text(check.answers)));
        }
    }
    if (too_few(against.correct, against.gold, wanted_of_gold, alpha)) {
        check.findings.push_back(
            fmt::format("annotator {} answers only {} of {} gold questions correctly, unlikely for "
                        "someone who is correct three times in four",
                        name, against.correct, against.gold));
    }
    if (too_few(against.equal, against.compared, .5, alpha)) {
        check.findings.push_back(
            fmt::format("annotator {} agrees with the majority of the others on {} of {} "
                        "questions, fewer than by chance: yes and no may have been swapped",
                        name, count_text(against.equal), count_text(against.compared)));
    }
    // A further finding would add no information to these.
    if (check.findings.empty() &&
        too_few(against.equal, against.compared, usual_agreement(others), alpha)) {
        check.findings.push_back(fmt::format(
            "annotator {} agrees with the majority of the others on {} of {} questions ({:.0f} %), "
            "others on {:.0f} %; exact test against twice their disagreement",
            name, count_text(against.equal), count_text(against.compared),
            100 * static_cast<double>(against.equal) / static_cast<double>(against.compared),
            100 * static_cast<double>(others.equal) / static_cast<double>(others.compared)));
    }
}

}  // namespace

std::vector<AnnotatorCheck> check_annotators(const std::vector<QuestionRow>& questions,
                                             const std::vector<AnnotatorRow>& annotators,
                                             const std::vector<AnswerRow>& answers) {
    std::vector<AnnotatorCheck> checks;
    std::map<std::int64_t, std::size_t> of;
    std::size_t judged = 0;
    for (const AnnotatorRow& row : annotators) {
        of[row.id] = checks.size();
        checks.emplace_back().annotator = row;
        judged += row.blocked ? 0 : 1;
    }
    std::map<std::int64_t, std::optional<bool>> gold;
    for (const QuestionRow& question : questions) gold[question.id] = question.gold;

    std::map<std::int64_t, Said> said;
    for (const AnswerRow& row : answers) {
        const auto found = of.find(row.annotator);
        if (found == of.end() || checks[found->second].annotator.blocked) continue;
        ++said[row.question][static_cast<std::size_t>(row.answer)];
    }
    std::vector<AgainstOthers> against(checks.size());
    for (const AnswerRow& row : answers) {
        const auto found = of.find(row.annotator);
        if (found == of.end()) continue;
        AnnotatorCheck& check = checks[found->second];
        AgainstOthers& seen = against[found->second];
        ++check.answers;
        ++(row.answer == Answer::yes  ? check.yes
           : row.answer == Answer::no ? check.no
                                      : check.cannot_say);
        Said others = said[row.question];
        if (!check.annotator.blocked) --others[static_cast<std::size_t>(row.answer)];
        const std::optional<Answer> majority = most_say(others);
        const bool says = row.answer != Answer::cannot_say;
        if (says && majority && *majority != Answer::cannot_say) {
            ++seen.compared;
            seen.equal += row.answer == *majority ? 1 : 0;
        }
        std::optional<Answer> reference = majority;
        if (const std::optional<bool> known = gold[row.question]) {
            reference = *known ? Answer::yes : Answer::no;
            if (says) {
                ++seen.gold;
                seen.correct += row.answer == *reference ? 1 : 0;
            }
        }
        if (!reference) continue;
        ++seen.comparable;
        seen.elsewhere += row.answer != *reference ? 1 : 0;
    }
    // Four tests per annotator: the same answer to everything, gold, the others, and agreement like
    // the others'.
    const double alpha =
        small_probability / static_cast<double>(4 * std::max<std::size_t>(judged, 1));
    AgainstOthers all;
    for (std::size_t a = 0; a < checks.size(); ++a) {
        if (checks[a].annotator.blocked) continue;
        all.compared += against[a].compared;
        all.equal += against[a].equal;
    }
    for (std::size_t a = 0; a < checks.size(); ++a) {
        AnnotatorCheck& check = checks[a];
        check.gold = wilson_proportion(against[a].correct, against[a].gold, .95,
                                       "answered no gold question with yes or no");
        check.agreement = wilson_proportion(
            against[a].equal, against[a].compared, .95,
            "nobody else answered the same questions, or their answers are split");
        if (check.annotator.blocked) continue;
        AgainstOthers others;
        others.compared = all.compared - against[a].compared;
        others.equal = all.equal - against[a].equal;
        find_faults(check, against[a], others, alpha);
    }
    return checks;
}

std::vector<AnnotatorCheck> check_annotators(const Competition& competition) {
    const Database& database = competition.impl().database;
    return check_annotators(read_questions(database), read_annotators(database),
                            read_answers(database, true));
}

std::vector<std::string> findings_of(const std::vector<AnnotatorCheck>& checks) {
    std::vector<std::string> findings;
    for (const AnnotatorCheck& check : checks)
        findings.insert(findings.end(), check.findings.begin(), check.findings.end());
    return findings;
}

}  // namespace assay::mad
