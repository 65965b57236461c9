#include "mad/question_finder.h"

#include <fmt/format.h>

#include <algorithm>

#include "assay/error.h"
#include "core/refuse.h"
#include "core/text.h"
#include "data/class_text.h"
#include "mad/competition_items.h"

namespace assay::mad {
namespace {

/// With more images in the competition, their names are not compared with an unknown one.
constexpr std::size_t most_named_images = 50'000;

}  // namespace

QuestionFinder::QuestionFinder(const Competition& competition,
                               const std::vector<QuestionRow>& questions)
    : competition_(competition), questions_(questions), images_(competition) {
    for (std::size_t q = 0; q < questions.size(); ++q) {
        by_token_.emplace(questions[q].token, q);
        by_key_.emplace(QuestionKey{questions[q].image, questions[q].label}, q);
    }
}

void QuestionFinder::refuse_image(const FoundAnswer& found) const {
    std::string nearest;
    bool is_of_dataset = false;
    visit_items(competition_, [&](std::uint64_t, std::string_view id, std::string_view path) {
        is_of_dataset = is_of_dataset || id == found.image || path == found.image;
    });
    if (!is_of_dataset && images_.rows().size() <= most_named_images)
        nearest = nearest_name(found.image, images_.names());
    refuse(fmt::format("{}: no question is about the image `{}`{}{}", found.where,
                       shortened(found.image, 120), is_of_dataset ? " of the data set" : "",
                       nearest.empty() ? "" : fmt::format("; did you mean `{}`?", nearest)));
}

void QuestionFinder::check_agrees(const FoundAnswer& found, const QuestionRow& question) {
    constexpr std::string_view advice =
        "; was one column sorted without the others? If so, remove image and label: then the "
        "question decides";
    const ClassList& classes = competition_.classes();
    const std::vector<std::int64_t> images = images_.find(found.image);
    if (!images.empty() &&
        std::find(images.begin(), images.end(), question.image) == images.end()) {
        refuse(
            fmt::format("{}: the question `{}` is about the image `{}`, but the row names `{}`{}",
                        found.where, question.token, images_.rows().at(question.image).id,
                        shortened(found.image, 120), advice));
    }
    if (found.label == classes.id(question.label) || found.label == classes.name(question.label))
        return;
    const std::optional<std::int32_t> label = classes.find(found.label);
    if (label && *label != question.label) {
        refuse(fmt::format("{}: the question `{}` is about `{}`, but the row names `{}`{}",
                           found.where, question.token, classes.id(question.label),
                           shortened(found.label), advice));
    }
}

std::size_t QuestionFinder::find(const FoundAnswer& found) {
    if (!found.question.empty()) {
        const auto there = by_token_.find(found.question);
        if (there != by_token_.end()) {
            check_agrees(found, questions_[there->second]);
            return there->second;
        }
    }
    if (found.image.empty() || found.label.empty()) {
        std::vector<std::string> tokens;
        for (const QuestionRow& row : questions_) tokens.push_back(row.token);
        if (found.question.empty())
            refuse(
                fmt::format("{}: it names neither a question nor an image and label", found.where));
        if (!found.unread.empty()) {
            refuse(fmt::format("{}: `{}` is not a question of {}, and {}", found.where,
                               shortened(found.question), competition_.folder().string(),
                               found.unread));
        }
        const std::string nearest = nearest_name(found.question, tokens);
        refuse(fmt::format("{}: `{}` is not a question of {}{}", found.where,
                           shortened(found.question), competition_.folder().string(),
                           nearest.empty() ? "" : fmt::format("; did you mean `{}`?", nearest)));
    }
    const std::optional<std::int32_t> label = competition_.classes().find(found.label);
    if (!label) {
        refuse(
            fmt::format("{}: {}", found.where, not_a_class(competition_.classes(), found.label)));
    }
    const std::vector<std::int64_t> images = images_.find(found.image);
    if (images.empty()) refuse_image(found);
    if (images.size() > 1) {
        refuse(fmt::format("{}: `{}` matches {} images of the data set; use its id", found.where,
                           shortened(found.image, 120), images.size()));
    }
    const std::int64_t image = images.front();
    const auto there = by_key_.find({image, static_cast<std::uint16_t>(*label)});
    if (there == by_key_.end()) {
        std::string asked;
        for (const QuestionRow& row : questions_)
            if (row.image == image)
                asked += fmt::format("{}`{}`", asked.empty() ? "" : ", ",
                                     competition_.classes().id(row.label));
        refuse(fmt::format("{}: no question is about `{}` in `{}`; there are questions about: {}",
                           found.where, competition_.classes().id(*label),
                           shortened(found.image, 120), asked.empty() ? "nothing" : asked));
    }
    return there->second;
}

}  // namespace assay::mad
