#include "mad/exclusions.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "assay/error.h"
#include "containers/csv.h"
#include "core/file.h"
#include "core/text.h"
#include "mad/competition_items.h"
#include "mad/competition_rows.h"

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

/// True if two texts only differ in one place, by at most three characters.
bool differ_at_one_place(std::string_view a, std::string_view b) {
    constexpr std::size_t most = 3;
    const std::size_t shorter = std::min(a.size(), b.size());
    std::size_t same = 0, same_at_end = 0;
    while (same < shorter && a[same] == b[same]) ++same;
    while (same + same_at_end < shorter &&
           a[a.size() - 1 - same_at_end] == b[b.size() - 1 - same_at_end])
        ++same_at_end;
    return std::max(a.size(), b.size()) - same - same_at_end <= most;
}

/// Only compares few ids, because it is for a message: an exact comparison with a hundred million
/// ids would take minutes.
std::string nearest_excluded_id(const Competition& competition, std::string_view id) {
    constexpr std::size_t most = 1000;
    std::string first;
    std::vector<std::string> near;
    visit_ids(competition, [&](std::uint64_t number, std::string_view known) {
        if (number == 0) first = known;
        if (near.size() < most && differ_at_one_place(id, known)) near.emplace_back(known);
    });
    const std::string nearest = nearest_name(id, near);
    return nearest.empty() ? fmt::format("; ids look like `{}`", shortened(first))
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

std::vector<Exclusion> read_exclusion_file(const Competition& competition,
                                           const std::filesystem::path& file,
                                           std::string_view reason) {
    const std::string text = read_text(file);
    const std::vector<ExclusionRow> rows = read_exclusion_rows(text, file, reason);
    std::unordered_map<std::string_view, std::uint64_t> numbers;
    constexpr std::uint64_t unknown = UINT64_MAX;
    for (const ExclusionRow& row : rows) numbers.emplace(row.id, unknown);
    std::vector<Exclusion> exclusions;
    if (rows.empty()) return exclusions;
    visit_ids(competition, [&](std::uint64_t number, std::string_view id) {
        const auto found = numbers.find(id);
        if (found != numbers.end()) found->second = number;
    });
    for (const ExclusionRow& row : rows) {
        const std::uint64_t number = numbers.at(row.id);
        if (number == unknown)
            throw Error(ErrorCode::bad_input,
                        fmt::format("{}: `{}` is not an image of {}{}", row.where,
                                    shortened(row.id), competition.folder().string(),
                                    nearest_excluded_id(competition, row.id)));
        exclusions.push_back({.image = number, .id = row.id, .reason = row.reason});
    }
    return exclusions;
}

void write_exclusions(Competition& competition, const std::vector<Exclusion>& exclusions) {
    if (exclusions.empty()) return;
    Database& database = competition.impl().database;
    // Another process may have written some of them since they were read.
    const std::map<std::uint64_t, std::string> before = read_exclusions(competition);
    std::vector<std::uint64_t> images;
    for (const Exclusion& one : exclusions) images.push_back(one.image);
    note_images(competition, images);
    Statement insert = database.prepare("INSERT INTO exclusion (image, decision) VALUES (?, ?)");
    for (const Exclusion& one : exclusions) {
        if (before.contains(one.image)) continue;
        const std::int64_t decision =
            decide(database, DecisionKind::excluded, one.id, "", one.reason);
        insert.run(one.image, decision);
    }
}

}  // namespace assay::mad
