#include "mad/gallery_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "core/refuse.h"
#include "core/shell_word.h"
#include "core/short_names.h"
#include "core/text.h"

namespace assay::mad {
namespace {

constexpr std::size_t still_open = 4;  // index of open images in GallerySheet::cases
constexpr std::string_view farthest_first =
    "Each image with the pair whose labels are farthest apart, these first.";
constexpr std::string_view colours_of_answers = "Green: people say yes; red: no.";

/// Two names and an extension fit into a file name of 255 bytes.
std::string part_of_sheet_name(const std::string& name) {
    std::string plain = folder_name_from(name);
    if (plain.size() <= 110) return plain;
    std::size_t end = 110;
    while (end > 0 && (static_cast<unsigned char>(plain[end]) & 0xC0U) == 0x80U) --end;
    return plain.substr(0, end);
}

std::vector<std::string> short_class_names(const ClassList& classes) {
    std::vector<std::string> ids, names;
    for (std::size_t c = 0; c < classes.size(); ++c) {
        ids.push_back(classes.id(c));
        names.push_back(classes.name(c));
    }
    return short_names(ids, names);
}

/// Formats ".93", truncated, because .999 must not appear as 1.
std::string confidence_text(std::uint8_t level) {
    const int percent = level * 100 / confidence_levels;
    return percent >= 100 ? "1.00" : fmt::format(".{:02}", percent);
}

std::string_view outcome_name(std::size_t which) {
    return which == still_open ? "open" : mad::name_of(static_cast<Case>(which));
}

/// Adds an image to the last sheet or, if that is full, to a new one that begins as `empty`.
void add_cell(std::vector<SheetPlan>& sheets, const GallerySheet& empty, std::size_t cells,
              SheetCell cell, std::size_t which) {
    if (sheets.empty() || sheets.back().cells.size() == cells)
        sheets.push_back({.result = empty, .head = {}, .cells = {}});
    SheetPlan& sheet = sheets.back();
    sheet.cells.push_back(std::move(cell));
    ++sheet.result.images;
    ++sheet.result.cases[which];
}

/// The numbers of images of all sheets by case.
std::string cases_text(const std::vector<SheetPlan>& sheets) {
    std::array<std::uint64_t, 5> all{};
    for (const SheetPlan& sheet : sheets)
        for (std::size_t which = 0; which < all.size(); ++which)
            all[which] += sheet.result.cases[which];
    return fmt::format("case I {}, II {}, III {}, replaced {}, open {}", all[0], all[1], all[2],
                       all[3], all[4]);
}

/// True if a classifier of the pair predicts the class.
bool has_label(const SelectedRow& row, std::uint16_t label) {
    return row.first_label == label || row.second_label == label;
}

/// Each accepted image once, where its labels are farthest apart; the farthest first. With a
/// `label`, only from pairs of which a classifier predicts it.
std::vector<FarthestPlace> farthest_places(const std::set<std::int64_t>& images,
                                           const std::vector<GalleryPair>& pairs,
                                           std::optional<std::uint16_t> label = std::nullopt) {
    std::map<std::int64_t, FarthestPlace> by_image;
    for (const GalleryPair& pair : pairs) {
        for (const SelectedRow& row : pair.images) {
            if (row.state != SelectedState::accepted || !images.contains(row.image)) continue;
            if (label && !has_label(row, *label)) continue;
            FarthestPlace& place = by_image[row.image];
            ++place.pairs;
            if (place.row != nullptr && place.row->units >= row.units) continue;
            place.pair = &pair;
            place.row = &row;
        }
    }
    std::vector<FarthestPlace> places;
    for (const auto& [image, place] : by_image) places.push_back(place);
    std::stable_sort(
        places.begin(), places.end(),
        [](const FarthestPlace& a, const FarthestPlace& b) { return a.row->units > b.row->units; });
    return places;
}

}  // namespace

std::string sheet_text(std::size_t sheet, std::size_t sheets) {
    return sheets > 1 ? fmt::format("; sheet {} of {}", sheet + 1, sheets) : "";
}

std::string SheetNames::of(const std::string& first, const std::string& second) {
    return unique(part_of_sheet_name(first) + "--" + part_of_sheet_name(second));
}

std::string SheetNames::of_tag(const std::string& tag) {
    return unique("tag-" + part_of_sheet_name(tag));
}

std::string SheetNames::of_class(const std::string& name) {
    return unique("class-" + part_of_sheet_name(name));
}

std::string SheetNames::unique(const std::string& wanted) {
    std::string name = wanted;
    for (int n = 2; !taken_.insert(name).second; ++n) name = fmt::format("{}-{}", wanted, n);
    return name;
}

GalleryPlanner::GalleryPlanner(const Competition& competition)
    : competition_(competition),
      tally_(tally_of(competition)),
      names_(short_class_names(competition.classes())) {
    for (const CompetitionClassifier& one : competition.classifiers())
        stored_.push_back(one.active ? std::make_optional(competition.predictions(one))
                                     : std::nullopt);
}

std::vector<SheetPlan> GalleryPlanner::sheets_of(const GalleryPair& pair, std::size_t cells) const {
    GallerySheet empty;
    empty.first = name_of(pair.row.first);
    empty.second = name_of(pair.row.second);
    std::vector<SheetPlan> sheets;
    for (const SelectedRow& image : pair.images) {
        SheetCell cell = cell_of(pair.row, image);
        cell.below = fmt::format("{}: {}", image.place + 1, cell.below);
        add_cell(sheets, empty, cells, std::move(cell), index_of_case(image));
    }
    std::string counts = fmt::format("{} of {} images, {} candidates; {}", pair.accepted,
                                     pair.row.k, pair.row.candidates, cases_text(sheets));
    if (pair.duplicates > 0)
        counts += fmt::format("; {} near duplicates are not shown", pair.duplicates);
    for (std::size_t s = 0; s < sheets.size(); ++s)
        sheets[s].head = {"A: " + empty.first, "B: " + empty.second,
                          counts + sheet_text(s, sheets.size()),
                          "Largest distance of the labels first. Green: people say yes; red: no."};
    return sheets;
}

std::vector<SheetPlan> GalleryPlanner::sheets_of(const std::string& tag,
                                                 const std::set<std::int64_t>& images,
                                                 const std::vector<GalleryPair>& pairs,
                                                 std::size_t cells) const {
    GallerySheet empty;
    empty.tag = tag;
    std::vector<SheetPlan> sheets = sheets_of(empty, farthest_places(images, pairs), cells);
    std::uint64_t shown = 0;
    for (const SheetPlan& sheet : sheets) shown += sheet.cells.size();
    const std::string counts =
        fmt::format("{}; {}", how_many(shown, "image", "images"), cases_text(sheets));
    for (std::size_t s = 0; s < sheets.size(); ++s)
        sheets[s].head = {"Tag: " + tag, counts + sheet_text(s, sheets.size()),
                          std::string(farthest_first), std::string(colours_of_answers)};
    return sheets;
}

std::vector<SheetPlan> GalleryPlanner::sheets_of(const GallerySheet& empty,
                                                 const std::vector<FarthestPlace>& places,
                                                 std::size_t cells) const {
    std::vector<SheetPlan> sheets;
    for (const FarthestPlace& place : places) {
        SheetCell cell = cell_of(place.pair->row, *place.row);
        cell.first.who = name_of(place.pair->row.first);
        cell.second.who = name_of(place.pair->row.second);
        if (place.pairs > 1) cell.below += fmt::format(", {} pairs", place.pairs);
        add_cell(sheets, empty, cells, std::move(cell), index_of_case(*place.row));
    }
    return sheets;
}

ImagesOfClass GalleryPlanner::images_of_classes(const std::vector<GalleryPair>& pairs,
                                                bool confirmed) const {
    ImagesOfClass out;
    for (const GalleryPair& pair : pairs) {
        for (const SelectedRow& row : pair.images) {
            if (row.state != SelectedState::accepted) continue;
            for (const auto& [image, label] : questions_of(row))
                if (!confirmed || answer_to(image, label) == SheetMark::yes)
                    out[label].insert(image);
        }
    }
    return out;
}

GalleryClass GalleryPlanner::class_of(std::uint16_t label,
                                      const std::set<std::int64_t>& images) const {
    GalleryClass out{.id = competition_.classes().id(label),
                     .name = competition_.classes().name(label),
                     .selected = images.size(),
                     .sheet = {}};
    for (const std::int64_t image : images) {
        const SheetMark mark = answer_to(image, label);
        ++(mark == SheetMark::yes ? out.yes : mark == SheetMark::no ? out.no : out.open);
    }
    return out;
}

std::vector<SheetPlan> GalleryPlanner::sheets_of(std::uint16_t label, const GalleryClass& counts,
                                                 const std::set<std::int64_t>& images,
                                                 const std::vector<GalleryPair>& pairs,
                                                 std::size_t cells) const {
    GallerySheet empty;
    empty.class_id = counts.id;
    std::vector<SheetPlan> sheets = sheets_of(empty, farthest_places(images, pairs, label), cells);
    for (SheetPlan& sheet : sheets)
        sheet.head = {
            "Class: " + counts.name + (counts.name == counts.id ? "" : " (" + counts.id + ")"),
            fmt::format("{} with this prediction; people say yes to {}, no to {}; open {}",
                        how_many(counts.selected, "selected image", "selected images"), counts.yes,
                        counts.no, counts.open),
            std::string(farthest_first), std::string(colours_of_answers)};
    return sheets;
}

GalleryImage GalleryPlanner::image_of(const PairRow& pair, const SelectedRow& image) const {
    return {.first = name_of(pair.first),
            .second = name_of(pair.second),
            .place = image.place + 1,
            .id = std::string(competition_.dataset().ids[static_cast<std::size_t>(image.image)]),
            .item = static_cast<std::uint64_t>(image.image),
            .first_label = data_of(pair.first, image.image, image.first_label),
            .second_label = data_of(pair.second, image.image, image.second_label),
            .distance = image.units * ClassDistances::unit,
            .outcome = std::string(outcome_name(index_of_case(image)))};
}

const std::string& GalleryPlanner::name_of(std::uint32_t number) const {
    return competition_.classifiers().at(number).name;
}

SheetLabel GalleryPlanner::label_of(std::uint32_t classifier, std::int64_t image,
                                    std::uint16_t label) const {
    const Predictions& stored = stored_.at(classifier).value().predictions();
    const auto at = static_cast<std::size_t>(image);
    if (image < 0 || at >= stored.labels.size() || label >= names_.size() ||
        stored.labels[at] != label) {
        refuse(
            fmt::format("{}: `{}` predicts a different label for image {} than when it was "
                        "selected; to find the damage, type `assay verify {}`",
                        competition_.folder().string(), name_of(classifier), image,
                        shell_word(competition_.folder().string())));
    }
    return {.name = names_[label],
            .confidence = confidence_text(stored.confidences[at]),
            .mark = answer_to(image, label)};
}

SheetMark GalleryPlanner::answer_to(std::int64_t image, std::uint16_t label) const {
    const QuestionTally* question = tally_.find(image, label);
    if (question == nullptr || !question->known() || question->outcome.unclear)
        return SheetMark::open;
    return question->outcome.yes ? SheetMark::yes : SheetMark::no;
}

GalleryLabel GalleryPlanner::data_of(std::uint32_t classifier, std::int64_t image,
                                     std::uint16_t label) const {
    // checks that the prediction is the recorded one
    const SheetLabel shown = label_of(classifier, image, label);
    const Predictions& stored = stored_.at(classifier).value().predictions();
    GalleryLabel out{
        .id = competition_.classes().id(label),
        .name = competition_.classes().name(label),
        .confidence = static_cast<double>(stored.confidences[static_cast<std::size_t>(image)]) /
                      confidence_levels,
        .correct = {}};
    if (shown.mark != SheetMark::open) out.correct = shown.mark == SheetMark::yes;
    return out;
}

std::size_t GalleryPlanner::index_of_case(const SelectedRow& image) const {
    const std::optional<Case> known = case_of_place(tally_, image);
    return known ? static_cast<std::size_t>(*known) : still_open;
}

SheetCell GalleryPlanner::cell_of(const PairRow& pair, const SelectedRow& image) const {
    SheetCell cell;
    cell.first = label_of(pair.first, image.image, image.first_label);
    cell.second = label_of(pair.second, image.image, image.second_label);
    cell.path = competition_.dataset().path_of(static_cast<std::size_t>(image.image));
    cell.below = fmt::format("{:.3g} apart, {}", image.units * ClassDistances::unit,
                             outcome_name(index_of_case(image)));
    return cell;
}

}  // namespace assay::mad
