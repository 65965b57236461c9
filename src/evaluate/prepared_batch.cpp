#include "evaluate/prepared_batch.h"

#include <algorithm>

namespace assay::prediction {
namespace {

template <class Number>
std::span<Number> place_of(std::vector<Number>& all, std::size_t i, std::size_t each) {
    return std::span(all).subspan(i * each, each);
}

}  // namespace

std::size_t input_size(const Preprocess& preprocess) {
    return std::size_t{3} * static_cast<std::size_t>(preprocess.height) *
           static_cast<std::size_t>(preprocess.width);
}

/// Exists as long as its thread, so that the next batch reuses the memory.
std::vector<PreparedBatch::Scratch>& PreparedBatch::scratch() {
    thread_local std::vector<Scratch> kept;
    return kept;
}

PreparedBatch::PreparedBatch(std::span<const Preprocess> preprocessings,
                             std::span<const Forms> forms, std::size_t n)
    : preprocessings_(preprocessings), forms_(forms), scratch_(scratch()) {
    scratch_.resize(std::max(scratch_.size(), preprocessings.size()));
    for (std::size_t p = 0; p < preprocessings.size(); ++p) {
        const std::size_t numbers = n * input_size(preprocessings[p]);
        if (forms[p].floats) scratch_[p].floats.resize(numbers);
        if (!forms[p].bytes) continue;
        scratch_[p].bytes.resize(numbers);
        scratch_[p].values = byte_values(preprocessings[p]);
    }
}

void PreparedBatch::put(std::size_t i, const Image& image) {
    for (std::size_t p = 0; p < preprocessings_.size(); ++p) {
        if (!forms_[p].floats && !forms_[p].bytes) continue;
        const Preprocess& how = preprocessings_[p];
        const Image window = crop_window(image, how);
        const std::size_t each = input_size(how);
        if (forms_[p].floats) normalise_into(window, how, place_of(scratch_[p].floats, i, each));
        if (forms_[p].bytes) planes_into(window, how, place_of(scratch_[p].bytes, i, each));
    }
}

void PreparedBatch::clear(std::size_t i) {
    for (std::size_t p = 0; p < preprocessings_.size(); ++p) {
        const std::size_t each = input_size(preprocessings_[p]);
        if (forms_[p].floats) std::ranges::fill(place_of(scratch_[p].floats, i, each), 0.0F);
        if (forms_[p].bytes)
            std::ranges::fill(place_of(scratch_[p].bytes, i, each), std::uint8_t{0});
    }
}

std::span<const float> PreparedBatch::floats(std::size_t preprocessing) const {
    return scratch_[preprocessing].floats;
}

ByteBatch PreparedBatch::bytes(std::size_t preprocessing) const {
    return {scratch_[preprocessing].bytes, &scratch_[preprocessing].values};
}

}  // namespace assay::prediction
