#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "assay/annotation/votes.h"

namespace assay {

Votes read_votes_csv(const std::filesystem::path& path, const VotesOptions& options);
/// `bytes`: the whole .npz.
Votes read_votes_npz(std::span<const std::byte> bytes, const std::string& source,
                     const VotesOptions& options);

}  // namespace assay
