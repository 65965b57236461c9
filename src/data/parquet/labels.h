// The column of labels of one or more files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "assay/data/class_list.h"
#include "containers/parquet/column_index.h"
#include "containers/source_file.h"

namespace assay::parquet {

/// Labels as they stand in the files, collected file by file, and then their classes.
class Labels {
public:
    /// `names`: of the classes, as the files say, or empty: then numbers are classes as they are,
    /// and texts are names.
    explicit Labels(std::vector<std::string> names) : names_(std::move(names)) {}

    const std::vector<std::string>& names() const noexcept { return names_; }
    /// Appends the first `rows` labels of a file; `file`: for messages. A null, a NaN (what pandas
    /// makes of nulls beside whole numbers) and -1 (what the test splits of Hugging Face have) are
    /// no label; true is 1, false is 0. Throws bad_input, naming file and row: a negative number,
    /// one that is not whole, or one without a name.
    void add(const std::string& file, const SourceFile& source, const ColumnIndex& index,
             const Column& column, std::uint64_t rows);
    /// One label, found at `place` (a file and a member of it): a number, or a text. Throws as the
    /// above.
    void add(std::int64_t number, const std::string& place);
    void add(std::string text, const std::string& place);
    /// Rows without a label, of a file without such a column.
    void add_unlabelled(std::uint64_t rows) { rows_.resize(rows_.size() + rows, -1); }

    struct Classes {
        ClassList classes;
        std::vector<std::int32_t> label_of;  ///< of each row, -1 where it has none
        std::string note;                    ///< what was assumed
    };
    /// The classes, and those of the rows. `known`: a classifier's classes, in which they are
    /// looked up, or none. Throws bad_input: a label that is none of them.
    Classes resolve(const ClassList& known) const;

private:
    /// A label, a number or a text, and where it stands first.
    struct Value {
        std::int64_t number = 0;
        std::string text;
        std::string file;
        std::uint64_t row = 0;
    };
    /// Labels of one kind throughout.
    void take_kind(bool texts, const std::string& file);
    std::int32_t value_of(std::int64_t number, const std::string& file, std::uint64_t row);
    std::int32_t value_of(std::string text, const std::string& file, std::uint64_t row);
    std::int32_t value_of(const Column& column, std::span<const std::byte> bytes,
                          const std::string& file, std::uint64_t row);
    /// Classes::label_of is that of values_ here.
    Classes named(const ClassList& known) const;
    Classes numbered(const ClassList& known) const;
    Classes texts(const ClassList& known) const;

    std::vector<std::string> names_;
    std::vector<Value> values_;       ///< different ones
    std::vector<std::int32_t> rows_;  ///< into values_, or -1
    std::unordered_map<std::int64_t, std::int32_t> by_number_;
    std::unordered_map<std::string, std::int32_t> by_text_;
    bool has_texts_ = false, has_numbers_ = false;
};

}  // namespace assay::parquet
