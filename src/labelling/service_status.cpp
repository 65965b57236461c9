#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>

#include "assay/error.h"
#include "assay/report.h"
#include "core/statistics.h"
#include "labelling/service_impl.h"
#include "mad/annotator_check.h"
#include "study/times.h"

namespace assay::labelling {
namespace {

/// The seconds of the day and the number of earlier days, from a time of utc_moment_now().
double seconds_of(const std::string& at) {
    using namespace std::chrono;
    if (at.size() < 27) return 0;
    const auto number = [&](std::size_t from, std::size_t digits) {
        int value = 0;
        for (std::size_t i = from; i < from + digits; ++i) value = 10 * value + (at[i] - '0');
        return value;
    };
    const sys_days day =
        year_month_day{year{number(0, 4)}, month{static_cast<unsigned>(number(5, 2))},
                       std::chrono::day{static_cast<unsigned>(number(8, 2))}};
    return 86400.0 * static_cast<double>(day.time_since_epoch().count()) + 3600.0 * number(11, 2) +
           60.0 * number(14, 2) + number(17, 2) + 1e-6 * number(20, 6);
}

/// The mean over questions of the proportion of agreeing pairs of answers. Wilson's interval for a
/// mean assumes the largest variance of numbers in [0, 1].
Estimate pairwise_agreement(const Board& board) {
    double sum = 0;
    std::uint64_t compared = 0;
    for (std::size_t q = 0; q < board.contents().questions.size(); ++q) {
        std::array<std::uint64_t, 3> said{};
        for (const Board::Question::Given& given : board.question(q).given)
            if (!board.is_blocked(given.annotator))
                ++said.at(static_cast<std::size_t>(given.answer));
        const std::uint64_t n = said[0] + said[1] + said[2];
        if (n < 2) continue;
        std::uint64_t same = 0;
        for (const std::uint64_t count : said) same += count * (count > 0 ? count - 1 : 0);
        sum += static_cast<double>(same) / static_cast<double>(n * (n - 1));
        ++compared;
    }
    Estimate out;
    out.unit = Unit::proportion;
    out.n = compared;
    if (compared == 0) {
        out.undefined = "no question has two answers";
        return out;
    }
    out.value = sum / static_cast<double>(compared);
    out.interval = wilson_of_mean(*out.value, compared);
    return out;
}

/// The same result as from the tables, but from memory.
std::vector<mad::AnnotatorCheck> checks_of(const Board& board,
                                           const std::vector<study::AnnotatorRow>& annotators) {
    std::vector<study::QuestionRow> questions;
    std::vector<study::AnswerRow> answers;
    for (std::size_t q = 0; q < board.contents().questions.size(); ++q) {
        const AskedQuestion& asked = board.contents().questions[q];
        study::QuestionRow& row = questions.emplace_back();
        row.id = asked.id;
        row.gold = asked.known;
        for (const Board::Question::Given& given : board.question(q).given)
            answers.push_back({asked.id, given.annotator, given.answer});
    }
    return mad::check_annotators(questions, annotators, answers);
}

std::optional<double> median_of(std::vector<float> values) {
    if (values.empty()) return std::nullopt;
    std::sort(values.begin(), values.end());
    const std::vector<double> sorted(values.begin(), values.end());
    return quantile_sorted(sorted, .5);
}

}  // namespace

void Service::Impl::note_pace(std::int64_t annotator, const std::string& at) {
    // Breaks do not count as working time.
    constexpr double longest = 5 * 60;
    Pace& pace = paces[annotator];
    const double answered_at = seconds_of(at), passed = answered_at - pace.last;
    // The answers of a screen, and of screens that arrived together, have the same time.
    if (pace.last > 0 && passed > 0 && passed < longest)
        pace.between.push_back(static_cast<float>(passed));
    pace.last = std::max(pace.last, answered_at);
}

void Service::Impl::read_past() {
    paces.clear();
    given.clear();
    trained.clear();
    Statement answer = book->database().prepare(
        "SELECT annotator, at, question, source LIKE '%training' FROM answer "
        "WHERE source LIKE 'labelling page%' ORDER BY annotator, at");
    while (answer.step()) {
        if (const std::string at = answer.text(1); study::is_utc_moment(at))
            note_pace(answer.integer(0), at);
        const std::optional<std::uint32_t> q = board.find_row(answer.integer(2));
        if (q && answer.integer(3) == 1) trained[answer.integer(0)].insert(board.screen_of(*q));
    }
    Statement row = book->database().prepare("SELECT annotator, question FROM given");
    while (row.step())
        if (const std::optional<std::uint32_t> q = board.find_row(row.integer(1)))
            given[row.integer(0)].insert(board.screen_of(*q));
}

std::uint64_t Service::Impl::questions_open(ServiceStatus& status) const {
    std::uint64_t screens_left = 0;
    for (std::size_t q = 0; q < board.contents().questions.size(); ++q) {
        const AskedQuestion& asked = board.contents().questions[q];
        const Board::Question& question = board.question(q);
        const auto answers = static_cast<std::uint64_t>(std::count_if(
            question.given.begin(), question.given.end(),
            [&](const Board::Question::Given& one) { return !board.is_blocked(one.annotator); }));
        status.answers += answers;
        // Skips questions that are no longer needed.
        if (!asked.wanted && !question.settled) continue;
        ++status.questions;
        status.known += asked.known ? 1 : 0;
        if (question.settled) {
            ++status.settled;
            status.unclear += question.unclear ? 1 : 0;
        } else if (question.skipped) {
            ++status.skipped;
        } else {
            ++status.open;
            status.untouched += answers == 0 ? 1 : 0;
            status.answers_left += question.needed;
        }
    }
    for (std::size_t s = 0; s < board.contents().screens.size(); ++s)
        screens_left += board.needed(s);
    return screens_left;
}

void Service::Impl::name_problems(ServiceStatus& status) const {
    constexpr std::size_t most = 100;
    if (failed.empty()) return;
    const Contents& contents = board.contents();
    std::size_t more = 0;
    for (std::size_t i = 0; i < contents.images.size(); ++i) {
        const auto why = failed.find(contents.images[i].path.string());
        const auto& questions = board.questions_about(static_cast<std::uint32_t>(i));
        if (why == failed.end() || questions.empty()) continue;
        if (status.problems.size() == most) {
            ++more;
            continue;
        }
        status.problems.push_back({contents.questions[questions.front()].token,
                                   contents.images[i].id, why->first, why->second});
    }
    if (more > 0)
        status.warnings.push_back(fmt::format(
            "{} more images cannot be shown; check that they were not moved", count_text(more)));
}

void Service::Impl::describe() {
    ServiceStatus status;
    status.title = book->title;
    status.task = book->task;
    status.folder = folder.string();
    status.paused = people.paused();
    const std::uint64_t screens_left = questions_open(status);

    const std::vector<study::AnnotatorRow> annotators = study::read_annotators(book->database());
    const auto checks = checks_of(board, annotators);
    status.agreement = pairwise_agreement(board);

    std::map<std::string, PersonStatus> by_name;
    for (const Person& person : people.all()) {
        PersonStatus& one = by_name[person.name];
        one.id = person.id;
        one.revoked = person.revoked;
        one.gold.undefined = one.agreement.undefined = "nothing is answered";
    }
    std::vector<double> speeds;
    std::uint64_t here = 0;
    constexpr double recently = 120;
    for (const mad::AnnotatorCheck& check : checks) {
        PersonStatus& one = by_name[check.annotator.name];
        one.blocked = check.annotator.blocked;
        one.answers = check.answers;
        one.yes = check.yes;
        one.cannot_say = check.cannot_say;
        one.gold = check.gold;
        one.agreement = check.agreement;
        one.findings = check.findings;
        status.warnings.insert(status.warnings.end(), check.findings.begin(), check.findings.end());
        if (const auto pace = paces.find(check.annotator.id); pace != paces.end())
            one.seconds_per_screen = median_of(pace->second.between);
        if (one.seconds_per_screen && !one.blocked) speeds.push_back(*one.seconds_per_screen);
        const auto worker = assignment.workers().find(check.annotator.id);
        if (worker == assignment.workers().end()) continue;
        one.holding = worker->second.holds.size();
        one.here = worker->second.last > 0 && worker->second.last >= now() - recently;
        here += one.here && !one.blocked ? 1 : 0;
    }
    for (auto& [name, one] : by_name) {
        one.name = name;
        status.people.push_back(std::move(one));
    }
    if (!speeds.empty() && here > 0) {
        std::sort(speeds.begin(), speeds.end());
        status.hours_left = static_cast<double>(screens_left) * quantile_sorted(speeds, .5) /
                            static_cast<double>(here) / 3600;
    }
    name_problems(status);
    status.outlook = outlook;
    told = std::move(status);
}

const ServiceStatus& Service::status() {
    Impl& in = *impl_;
    const double now = in.now();
    // Annotators must not wait for the organizer, so status takes at most a fiftieth of the time.
    const auto is_due = [now](double at, double took) {
        return at == 0 || now - at >= std::max(1.0, 50 * took);
    };
    if (!in.told.title.empty() && !is_due(in.told_at, in.telling_took)) {
        in.told.seconds_old = now - in.told_at;
        return in.told;
    }
    if (in.changed && is_due(in.outlook_at, in.outlook_took)) {
        in.outlook = in.book->outlook();
        in.outlook_at = now;
        in.outlook_took = in.now() - now;
        in.changed = false;
    }
    const double begun = in.now();
    in.describe();
    in.told_at = now;
    in.telling_took = in.now() - begun;
    return in.told;
}

}  // namespace assay::labelling
