#include "demo/answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "assay/mad/pairs.h"
#include "containers/csv.h"
#include "core/file.h"
#include "core/paths.h"
#include "core/text.h"
#include "demo/world/crowd.h"

namespace assay::cli {
namespace {

constexpr std::string_view answers_header = "question,annotator,answer\n";

/// The people who answered each question.
using Answered = std::map<std::string, std::set<std::string>>;

void add_answered_in(const std::string& text, const std::filesystem::path& file, Answered& who) {
    CsvReader row(text, file.string());
    const std::size_t question = row.column({"question"}), annotator = row.column({"annotator"});
    while (row.next()) who[std::string(row[question])].insert(std::string(row[annotator]));
}

class Crowd {
public:
    explicit Crowd(const WorldSpec& spec)
        : plan_{.spec = spec, .replicated = {}},
          annotators_(world::annotators(plan_)),
          classes_(world_classes()) {}

    /// Gives answers in the order of the people: at most `votes`, fewer if they decide the
    /// question, including those in `answered`. Writes the new answers. `blocked` people are not
    /// asked, and their earlier answers do not count.
    std::uint64_t answer(const std::string& question, const KnownImage& image,
                         const std::string& label, std::uint32_t votes,
                         const std::set<std::string>& answered,
                         const std::set<std::string>& blocked, CsvWriter& out) const {
        std::uint64_t written = 0;
        const std::int32_t cls = classes_.find(label).value();
        world::Draw draw(plan_.spec.seed, "world/answers",
                         image.number * world::class_count + static_cast<std::uint64_t>(cls));
        const bool there =
            std::find(image.labels.begin(), image.labels.end(), label) != image.labels.end();
        std::vector<int> asked;
        std::vector<mad::Answer> given;
        while (given.size() < votes && asked.size() < annotators_.size() &&
               !mad::is_settled(given, votes)) {
            int who = 0;
            do {
                who = draw.below(world::annotator_count);
            } while (std::find(asked.begin(), asked.end(), who) != asked.end());
            asked.push_back(who);
            const world::Annotator& annotator = annotators_[static_cast<std::size_t>(who)];
            const auto& chances = there ? annotator.present : annotator.absent;
            const float u = draw.unit();
            if (blocked.contains(world::name_of_annotator(who))) continue;
            given.push_back(u < chances[0]                ? mad::Answer::no
                            : u < chances[0] + chances[1] ? mad::Answer::cannot_say
                                                          : mad::Answer::yes);
            if (answered.contains(world::name_of_annotator(who))) continue;
            ++written;
            constexpr std::string_view said[] = {"no", "yes", "cannot say"};
            out.row({question, world::name_of_annotator(who),
                     said[static_cast<std::size_t>(given.back())]});
        }
        return written;
    }

private:
    world::Plan plan_;
    std::vector<world::Annotator> annotators_;
    ClassList classes_;
};

}  // namespace

std::map<std::string, KnownImage> read_known_images(const std::filesystem::path& truth) {
    const std::string text = read_text(truth);
    CsvReader row(text, truth.string());
    const std::size_t path = row.column({"path"}), labels = row.column({"labels"});
    std::map<std::string, KnownImage> images;
    while (row.next()) {
        KnownImage image{.number = images.size(), .labels = {}};
        for_each_part(row[labels], " ",
                      [&](std::string_view label) { image.labels.emplace_back(label); });
        if (!images.emplace(row[path], std::move(image)).second)
            throw row.error(fmt::format("the image `{}` appears twice", shortened(row[path])));
    }
    return images;
}

CrowdAnswers answer_questions(const WorldSpec& spec, const std::filesystem::path& questions,
                              const std::vector<std::filesystem::path>& earlier,
                              const std::filesystem::path& answers,
                              const std::set<std::string>& blocked) {
    const std::map<std::string, KnownImage> known =
        read_known_images(spec.folder / "truth" / "unlabelled.csv");
    const Crowd crowd(spec);
    const ClassList classes = world_classes();
    std::string out = is_there(answers) ? read_text(answers) : std::string(answers_header);
    Answered answered;
    add_answered_in(out, answers, answered);
    for (const std::filesystem::path& file : earlier)
        if (is_there(file)) add_answered_in(read_text(file), file, answered);
    CsvWriter csv(out);
    CrowdAnswers sum;
    const std::string text = read_text(questions);
    CsvReader row(text, questions.string());
    const std::size_t question = row.column({"question"}), image = row.column({"image"}),
                      label = row.column({"label"}), there = row.column({"answers"}),
                      wanted = row.column({"wanted"});
    while (row.next()) {
        const auto found = known.find(std::string(row[image]));
        if (found == known.end())
            throw row.error(
                fmt::format("`{}` is not an unlabelled image of the world", shortened(row[image])));
        if (!classes.find(row[label]))
            throw row.error(fmt::format("`{}` is not a class of the world", shortened(row[label])));
        std::uint64_t votes = 0;
        for (const std::size_t column : {there, wanted}) {
            std::uint64_t count = 0;
            if (!parse_number(row[column], count) || count > world::annotator_count)
                throw row.error(fmt::format("{} is `{}`; allowed: 0 to {}", row.columns()[column],
                                            shortened(row[column]), world::annotator_count));
            votes += count;
        }
        const std::string token(row[question]);
        const std::uint64_t written =
            crowd.answer(token, found->second, std::string(row[label]),
                         static_cast<std::uint32_t>(votes), answered[token], blocked, csv);
        sum.questions += written > 0 ? 1 : 0;
        sum.answers += written;
    }
    write_file_atomically(answers, out);
    return sum;
}

}  // namespace assay::cli
