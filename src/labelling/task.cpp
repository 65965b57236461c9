#include "assay/labelling/task.h"

#include <fmt/format.h>

#include <array>

#include "assay/error.h"
#include "core/refuse.h"
#include "core/text.h"

namespace assay::labelling {

Task task_named(std::string_view name) {
    for (const Task task : {Task::yes_no, Task::grid, Task::labels})
        if (name == name_of(task)) return task;
    throw Error(ErrorCode::usage, fmt::format("unknown task `{}`; known: yes-no, grid, labels",
                                              shortened(std::string(name))));
}

Answer answer_named(std::string_view name) {
    for (const Answer answer : {Answer::no, Answer::yes, Answer::cannot_say})
        if (name == study::words_for(answer).word) return answer;
    refuse(fmt::format("the answer is `{}`; allowed: no, yes, cannot-say",
                       shortened(std::string(name))));
}

}  // namespace assay::labelling
