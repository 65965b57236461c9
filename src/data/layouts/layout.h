// A row for each known data set whose folder has its own files for labels, classes and splits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/data/dataset.h"

namespace assay::layouts {

struct Split {
    std::string_view name;  ///< "" if the data set has no splits
    std::string_view file;  ///< relative to the data set's folder: the file that lists the split,
                            ///< or the folder with its class folders
    bool asked = false;     ///< read only if requested: training images, images without labels
};

/// The part of a data set to read.
struct Part {
    std::filesystem::path folder;  ///< folder of the data set
    Split split;
    std::string label_column;

    std::filesystem::path file() const { return folder / split.file; }
};

/// The images that a file of the data set names, in its order.
struct Items {
    std::filesystem::path file;
    StringColumn images;               ///< paths relative to the data set's folder
    std::vector<std::int32_t> labels;  ///< one class per image; -1: none
    std::vector<std::uint32_t> lines;  ///< line that names each image; empty if no line does
    std::vector<std::string> classes;  ///< names, in the order of their numbers
    std::string more;                  ///< an additional remark for the note

    void add(std::string_view image, std::size_t label, std::size_t line);
};

struct Layout {
    std::string_view name;
    std::string_view place;  ///< the folder that torchvision makes for it below its root
    /// Files that identify the data set: all of the first list, and any of the second.
    std::span<const std::string_view> all, any;
    std::span<const Split> splits;  ///< in order of preference
    /// Null if every split is a folder of class folders. Throws bad_input, naming file and line.
    Items (*read)(const Part& part) = nullptr;
    bool takes_label_column = false;
    /// Replaces `read` for images that are not files.
    Dataset (*open)(const std::filesystem::path& folder, const DatasetOptions& options,
                    std::vector<std::string>& notes) = nullptr;
    std::string_view unless{};  ///< if this exists, it is another layout
};

/// Every layout that is known.
std::span<const Layout> layouts();

Dataset open_imagenet_tar(const std::filesystem::path& folder, const DatasetOptions& options,
                          std::vector<std::string>& notes);

Items read_aircraft(const Part& part);
Items read_cars(const Part& part);
Items read_celeba(const Part& part);
Items read_cub(const Part& part);
Items read_dtd(const Part& part);
Items read_flowers(const Part& part);
Items read_food(const Part& part);
Items read_gtsrb(const Part& part);
Items read_pets(const Part& part);
Items read_places(const Part& part);
Items read_sun(const Part& part);

/// Throws bad_input "FILE line 17: what", in the form that all readers of layouts use.
[[noreturn]] void refuse_line(const std::filesystem::path& file, std::size_t line,
                              const std::string& what);
/// Converts a class number that counts from `first` to a position from 0. Throws bad_input for no
/// number, or a number that is none of `count` classes.
std::size_t class_of_number(std::string_view text, std::size_t first, std::size_t count,
                            const std::filesystem::path& file, std::size_t line);
/// The words of a line.
std::vector<std::string_view> words_in(std::string_view line);
/// The same, but requires `count` words. `example` is a correct line for the message.
std::vector<std::string_view> words_of_line(std::string_view text, std::size_t count,
                                            std::string_view example,
                                            const std::filesystem::path& file, std::size_t line);

}  // namespace assay::layouts
