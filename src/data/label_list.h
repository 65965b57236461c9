// Lists of images and labels as they stand on disk (csv, tsv, text), with labels still as texts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "assay/data/class_list.h"
#include "assay/data/dataset.h"
#include "assay/data/label_sets.h"

namespace assay {

struct LabelList {
    std::string source;  ///< file name, for messages
    std::size_t rows = 0;
    StringColumn files;  ///< one per row; empty: rows are labels only, in the items' order
    StringColumn ids;    ///< an `id` column that stands beside a path column, else empty
    bool stems = false;  ///< files come without extension (the challenge's ImageId)
    bool has_labels = false;
    LabelSets labels;  ///< for each row a set of indices into `texts`
    struct Text {
        std::string text;
        std::size_t line;  ///< where it stands first
    };
    std::vector<Text> texts;
    std::vector<Dataset::Attribute> attributes;  ///< the other columns

    std::size_t line_of(std::size_t row) const;
    std::vector<std::uint32_t> lines;  ///< of each row
};

struct LabelListOptions {
    const ClassList* classes =
        nullptr;             ///< helps to tell "great white shark" from three labels; may be null
    bool attributes = true;  ///< keep the other columns
    std::size_t limit = 0;   ///< first rows only, where rows name whole files; 0: all
};

/// ImageNet's validation set has so many images, and lists of labels in the order of their numbers.
inline constexpr std::size_t imagenet_val_size = 50'000;
/// True when there are items and each is named ILSVRC2012_val_%08d.*.
bool all_imagenet_val(const StringColumn& ids);

/// csv and tsv by extension, else text: one label a line, or `file label ...`. Throws bad_input.
LabelList read_label_list(const std::filesystem::path& path, const LabelListOptions& options);

/// The class of each text. Throws bad_input naming file, line, value and the nearest class.
std::vector<std::int32_t> classes_of_texts(const LabelList& list, const ClassList& classes);

/// The sets with texts replaced by classes.
LabelSets to_classes(const LabelList& list, const std::vector<std::int32_t>& class_of_text);

/// "label `x`: ..." explanation shared by all readers of labels.
std::string unknown_label(std::string_view label, const ClassList& classes);

}  // namespace assay
