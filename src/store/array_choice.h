// Labels and ids are loaded into memory, up to this size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "containers/npy.h"
#include "store/score_source.h"

namespace assay::store {

/// Labels and ids are loaded into memory, up to this size.
constexpr std::uint64_t max_bytes_beside = 1ULL << 30;

struct ArrayCandidate {
    std::string name{};
    std::string described{};  ///< shape and type, or in brackets the reason why it is not supported
    bool matrix = false;
    bool column = false;
    bool texts = false;  ///< one text per row
    std::uint64_t count = 0;
    std::string damage{};  ///< names the array and says how it is damaged, or ""
};

/// True if the array has one integer per row: predicted classes or labels.
bool is_array_column(const std::vector<std::uint64_t>& shape, NumberType type);

/// Describes an array by the first bytes of a .npy file.
ArrayCandidate describe_array(std::string name, std::span<const std::byte> npy);

/// Returns the requested array, or the only array that can be the scores. Throws bad_input or
/// usage, and lists the arrays. Unless an array is requested, one that is damaged is an error: it
/// may be the scores.
std::size_t choose_array(const std::vector<ArrayCandidate>& candidates, const std::string& wanted);

/// Moves labels and ids that belong to the scores into `source`, and notes the other arrays. `npy`
/// gives the whole .npy file of a candidate. Throws bad_input if their number differs from the
/// rows, or if an array with a name of labels or ids is damaged.
void take_arrays_beside(ScoreSource& source, const std::vector<ArrayCandidate>& candidates,
                        std::size_t chosen,
                        const std::function<std::vector<std::byte>(std::size_t)>& npy);

/// Notes the unused arrays: all except the chosen one, its labels and its ids.
void note_other_arrays(ScoreSource& source, const std::vector<ArrayCandidate>& candidates,
                       std::size_t chosen, std::optional<std::size_t> truth = std::nullopt,
                       std::optional<std::size_t> ids = std::nullopt);

/// Scores, predicted classes or one score per row. `view` must outlive the source.
ScoreSource source_of_array(const NpyView& view, const SourceOptions& options);

}  // namespace assay::store
