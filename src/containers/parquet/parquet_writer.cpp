#include "containers/parquet/parquet_writer.h"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>
#include <unordered_map>

#include "assay/error.h"
#include "assay/version.h"
#include "containers/parquet/format.h"
#include "containers/parquet/hybrid_write.h"
#include "containers/parquet/thrift_writer.h"
#include "core/parallel.h"

namespace assay::parquet {
namespace {

constexpr std::uint64_t page_bytes = std::uint64_t{1} << 20;
/// Higher compression levels take several times as long and save only a few percent.
constexpr int zstd_level = 1;

enum Repetition { required = 0, optional = 1, repeated = 2 };

Physical physical_of(ColumnType type) {
    switch (type) {
        case ColumnType::text:
            return Physical::byte_array;
        case ColumnType::int32:
        case ColumnType::int32s:
            return Physical::int32;
        case ColumnType::float32:
        case ColumnType::float32s:
            return Physical::float32;
        case ColumnType::float64:
            return Physical::float64;
        case ColumnType::boolean:
            return Physical::boolean;
    }
    return Physical::boolean;
}

bool is_list(ColumnType type) {
    return type == ColumnType::int32s || type == ColumnType::float32s;
}

ThriftStruct element(std::string_view name, int repetition) {
    return ThriftStruct().i32(3, repetition).text(4, name);
}

/// The schema in depth-first order. A list takes three levels, as the format requires.
std::vector<ThriftStruct> schema_of(const std::vector<ColumnSpec>& columns) {
    std::vector<ThriftStruct> all;
    all.push_back(
        ThriftStruct().text(4, "schema").i32(5, static_cast<std::int64_t>(columns.size())));
    for (const ColumnSpec& column : columns) {
        const auto physical = static_cast<std::int64_t>(physical_of(column.type));
        if (is_list(column.type)) {
            all.push_back(element(column.name, optional)
                              .i32(5, 1)
                              .i32(6, 3)
                              .structure(10, ThriftStruct().structure(3, ThriftStruct())));
            all.push_back(element("list", repeated).i32(5, 1));
            all.push_back(ThriftStruct().i32(1, physical).i32(3, required).text(4, "element"));
            continue;
        }
        ThriftStruct leaf = ThriftStruct().i32(1, physical).i32(3, optional).text(4, column.name);
        if (column.type == ColumnType::text)
            leaf.i32(6, 0).structure(10, ThriftStruct().structure(1, ThriftStruct()));
        all.push_back(leaf);
    }
    return all;
}

template <class T>
std::string bytes_of(std::span<const T> values) {
    return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

std::string little32(std::uint32_t value) {
    return bytes_of(std::span<const std::uint32_t>(&value, 1));
}

std::string packed(std::string_view bytes) {
    std::string out(ZSTD_compressBound(bytes.size()), '\0');
    const std::size_t size =
        ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), zstd_level);
    if (ZSTD_isError(size) != 0)
        throw Error(ErrorCode::internal, fmt::format("zstd: {}", ZSTD_getErrorName(size)));
    out.resize(size);
    return out;
}

/// Numbers the texts of a column in the order of their first occurrence.
struct Dictionary {
    std::vector<std::string_view> texts;
    std::vector<std::uint32_t> numbers;  ///< number of each value's text
};

/// The pages of one column of a group, and their description in the footer.
class ChunkWriter {
public:
    ChunkWriter(const ColumnSpec& spec, const ColumnRows& rows) : spec_(spec), rows_(rows) {
        for (std::size_t at = 0; const std::uint32_t size : rows_.sizes) {
            if (spec_.type == ColumnType::text)
                texts_.push_back(std::string_view(rows_.text).substr(at, size));
            at += size;
        }
    }

    void make() {
        if (spec_.repeats) find_dictionary();
        if (!dictionary_.texts.empty()) {
            std::string values;
            for (const std::string_view text : dictionary_.texts) append_text(values, text);
            page(values, ThriftStruct().i32(1, 2), 7,
                 ThriftStruct()
                     .i32(1, static_cast<std::int64_t>(dictionary_.texts.size()))
                     .i32(2, static_cast<std::int64_t>(Encoding::plain)));
        }
        first_data_page_ = bytes_.size();
        const std::size_t rows = rows_.there.size();
        const std::size_t each =
            std::clamp<std::size_t>(rows_.bytes() == 0 ? rows : page_bytes * rows / rows_.bytes(),
                                    1, std::max<std::size_t>(rows, 1));
        for (std::size_t row = 0; row < rows; row += each)
            data_page(row, std::min(rows, row + each));
    }

    const std::string& bytes() const { return bytes_; }
    std::uint64_t unpacked() const { return unpacked_; }

