#include "mad/near_duplicates.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <numbers>

#include "assay/error.h"
#include "assay/image/preprocess.h"
#include "core/file.h"
#include "core/parallel.h"
#include "core/refuse.h"
#include "core/shell_word.h"
#include "mad/competition_rows.h"

namespace assay::mad {
namespace {

constexpr int hashed_side = 32;
constexpr int hashed_frequencies = 8;

/// Rows 1 to 8 of the transform's matrix in 2^-14. Row 0 is the mean, which tells brightness alone.
using CosineRows = std::array<std::array<std::int64_t, hashed_side>, hashed_frequencies>;
const CosineRows& cosine_rows() {
    static const CosineRows rows = [] {
        CosineRows made{};
        for (int f = 0; f < hashed_frequencies; ++f) {
            for (int x = 0; x < hashed_side; ++x) {
                const double angle = std::numbers::pi * (2 * x + 1) * (f + 1) / (2.0 * hashed_side);
                made[static_cast<std::size_t>(f)][static_cast<std::size_t>(x)] =
                    std::llround(16384 * std::cos(angle));
            }
        }
        return made;
    }();
    return rows;
}

}  // namespace

std::uint64_t near_hash(const Image& image) {
    const Image small =
        resize(image, Interpolation::box, {.width = hashed_side, .height = hashed_side});
    const CosineRows& cosines = cosine_rows();
    // Along the rows first: brightness (ITU-R 601, in 2^-10) times 2^14 fits 64 bits twice over.
    std::array<std::array<std::int64_t, hashed_side>, hashed_frequencies> along{};
    for (std::size_t y = 0; y < hashed_side; ++y) {
        for (std::size_t x = 0; x < hashed_side; ++x) {
            const std::uint8_t* const p = small.pixels.data() + 4 * (y * hashed_side + x);
            const std::int64_t grey = 306 * p[0] + 601 * p[1] + 117 * p[2];
            for (std::size_t f = 0; f < hashed_frequencies; ++f)
                along[f][y] += grey * cosines[f][x];
        }
    }
    std::array<std::int64_t, 64> coefficients{};
    for (std::size_t v = 0; v < hashed_frequencies; ++v) {
        for (std::size_t u = 0; u < hashed_frequencies; ++u) {
            std::int64_t sum = 0;
            for (std::size_t y = 0; y < hashed_side; ++y) sum += along[u][y] * cosines[v][y];
            coefficients[v * hashed_frequencies + u] = sum;
        }
    }
    std::array<std::int64_t, 64> sorted = coefficients;
    std::sort(sorted.begin(), sorted.end());
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < 64; ++i) {
        // Above the mean of the two in the middle.
        if (2 * coefficients[i] > sorted[31] + sorted[32]) bits |= std::uint64_t{1} << i;
    }
    return bits;
}

NearHashes::NearHashes(const Competition& competition) : competition_(&competition) {
    Statement row = competition.impl().database.prepare(
        "SELECT number, near_hash FROM image WHERE near_hash IS NOT NULL AND number >= 0");
    while (row.step())
        hashes_[row.count(0)] = static_cast<std::uint64_t>(row.integer(1));  // all 64 bits count
}

void NearHashes::need(const std::vector<std::uint64_t>& images, int threads,
                      const ProgressCallback& progress) {
    std::vector<std::uint64_t> missing;
    for (const std::uint64_t image : images)
        if (!has(image)) missing.push_back(image);
    std::sort(missing.begin(), missing.end());
    missing.erase(std::unique(missing.begin(), missing.end()), missing.end());
    if (missing.empty()) return;

    if (!items_) items_.emplace(*competition_);
    const std::vector<ImageRow> rows = items_->rows(missing);
    std::vector<std::uint64_t> made(missing.size());
    std::vector<std::optional<Error>> problems(missing.size());
    std::mutex one_at_a_time;
    std::uint64_t done = 0;
    parallel_blocks(missing.size(), threads, [&](std::size_t i) {
        throw_if_stopped();
        try {
            made[i] = near_hash(load_image(competition_->image_root() / rows[i].path));
        } catch (const Error& error) {
            if (error.code() != ErrorCode::bad_input) throw;
            problems[i] = error;
        }
        const std::lock_guard lock(one_at_a_time);
        ++done;
        if (progress) progress({.step = "near duplicates", .done = done, .total = missing.size()});
    });
    const auto bad = [](const std::optional<Error>& problem) { return problem.has_value(); };
    const auto first = std::find_if(problems.begin(), problems.end(), bad);
    if (first != problems.end()) {
        const std::string folder = shell_word(competition_->folder().string());
        const auto count = std::count_if(problems.begin(), problems.end(), bad);
        refuse(fmt::format(
            "{} of {} images that are looked at for near duplicates cannot be read; the first: {}. "
            "`assay mad select {} --images FOLDER` says where images are, `assay mad select {} "
            "--exclude FILE` leaves images out",
            count, missing.size(), (*first)->what(), folder, folder));
    }
    for (std::size_t i = 0; i < missing.size(); ++i) hashes_[missing[i]] = made[i];
    fresh_.insert(fresh_.end(), missing.begin(), missing.end());
}

void NearHashes::write(Competition& competition) {
    Statement update = competition.impl().database.prepare(
        "UPDATE image SET near_hash = ? WHERE number = ? AND near_hash IS NULL");
    for (const std::uint64_t image : fresh_) {
        update.run(hashes_.at(image), image);
    }
}

}  // namespace assay::mad
