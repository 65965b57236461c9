// Finds an item by any of its names: its id, its path, its file's name, or the end of any of these.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "assay/data/dataset.h"
#include "core/string_index.h"

namespace assay {

/// Calls visit(end) for the part after each slash or "=" of an address, the longest first, until it
/// returns true. Visits at most 256 ends, so that a text of slashes does not take hours.
template <class Visit>
void for_each_end(std::string_view name, Visit&& visit) {
    constexpr int most = 256;
    constexpr std::string_view marks = "/=";
    std::size_t mark = name.find_first_of(marks);
    for (int n = 0; mark != std::string_view::npos && n < most; ++n) {
        if (visit(name.substr(mark + 1))) return;
        mark = name.find_first_of(marks, mark + 1);
    }
}

class ItemFinder {
public:
    /// The data set must outlive this object.
    explicit ItemFinder(const Dataset& dataset);

    struct Found {
        std::int64_t item = -1;  ///< -1 if there is none, or if there are several
        bool several = false;    ///< several items have a file with that name
    };
    /// Finds an item by id, else by path, else (for an address) by the longest end that is an id or
    /// path, else by file name. An end without a folder, and a file name, must belong to one item
    /// only.
    Found find(std::string_view name) const;

private:
    struct IdOf {
        const Dataset* dataset;
        std::string_view operator()(std::uint32_t i) const { return dataset->ids[i]; }
    };
    struct PathOf {
        const Dataset* dataset;
        std::string_view operator()(std::uint32_t i) const;
    };
    struct FileOf {
        const Dataset* dataset;
        std::string_view operator()(std::uint32_t i) const;
    };
    StringIndex<IdOf> ids_;
    StringIndex<PathOf> paths_;
    StringIndex<FileOf> files_;
    std::vector<char> shared_;  ///< marks file names that several items share, at the first of them
};

/// Calls find(). If it fails, finds the only item whose id or path ends with `name`, preferably
/// after a '/'. Throws usage: none (with the nearest), or several (with the first few).
std::size_t item_named(const Dataset& dataset, std::string_view name);

}  // namespace assay
