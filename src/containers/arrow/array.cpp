#include "containers/arrow/array.h"

#include <algorithm>
#include <span>

namespace assay::arrow {
namespace {

std::string bits(std::span<const std::uint8_t> flags) {
    std::string out((flags.size() + 7) / 8, '\0');
    for (std::size_t i = 0; i < flags.size(); ++i) {
        if (flags[i] != 0) out[i / 8] = static_cast<char>(out[i / 8] | 1 << i % 8);
    }
    return out;
}

/// The end position of each row's text or list. A null has length zero.
std::string offsets(const ColumnRows& rows) {
    std::string out;
    std::int32_t at = 0;
    const auto put = [&] { out.append(reinterpret_cast<const char*>(&at), sizeof at); };
    put();
    for (std::size_t row = 0, next = 0; row < rows.there.size(); ++row) {
        if (rows.there[row] != 0) at += static_cast<std::int32_t>(rows.sizes[next++]);
        put();
    }
    return out;
}

template <class T>
std::string bytes_of(const std::vector<T>& values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

/// Writes `each` values per row, with zeros for a null.
template <class T>
std::string spread(std::span<const std::uint8_t> there, const std::vector<T>& values,
                   std::size_t each = 1) {
    if (values.size() == there.size() * each) return bytes_of(values);
    std::string out(there.size() * each * sizeof(T), '\0');
    const auto* from = reinterpret_cast<const char*>(values.data());
    const std::size_t bytes = each * sizeof(T);
    for (std::size_t row = 0; row < there.size(); ++row) {
        if (there[row] == 0) continue;
        std::copy(from, from + bytes, out.data() + row * bytes);
        from += bytes;
    }
    return out;
}

/// The values of lists. None of the values is null.
Array child_of(std::size_t length, std::string values) {
    return {static_cast<std::int64_t>(length), 0, {std::string(), std::move(values)}};
}

}  // namespace

Array array_of(const ColumnSpec& spec, const ColumnRows& rows) {
    const std::size_t n = rows.there.size();
    Array array;
    array.length = static_cast<std::int64_t>(n);
    array.nulls = std::count(rows.there.begin(), rows.there.end(), std::uint8_t{0});
    array.buffers.push_back(array.nulls == 0 ? std::string() : bits(rows.there));
    switch (spec.type) {
        case ColumnType::text:
            array.buffers.push_back(offsets(rows));
            array.buffers.push_back(rows.text);
            break;
        case ColumnType::int32:
            array.buffers.push_back(spread(rows.there, rows.int32));
            break;
        case ColumnType::float32:
            array.buffers.push_back(spread(rows.there, rows.float32));
            break;
        case ColumnType::float64:
            array.buffers.push_back(spread(rows.there, rows.float64));
            break;
        case ColumnType::boolean: {
            const std::string flags = spread(rows.there, rows.boolean);
            array.buffers.push_back(bits({reinterpret_cast<const std::uint8_t*>(flags.data()), n}));
            break;
        }
        case ColumnType::int32s:
            array.buffers.push_back(offsets(rows));
            array.children.push_back(child_of(rows.int32.size(), bytes_of(rows.int32)));
            break;
        case ColumnType::float32s:
            array.children.push_back(
                child_of(n * spec.length, spread(rows.there, rows.float32, spec.length)));
            break;
    }
    return array;
}

}  // namespace assay::arrow
