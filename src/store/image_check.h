// Whether the images of a data set are those that its stores were made from: names, ids and classes
// may agree (blur/1 and noise/1 of ImageNet-C) where the bytes do not.
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

/// `hash` as a shard's record has it, from a whole one ("xxh128:<32 hex digits>").
ImageFile image_file(std::uint64_t bytes, std::string_view whole_hash);

/// What the images of a data set are now: looked up once, for however many checks.
class ImagesNow {
public:
    /// `dataset` must outlive this.
    ImagesNow(const Dataset& dataset, int threads);

    static constexpr std::uint64_t absent = UINT64_MAX;
    static constexpr std::uint64_t unknown = UINT64_MAX - 1;
    /// Bytes of each image's file; `absent` where it is not there, `unknown` of images in archives.
    /// Cost, once: a look at each file.
    const std::vector<std::uint64_t>& sizes();
    /// The rows whose bytes are compared, ascending, and what those of one of them are.
    const std::vector<std::uint64_t>& sample_rows() const { return sample_rows_; }
    ImageFile sampled(std::size_t place);
    /// Why a server did not give one of them, since when none is asked for; else "".
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
    /// `dataset` must outlive the check; `folder`: RUNS/<data set>, there or not.
    ImageCheck(const Dataset& dataset, std::filesystem::path folder, int threads);
    /// The same of another data set, `name`, made from the same images: `now` is that of `dataset`,
    /// shared by one check after another, and is used by before() alone.
    ImageCheck(const Dataset& dataset, std::string name, std::filesystem::path folder, int threads,
               std::shared_ptr<ImagesNow> now);

    /// Compares the images with the records of the store of `model`, or, while that has none, of
    /// the first store beside it that has some: the size of every recorded image, and the bytes of
    /// 64 of them, the same ones for every store. Of stores of before images were recorded singly,
    /// the bytes of one whole shard. Images that are not there, and rows that could not be read
    /// then, do not count. Throws bad_input: another image, with both folders. Cost: one look at
    /// each file's size and 64 files' bytes, once for all models. Memory: 8 bytes an image.
    void before(const std::string& model);

    /// Compares images that were just read with what this store (a shard that is written again) or
    /// the first one beside it has recorded of them: it may have been begun by another process
    /// since. Throws as before() does. Thread-safe. Cost: one record.
    void after(const std::string& model, std::uint64_t first_row,
               std::span<const ImageFile> images) const;

    /// What is to be said when all agree: that the folder has moved, or that little could be
    /// compared. Once each.
    std::vector<std::string> take_notes();

private:
    std::vector<std::filesystem::path> siblings(const std::string& model) const;
    /// Of a store beside this one; what is fixed when a store is begun is read once.
    std::optional<StoreSpec> spec_of(const std::filesystem::path& store) const;
    /// False: the store there has no record of images.
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