    /// The description for a file in which the chunk begins at `start`.
    ThriftStruct described(std::uint64_t start) const {
        std::vector<std::int32_t> encodings = {static_cast<std::int32_t>(Encoding::plain),
                                               static_cast<std::int32_t>(Encoding::rle)};
        if (!dictionary_.texts.empty())
            encodings.push_back(static_cast<std::int32_t>(Encoding::rle_dictionary));
        std::vector<std::string> path = {spec_.name};
        if (is_list(spec_.type)) path.insert(path.end(), {"list", "element"});
        ThriftStruct meta;
        meta.i32(1, static_cast<std::int64_t>(physical_of(spec_.type)))
            .numbers(2, encodings)
            .texts(3, path)
            .i32(4, static_cast<std::int64_t>(Codec::zstd))
            .i64(5, static_cast<std::int64_t>(slots_))
            .i64(6, static_cast<std::int64_t>(unpacked_))
            .i64(7, static_cast<std::int64_t>(bytes_.size()))
            .i64(9, static_cast<std::int64_t>(start + first_data_page_));
        if (!dictionary_.texts.empty()) meta.i64(11, static_cast<std::int64_t>(start));
        meta.structure(12, statistics());
        return ThriftStruct().i64(2, static_cast<std::int64_t>(start)).structure(3, meta);
    }

private:
    static void append_text(std::string& out, std::string_view text) {
        out += little32(static_cast<std::uint32_t>(text.size()));
        out += text;
    }

    /// Without a dictionary if texts hardly repeat, because it would only slow readers down.
    void find_dictionary() {
        std::unordered_map<std::string_view, std::uint32_t> known;
        for (const std::string_view text : texts_) {
            const auto [place, fresh] =
                known.emplace(text, static_cast<std::uint32_t>(dictionary_.texts.size()));
            if (fresh) dictionary_.texts.push_back(text);
            dictionary_.numbers.push_back(place->second);
        }
        if (2 * dictionary_.texts.size() > texts_.size() + 2) dictionary_ = {};
    }

    /// `number` is the field number of `own`, the page's own header.
    void page(const std::string& values, ThriftStruct head, int number, const ThriftStruct& own) {
        const std::string small = packed(values);
        head.i32(2, static_cast<std::int64_t>(values.size()))
            .i32(3, static_cast<std::int64_t>(small.size()))
            .structure(number, own);
        const std::string header = head.bytes();
        bytes_ += header + small;
        unpacked_ += header.size() + values.size();
    }

    static std::string levels(std::span<const std::uint32_t> values, unsigned bit_width) {
        const std::string runs = hybrid_bytes(values, bit_width);
        return little32(static_cast<std::uint32_t>(runs.size())) + runs;
    }

    void data_page(std::size_t begin, std::size_t end) {
        const bool list = is_list(spec_.type);
        std::vector<std::uint32_t> repetitions, definitions;
        std::size_t values = 0, items = 0;  // non-null lists or texts, and their elements
        for (std::size_t row = begin; row < end; ++row) {
            const bool there = rows_.there[row] != 0;
            if (!list) {
                definitions.push_back(there ? 1 : 0);
                values += there ? 1 : 0;
                continue;
            }
            const std::uint32_t size = there ? rows_.sizes[next_list_ + values] : 0;
            repetitions.push_back(0);
            definitions.push_back(!there ? 0 : size == 0 ? 1 : 2);
            if (size > 1) {
                repetitions.insert(repetitions.end(), size - 1, 1);
                definitions.insert(definitions.end(), size - 1, 2);
            }
            values += there ? 1 : 0;
            items += size;
        }
        std::string page_values;
        if (list) page_values += levels(repetitions, 1);
        page_values += levels(definitions, list ? 2 : 1);
        const bool indexed = !dictionary_.texts.empty();
        if (indexed) {
            const unsigned width =
                bits_of(static_cast<std::uint32_t>(dictionary_.texts.size() - 1));
            page_values += static_cast<char>(width);
            page_values +=
                hybrid_bytes(std::span(dictionary_.numbers).subspan(next_value_, values), width);
        } else {
            append_values(page_values, next_value_, list ? items : values);
        }
        next_list_ += list ? values : 0;
        next_value_ += list ? items : values;
        slots_ += definitions.size();
        page(page_values, ThriftStruct().i32(1, 0), 5,
             ThriftStruct()
                 .i32(1, static_cast<std::int64_t>(definitions.size()))
                 .i32(2, static_cast<std::int64_t>(indexed ? Encoding::rle_dictionary
                                                           : Encoding::plain))
                 .i32(3, static_cast<std::int64_t>(Encoding::rle))
                 .i32(4, static_cast<std::int64_t>(Encoding::rle)));
    }

    void append_values(std::string& out, std::size_t first, std::size_t count) const {
        switch (spec_.type) {
            case ColumnType::text:
                for (std::size_t i = first; i < first + count; ++i) append_text(out, texts_[i]);
                return;
            case ColumnType::int32:
            case ColumnType::int32s:
                out += bytes_of(std::span(rows_.int32).subspan(first, count));
                return;
            case ColumnType::float32:
            case ColumnType::float32s:
                out += bytes_of(std::span(rows_.float32).subspan(first, count));
                return;
            case ColumnType::float64:
                out += bytes_of(std::span(rows_.float64).subspan(first, count));
                return;
            case ColumnType::boolean: {
                std::string bits((count + 7) / 8, '\0');
                for (std::size_t i = 0; i < count; ++i) {
                    if (rows_.boolean[first + i] != 0)
                        bits[i / 8] = static_cast<char>(bits[i / 8] | 1 << i % 8);
                }
                out += bits;
                return;
            }
        }
    }

