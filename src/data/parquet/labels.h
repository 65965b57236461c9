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

/// Collects labels file by file, in the files' form, and then finds their classes.
class Labels {
public:
    /// `names` are the class names from the files. If empty, numbers are class numbers, and texts
    /// are names.
    explicit Labels(std::vector<std::string> names) : names_(std::move(names)) {}

    const std::vector<std::string>& names() const noexcept { return names_; }
    /// Appends the first `rows` labels of a file; `file` is for messages. A null, a NaN (pandas
    /// stores nulls among integers this way) and -1 (in the test splits of Hugging Face) are no
    /// label. The boolean true is 1, and false is 0. Throws bad_input, naming file and row, for a
    /// number that is negative, not whole, or without a name.
    void add(const std::string& file, const SourceFile& source, const ColumnIndex& index,
             const Column& column, std::uint64_t rows);
    /// Adds one label, a number or a text, found at `place` (a file and a member of it). Throws as
    /// above.
    void add(std::int64_t number, const std::string& place);
    void add(std::string text, const std::string& place);
    /// Adds rows without a label, for a file without a label column.
    void add_unlabelled(std::uint64_t rows) { rows_.resize(rows_.size() + rows, -1); }

    struct Classes {
        ClassList classes;
        std::vector<std::int32_t> label_of;  ///< one class per row, -1 for a row without a label
        std::string note;                    ///< the assumption
    };
    /// The classes, and the class of each row. Labels are looked up in `known`, a classifier's
    /// classes, if given. Throws bad_input for a label that is none of these classes.
    Classes resolve(const ClassList& known) const;

private:
    /// A label, which is a number or a text, and the place of its first occurrence.
    struct Value {
        std::int64_t number = 0;
        std::string text;
        std::string file;
        std::uint64_t row = 0;
    };
    /// Checks that all labels are of one kind.
    void take_kind(bool texts, const std::string& file);
    std::int32_t value_of(std::int64_t number, const std::string& file, std::uint64_t row);
    std::int32_t value_of(std::string text, const std::string& file, std::uint64_t row);
    std::int32_t value_of(const Column& column, std::span<const std::byte> bytes,
                          const std::string& file, std::uint64_t row);
    /// In the result, Classes::label_of has indices into values_.
    Classes named(const ClassList& known) const;
    Classes numbered(const ClassList& known) const;
    Classes texts(const ClassList& known) const;

    std::vector<std::string> names_;
    std::vector<Value> values_;       ///< different ones
    std::vector<std::int32_t> rows_;  ///< indices into values_, or -1
    std::unordered_map<std::int64_t, std::int32_t> by_number_;
    std::unordered_map<std::string, std::int32_t> by_text_;
    bool has_texts_ = false, has_numbers_ = false;
};

}  // namespace assay::parquet
