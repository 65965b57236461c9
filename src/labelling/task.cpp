#include "assay/labelling/task.h"

#include <fmt/format.h>

#include <array>

#include "assay/error.h"
#include "core/refuse.h"
#include "core/text.h"

namespace assay::labelling {

std::string_view name_of(Task task) {
    switch (task) {
        case Task::yes_no:
            return "yes-no";
        case Task::grid:
            return "grid";
        case Task::labels:
            return "labels";
    }
    return "";
}

Task task_named(std::string_view name) {
    for (const Task task : {Task::yes_no, Task::grid, Task::labels})
        if (name == name_of(task)) return task;
    throw Error(ErrorCode::usage, fmt::format("unknown task `{}`; known: yes-no, grid, labels",
                                              shortened(std::string(name))));
}

std::string_view word_of(Answer answer) {
    switch (answer) {
        case Answer::no:
            return "no";
        case Answer::yes:
            return "yes";
        case Answer::cannot_say:
            return "cannot-say";
    }
    return "";
}

Answer answer_named(std::string_view name) {
    for (const Answer answer : {Answer::no, Answer::yes, Answer::cannot_say})
        if (name == word_of(answer)) return answer;
    refuse(fmt::format("the answer is `{}`; allowed: no, yes, cannot-say",
                       shortened(std::string(name))));
}

}  // namespace assay::labelling
