// The images of one batch in the form that classifiers need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "assay/image/image.h"
#include "assay/image/preprocess.h"
#include "assay/model/classifier.h"

namespace assay::prediction {

/// Prepares each image once per distinct preprocessing: as floats, as bytes, or as both if
/// classifiers of both kinds use it. Its memory belongs to the thread: only one object may exist at
/// a time.
class PreparedBatch {
public:
    /// The forms that a preprocessing must provide.
    struct Forms {
        bool floats = false, bytes = false;
    };

    /// `forms` has one entry per preprocessing. Both spans must outlive this.
    PreparedBatch(std::span<const Preprocess> preprocessings, std::span<const Forms> forms,
                  std::size_t n);

    void put(std::size_t i, const Image& image);
    /// Sets zeros for a missing image, which keeps its place in the batch.
    void clear(std::size_t i);

    std::span<const float> floats(std::size_t preprocessing) const;
    ByteBatch bytes(std::size_t preprocessing) const;

private:
    struct Scratch {
        std::vector<float> floats;
        std::vector<std::uint8_t> bytes;
        ByteValues values{};
    };
    static std::vector<Scratch>& scratch();

    std::span<const Preprocess> preprocessings_;
    std::span<const Forms> forms_;
    std::vector<Scratch>& scratch_;
};

/// The size of an image's input in numbers.
std::size_t input_size(const Preprocess& preprocess);

}  // namespace assay::prediction
