#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "assay/error.h"
#include "assay/mad/select.h"
#include "core/cpu.h"
#include "core/parallel.h"
#include "core/refuse.h"
#include "mad/scan_kernel.h"

namespace assay::mad {
namespace detail {

std::uint64_t different_plain(const std::uint16_t* a, const std::uint16_t* b) {
    std::uint64_t bits = 0;
    for (int i = 0; i < 64; ++i) bits |= std::uint64_t{a[i] != b[i]} << i;
    return bits;
}

std::uint64_t confident_plain(const std::uint8_t* confidences, std::uint8_t threshold) {
    std::uint64_t bits = 0;
    for (int i = 0; i < 64; ++i) bits |= std::uint64_t{confidences[i] >= threshold} << i;
    return bits;
}

}  // namespace detail

namespace {

/// Number of images for which all classifiers' predictions are processed at a time.
constexpr std::size_t block_images = 4096;
constexpr std::size_t block_words = block_images / 64;
using Mask = std::array<std::uint64_t, block_words>;

/// One block for all classifiers, padded with images without labels.
class Block {
public:
    Block(const ScanInput& input, std::uint32_t classes, bool count_labels)
        : input_(input),
          classes_(classes),
          masks_(input.classifiers.size()),
          labelled_(count_labels ? input.classifiers.size() : 0),
          simd_(cpu_has_avx2()) {
        none_.fill(no_label);
    }

    void open(std::uint64_t begin) {
        begin_ = begin;
        const std::uint64_t all = input_.classifiers[0].labels.size();
        count_ = static_cast<std::size_t>(std::min<std::uint64_t>(block_images, all - begin));
        for (std::size_t c = 0; c < masks_.size(); ++c) mask(c);
        for (std::size_t c = 0; c < labelled_.size(); ++c) find_labelled(c);
        exclude(masks_);
        exclude(labelled_);
    }

    /// Returns the number of images with different labels, or 0 if it is not needed.
    std::uint64_t offer(const ScanPair& pair, PairSketch& sketch) const {
        const std::uint16_t* const a = labels(pair.first);
        const std::uint16_t* const b = labels(pair.second);
        std::array<std::uint16_t, block_images> found;
        std::size_t count = 0;
        std::uint64_t disagreeing = 0;
        for (std::size_t w = 0; 64 * w < count_; ++w) {
            std::uint64_t bits = masks_[pair.first][w] & masks_[pair.second][w];
            if (bits == 0 && labelled_.empty()) continue;
            const std::uint64_t differ = different(a, b, w);
            if (!labelled_.empty())
                disagreeing += static_cast<std::uint64_t>(
                    std::popcount(differ & labelled_[pair.first][w] & labelled_[pair.second][w]));
            for (bits &= differ; bits != 0; bits &= bits - 1) {
                const std::size_t at = 64 * w + static_cast<std::size_t>(std::countr_zero(bits));
                sketch.expect(a[at], b[at]);
                found[count++] = static_cast<std::uint16_t>(at);
            }
        }
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t at = found[i];
            const std::uint64_t image = input_.first_image + begin_ + at;
            const std::uint8_t confidence =
                std::min(input_.classifiers[pair.first].confidences[begin_ + at],
                         input_.classifiers[pair.second].confidences[begin_ + at]);
            sketch.offer(image, a[at], b[at], confidence,
                         input_.parents.empty() ? image : input_.parents[begin_ + at]);
        }
        return disagreeing;
    }

private:
    std::uint64_t different(const std::uint16_t* a, const std::uint16_t* b, std::size_t w) const {
        if (64 * w + 64 <= count_) {
            return simd_ ? detail::different_avx2(a + 64 * w, b + 64 * w)
                         : detail::different_plain(a + 64 * w, b + 64 * w);
        }
        std::uint64_t bits = 0;
        for (std::size_t i = 64 * w; i < count_; ++i)
            bits |= std::uint64_t{a[i] != b[i]} << (i % 64);
        return bits;
    }
    const std::uint16_t* labels(std::size_t c) const {
        return input_.classifiers[c].labels.data() + begin_;
    }
    /// In almost all cases this is true, and one test covers 64 labels.
    bool all_are_classes(std::size_t c, std::size_t w) const {
        if (64 * w + 64 > count_) return false;
        const std::uint16_t* const some = labels(c) + 64 * w;
        std::uint16_t largest = 0;
        for (std::size_t i = 0; i < 64; ++i) largest = std::max(largest, some[i]);
        return largest < classes_;
    }
    /// Marks images with a confident label from the classifier.
    void mask(std::size_t c) {
        const std::uint8_t* const confidences = input_.classifiers[c].confidences.data() + begin_;
        const std::uint8_t threshold = input_.thresholds[c];
        for (std::size_t w = 0; w < block_words; ++w) {
            std::uint64_t bits = 0;
            if (64 * w + 64 <= count_) {
                bits = simd_ ? detail::confident_avx2(confidences + 64 * w, threshold)
                             : detail::confident_plain(confidences + 64 * w, threshold);
            } else {
                for (std::size_t i = 64 * w; i < count_; ++i)
                    bits |= std::uint64_t{confidences[i] >= threshold} << (i % 64);
            }
            masks_[c][w] = bits;
            if (all_are_classes(c, w)) continue;
            for (std::uint64_t left = bits; left != 0; left &= left - 1) {
                const auto bit = std::countr_zero(left);
                const std::size_t at = 64 * w + static_cast<std::size_t>(bit);
                const std::uint16_t label = labels(c)[at];
                if (label < classes_) continue;
                if (label != no_label)
                    refuse(
                        fmt::format("classifier {} predicts the label {} for image {}, but there "
                                    "are {} classes",
                                    c, label, input_.first_image + begin_ + at, classes_));
                bits &= ~(std::uint64_t{1} << bit);
            }
            masks_[c][w] = bits;
        }
    }
    void find_labelled(std::size_t c) {
        const std::uint16_t* const all = labels(c);
        for (std::size_t w = 0; w < block_words; ++w) {
            std::uint64_t bits = 0;
            if (64 * w + 64 <= count_) {
                bits = simd_ ? detail::different_avx2(all + 64 * w, none_.data())
                             : detail::different_plain(all + 64 * w, none_.data());
            } else {
                for (std::size_t i = 64 * w; i < count_; ++i)
                    bits |= std::uint64_t{all[i] != no_label} << (i % 64);
            }
            labelled_[c][w] = bits;
        }
    }
    void exclude(std::vector<Mask>& masks) const {
        const std::uint64_t first = input_.first_image + begin_;
        auto at = std::lower_bound(input_.excluded.begin(), input_.excluded.end(), first);
        for (; at != input_.excluded.end() && *at < first + count_; ++at) {
            const std::uint64_t place = *at - first;
            for (Mask& mask : masks) mask[place / 64] &= ~(std::uint64_t{1} << (place % 64));
        }
    }

