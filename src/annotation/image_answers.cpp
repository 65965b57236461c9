#include "annotation/image_answers.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "assay/annotation/votes.h"
#include "core/refuse.h"
#include "core/text.h"

namespace assay {

ClassAnswers ImageAnswers::about(std::int32_t cls) const {
    const auto found = classes_.find(cls);
    const Counts counts = found == classes_.end() ? Counts{} : found->second;
    ClassAnswers out = counts.asked;
    out.yes += counts.chosen;
    out.no += choosers_ - counts.chosen;
    return out;
}

std::vector<std::int32_t> ImageAnswers::classes() const {
    std::vector<std::int32_t> out;
    for (const auto& [cls, counts] : classes_) out.push_back(cls);
    return out;
}

ImageAnswerReader::ImageAnswerReader(const Dataset& dataset, std::uint32_t classes)
    : dataset_(dataset), number_of_classes_(classes), finder_(dataset) {}

std::int32_t ImageAnswerReader::class_of(std::string_view text) const {
    if (const auto named = dataset_.classes.find(text)) return *named;
    std::uint64_t number = 0;
    if (!dataset_.classes.empty() || !parse_number(text, number) || number >= number_of_classes_)
        return -1;
    return static_cast<std::int32_t>(number);
}

void ImageAnswerReader::add(const std::filesystem::path& file, int threads) {
    VotesOptions options;
    options.threads = threads;
    options.meanings = [&](const Votes& texts) {
        VoteMeanings out;
        for (std::size_t i = 0; i < texts.items.size(); ++i)
            out.items.push_back(finder_.find(texts.items[i]).item);
        for (std::size_t i = 0; i < texts.labels.size(); ++i)
            out.labels.push_back(class_of(texts.labels[i]));
        return out;
    };
    const Votes votes = read_votes(file, options);
    const VoteMeanings meanings = options.meanings(votes);
    if (!meanings.labels.empty() &&
        std::ranges::all_of(meanings.labels, [](std::int64_t c) { return c < 0; }))
        refuse(fmt::format("{}: none of its labels (first: `{}`) is a class of `{}`", file.string(),
                           shortened(votes.labels[0]), dataset_.name));
    std::uint64_t unknown_choices = 0;
    for (std::size_t q = 0; q < votes.questions(); ++q) {
        const std::int64_t row = meanings.items[votes.question_item[q]];
        const auto cls = static_cast<std::int32_t>(meanings.labels[votes.question_label[q]]);
        const std::span<const std::uint32_t> codes = votes.of(q);
        ClassAnswers answers;
        for (const std::uint32_t code : codes) {
            const std::size_t answer = code % votes.answers();
            ++(answer == 0                     ? answers.no
               : answer + 1 == votes.answers() ? answers.yes
                                               : answers.cannot);
        }
        // A no that only follows from the choice of another class is not counted as an answer.
        const std::uint64_t given = votes.which_class ? answers.yes : answers.all();
        const bool about_other = row < 0 || (cls < 0 && !votes.which_class);
        if (about_other) about_others_ += given;
        if (about_other || given == 0) continue;
        ImageAnswers& image = images_[static_cast<std::uint64_t>(row)];
        image.answers_ += given;
        if (votes.which_class) {
            image.choosers_ += given;
            if (cls < 0) unknown_choices += given;
            if (cls >= 0) image.classes_[cls].chosen += given;
        } else {
            ClassAnswers& sum = image.classes_[cls].asked;
            sum.yes += answers.yes;
            sum.no += answers.no;
            sum.cannot += answers.cannot;
        }
    }
    const std::string name = file.filename().string();
    for (const std::string& note : votes.notes) notes_.push_back(fmt::format("{}: {}", name, note));
    for (const VoteProblems::Kind& kind : votes.problems.kinds())
        notes_.push_back(fmt::format("{}: {} {}; first: {}", name, kind.count, kind.what,
                                     kind.examples.front()));
    if (unknown_choices > 0)
        notes_.push_back(fmt::format(
            "{}: answers that name a class which `{}` does not have: {}; they count as no to its "
            "classes",
            name, dataset_.name, unknown_choices));
}

}  // namespace assay
