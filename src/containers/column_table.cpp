#include "containers/column_table.h"

namespace assay {
namespace {

template <class T>
void append_values(std::vector<T>& all, const std::vector<T>& more) {
    all.insert(all.end(), more.begin(), more.end());
}

}  // namespace

void ColumnRows::append(const ColumnRows& more) {
    append_values(there, more.there);
    text += more.text;
    append_values(sizes, more.sizes);
    append_values(int32, more.int32);
    append_values(float32, more.float32);
    append_values(float64, more.float64);
    append_values(boolean, more.boolean);
}

std::uint64_t ColumnRows::bytes() const {
    return there.size() + text.size() + 4 * (sizes.size() + int32.size() + float32.size()) +
           8 * float64.size() + boolean.size();
}

std::uint64_t ColumnTable::bytes() const {
    std::uint64_t all = 0;
    for (const ColumnRows& column : columns) all += column.bytes();
    return all;
}

void ColumnTable::append(const ColumnTable& more) {
    for (std::size_t c = 0; c < columns.size(); ++c) columns[c].append(more.columns[c]);
}

void ColumnTable::clear() {
    columns.assign(specs.size(), {});
}

}  // namespace assay
