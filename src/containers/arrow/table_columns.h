// The cells of a batch of an Arrow table as texts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "containers/arrow/stream_reader.h"
#include "containers/parquet/format.h"
#include "containers/parquet/unpack.h"

namespace assay::arrow {

/// The buffers of a batch. Those that are not compressed stay in the file.
class BatchBuffers {
public:
    /// Both arguments must outlive this object.
    BatchBuffers(std::span<const std::byte> file, const StreamBatch& batch)
        : file_(file), batch_(batch) {}

    const StreamBatch& batch() const noexcept { return batch_; }
    /// The buffer's bytes, unpacked at the first call and kept. Throws bad_input: damaged, or
    /// `most_unpacked` bytes in all.
    std::span<const std::byte> bytes(const StreamBuffer& place);

    static constexpr std::uint64_t most_unpacked = std::uint64_t{2} << 30;

private:
    std::span<const std::byte> file_;
    const StreamBatch& batch_;
    std::map<std::uint64_t, parquet::Buffer> unpacked_;  ///< by their position in the file
    std::uint64_t unpacked_bytes_ = 0;
};

/// The values of a dictionary as texts; nothing for a null.
using DictionaryTexts = std::vector<std::optional<std::string>>;

/// A column of a batch: null, numbers, booleans, decimals, texts, or a dictionary of them.
class TableColumn {
public:
    /// True if columns of this type can be written as text.
    static bool has_text(const StreamField& field);

    /// The field, the buffers and `dictionary` must outlive this object; `dictionary` is for fields
    /// of that type. Throws bad_input: damaged, or shorter than the batch's rows.
    TableColumn(BatchBuffers& buffers, const StreamField& field, const DictionaryTexts* dictionary);

    /// Appends the text of a row: numbers with all their digits, "True" and "False". Appends
    /// nothing for a null and a NaN. Returns false for a null. Throws bad_input: damaged.
    bool append(std::string& out, std::uint64_t row) const;

private:
    std::uint64_t number(std::uint64_t place, std::size_t width) const;
    void append_number(std::string& out, std::uint64_t row) const;
    void append_text(std::string& out, std::uint64_t row) const;
    void append_view(std::string& out, std::uint64_t row) const;

    const StreamField* field_;
    const DictionaryTexts* dictionary_;
    parquet::Column like_;
    std::span<const std::byte> valid_;  ///< empty if nothing is null
    std::span<const std::byte> values_, texts_;
    std::vector<std::span<const std::byte>> of_views_;
};

}  // namespace assay::arrow
