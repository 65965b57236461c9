#include "mad/question_finder.h"

#include <fmt/format.h>

#include <algorithm>

#include "assay/error.h"
#include "core/refuse.h"
#include "core/text.h"

namespace assay::mad {
namespace {

constexpr std::int64_t several_images = INT64_MIN;
/// Longer ones are no paths, and looking for their ends would cost their square.
constexpr std::size_t longest_address = 8192;
constexpr std::size_t most_named_images = 50'000;

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    const char l = lower(c);
    return l >= 'a' && l <= 'f' ? l - 'a' + 10 : -1;
}

/// "%20" becomes a blank.
std::string from_address(std::string_view text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 &&
            hex_digit(text[i + 2]) >= 0) {
            plain += static_cast<char>(16 * hex_digit(text[i + 1]) + hex_digit(text[i + 2]));
            i += 2;
        } else {
            plain += text[i];
        }
    }
    return plain;
}

/// As Label Studio calls a file that is uploaded to it, but for the mark before it: blanks become
/// "_", and of the other characters letters, digits, "-", "_" and "." stay.
std::string upload_name(std::string_view name) {
    std::string kept;
    for (const char c : name) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' ||
                           static_cast<unsigned char>(c) >= 0x80;
        if (plain) kept += c;
        if (c == ' ') kept += '_';
    }
    return kept;
}

/// "1a2b3c4d-name.jpg" is what an upload makes of "name.jpg".
std::string_view without_upload_mark(std::string_view name) {
    constexpr std::size_t digits = 8;
    if (name.size() <= digits + 1 || name[digits] != '-') return name;
    const bool marked =
        std::all_of(name.begin(), name.begin() + digits, [](char c) { return hex_digit(c) >= 0; });
    return marked ? name.substr(digits + 1) : name;
}

}  // namespace

QuestionFinder::QuestionFinder(const Competition& competition,
                               const std::vector<QuestionRow>& questions)
    : competition_(competition), questions_(questions) {
    for (std::size_t q = 0; q < questions.size(); ++q) {
        by_token_.emplace(questions[q].token, q);
        by_key_.emplace(QuestionKey{questions[q].image, questions[q].label}, q);
    }
    const std::map<std::int64_t, ImageRow> images = read_images(competition.impl().database);
    for (const auto& [number, row] : images) images_.emplace(row.id, number);
    for (const auto& [number, row] : images) {
        if (row.path.empty()) continue;
        images_.emplace(row.path, number);
        const auto [there, is_new] = base_names_.emplace(upload_name(base_name(row.path)), number);
        if (!is_new) there->second = several_images;
    }
}

std::optional<std::int64_t> QuestionFinder::image_behind_prefix(std::string_view text) const {
    for (std::string_view rest = text;;) {
        if (const auto found = images_.find(std::string(rest)); found != images_.end())
            return found->second;
        const std::size_t end = rest.find_first_of("/=");
        if (end == std::string_view::npos) break;
        rest.remove_prefix(end + 1);
    }
    return std::nullopt;
}

std::optional<std::int64_t> QuestionFinder::image_of(std::string_view text) const {
    if (text.size() > longest_address) return std::nullopt;
    if (const auto found = image_behind_prefix(text)) return found;
    const std::string plain = from_address(text);
    if (const auto found = image_behind_prefix(plain)) return found;
    const auto found = base_names_.find(upload_name(without_upload_mark(base_name(plain))));
    if (found == base_names_.end() || found->second == several_images) return std::nullopt;
    return found->second;
}

std::size_t QuestionFinder::find(const FoundAnswer& found) const {
    if (!found.question.empty()) {
        const auto there = by_token_.find(found.question);
        if (there != by_token_.end()) return there->second;
    }
    if (found.image.empty() || found.label.empty()) {
        std::vector<std::string> tokens;
        for (const QuestionRow& row : questions_) tokens.push_back(row.token);
        if (found.question.empty())
            refuse(fmt::format("{}: it names no question, or no image and label", found.where));
        const std::string nearest = nearest_name(found.question, tokens);
        refuse(fmt::format("{}: `{}` is no question of {}{}", found.where,
                           shortened(found.question), competition_.folder().string(),
                           nearest.empty() ? "" : fmt::format("; did you mean `{}`?", nearest)));
    }
    const std::optional<std::int32_t> label = competition_.classes().find(found.label);
    if (!label) {
        refuse(fmt::format("{}: `{}` is no class{}", found.where, shortened(found.label),
                           suggest(found.label, competition_.classes().names())));
    }
    const std::optional<std::int64_t> image = image_of(found.image);
    if (!image) {
        std::string nearest;
        if (images_.size() <= most_named_images) {
            std::vector<std::string> names;
            for (const auto& [name, number] : images_) names.push_back(name);
            std::sort(names.begin(), names.end());
            nearest = nearest_name(found.image, names);
        }
        refuse(fmt::format("{}: nobody is asked about the image `{}`{}", found.where,
                           shortened(found.image, 120),
                           nearest.empty() ? "" : fmt::format("; did you mean `{}`?", nearest)));
    }
    const auto there = by_key_.find({*image, static_cast<std::uint16_t>(*label)});
    if (there == by_key_.end()) {
        std::string asked;
        for (const QuestionRow& row : questions_)
            if (row.image == *image)
                asked += fmt::format("{}`{}`", asked.empty() ? "" : ", ",
                                     competition_.classes().id(row.label));
        refuse(fmt::format("{}: nobody is asked about `{}` in `{}`; asked about it: {}",
                           found.where, competition_.classes().id(*label),
                           shortened(found.image, 120), asked.empty() ? "nothing" : asked));
    }
    return there->second;
}

}  // namespace assay::mad
