// Tables of typed columns, processed in batches of rows. Files of columns (Parquet, Arrow) are
// written from them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

enum class ColumnType : std::uint8_t { text, int32, float32, float64, boolean, int32s, float32s };

struct ColumnSpec {
    std::string name;
    ColumnType type = ColumnType::text;
    bool repeats = false;      ///< texts with few distinct values
    std::uint32_t length = 0;  ///< for lists of float32: the number of elements in each non-null
                               ///< row
};

/// Rows of one column. A null row has no value, so a row's position among the values depends on the
/// rows before it.
struct ColumnRows {
    std::vector<std::uint8_t> there{};   ///< one entry per row; 0 means null
    std::string text{};                  ///< all texts, concatenated
    std::vector<std::uint32_t> sizes{};  ///< the size of each non-null text or list
    std::vector<std::int32_t> int32{};
    std::vector<float> float32{};
    std::vector<double> float64{};
    std::vector<std::uint8_t> boolean{};

    void append(const ColumnRows& more);
    /// The approximate size of the values in bytes.
    std::uint64_t bytes() const;
};

struct ColumnTable {
    std::vector<ColumnSpec> specs{};
    std::vector<ColumnRows> columns{};  ///< one entry per spec

    std::size_t rows() const { return columns.empty() ? 0 : columns.front().there.size(); }
    std::uint64_t bytes() const;
    void append(const ColumnTable& more);
    /// Removes the rows and keeps the columns.
    void clear();
};

/// A file that is written from start to end. Only one piece at a time is in memory.
class ColumnFile {
public:
    virtual ~ColumnFile() = default;
    /// Writes the next rows: at most 65,536 of them, and at most a GiB.
    virtual void write(const ColumnTable& rows) = 0;
    virtual void finish() = 0;
};

}  // namespace assay
