// One round of questions: which places to ask about, and which known answers to add.
#include "assay/mad/questions.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "assay/error.h"
#include "assay/mad/posterior.h"
#include "core/shell_word.h"
#include "core/text.h"
#include "mad/gold.h"
#include "mad/image_draws.h"
#include "mad/question_budget.h"
#include "study/decisions.h"

namespace assay::mad {
namespace {

void check_options(const QuestionOptions& options) {
    if (options.stop_at && !(*options.stop_at > 0 && *options.stop_at < 1))
        throw Error(ErrorCode::usage,
                    fmt::format("the correlation to stop at is {}; allowed: between 0 and 1",
                                *options.stop_at));
}

/// The input of one round.
struct RoundInput {
    Tally tally;
    std::vector<PairRow> pairs;
    std::vector<SelectedRow> selected;
    std::vector<std::uint32_t> numbers;
    std::vector<ControlQuestions> control;
    ImageDraws draws;
    // Set by look_at_answers(), which is only called with a budget or a value at which to stop.
    AnsweredPlaces answered;
    Posterior now;  ///< the ranking by the answers so far, from all lists

    explicit RoundInput(const Competition& competition)
        : tally(tally_of(competition)),
          pairs(read_pairs(competition.impl().database)),
          selected(read_selected(competition.impl().database)),
          control(control_questions(competition)),
          draws(read_draws(competition)) {
        for (const CompetitionClassifier& one : competition.active()) numbers.push_back(one.number);
    }
    bool nothing_selected() const { return selected.empty() && control.empty(); }
    /// Excludes images that people cannot judge according to answers about another pair. They will
    /// be replaced.
    bool can_be_asked(const SelectedRow& row) const {
        return row.state == SelectedState::accepted && !row.asked &&
               place_state(tally, row) != PlaceState::unclear;
    }
    void look_at_answers(const Competition& competition) {
        const ImageFacts facts =
            facts_of_images(competition, selected, image_weights(competition, selected, draws));
        answered = answered_places(tally, pairs, selected, numbers, facts);
        PosteriorOptions options;
        options.lists_alone = true;
        options.draws = 100;  // the ranks are not used
        now = posterior_of(numbers.size(), answered, options);
    }
};

/// Questions of earlier rounds that are asked and have no answer.
std::uint64_t waiting_questions(const Competition& competition, const Tally& tally) {
    const std::set<QuestionKey> wanted = wanted_questions(competition, tally);
    std::uint64_t waiting = 0;
    for (std::size_t q = 0; q < tally.questions.size(); ++q) {
        const QuestionRow& row = tally.questions[q];
        if (!row.gold && tally.of[q].answers.empty() && wanted.count({row.image, row.label}) > 0)
            ++waiting;
    }
    return waiting;
}

/// With a budget, the drawn images are recorded.
std::vector<std::size_t> places_to_ask(Competition& competition, const RoundInput& in,
                                       const std::optional<std::uint64_t>& budget, AskOrder order,
                                       QuestionRound& round) {
    std::vector<std::size_t> places;
    if (budget) {
        const AskInput ask = {.tally = &in.tally,
                              .pairs = &in.pairs,
                              .selected = &in.selected,
                              .numbers = in.numbers,
                              .draws = in.draws,
                              .answered = &in.answered,
                              .now = &in.now,
                              .seed = competition.settings().seed};
        BudgetChoice choice = images_within_budget(ask, *budget, order);
        write_draws(competition.impl().database, choice.draws);
        round.images_drawn = choice.images_drawn;
        return std::move(choice.places);
    }
    for (std::size_t i = 0; i < in.selected.size(); ++i)
        if (in.can_be_asked(in.selected[i])) places.push_back(i);
    return places;
}

/// Asks about the chosen places, then about the control sample until the budget is used up. Returns
/// the number of places asked about. Some of them need no new question.
std::uint64_t ask(Competition& competition, RoundInput& in,
                  const std::optional<std::uint64_t>& budget, AskOrder order,
                  QuestionWriter& writer, QuestionRound& round) {
    std::uint64_t places = 0;
    Statement asked = competition.impl().database.prepare(
        "UPDATE selected SET asked = 1 WHERE pair = ? AND image = ?");
    const std::vector<std::size_t> chosen = places_to_ask(competition, in, budget, order, round);
    for (const std::size_t place : chosen) {
        SelectedRow& row = in.selected[place];
        for (const QuestionKey& key : questions_of(row)) round.added += writer.add(key) ? 1 : 0;
        asked.run(row.pair, row.image);
        row.asked = true;
        ++places;
    }
    for (const ControlQuestions& control : in.control) {
        std::uint64_t missing = 0;
        for (const std::uint16_t label : control.labels)
            missing += writer.has({control.image, label}) ? 0 : 1;
        // For an image, asks about either all classifiers' predictions or none.
        if (budget && round.added + missing > *budget) break;
        for (const std::uint16_t label : control.labels)
            round.added += writer.add({control.image, label}) ? 1 : 0;
    }
    return places;
}

void count_places(const RoundInput& in, const QuestionWriter& writer, QuestionRound& round) {
    std::set<QuestionKey> distinct;
    for (const SelectedRow& row : in.selected) {
        if (row.state != SelectedState::accepted) continue;
        ++round.accepted_places;
        if (!row.asked) continue;
        ++round.asked_places;
        for (const QuestionKey& key : questions_of(row)) distinct.insert(key);
    }
    round.saved = 2 * round.asked_places - distinct.size();
    round.control = in.control.size();
    for (const ControlQuestions& control : in.control) {
        const auto is_asked = [&](std::uint16_t label) {
            return writer.has({control.image, label});
        };
        round.asked_control +=
            std::all_of(control.labels.begin(), control.labels.end(), is_asked) ? 1 : 0;
    }
}

}  // namespace

std::string_view name_of(AskOrder order) {
    return words_of(order).at(static_cast<std::size_t>(order)).second;
}

AskOrder ask_order_named(std::string_view name) {
    std::vector<std::string> names;
    for (const auto& [order, known] : words_of(AskOrder{})) {
        if (known == name) return order;
        names.emplace_back(known);
    }
    throw Error(ErrorCode::usage,
                fmt::format("--ask is `{}`; allowed: information, random, shared{}",
                            shortened(name), suggest(name, names)));
}

QuestionRound ask_questions(Competition& competition, const QuestionOptions& options) {
    check_options(options);
    Database& database = competition.impl().database;
    Transaction all(database);  // the values read here must still be valid for the write
    RoundInput in(competition);
    if (in.nothing_selected()) {
        const std::string folder = competition.folder().string();
        const std::string command = fmt::format("`assay mad select {}`", shell_word(folder));
        throw Error(ErrorCode::usage,
                    in.pairs.empty()
                        ? fmt::format("nothing is selected in {}; run {}", folder, command)
                        : fmt::format("{}: no image qualifies for any pair; to see why, run {}",
                                      folder, command));
    }
    QuestionRound round;
    if (options.budget || options.stop_at) {
        in.look_at_answers(competition);
        round.list_tau = 1 - 2 * in.now.error;
    }
    if (options.budget) round.ask = options.ask;
    round.stopped = options.stop_at && *round.list_tau >= *options.stop_at;

    QuestionWriter writer(competition, in.tally);
    std::uint64_t places = 0;
    if (!round.stopped && options.budget != std::uint64_t{0}) {
        // Open questions count against the budget. So a repeated round asks the same questions, in
        // case the first file was lost.
        std::optional<std::uint64_t> budget = options.budget;
        if (budget) {
            round.waiting = waiting_questions(competition, in.tally);
            *budget -= std::min(*budget, round.waiting);
        }
        places = ask(competition, in, budget, options.ask, writer, round);
    }
    std::vector<GoldEntry> entries;
    if (!options.gold.empty()) entries = read_gold(competition, options.gold);
    const GoldRound gold = draw_gold(competition, in.tally, entries, options.gold, writer);
    round.added_gold = gold.added;
    if (round.added + places + gold.added + gold.known > 0) {
        decide(database, DecisionKind::asked, "questions",
               fmt::format("{} new, {} for their known answers{}", round.added, gold.added,
                           options.budget ? fmt::format(", budget {}, {}", *options.budget,
                                                        name_of(options.ask))
                                          : ""),
               options.reason);
    }
    count_places(in, writer, round);
    round.questions = writer.questions();
    all.commit();

    const std::vector<QuestionRow> questions = read_questions(database);
    round.gold = static_cast<std::uint64_t>(
        std::count_if(questions.begin(), questions.end(),
                      [](const QuestionRow& row) { return row.gold.has_value(); }));
    round.open = open_questions(competition).size();
    if (gold.gold < gold.wanted && (round.added > 0 || !options.gold.empty())) {
        round.warnings.push_back(
            fmt::format("there are {} questions with known answers, but the competition's settings "
                        "ask for {}; to add some, type `assay mad questions --gold FILE`",
                        gold.gold, gold.wanted));
    }
    return round;
}

}  // namespace assay::mad
