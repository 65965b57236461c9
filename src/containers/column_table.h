// A table of typed columns, some rows of it at a time: what files of columns (Parquet, Arrow) are
// written from.
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
    bool repeats = false;      ///< texts of which there are few
    std::uint32_t length = 0;  ///< of float32s: of each row that is there
};

/// Rows of one column. What is null has no value: a row's place among the values follows from the
/// rows before it.
struct ColumnRows {
    std::vector<std::uint8_t> there{};   ///< a row each: 0 is null
    std::string text{};                  ///< all texts, one behind the other
    std::vector<std::uint32_t> sizes{};  ///< of each text or list that is there
    std::vector<std::int32_t> int32{};
    std::vector<float> float32{};
    std::vector<double> float64{};
    std::vector<std::uint8_t> boolean{};

    void append(const ColumnRows& more);
    /// Bytes of the values, about.
    std::uint64_t bytes() const;
};

struct ColumnTable {
    std::vector<ColumnSpec> specs{};
    std::vector<ColumnRows> columns{};  ///< one for each spec

    std::size_t rows() const { return columns.empty() ? 0 : columns.front().there.size(); }
    std::uint64_t bytes() const;
    void append(const ColumnTable& more);
    /// As many columns, without rows.
    void clear();
};

/// A file that is written front to back, in pieces that are held in memory one at a time.
class ColumnFile {
public:
    virtual ~ColumnFile() = default;
    /// The next rows; at most 65,536 of them, and at most a GiB.
    virtual void write(const ColumnTable& rows) = 0;
    virtual void finish() = 0;
};

}  // namespace assay
