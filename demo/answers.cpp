#include "demo/answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "assay/mad/pairs.h"
#include "core/csv.h"
#include "core/file.h"
#include "core/paths.h"
#include "core/text.h"
#include "demo/world/crowd.h"

namespace assay::cli {
namespace {

constexpr std::string_view answers_header = "question,annotator,answer\n";

std::set<std::string> answered_in(const std::string& text, const std::filesystem::path& file) {
    std::set<std::string> tokens;
    CsvReader row(text, file.string());
    while (row.next()) tokens.insert(std::string(row[0]));
    return tokens;
}

class Crowd {
public:
    explicit Crowd(const WorldSpec& spec)
        : plan_{.spec = spec, .replicated = {}},
          annotators_(world::annotators(plan_)),
          classes_(world_classes()) {}

    /// Answers in the order in which people give them: at most `wanted`, fewer where they settle
    /// it.
    std::uint64_t answer(const std::string& question, const KnownImage& image,
                         const std::string& label, std::uint32_t wanted, CsvWriter& out) const {
        const std::int32_t cls = classes_.find(label).value();
        world::Draw draw(plan_.spec.seed, "world/answers",
                         image.number * world::class_count + static_cast<std::uint64_t>(cls));
        const bool there =
            std::find(image.labels.begin(), image.labels.end(), label) != image.labels.end();
        std::vector<int> asked;
        std::vector<mad::Answer> given;
        while (given.size() < wanted && asked.size() < annotators_.size() &&
               !mad::is_settled(given, wanted)) {
            int who = 0;
            do {
                who = draw.below(world::annotator_count);
            } while (std::find(asked.begin(), asked.end(), who) != asked.end());
            asked.push_back(who);
            const world::Annotator& annotator = annotators_[static_cast<std::size_t>(who)];
            const auto& chances = there ? annotator.present : annotator.absent;
            const float u = draw.unit();
            given.push_back(u < chances[0]                ? mad::Answer::no
                            : u < chances[0] + chances[1] ? mad::Answer::cannot_say
                                                          : mad::Answer::yes);
            constexpr std::string_view said[] = {"no", "yes", "cannot say"};
            out.row({question, world::name_of_annotator(who),
                     said[static_cast<std::size_t>(given.back())]});
        }
        return given.size();
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
            throw row.error(fmt::format("the image `{}` is there twice", shortened(row[path])));
    }
    return images;
}

CrowdAnswers answer_questions(const WorldSpec& spec, const std::filesystem::path& questions,
                              const std::filesystem::path& answers) {
    const std::map<std::string, KnownImage> known =
        read_known_images(spec.folder / "truth" / "unlabelled.csv");
    const Crowd crowd(spec);
    const ClassList classes = world_classes();
    std::string out = is_there(answers) ? read_text(answers) : std::string(answers_header);
    const std::set<std::string> answered = answered_in(out, answers);
    CsvWriter csv(out);
    CrowdAnswers sum;
    const std::string text = read_text(questions);
    CsvReader row(text, questions.string());
    const std::size_t question = row.column({"question"}), image = row.column({"image"}),
                      label = row.column({"label"}), wanted = row.column({"wanted"});
    while (row.next()) {
        const auto found = known.find(std::string(row[image]));
        if (found == known.end())
            throw row.error(
                fmt::format("`{}` is no unlabelled image of the world", shortened(row[image])));
        if (!classes.find(row[label]))
            throw row.error(fmt::format("`{}` is no class of the world", shortened(row[label])));
        std::uint64_t most = 0;
        if (!parse_number(row[wanted], most) || most > world::annotator_count)
            throw row.error(fmt::format("wanted is `{}`; allowed: 0 to {}", shortened(row[wanted]),
                                        world::annotator_count));
        if (answered.contains(std::string(row[question]))) continue;
        ++sum.questions;
        sum.answers += crowd.answer(std::string(row[question]), found->second,
                                    std::string(row[label]), static_cast<std::uint32_t>(most), csv);
    }
    write_file_atomically(answers, out);
    return sum;
}

}  // namespace assay::cli
