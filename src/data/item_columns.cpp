#include "data/item_columns.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "assay/error.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/json_limits.h"
#include "core/paths.h"
#include "core/record_file.h"
#include "core/text.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// The file has a line with the checksum of everything after it, a line of JSON that describes the
// rest, and then the arrays. Each array starts at a multiple of 64 bytes, in the machine's byte
// order.
constexpr RecordSchema columns_schema{"assay.item_columns/1"};
constexpr std::uint64_t alignment = 64;
constexpr std::size_t most_header = std::size_t{16} << 20;
constexpr const char* byte_order = std::endian::native == std::endian::little ? "little" : "big";

struct Array {
    std::string name;
    std::span<const std::byte> bytes;
};

struct ArrayFacts {
    std::string name;
    std::uint64_t bytes = 0;
};
/// Describes the arrays after the header.
struct ColumnsHeader {
    std::string byte_order;
    std::uint64_t rows = 0;
    std::string items_xxh128;  ///< hash of the csv file with the same content
    std::vector<ArrayFacts> arrays;
};

}  // namespace

template <>
inline constexpr auto description<ArrayFacts> = describe<ArrayFacts>({
    field<&ArrayFacts::name>({}),
    field<&ArrayFacts::bytes>({}),
});
template <>
inline constexpr auto description<ColumnsHeader> = describe<ColumnsHeader>({
    field<&ColumnsHeader::byte_order>({}),
    field<&ColumnsHeader::rows>({}),
    field<&ColumnsHeader::items_xxh128>({}),
    field<&ColumnsHeader::arrays>({}),
});

namespace {

template <class T>
std::span<const std::byte> bytes_of(std::span<const T> values) {
    return std::as_bytes(values);
}

std::uint64_t aligned(std::uint64_t at) {
    return (at + alignment - 1) / alignment * alignment;
}

/// The content of the csv file: label sets of all items, and no paths if each path is the item's
/// id.
struct Written {
    LabelSets labels;
    StringColumn paths;
    explicit Written(const Dataset& dataset) : labels(dataset.labels), paths(dataset.paths) {
        while (labels.size() < dataset.size()) labels.append({});
        if (paths.text().empty()) paths = {};
    }
};

std::vector<Array> arrays_of(const Dataset& dataset, const Written& written) {
    std::vector<Array> arrays;
    const auto add = [&](const std::string& name, const StringColumn& column) {
        arrays.push_back({name + ".text", bytes_of(column.text())});
        arrays.push_back({name + ".ends", bytes_of(column.ends())});
    };
    add("id", dataset.ids);
    add("path", written.paths);
    arrays.push_back({"labels.offsets", bytes_of(written.labels.offsets())});
    arrays.push_back({"labels.classes", bytes_of(written.labels.classes())});
    for (const Dataset::Attribute& attribute : dataset.attributes)
        add("attribute." + attribute.name, attribute.values);
    return arrays;
}

/// Arrays of a mapped file, by name.
class Mapped {
public:
    Mapped(std::shared_ptr<const MappedFile> file, const std::vector<ArrayFacts>& arrays,
           std::uint64_t begin)
        : file_(std::move(file)), rest_(begin) {
        for (const auto& [name, bytes] : arrays) {
            const std::uint64_t at = aligned(rest_), size = file_->bytes().size();
            if (at > size || bytes > size - at) throw Error(ErrorCode::bad_input, "too short");
            arrays_.push_back({name, file_->bytes().subspan(static_cast<std::size_t>(at),
                                                            static_cast<std::size_t>(bytes))});
            rest_ = at + bytes;
        }
    }
    bool is_all() const { return rest_ == file_->bytes().size(); }

