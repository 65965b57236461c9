// What the contact sheets of a gallery show: the names of the files, the lines at the top, and the
// images with the text below each.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "assay/mad/gallery.h"
#include "assay/store/prediction_store.h"
#include "mad/competition_rows.h"
#include "mad/gallery_sheet.h"
#include "mad/tally.h"

namespace assay::mad {

/// A pair with the images for its sheets.
struct GalleryPair {
    PairRow row;
    std::string file;  ///< name without extension
    std::vector<SelectedRow> images;
    std::uint64_t accepted = 0, duplicates = 0;
};

/// The layout of a sheet.
struct SheetPlan {
    GallerySheet result;
    std::vector<std::string> head;
    std::vector<SheetCell> cells;
    /// A second part, below the first one: labelled images. Without cells, it is absent.
    std::vector<std::string> head_beside{};
    std::vector<SheetCell> beside{};
};

/// Images by the class that a classifier of their pair predicts.
using ImagesOfClass = std::map<std::uint16_t, std::set<std::int64_t>>;

/// An image of a sheet that joins pairs: the pair and its row, and the number of pairs that have
/// it.
struct FarthestPlace {
    const GalleryPair* pair = nullptr;
    const SelectedRow* row = nullptr;
    std::size_t pairs = 0;
};

/// "; sheet 1 of 2" for the first of two; nothing for a single sheet.
std::string sheet_text(std::size_t sheet, std::size_t sheets);

/// Names of files without extension, each once, valid for any names of classifiers and tags.
class SheetNames {
public:
    /// "FIRST--SECOND" for a pair.
    std::string of(const std::string& first, const std::string& second);
    /// "tag-TAG".
    std::string of_tag(const std::string& tag);
    /// "class-NAME".
    std::string of_class(const std::string& name);
    /// The name, or if it is taken, "NAME-2", "NAME-3", ...
    std::string unique(const std::string& wanted);

private:
    std::set<std::string> taken_;
};

/// Reads the predictions and answers once, for all sheets.
class GalleryPlanner {
public:
    explicit GalleryPlanner(const Competition& competition);

    /// The sheets of a pair, each with at most `cells` images.
    std::vector<SheetPlan> sheets_of(const GalleryPair& pair, std::size_t cells) const;
    /// The sheets of a tag. Each accepted image of the pairs with the tag is on them once, with the
    /// pair for which its labels are farthest apart, by this distance. Nothing without an image.
    std::vector<SheetPlan> sheets_of(const std::string& tag, const std::set<std::int64_t>& images,
                                     const std::vector<GalleryPair>& pairs,
                                     std::size_t cells) const;
    GalleryImage image_of(const PairRow& pair, const SelectedRow& image) const;
    /// The accepted images of the pairs by predicted class, with `confirmed` only those in which
    /// people see it.
    ImagesOfClass images_of_classes(const std::vector<GalleryPair>& pairs, bool confirmed) const;
    /// The class, with people's answers about its images.
    GalleryClass class_of(std::uint16_t label, const std::set<std::int64_t>& images) const;
    /// The upper parts of a class's sheets, as for a tag. `images` are of images_of_classes().
    std::vector<SheetPlan> sheets_of(std::uint16_t label, const GalleryClass& counts,
                                     const std::set<std::int64_t>& images,
                                     const std::vector<GalleryPair>& pairs,
                                     std::size_t cells) const;
    /// A class's name without synonyms, or its id if that is ambiguous.
    const std::string& short_name(std::uint16_t label) const { return names_.at(label); }

private:
    const std::string& name_of(std::uint32_t number) const;
    /// Sheets that begin as `empty`, without lines at the top.
    std::vector<SheetPlan> sheets_of(const GallerySheet& empty,
                                     const std::vector<FarthestPlace>& places,
                                     std::size_t cells) const;
    /// People's answer to the question whether the image shows the class.
    SheetMark answer_to(std::int64_t image, std::uint16_t label) const;
    SheetLabel label_of(std::uint32_t classifier, std::int64_t image, std::uint16_t label) const;
    GalleryLabel data_of(std::uint32_t classifier, std::int64_t image, std::uint16_t label) const;
    /// The index of the image in GallerySheet::cases.
    std::size_t index_of_case(const SelectedRow& image) const;
    /// The text below it is "0.5 apart, III".
    SheetCell cell_of(const PairRow& pair, const SelectedRow& image) const;

    const Competition& competition_;
    Tally tally_;
    std::vector<std::string> names_;
    std::vector<std::optional<StoredPredictions>> stored_;
};

}  // namespace assay::mad