    /// The smallest and the greatest value. Omitted if a value is NaN, which has no place in the
    /// order. If one of them is zero, the range includes both zeros, because readers do not
    /// distinguish them.
    template <class T>
    static void add_range(ThriftStruct& out, const std::vector<T>& values) {
        if (values.empty()) return;
        const auto is_none = [](T value) { return value != value; };
        if (std::any_of(values.begin(), values.end(), is_none)) return;
        auto [low, high] = std::minmax_element(values.begin(), values.end());
        T least = *low, greatest = *high;
        if constexpr (std::is_floating_point_v<T>) {
            if (least == 0) least = -T{0};
            if (greatest == 0) greatest = T{0};
        }
        out.text(5, bytes_of(std::span<const T>(&greatest, 1)));
        out.text(6, bytes_of(std::span<const T>(&least, 1)));
    }

    ThriftStruct statistics() const {
        ThriftStruct out;
        out.i64(3, static_cast<std::int64_t>(
                       std::count(rows_.there.begin(), rows_.there.end(), std::uint8_t{0})));
        if (spec_.type == ColumnType::int32) add_range(out, rows_.int32);
        if (spec_.type == ColumnType::float32) add_range(out, rows_.float32);
        if (spec_.type == ColumnType::float64) add_range(out, rows_.float64);
        return out;
    }

    const ColumnSpec& spec_;
    const ColumnRows& rows_;
    std::vector<std::string_view> texts_;
    Dictionary dictionary_;
    std::string bytes_;
    std::uint64_t unpacked_ = 0, slots_ = 0;
    std::size_t first_data_page_ = 0;
    std::size_t next_value_ = 0, next_list_ = 0;
};

class ParquetFile final : public ColumnFile {
public:
    ParquetFile(std::vector<ColumnSpec> columns,
                std::vector<std::pair<std::string, std::string>> metadata, int threads,
                std::function<void(std::string_view)> out)
        : columns_(std::move(columns)),
          metadata_(std::move(metadata)),
          threads_(threads),
          out_(std::move(out)) {
        put("PAR1");
    }

    void write(const ColumnTable& rows) override {
        if (rows.rows() == 0) return;
        std::vector<ChunkWriter> chunks;
        chunks.reserve(columns_.size());
        for (std::size_t c = 0; c < columns_.size(); ++c)
            chunks.emplace_back(columns_[c], rows.columns[c]);
        parallel_blocks(chunks.size(), threads_, [&](std::size_t c) { chunks[c].make(); });
        std::vector<ThriftStruct> described;
        std::uint64_t unpacked = 0;
        for (const ChunkWriter& chunk : chunks) {
            described.push_back(chunk.described(at_));
            unpacked += chunk.unpacked();
            put(chunk.bytes());
        }
        const auto n = static_cast<std::int64_t>(rows.rows());
        groups_.push_back(ThriftStruct()
                              .structures(1, described)
                              .i64(2, static_cast<std::int64_t>(unpacked))
                              .i64(3, n));
        rows_ += n;
    }

    void finish() override {
        std::vector<ThriftStruct> pairs, orders;
        for (const auto& [key, value] : metadata_)
            pairs.push_back(ThriftStruct().text(1, key).text(2, value));
        for (std::size_t c = 0; c < columns_.size(); ++c)
            orders.push_back(ThriftStruct().structure(1, ThriftStruct()));
        ThriftStruct footer;
        footer.i32(1, 2)
            .structures(2, schema_of(columns_))
            .i64(3, rows_)
            .structures(4, groups_)
            .structures(5, pairs)
            .text(6, fmt::format("assay version {}", version))
            .structures(7, orders);
        const std::string bytes = footer.bytes();
        put(bytes);
        put(little32(static_cast<std::uint32_t>(bytes.size())));
        put("PAR1");
    }

private:
    void put(std::string_view bytes) {
        out_(bytes);
        at_ += bytes.size();
    }

    std::vector<ColumnSpec> columns_;
    std::vector<std::pair<std::string, std::string>> metadata_;
    int threads_;
    std::function<void(std::string_view)> out_;
    std::uint64_t at_ = 0;
    std::int64_t rows_ = 0;
    std::vector<ThriftStruct> groups_;
};

}  // namespace

std::unique_ptr<ColumnFile> write_parquet(std::vector<ColumnSpec> columns,
                                          std::vector<std::pair<std::string, std::string>> metadata,
                                          int threads, std::function<void(std::string_view)> out) {
    return std::make_unique<ParquetFile>(std::move(columns), std::move(metadata), threads,
                                         std::move(out));
}

}  // namespace assay::parquet