    template <class T>
    HeldArray<T> take(const std::string& name) {
        if (next_ == arrays_.size() || arrays_[next_].name != name ||
            arrays_[next_].bytes.size() % sizeof(T) != 0)
            throw Error(ErrorCode::bad_input, "no array " + name);
        const std::span<const std::byte> bytes = arrays_[next_++].bytes;
        return HeldArray<T>(
            file_, std::span(reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)));
    }
    StringColumn take_column(const std::string& name) {
        auto text = take<char>(name + ".text");
        return StringColumn(std::move(text), take<std::uint64_t>(name + ".ends"));
    }
    std::string attribute_next() const {
        constexpr std::string_view before = "attribute.", behind = ".text";
        const std::string& name = arrays_[next_].name;
        if (!name.starts_with(before) || !name.ends_with(behind)) return {};
        return name.substr(before.size(), name.size() - before.size() - behind.size());
    }
    bool ended() const { return next_ == arrays_.size(); }

private:
    std::shared_ptr<const MappedFile> file_;
    std::uint64_t rest_;
    std::vector<Array> arrays_;
    std::size_t next_ = 0;
};

}  // namespace

void write_item_columns(const Dataset& dataset, std::string_view items_hash, const fs::path& path) {
    const Written written(dataset);
    const std::vector<Array> arrays = arrays_of(dataset, written);
    ColumnsHeader header{byte_order, dataset.size(), std::string(items_hash), {}};
    for (const Array& array : arrays) header.arrays.push_back({array.name, array.bytes.size()});
    const std::string text =
        record_of(columns_schema, header).dump(-1, ' ', true, json::error_handler_t::replace) +
        "\n";
    std::string checksum = hash_text(text) + "\n";  // has the length of the real checksum
    static constexpr std::array<std::byte, alignment> padding{};
    std::vector<std::span<const std::byte>> parts = {
        std::as_bytes(std::span(checksum.data(), checksum.size())),
        std::as_bytes(std::span(text.data(), text.size()))};
    std::uint64_t at = checksum.size() + text.size();
    for (const Array& array : arrays) {
        parts.push_back(std::span(padding).first(static_cast<std::size_t>(aligned(at) - at)));
        parts.push_back(array.bytes);
        at = aligned(at) + array.bytes.size();
    }
    Hasher hasher;
    for (const std::span<const std::byte> part : std::span(parts).subspan(1)) hasher.add(part);
    const std::string right = hasher.digest() + "\n";
    checksum.replace(0, right.size(), right);
    write_file_atomically(path, parts);
}

std::optional<Dataset> map_item_columns(const fs::path& path, std::string_view items_hash) {
    try {
        if (!is_there(path)) return std::nullopt;
        const auto file = std::make_shared<const MappedFile>(path);
        const std::string_view all = file->text();
        const std::size_t first = all.find('\n');
        if (first == std::string_view::npos ||
            all.substr(0, first) != hash_text(all.substr(first + 1)))
            return std::nullopt;
        const std::string_view begin = all.substr(first + 1, most_header);
        const std::string_view text = begin.substr(0, begin.find('\n'));
        constexpr int deepest = 4;
        ColumnsHeader header;
        if (!read_record(parse_json(text, deepest), columns_schema, header) ||
            header.byte_order != byte_order || header.items_xxh128 != items_hash)
            return std::nullopt;
        Mapped mapped(file, header.arrays, first + 1 + text.size() + 1);
        if (!mapped.is_all()) return std::nullopt;
        Dataset dataset;
        dataset.ids = mapped.take_column("id");
        dataset.paths = mapped.take_column("path");
        auto offsets = mapped.take<std::uint64_t>("labels.offsets");
        dataset.labels = LabelSets(std::move(offsets), mapped.take<std::int32_t>("labels.classes"));
        while (!mapped.ended()) {
            std::string name = mapped.attribute_next();
            StringColumn values = mapped.take_column("attribute." + name);
            if (values.size() != dataset.size()) return std::nullopt;
            dataset.attributes.push_back({std::move(name), std::move(values)});
        }
        const bool whole = header.rows == dataset.size() &&
                           dataset.labels.size() == dataset.size() &&
                           (dataset.paths.size() == 0 || dataset.paths.size() == dataset.size());
        return whole ? std::optional(std::move(dataset)) : std::nullopt;
    } catch (const Error& error) {
        if (error.code() == ErrorCode::interrupted) throw;
    }
    return std::nullopt;
}

}  // namespace assay
