// The images of one batch as classifiers take them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "assay/image/image.h"
#include "assay/image/preprocess.h"
#include "assay/model/classifier.h"

namespace assay::prediction {

/// Prepares each image once per distinct preprocessing: as floats, as bytes, or as both where
/// classifiers of both kinds take it. What it holds is its thread's: one at a time.
class PreparedBatch {
public:
    /// What is wanted of a preprocessing.
    struct Forms {
        bool floats = false, bytes = false;
    };

    /// `forms`: by preprocessing. Both spans outlive this.
    PreparedBatch(std::span<const Preprocess> preprocessings, std::span<const Forms> forms,
                  std::size_t n);

    void put(std::size_t i, const Image& image);
    /// Zeros: the image has none. Its place in the batch stays.
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

/// Numbers that an image becomes.
std::size_t input_size(const Preprocess& preprocess);

}  // namespace assay::prediction
