#include "mad/exclusions.h"

#include <fmt/format.h>

#include <set>
#include <unordered_map>

#include "assay/error.h"
#include "core/csv.h"
#include "core/file.h"
#include "core/text.h"
#include "mad/decisions.h"
#include "mad/items.h"
#include "mad/tables.h"

namespace assay::mad {
namespace {

struct ExclusionRow {
    std::string id, reason, where;
};

std::vector<ExclusionRow> read_exclusion_rows(const std::string& text,
                                              const std::filesystem::path& file,
                                              std::string_view reason) {
    CsvReader csv(text, file.string());
    const std::size_t image = csv.column({"image", "id", "image_id"});
    const auto why = csv.find_column({"reason", "why"});
    std::vector<ExclusionRow> rows;
    std::set<std::string, std::less<>> seen;
    while (csv.next()) {
        const std::string_view id = csv[image];
        if (id.empty()) throw csv.error("the image's id is empty");
        if (!seen.emplace(id).second) continue;
        const bool own = why && !trimmed(csv[*why]).empty();
        rows.push_back({.id = std::string(id),
                        .reason = std::string(own ? trimmed(csv[*why]) : reason),
                        .where = csv.where()});
    }
    return rows;
}

/// Ids of all images, for a message alone.
std::string nearest_excluded_id(const Competition& competition, std::string_view id) {
    std::vector<std::string> ids;
    visit_ids(competition, [&](std::uint64_t, std::string_view known) { ids.emplace_back(known); });
    const std::string nearest = nearest_name(id, ids);
    return nearest.empty() ? fmt::format("; ids are as `{}`", ids.empty() ? "" : ids.front())
                           : fmt::format("; did you mean `{}`?", nearest);
}

}  // namespace

std::map<std::uint64_t, std::string> read_exclusions(const Competition& competition) {
    std::map<std::uint64_t, std::string> excluded;
    Statement row = competition.impl().database.prepare(
        "SELECT image, reason FROM exclusion JOIN decision ON decision.id = decision "
        "WHERE image >= 0");
    while (row.step()) excluded[row.count(0)] = row.text(1);
    return excluded;
}

std::uint64_t exclude_images(Competition& competition, const std::filesystem::path& file,
                             std::string_view reason) {
    const std::string text = read_text(file);
    const std::vector<ExclusionRow> rows = read_exclusion_rows(text, file, reason);
    std::unordered_map<std::string_view, std::uint64_t> numbers;
    constexpr std::uint64_t unknown = UINT64_MAX;
    for (const ExclusionRow& row : rows) numbers.emplace(row.id, unknown);
    if (rows.empty()) return 0;
    visit_ids(competition, [&](std::uint64_t number, std::string_view id) {
        const auto found = numbers.find(id);
        if (found != numbers.end()) found->second = number;
    });
    for (const ExclusionRow& row : rows) {
        if (numbers.at(row.id) == unknown)
            throw Error(ErrorCode::bad_input,
                        fmt::format("{}: `{}` is no image of {}{}", row.where, shortened(row.id),
                                    competition.folder().string(),
                                    nearest_excluded_id(competition, row.id)));
    }

    Database& database = competition.impl().database;
    const std::map<std::uint64_t, std::string> before = read_exclusions(competition);
    std::vector<std::uint64_t> fresh;
    for (const ExclusionRow& row : rows)
        if (!before.contains(numbers.at(row.id))) fresh.push_back(numbers.at(row.id));
    if (fresh.empty()) return 0;
    Transaction all(database);
    note_images(competition, fresh);
    Statement insert = database.prepare("INSERT INTO exclusion (image, decision) VALUES (?, ?)");
    for (const ExclusionRow& row : rows) {
        const std::uint64_t number = numbers.at(row.id);
        if (before.contains(number)) continue;
        const std::int64_t decision =
            decide(database, DecisionKind::excluded, row.id, "", row.reason);
        insert.bind(static_cast<std::int64_t>(number)).bind(decision).run();
    }
    all.commit();
    return fresh.size();
}

}  // namespace assay::mad
