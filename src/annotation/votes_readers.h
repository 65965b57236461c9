#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "assay/annotation/votes.h"

namespace assay {

/// Reads any layout that data/crowd/crowd.h knows.
Votes read_votes_text(std::string_view text, const std::string& source,
                      const VotesOptions& options);
/// `bytes` is the whole .npz.
Votes read_votes_npz(std::span<const std::byte> bytes, const std::string& source,
                     const VotesOptions& options);

}  // namespace assay
