#include "mad/labelled_images.h"

#include <fmt/format.h>

#include <filesystem>

#include "core/refuse.h"
#include "core/shell_word.h"
#include "core/text.h"

namespace assay::mad {
namespace {

[[noreturn]] void refuse_unlabelled(const Competition& competition, const GalleryOptions& options) {
    refuse(
        fmt::format("{}: no image has a label. Name the labels of a flat folder: `assay mad "
                    "gallery {} --out {} --beside {} --list labels.csv`",
                    options.beside.string(), shell_word(competition.folder().string()),
                    shell_word(options.out.string()), shell_word(options.beside.string())));
}

}  // namespace

LabelledImages::LabelledImages(const Competition& competition, const GalleryOptions& options,
                               const ImagesOfClass& wanted, std::vector<std::string>& notes)
    : dataset_(with_note(fmt::format("reading {} with the classes of {}", options.beside.string(),
                                     competition.folder().string()),
                         [&] {
                             DatasetOptions how;
                             how.list = options.beside_list;
                             how.classes = competition.classes();
                             return open_dataset(options.beside, how, &notes);
                         })) {
    bool any = false;
    for (std::size_t item = 0; item < dataset_.labels.size(); ++item) {
        for (const std::int32_t label : dataset_.labels[item]) {
            any = true;
            const auto key = static_cast<std::uint16_t>(label);
            if (!wanted.contains(key)) continue;
            OfClass& of_class = of_[key];
            ++of_class.images;
            if (options.beside_count == 0 || of_class.images <= options.beside_count)
                of_class.first.push_back(item);
        }
    }
    if (!any) refuse_unlabelled(competition, options);
}

const LabelledImages::OfClass& LabelledImages::of(std::uint16_t label) const {
    static const OfClass none;
    const auto found = of_.find(label);
    return found == of_.end() ? none : found->second;
}

void LabelledImages::add_to(std::vector<SheetPlan>& sheets, std::uint16_t label,
                            std::size_t columns, std::size_t cells) const {
    const OfClass& shown = of(label);
    const std::string which =
        shown.first.size() == shown.images
            ? fmt::format("{}: all {} with this class", dataset_.name,
                          how_many(shown.images, "image", "images"))
            : fmt::format("{}: the first {} of {} images with this class", dataset_.name,
                          shown.first.size(), count_text(shown.images));
    const auto space_of = [&](const SheetPlan& sheet) {
        const std::size_t rows = (sheet.cells.size() + columns - 1) / columns;
        return cells > rows * columns ? cells - rows * columns : 0;
    };
    for (const std::size_t item : shown.first) {
        if (sheets.back().beside.size() >= space_of(sheets.back())) {
            GallerySheet next;
            next.class_id = sheets.back().result.class_id;
            // The other lines of the head are about selected images.
            const std::vector<std::string>& head = sheets.back().head;
            sheets.push_back({.result = next, .head = {head.at(0), head.at(1)}, .cells = {}});
        }
        SheetPlan& sheet = sheets.back();
        sheet.beside.push_back({.path = dataset_.path_of(item),
                                .data = &dataset_,
                                .item = item,
                                .first = {},
                                .second = {},
                                .below = std::string(base_name(dataset_.ids[item]))});
        ++sheet.result.beside;
    }
    for (std::size_t s = 0; s < sheets.size(); ++s) {
        sheets[s].head.at(1) += sheet_text(s, sheets.size());
        sheets[s].head_beside = {which};
    }
}

}  // namespace assay::mad
