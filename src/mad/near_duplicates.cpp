#include "mad/near_duplicates.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "assay/error.h"
#include "core/file.h"
#include "core/parallel.h"
#include "core/refuse.h"
#include "core/shell_word.h"
#include "image/near_hash.h"
#include "mad/competition_rows.h"

namespace assay::mad {
NearHashes::NearHashes(const Competition& competition) : competition_(&competition) {
    Statement row = competition.impl().database.prepare(
        "SELECT number, near_hash FROM image WHERE near_hash IS NOT NULL AND number >= 0");
    while (row.step())
        hashes_[row.count(0)] = static_cast<std::uint64_t>(row.integer(1));  // all 64 bits are used
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
        refuse(
            fmt::format("{} of {} images that are checked for near duplicates cannot be read; the "
                        "first: {}. If they moved, type `assay mad select {} --images FOLDER`; to "
                        "exclude them, type `assay mad select {} --exclude FILE`",
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
