// The current answers in memory: each question with its answers and the number that it still needs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "labelling/book.h"
#include "study/asked_rows.h"

namespace assay::labelling {

class Board {
public:
    struct Question {
        struct Given {
            std::int64_t annotator = 0;
            Answer answer = Answer::no;
        };
        std::vector<Given> given;  ///< counting answers, in the order of their annotators
        std::uint32_t needed = 0;  ///< the smallest number of further answers until it is settled
        bool settled = false;
        bool unclear = false;  ///< settled, because people cannot judge it
        bool skipped = false;  ///< true if its image cannot be shown
    };

    Board() = default;
    // Not copyable, because the index of tokens has views into this object.
    Board(const Board&) = delete;
    Board& operator=(const Board&) = delete;
    Board(Board&&) noexcept = default;
    Board& operator=(Board&&) noexcept = default;
    /// `answers` are those of all annotators, by question, in the order in which they arrived.
    Board(Contents contents, std::uint32_t votes, bool settles_early,
          const std::vector<study::AnnotatorRow>& annotators,
          const std::vector<study::AnswerRow>& answers);

    const Contents& contents() const noexcept { return contents_; }
    const Question& question(std::size_t q) const { return questions_[q]; }
    /// The index of a question; nothing if no question has this token.
    std::optional<std::uint32_t> find(std::string_view token) const;
    /// The index of the question with this row id.
    std::optional<std::uint32_t> find_row(std::int64_t id) const;
    /// The screen that a question is on.
    std::uint32_t screen_of(std::size_t q) const { return screen_of_[q]; }
    const std::vector<std::uint32_t>& questions_of(std::size_t screen) const {
        return contents_.screens[screen];
    }
    /// This annotator's answer, whether they are blocked or not.
    std::optional<Answer> said(std::size_t q, std::int64_t annotator) const;
    /// True if this annotator has answered all questions of the screen whose images can be shown.
    bool answered(std::size_t screen, std::int64_t annotator) const;
    /// The number of annotators still needed for the screen: the largest need of its questions.
    std::uint32_t needed(std::size_t screen) const;
    /// True if all its questions have known answers.
    bool is_known(std::size_t screen) const;

    /// Records this annotator's first or changed answer. Returns true if people now cannot judge
    /// the question, which may make other questions unnecessary.
    bool record(std::size_t q, std::int64_t annotator, Answer answer);
    /// Marks all questions about this image.
    void skip(std::uint32_t image, bool skipped);
    const std::vector<std::uint32_t>& questions_about(std::uint32_t image) const {
        return about_[image];
    }
    bool is_blocked(std::int64_t annotator) const;

private:
    void judge(std::size_t q);

    Contents contents_;
    std::uint32_t votes_ = 0;
    bool settles_early_ = false;
    std::vector<Question> questions_;
    std::vector<std::uint32_t> screen_of_;
    std::vector<std::vector<std::uint32_t>> about_;  ///< questions about each image
    std::unordered_map<std::string_view, std::uint32_t> by_token_;
    std::unordered_map<std::int64_t, std::uint32_t> by_row_;
    std::map<std::int64_t, bool> blocked_;
};

/// The smallest number of further answers that can settle the question; 0 if it is settled.
std::uint32_t answers_needed(const std::vector<Answer>& said, std::uint32_t votes);

}  // namespace assay::labelling
