#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "assay/error.h"
#include "assay/mad/competition.h"
#include "assay/mad/questions.h"
#include "assay/mad/rank.h"
#include "assay/report.h"
#include "core/refuse.h"
#include "core/shell_word.h"
#include "labelling/book.h"
#include "labelling/class_definitions.h"
#include "mad/question_rows.h"
#include "mad/shown_questions.h"
#include "mad/tally.h"

namespace assay::labelling {
namespace {

class CompetitionBook final : public AnswerBook {
public:
    CompetitionBook(const std::filesystem::path& folder, const std::filesystem::path& definitions)
        : competition_(mad::Competition::open(folder, mad::Competition::Access::write)) {
        const ClassList& classes = competition_.classes();
        labels_ = label_texts(classes.ids(), classes.names(), definitions);
        title = competition_.settings().name;
        if (title.empty()) title = competition_.folder().filename().string();
        votes = competition_.settings().votes;
        takes_tags = true;
    }

    Database& database() override { return competition_.impl().database; }

    Contents contents() override {
        {
            Transaction fresh(database());
            competition_.impl().refresh();
            fresh.commit();
        }
        const mad::Tally tally = mad::tally_of(competition_);
        if (competition_.classes().size() != labels_.size()) {
            refuse(fmt::format("{}: its classes changed while `assay serve` runs; restart it",
                               database().path().string()));
        }
        if (tally.questions.empty()) {
            refuse(fmt::format(
                "{}: there are no questions yet; to make some, type `assay mad questions {}`",
                competition_.folder().string(), shell_word(competition_.folder().string())));
        }
        const mad::ShownQuestions shown(competition_);
        const std::set<mad::QuestionKey> wanted = mad::wanted_questions(competition_, tally);
        Contents contents;
        contents.labels = labels_;
        std::map<std::int64_t, std::uint32_t> image_of;
        for (std::size_t q = 0; q < tally.questions.size(); ++q) {
            const study::QuestionRow& row = tally.questions[q];
            const mad::OpenQuestion text = shown.of(row, tally.of[q]);
            const auto [image, is_new] =
                image_of.emplace(row.image, static_cast<std::uint32_t>(contents.images.size()));
            if (is_new) contents.images.push_back({text.image, text.path});
            // Two classes with the same name are distinguished by their parents.
            contents.labels[row.label].name = text.label_name;
            AskedQuestion asked;
            asked.id = row.id;
            asked.token = row.token;
            asked.image = image->second;
            asked.label = row.label;
            asked.known = row.gold;
            asked.wanted = row.gold || wanted.count({row.image, row.label}) > 0;
            contents.questions.push_back(std::move(asked));
        }
        std::vector<std::uint32_t> order(contents.questions.size());
        std::iota(order.begin(), order.end(), 0U);
        std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
            return mad::asked_before(tally.questions[a], tally.questions[b]);
        });
        for (const std::uint32_t q : order) contents.screens.push_back({q});
        return contents;
    }

    std::vector<std::string> outlook() override {
        std::vector<std::string> sentences;
        mad::RankOptions options;
        options.bootstraps = 0;
        options.by_tag = false;  // annotators choose how many tags there are
        try {
            const mad::Ranking ranking = mad::rank_classifiers(competition_, options);
            sentences.push_back(fmt::format(
                "Ranking of {} classifiers from the answers so far: expected Kendall correlation "
                "{:.2f} with the ranking from all selected images{}.",
                ranking.classifiers.size(), ranking.list_tau,
                ranking.enough ? fmt::format(", which reaches the target of {:g}", options.stop_at)
                               : ""));
        } catch (const Error& error) {
            if (error.code() != ErrorCode::usage) throw;
            std::string why = without_folder(error.message());
            constexpr std::string_view said = "no ranking yet: ";
            if (why.starts_with(said)) why.erase(0, said.size());
            sentences.push_back(fmt::format("No ranking yet: {}.", why));
        }
        const mad::CompetitionStatus status = mad::status_of(competition_);
        if (status.to_replace > 0) {
            sentences.push_back(fmt::format(
                "{} of the selected images cannot be judged; `assay mad select {}` "
                "and `assay mad questions {}` replace them.",
                count_text(status.to_replace), shell_word(competition_.folder().string()),
                shell_word(competition_.folder().string())));
        }
        if (status.open == 0) {
            sentences.push_back(fmt::format(
                "All questions are settled. The command to run next: `{}`", status.next));
        }
        return sentences;
    }

private:
    /// Removes the path, because the organizer knows the competition.
    std::string without_folder(std::string_view message) const {
        const std::string named = competition_.folder().string() + ": ";
        return std::string(message.starts_with(named) ? message.substr(named.size()) : message);
    }

    mad::Competition competition_;
    std::vector<LabelText> labels_;
};

}  // namespace

std::unique_ptr<AnswerBook> open_competition_book(const std::filesystem::path& folder,
                                                  const std::filesystem::path& definitions) {
    return std::make_unique<CompetitionBook>(folder, definitions);
}

}  // namespace assay::labelling
