// Checks that a data set's images are those from which its stores were made. Names, ids and classes
// may agree although the bytes differ (blur/1 and noise/1 of ImageNet-C).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assay/data/dataset.h"
#include "assay/store/prediction_store.h"

namespace assay::store {

/// `hash` in the form of a shard's record, from a full hash ("xxh128:<32 hex digits>").
ImageFile image_file(std::uint64_t bytes, std::string_view whole_hash);

/// The current state of a data set's images, read once for any number of checks.
class ImagesNow {
public:
    /// `dataset` must outlive this object.
    ImagesNow(const Dataset& dataset, int threads);

    static constexpr std::uint64_t absent = UINT64_MAX;
    static constexpr std::uint64_t unknown = UINT64_MAX - 1;
    /// The size of each image's file: `absent` if it does not exist, `unknown` for images in
    /// archives. The cost is one stat() per file, once.
    const std::vector<std::uint64_t>& sizes();
    /// The rows whose bytes are compared, ascending, and the current state of one of them.
    const std::vector<std::uint64_t>& sample_rows() const { return sample_rows_; }
    ImageFile sampled(std::size_t place);
    /// The reason why a server failed to provide an image (then requests stop); else "".
    const std::string& away() const { return away_; }

private:
    const Dataset& dataset_;
    int threads_;
    std::vector<std::uint64_t> sizes_;
    std::vector<std::uint64_t> sample_rows_;
    std::vector<std::optional<ImageFile>> sample_;
    std::string away_;
};

class ImageCheck {
public:
    /// `dataset` must outlive the check. `folder` is RUNS/<data set>, which need not exist.
    ImageCheck(const Dataset& dataset, std::filesystem::path folder, int threads);
    /// A check of another data set, `name`, made from the same images. `now` belongs to `dataset`
    /// and is shared by consecutive checks. Only before() uses it.
    ImageCheck(const Dataset& dataset, std::string name, std::filesystem::path folder, int threads,
               std::shared_ptr<ImagesNow> now);

    /// Compares the images with the records of the store of `model`. If the store has no records
    /// yet, uses those of the first neighboring store that has some. Compares the size of every
    /// recorded image, and the bytes of 64 of them, which are the same for every store. For stores
    /// from before images were recorded individually, compares the bytes of one whole shard.
    /// Ignores missing images, and rows that were unreadable then. Throws bad_input for a different
    /// image, with both folders. Cost: each file's size and the bytes of 64 files, once for all
    /// models. Memory: 8 bytes per image.
    void before(const std::string& model);

    /// Compares newly read images with the records of this store (for a shard that is written
    /// again). Then compares them with the first neighboring store that has such records, which
    /// another process may have begun since. Throws the errors of before(). Thread-safe. Cost: one
    /// record.
    void after(const std::string& model, std::uint64_t first_row,
               std::span<const ImageFile> images) const;

    /// Remarks if everything agrees: the folder has moved, or few images could be compared. Each
    /// remark is returned once.
    std::vector<std::string> take_notes();

private:
    std::vector<std::filesystem::path> siblings(const std::string& model) const;
    /// The spec of a neighboring store. Facts that are fixed when a store is begun are read once.
    std::optional<StoreSpec> spec_of(const std::filesystem::path& store) const;
    /// Returns false if the store has no record of images.
    bool compare(const std::filesystem::path& store);
    bool compare_single(const std::filesystem::path& store, const StoreSpec& spec);
    bool compare_whole_shard(const std::filesystem::path& store, const StoreSpec& spec);
    [[noreturn]] void refuse(const std::filesystem::path& store, std::uint64_t row,
                             const std::string& how, std::uint64_t others,
                             std::uint64_t compared) const;
    void note_compared(std::uint64_t sizes, std::uint64_t bytes);

    const Dataset& dataset_;
    std::string name_;
    std::filesystem::path folder_;
    int threads_;
    std::shared_ptr<ImagesNow> now_;
    std::vector<std::string> notes_;
    bool noted_ = false;
    mutable std::mutex mutex_;
    mutable std::map<std::filesystem::path, StoreSpec> specs_;
};

}  // namespace assay::store