    const ScanInput& input_;
    std::uint32_t classes_;
    std::vector<Mask> masks_;     ///< confident labels
    std::vector<Mask> labelled_;  ///< marks any label; empty if the counts are not needed
    std::array<std::uint16_t, 64> none_{};
    bool simd_;
    std::uint64_t begin_ = 0;
    std::size_t count_ = 0;
};

void check_input(const ScanInput& input, std::span<const ScanPair> pairs,
                 std::span<PairSketch> sketches, std::span<const std::uint64_t> disagreeing) {
    const std::size_t m = input.classifiers.size();
    const auto wrong = [](std::string message) {
        throw Error(ErrorCode::usage, std::move(message));
    };
    if (pairs.size() != sketches.size())
        wrong(fmt::format("{} sketches for {} pairs", sketches.size(), pairs.size()));
    if (!disagreeing.empty() && disagreeing.size() != pairs.size())
        wrong(fmt::format("{} counts for {} pairs", disagreeing.size(), pairs.size()));
    if (input.thresholds.size() != m)
        wrong(fmt::format("{} thresholds for {} classifiers", input.thresholds.size(), m));
    for (const Predictions& p : input.classifiers) {
        const std::size_t images = input.classifiers[0].labels.size();
        if (p.labels.size() != images || p.confidences.size() != images)
            wrong(fmt::format("{} labels and {} confidences of {} images", p.labels.size(),
                              p.confidences.size(), images));
        if (!input.parents.empty() && input.parents.size() != images)
            wrong(fmt::format("{} parents of {} images", input.parents.size(), images));
    }
    for (const ScanPair& pair : pairs) {
        if (pair.first >= m || pair.second >= m || pair.first == pair.second)
            wrong(fmt::format("no pair of {} classifiers: {} and {}", m, pair.first, pair.second));
    }
}

}  // namespace

void scan(const ScanInput& input, std::span<const ScanPair> pairs, std::span<PairSketch> sketches,
          int threads, const std::function<void(std::uint64_t images)>& progress,
          std::span<std::uint64_t> disagreeing) {
    check_input(input, pairs, sketches, disagreeing);
    std::fill(disagreeing.begin(), disagreeing.end(), 0);
    if (pairs.empty() || input.classifiers.empty()) return;
    const std::uint64_t images = input.classifiers[0].labels.size();
    // Each thread processes all images for its own pairs, so that threads share no sketch and need
    // no merge.
    const std::size_t parts =
        std::min<std::size_t>(pairs.size(), static_cast<std::size_t>(resolve_threads(threads)));
    parallel_blocks(parts, static_cast<int>(parts), [&](std::size_t part) {
        Block block(input, sketches[0].classes(), !disagreeing.empty());
        for (std::uint64_t begin = 0; begin < images; begin += block_images) {
            throw_if_stopped();
            block.open(begin);
            for (std::size_t p = part; p < pairs.size(); p += parts) {
                const std::uint64_t differ = block.offer(pairs[p], sketches[p]);
                if (!disagreeing.empty()) disagreeing[p] += differ;
            }
            if (part == 0 && progress) progress(std::min(images, begin + block_images));
        }
    });
}

std::uint8_t threshold_of_quantile(const Predictions& predictions, double proportion) {
    if (!(proportion > 0 && proportion <= 1))
        throw Error(ErrorCode::usage,
                    fmt::format("the proportion is {}; allowed: above 0, up to 1", proportion));
    std::array<std::uint64_t, 256> counts{};
    std::uint64_t scored = 0;
    for (std::size_t i = 0; i < predictions.labels.size(); ++i) {
        if (predictions.labels[i] == no_label) continue;
        ++counts[predictions.confidences[i]];
        ++scored;
    }
    std::uint64_t above = 0;
    for (std::size_t q = 255; q > 0; --q) {
        above += counts[q];
        if (static_cast<double>(above) >= proportion * static_cast<double>(scored))
            return static_cast<std::uint8_t>(q);
    }
    return 0;
}

}  // namespace assay::mad
