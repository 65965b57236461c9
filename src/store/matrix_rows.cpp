#include "store/matrix_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "assay/error.h"

namespace assay::store {
namespace {

std::uint32_t width_of(const ScoreMatrix& m) {
    return std::max(m.columns, 1U);
}

bool is_packed_row(const ScoreMatrix& m) {
    return m.columns <= 1 || m.column_stride == static_cast<std::int64_t>(size_of(m.type));
}

}  // namespace

const std::byte* row_at(const ScoreMatrix& m, std::uint64_t row) {
    return static_cast<const std::byte*>(m.data) + static_cast<std::int64_t>(row) * m.row_stride;
}

bool is_packed(const ScoreMatrix& m) {
    const std::size_t size = size_of(m.type);
    return is_packed_row(m) && m.row_stride == static_cast<std::int64_t>(width_of(m) * size) &&
           reinterpret_cast<std::uintptr_t>(m.data) % size == 0;
}

NumberSpan numbers_of(const ScoreMatrix& m, std::uint64_t row, std::vector<std::byte>& buffer) {
    const std::size_t size = size_of(m.type), width = width_of(m);
    const std::byte* from = row_at(m, row);
    if (is_packed_row(m)) return {m.type, width, {from, width * size}};
    buffer.resize(width * size);
    for (std::size_t c = 0; c < width; ++c, from += m.column_stride)
        std::memcpy(buffer.data() + c * size, from, size);
    return {m.type, width, buffer};
}

void read_rows(const ScoreMatrix& m, std::uint64_t first, std::uint32_t n, std::span<float> out) {
    std::vector<std::byte> buffer;
    for (std::uint32_t r = 0; r < n; ++r)
        numbers_of(m, first + r, buffer)
            .floats(0, out.subspan(std::size_t{r} * m.columns, m.columns));
}

std::vector<TopEntry> read_predicted(const ScoreMatrix& m, std::uint64_t first, std::uint32_t n,
                                     std::uint32_t classes) {
    std::vector<TopEntry> entries(n);
    std::vector<std::byte> buffer;
    for (std::uint32_t r = 0; r < n; ++r) {
        const std::int64_t c = numbers_of(m, first + r, buffer).integer(0);
        if (c < 0 || c >= static_cast<std::int64_t>(classes)) {
            throw Error(ErrorCode::bad_input,
                        fmt::format("the predicted class of row {} is {}; allowed: 0 to {}",
                                    first + r, c, classes - 1));
        }
        entries[r] = {static_cast<std::int32_t>(c), 1.0F};
    }
    return entries;
}

void check_numbers(const ScoreMatrix& m) {
    if (m.rows == 0) throw Error(ErrorCode::usage, "the scores have no rows");
    if (m.columns > 0 && !is_float(m.type)) {
        throw Error(ErrorCode::usage,
                    fmt::format("the scores are a matrix of {} numbers; pass floating-point "
                                "scores, or one predicted class per row",
                                name_of(m.type)));
    }
    if (m.columns == 0 && (is_float(m.type) || m.type == NumberType::b1)) {
        throw Error(ErrorCode::usage,
                    fmt::format("one number of type {} per row; pass whole numbers as predicted "
                                "classes, or scores with one column per class",
                                name_of(m.type)));
    }
}

}  // namespace assay::store
