#include "mad/gallery_classes.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "assay/error.h"
#include "core/refuse.h"
#include "core/shell_word.h"
#include "core/text.h"
#include "data/class_text.h"

namespace assay::mad {
namespace {

/// A class by id, name, or name without synonyms.
std::uint16_t gallery_class_named(const Competition& competition, const GalleryPlanner& planner,
                                  const std::string& text) {
    const ClassList& classes = competition.classes();
    if (const std::optional<std::int32_t> found = classes.find(text))
        return static_cast<std::uint16_t>(*found);
    std::vector<std::string> known = classes.ids();
    for (std::size_t c = 0; c < classes.size(); ++c) {
        const auto label = static_cast<std::uint16_t>(c);
        if (planner.short_name(label) == text) return label;
        known.push_back(planner.short_name(label));
    }
    if (std::ranges::count(classes.names(), text) > 1)
        throw Error(ErrorCode::usage, fmt::format("{}: {}", competition.folder().string(),
                                                  not_a_class(classes, text)));
    throw Error(ErrorCode::usage, fmt::format("`{}` is not a class of {}{}", shortened(text),
                                              competition.folder().string(), suggest(text, known)));
}

/// The selected images of the classes that are wanted.
ImagesOfClass wanted_images(const Competition& competition, const GalleryOptions& options,
                            const std::vector<GalleryPair>& pairs, const GalleryPlanner& planner) {
    ImagesOfClass all = planner.images_of_classes(pairs, options.confirmed);
    const std::string_view lacking = options.confirmed
                                         ? "annotators confirm for no selected image"
                                         : "no classifier predicts for a selected image";
    if (all.empty())
        throw Error(
            ErrorCode::usage,
            fmt::format("{}: no selected image has a class to show{}; see `assay mad status "
                        "{}`",
                        competition.folder().string(),
                        options.confirmed ? " that annotators confirm" : "",
                        shell_word(competition.folder().string())));
    if (options.classes.empty()) return all;
    ImagesOfClass wanted;
    for (const std::string& name : options.classes) {
        const std::uint16_t label = gallery_class_named(competition, planner, name);
        const auto found = all.find(label);
        if (found == all.end())
            throw Error(ErrorCode::usage,
                        fmt::format("{}: `{}` is a class that {}; for all that have images, omit "
                                    "--class",
                                    competition.folder().string(), shortened(name), lacking));
        wanted.insert(*found);
    }
    return wanted;
}

}  // namespace

ClassPlanner::ClassPlanner(const Competition& competition, const GalleryOptions& options,
                           const std::vector<GalleryPair>& pairs, const GalleryPlanner& planner,
                           Gallery& gallery)
    : options_(options),
      pairs_(pairs),
      planner_(planner),
      wanted_(wanted_images(competition, options, pairs, planner)),
      labelled_(competition, options, wanted_, gallery.notes) {
    // The counts are those of all selected images, also if only the confirmed ones are shown.
    const ImagesOfClass all =
        options.confirmed ? planner.images_of_classes(pairs, false) : ImagesOfClass{};
    const ImagesOfClass& selected = options.confirmed ? all : wanted_;
    std::vector<std::string> without;
    for (const auto& [label, images] : wanted_) {
        PlannedClass planned{.label = label,
                             .counts = planner.class_of(label, selected.at(label)),
                             .images = images};
        planned.counts.labelled = labelled_.of(label).images;
        planned.counts.shown = labelled_.of(label).first.size();
        if (planned.counts.labelled == 0)
            without.push_back(planner.short_name(label));
        else
            classes_.push_back(std::move(planned));
    }
    const std::string data = options.beside.string();
    if (classes_.empty() || (!options.classes.empty() && !without.empty()))
        refuse(
            fmt::format("{} has no image of {} (first: `{}`); type `assay inspect {}` for its "
                        "classes",
                        data, how_many(without.size(), "wanted class", "wanted classes"),
                        without.front(), shell_word(data)));
    if (!without.empty())
        gallery.warnings.push_back(
            fmt::format("{} has no image of {} of {} classes, so they have no sheet; the first: {}",
                        data, without.size(), wanted_.size(), without.front()));
    if (options.confirmed)
        gallery.notes.emplace_back("Only selected images whose class annotators confirm.");
    std::stable_sort(classes_.begin(), classes_.end(),
                     [](const PlannedClass& a, const PlannedClass& b) {
                         return a.counts.selected > b.counts.selected;
                     });
    if (options.top_classes > 0 && classes_.size() > options.top_classes)
        classes_.resize(options.top_classes);
}

std::vector<SheetPlan> ClassPlanner::sheets_of(const PlannedClass& planned,
                                               std::size_t cells) const {
    std::vector<SheetPlan> sheets =
        planner_.sheets_of(planned.label, planned.counts, planned.images, pairs_, cells);
    if (options_.confirmed)
        for (SheetPlan& sheet : sheets) sheet.head.at(1) += "; others are not shown";
    labelled_.add_to(sheets, planned.label, options_.columns, cells);
    return sheets;
}

}  // namespace assay::mad
