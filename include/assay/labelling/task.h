// The types of questions on a labeling page: one image and one label, a grid of images, or all
// labels of an image. The first type asks "does this image show a LABEL?", one image at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay/study/answer.h"

namespace assay::labelling {

using study::Answer;

enum class Task : std::uint8_t {
    yes_no,  ///< one image, one label: yes, no, cannot say
    grid,    ///< one label, many images: people click those that show it, and not the rest
             ///< show it
    labels,  ///< one image, many labels: people choose those that apply, and not the rest
             ///< apply; each may be marked as unsure
};
constexpr auto words_of(Task) {
    return std::array<std::pair<Task, std::string_view>, 3>{
        {{Task::yes_no, "yes-no"}, {Task::grid, "grid"}, {Task::labels, "labels"}}};
}
constexpr std::string_view name_of(Task task) {
    return words_of(task).at(static_cast<std::size_t>(task)).second;
}
/// Throws usage with the known names.
Task task_named(std::string_view name);

/// Finds a task by its name in the pages' interface. Throws bad_input with the known names.
Answer answer_named(std::string_view name);

/// The texts about a label for annotators.
struct LabelText {
    std::string id;
    std::string name;
    std::string definition;             ///< "" if nobody gave a definition
    std::vector<std::string> synonyms;  ///< other names
};

}  // namespace assay::labelling
