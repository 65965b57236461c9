#include "mad/competition_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "mad/competition_items.h"
#include "study/study_tables.h"

namespace assay::mad {
namespace {

SelectedState selected_state_named(const std::string& name) {
    const study::Column& column = study::study_column("selected", "state");
    study::check_held(column, name, "the state of a selected image");
    return static_cast<SelectedState>(*study::place_of_word(column, name));
}

// The pairs of classifiers that were not removed.
constexpr std::string_view active_pairs =
    "pair JOIN classifier AS a ON a.number = pair.first AND a.active = 1 "
    "JOIN classifier AS b ON b.number = pair.second AND b.active = 1";

}  // namespace

std::string_view name_of(SelectedState state) {
    return study::word_of(study::study_column("selected", "state"),
                          static_cast<std::size_t>(state));
}

std::vector<PairRow> read_pairs(const Database& database) {
    std::vector<PairRow> pairs;
    Statement row = database.prepare(
        fmt::format("SELECT pair.id, first, second, candidates, disagreeing, k FROM {} "
                    "ORDER BY first, second",
                    active_pairs));
    while (row.step()) {
        pairs.push_back({.id = row.integer(0),
                         .first = static_cast<std::uint32_t>(row.count(1, UINT32_MAX)),
                         .second = static_cast<std::uint32_t>(row.count(2, UINT32_MAX)),
                         .candidates = row.count(3),
                         .disagreeing = row.count(4),
                         .k = static_cast<std::uint32_t>(row.count(5, UINT32_MAX))});
    }
    return pairs;
}

std::vector<SelectedRow> read_selected(const Database& database) {
    std::vector<SelectedRow> selected;
    const study::RowLimits limits(database);
    Statement row = database.prepare(fmt::format(
        "SELECT pair, image, place, turn, first_label, second_label, units, selected.confidence, "
        "state, asked, image.number FROM selected JOIN ({}) ON pair = pair_id "
        "LEFT JOIN image ON image.number = selected.image "
        "ORDER BY pair_first, pair_second, place, image",
        fmt::format("SELECT pair.id AS pair_id, first AS pair_first, second AS pair_second FROM {}",
                    active_pairs)));
    while (row.step()) {
        selected.push_back(
            {.pair = row.integer(0),
             .image = limits.image(row, 1, 10, false),
             .place = static_cast<std::uint32_t>(row.count(2, UINT32_MAX)),
             .turn = static_cast<std::uint32_t>(row.count(3, UINT32_MAX)),
             .first_label = limits.label(row, 4),
             .second_label = limits.label(row, 5),
             .units = static_cast<std::uint32_t>(row.count(6, UINT32_MAX)),
             .confidence = static_cast<std::uint8_t>(row.count(7, confidence_levels)),
             .state = selected_state_named(row.text(8)),
             .asked = row.count(9, 1) == 1});
    }
    return selected;
}

std::vector<ControlRow> read_control(const Database& database) {
    std::vector<ControlRow> control;
    const study::RowLimits limits(database);
    Statement row = database.prepare(
        "SELECT image, stratum, stratum_images, stratum_sample, image.number FROM control "
        "LEFT JOIN image ON image.number = control.image ORDER BY image");
    while (row.step()) {
        control.push_back({.image = limits.image(row, 0, 4, false),
                           .stratum = static_cast<std::uint32_t>(row.count(1, UINT32_MAX)),
                           .stratum_images = row.count(2),
                           .stratum_sample = row.count(3)});
    }
    return control;
}

void note_images(Competition& competition, const std::vector<std::uint64_t>& numbers) {
    Database& database = competition.impl().database;
    std::vector<std::uint64_t> missing;
    Statement there = database.prepare("SELECT 1 FROM image WHERE number = ?");
    for (const std::uint64_t number : numbers) {
        if (!there.bind(static_cast<std::int64_t>(number)).step()) missing.push_back(number);
        there.reset();
    }
    std::sort(missing.begin(), missing.end());
    missing.erase(std::unique(missing.begin(), missing.end()), missing.end());
    if (missing.empty()) return;
    Statement insert = database.prepare("INSERT INTO image (number, id, path) VALUES (?, ?, ?)");
    for (const ImageRow& row : ItemReader(competition).rows(missing))
        insert.run(row.number, row.id, row.path);
}

}  // namespace assay::mad
