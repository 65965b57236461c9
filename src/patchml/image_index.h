// Finds images below a folder by any name that annotations use.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>
#include <vector>

#include "assay/data/dataset.h"
#include "core/string_index.h"

namespace assay {

class ImageIndex {
public:
    /// Scans the folder and its subfolders. Throws bad_input if there is no folder or no image.
    explicit ImageIndex(const std::filesystem::path& root);
    ImageIndex(const ImageIndex&) = delete;
    ImageIndex& operator=(const ImageIndex&) = delete;

    struct Found {
        enum class Kind { none, one, several } kind = Kind::none;
        std::uint32_t image = 0;  ///< index into images(), with `one`
    };
    /// `name` is a path below the root, or a file name that is unique there; with or without
    /// extension.
    Found find(std::string_view name) const;
    const StringColumn& images() const { return images_; }

private:
    using Key = std::function<std::string_view(std::uint32_t)>;
    /// Images by a key that several may share.
    struct Table {
        Table(std::size_t items, Key key) : index(items, std::move(key)), shared(items, false) {}
        void add(std::uint32_t item) {
            if (const auto earlier = index.insert(item)) shared[*earlier] = true;
        }
        Found find(std::string_view key) const {
            const auto item = index.find(key);
            if (!item) return {};
            return {shared[*item] ? Found::Kind::several : Found::Kind::one, *item};
        }
        StringIndex<Key> index;
        std::vector<bool> shared;
    };
    static StringColumn scan(const std::filesystem::path& root);

    StringColumn images_;
    Table paths_, path_stems_, names_, stems_;
};

}  // namespace assay
