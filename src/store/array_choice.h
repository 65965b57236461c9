// Which of a file's arrays are the scores, and which the labels and ids beside them.
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

/// Labels and ids beside the scores are in memory while they are read.
constexpr std::uint64_t max_bytes_beside = 1ULL << 30;

struct ArrayCandidate {
    std::string name{};
    std::string described{};  ///< shape and type, or in brackets why it is not read
    bool matrix = false;
    bool column = false;
    bool texts = false;  ///< one a row
    std::uint64_t count = 0;
};

/// Whether it holds whole numbers, one a row: predicted classes or labels.
bool is_array_column(const std::vector<std::uint64_t>& shape, NumberType type);

/// By the first bytes of a .npy file.
ArrayCandidate describe_array(std::string name, std::span<const std::byte> npy);

/// The wanted array, or the only one that can be the scores. Throws bad_input or usage, with what
/// there is.
std::size_t choose_array(const std::vector<ArrayCandidate>& candidates, const std::string& wanted);

/// Labels and ids that lie beside the scores go into `source`, and a note names the other arrays.
/// `npy`: the whole .npy file of a candidate. Throws bad_input: another number than the rows.
void take_arrays_beside(ScoreSource& source, const std::vector<ArrayCandidate>& candidates,
                        std::size_t chosen,
                        const std::function<std::vector<std::byte>(std::size_t)>& npy);

/// Notes which arrays are not used: all but the chosen one, its labels and its ids.
void note_other_arrays(ScoreSource& source, const std::vector<ArrayCandidate>& candidates,
                       std::size_t chosen, std::optional<std::size_t> truth = std::nullopt,
                       std::optional<std::size_t> ids = std::nullopt);

/// Scores, predicted classes or one score per row. `view` outlives the source.
ScoreSource source_of_array(const NpyView& view, const SourceOptions& options);

}  // namespace assay::store
