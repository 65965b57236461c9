// Tags that annotators add to an answer, such as the way in which classifiers fail on an image.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/database.h"
#include "study/columns.h"

namespace assay::study {

/// Limits of one answer: the number of tags, and the bytes of each.
inline constexpr std::size_t most_tags = 16, longest_tag = 200;

/// The tags in a field of a csv, where `;` separates them.
std::vector<std::string> tags_in(std::string_view field);
/// The same tags trimmed, sorted, and each once. Throws bad_input, with `what`, for more than
/// most_tags, and for a tag that is too long or contains `;` or control characters.
std::vector<std::string> checked_tags(const std::vector<std::string>& tags,
                                      const std::string& what);

/// The text of the column answer.tags: a line for each tag, or "" for none.
std::string stored_tags(const std::vector<std::string>& tags);
std::vector<std::string> tags_from(std::string_view stored);

/// SQL for that text. Studies before version 4 had no tags.
std::string_view tags_column(const Database& database, StudyKind kind);

/// A counting answer with tags, of an annotator who is not blocked.
struct TaggedAnswer {
    std::int64_t image = 0;
    std::vector<std::string> tags;
};
/// In the order of storing.
std::vector<TaggedAnswer> read_tagged_answers(const Database& database, StudyKind kind);

}  // namespace assay::study
