#include "mad/answer_keys.h"

#include <fmt/format.h>

#include "core/hash.h"
#include "study/tags.h"

namespace assay::mad {
namespace {

constexpr std::string_view key_of_label_studio = "label-studio/";
constexpr std::string_view taken_back_mark = "taken back/";

}  // namespace

std::string annotation_begin(const FoundAnswer& found) {
    return fmt::format("{}{}@{}/", key_of_label_studio, found.annotation, found.made);
}

std::string annotation_prefix(const FoundAnswer& found, std::string_view token) {
    return fmt::format("{}{}/", annotation_begin(found), token);
}

std::string annotation_of(std::string_view key, std::string_view token) {
    if (!key.starts_with(key_of_label_studio)) return "";
    const std::string end = fmt::format("/{}/", token);
    const std::size_t at = key.find(end);
    return at == std::string_view::npos ? "" : std::string(key.substr(0, at + end.size()));
}

std::string answer_key(const FoundAnswer& found, std::string_view token, std::string_view when,
                       std::string_view annotator) {
    // So that a file with other tags is another version of the answer.
    const std::string tags =
        found.tags.empty() ? "" : "/tags/" + hash_text(study::stored_tags(found.tags));
    if (found.annotation.empty())
        return fmt::format("answer/{}/{}/{}/{}{}", token, name_of(found.answer), when, annotator,
                           tags);
    return fmt::format("{}{}/{}{}", annotation_prefix(found, token), name_of(found.answer), when,
                       tags);
}

std::string taken_back_key(std::string_view annotation, std::string_view when) {
    return fmt::format("{}{}{}", annotation, taken_back_mark, when);
}

bool is_taken_back(std::string_view key, std::string_view annotation) {
    return !annotation.empty() && key.substr(annotation.size()).starts_with(taken_back_mark);
}

}  // namespace assay::mad
