#include "containers/parquet/parquet_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>

#include "containers/parquet/value_text.h"
#include "core/refuse.h"
#include "core/text.h"

namespace assay::parquet {
namespace {

const Column* column_of(const Footer& footer, std::string_view path) {
    const auto found = std::find_if(footer.columns.begin(), footer.columns.end(),
                                    [&](const Column& column) { return column.path == path; });
    return found == footer.columns.end() ? nullptr : &*found;
}

/// The column with the bytes of images: the column itself, or the one inside a structure.
const Column* bytes_of_column(const Footer& footer, const std::string& name) {
    const Column* const own = column_of(footer, name);
    return own != nullptr ? own : column_of(footer, name + ".bytes");
}

/// True if a leaf or structure has this name.
bool is_there_called(const Footer& footer, const std::string& name) {
    return std::any_of(footer.columns.begin(), footer.columns.end(), [&](const Column& column) {
        return column.path == name || column.path.starts_with(name + ".");
    });
}

std::string first_there(const Footer& footer, std::initializer_list<const char*> names) {
    const auto found = std::find_if(names.begin(), names.end(), [&](const char* name) {
        return is_there_called(footer, name);
    });
    return found == names.end() ? "" : *found;
}

[[noreturn]] void refuse_missing(const Footer& footer, std::string_view what,
                                 const std::string& name, std::string_view option) {
    refuse(name.empty()
               ? fmt::format("no column `image` or `img`; its columns are {}: name the one with "
                             "the images ({})",
                             column_names(footer), option)
               : fmt::format("no column `{}` of {}; its columns are {} ({})", shortened(name), what,
                             column_names(footer), option));
}

void refuse_list(const Column& column) {
    if (column.repeated)
        refuse(fmt::format("column `{}` holds a list in each row, which is not supported",
                           column.path));
}

}  // namespace

std::string column_names(const Footer& footer) {
    constexpr std::size_t most = 12;
    std::string names;
    for (std::size_t i = 0; i < std::min(most, footer.columns.size()); ++i)
        names += (i == 0 ? "" : ", ") + shortened(footer.columns[i].path);
    return footer.columns.size() > most ? names + ", ..." : names;
}

ImageColumns choose_columns(const Footer& footer, const HuggingfaceFeatures& features,
                            const std::string& image, const std::string& label) {
    std::string image_name = image;
    if (image_name.empty()) {
        image_name = features.images.size() == 1 ? features.images.front()
                                                 : first_there(footer, {"image", "img"});
    }
    const Column* const bytes = bytes_of_column(footer, image_name);
    if (bytes == nullptr) {
        const bool other = !image_name.empty() && is_there_called(footer, image_name);
        if (other) {
            refuse(
                fmt::format("column `{}` contains neither bytes nor a structure with `bytes`; its "
                            "columns are {}",
                            shortened(image_name), column_names(footer)));
        }
        refuse_missing(footer, "images", image_name, "--image-column");
    }
    refuse_list(*bytes);
    if (bytes->type != Physical::byte_array) {
        refuse(fmt::format("column `{}` has type {}; images need byte_array", bytes->path,
                           name_of(bytes->type)));
    }
    ImageColumns chosen{bytes->number, std::nullopt, std::nullopt, label};
    const auto& declared = features.images;
    chosen.image_feature =
        std::find(declared.begin(), declared.end(), image_name) != declared.end();
    if (bytes->path != image_name) {
        const Column* const paths = column_of(footer, image_name + ".path");
        if (paths != nullptr && !paths->repeated && paths->type == Physical::byte_array)
            chosen.path = paths->number;
        chosen.image_feature = chosen.image_feature || chosen.path;
    }
    if (chosen.label_name.empty())
        chosen.label_name = first_there(footer, {"label", "labels", "fine_label"});
    if (chosen.label_name.empty()) return chosen;
    const Column* const labels = column_of(footer, chosen.label_name);
    if (labels == nullptr) {
        if (is_there_called(footer, chosen.label_name)) {
            refuse(
                fmt::format("column `{}` is a structure or a list for each row; labels are "
                            "whole numbers or texts",
                            shortened(chosen.label_name)));
        }
        refuse_missing(footer, "labels", chosen.label_name, "--label-column");
    }
    refuse_list(*labels);
    const std::string why = why_no_text(*labels);
    const bool texts = labels->type == Physical::byte_array && labels->meaning == Meaning::none;
    if (!why.empty() && !texts) {
        refuse(fmt::format("column `{}` is {}; labels are whole numbers, true and false, or texts",
                           labels->path, why));
    }
    chosen.label = labels->number;
    return chosen;
}

}  // namespace assay::parquet
