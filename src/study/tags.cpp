#include "study/tags.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/refuse.h"
#include "core/text.h"
#include "study/study_file.h"
#include "study/study_tables.h"

namespace assay::study {
namespace {

bool has_tags(const Database& database, StudyKind kind) {
    return version_of_study(database, kind) >= study_column("answer", "tags").since.of(kind);
}

}  // namespace

std::vector<std::string> tags_in(std::string_view field) {
    std::vector<std::string> tags;
    for_each_part(field, ";", [&](std::string_view tag) { tags.emplace_back(tag); });
    return tags;
}

std::vector<std::string> checked_tags(const std::vector<std::string>& tags,
                                      const std::string& what) {
    std::vector<std::string> out;
    for (const std::string& text : tags) {
        std::string tag(trimmed(text));
        if (tag.empty()) continue;
        if (tag.size() > longest_tag)
            refuse(fmt::format("{}: the tag `{}` has {} bytes; allowed: up to {}", what,
                               shown_text(tag), tag.size(), longest_tag));
        if (!is_plain_text(tag, false) || tag.find(';') != std::string::npos)
            refuse(
                fmt::format("{}: the tag is `{}`; allowed: UTF-8 without `;` and control "
                            "characters",
                            what, shown_text(tag)));
        out.push_back(std::move(tag));
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    if (out.size() > most_tags)
        refuse(fmt::format("{}: {} tags; allowed: up to {}", what, out.size(), most_tags));
    return out;
}

std::string stored_tags(const std::vector<std::string>& tags) {
    std::string text;
    for (const std::string& tag : tags) text += (text.empty() ? "" : "\n") + tag;
    return text;
}

std::vector<std::string> tags_from(std::string_view stored) {
    std::vector<std::string> tags;
    for_each_part(stored, "\n", [&](std::string_view tag) { tags.emplace_back(tag); });
    return tags;
}

std::string_view tags_column(const Database& database, StudyKind kind) {
    return has_tags(database, kind) ? "answer.tags" : "''";
}

std::vector<TaggedAnswer> read_tagged_answers(const Database& database, StudyKind kind) {
    std::vector<TaggedAnswer> out;
    if (!has_tags(database, kind)) return out;
    Statement row = database.prepare(
        "SELECT question.image, answer.tags FROM answer "
        "JOIN question ON question.id = answer.question "
        "JOIN annotator ON annotator.id = answer.annotator "
        "WHERE counts = 1 AND blocked = 0 AND answer.tags <> '' ORDER BY answer.id");
    while (row.step()) out.push_back({row.integer(0), tags_from(row.text(1))});
    return out;
}

}  // namespace assay::study
