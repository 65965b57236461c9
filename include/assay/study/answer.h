// People's answers to a question.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace assay::study {

/// One annotator's answer to "does this image show a LABEL?".
enum class Answer : std::uint8_t { no, yes, cannot_say };

struct AnswerWords {
    std::string_view name;    ///< name in tables and messages
    std::string_view word;    ///< word in the labelling page's interface
    std::string_view vote;    ///< for `labels aggregate`: "cannot say" is the middle of its scale
    std::string_view choice;  ///< choice in Label Studio
};
/// In the order no, yes, cannot_say.
inline constexpr std::array<AnswerWords, 3> answer_words = {{
    {"no", "no", "no", "No"},
    {"yes", "yes", "yes", "Yes"},
    {"cannot say", "cannot-say", "maybe", "Cannot say"},
}};
constexpr const AnswerWords& words_for(Answer answer) {
    return answer_words.at(static_cast<std::size_t>(answer));
}

}  // namespace assay::study
