// A small writer of Parquet files of images. It can also write false metadata.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay::made_parquet {

inline std::string little_bytes(std::uint64_t value, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i) text += static_cast<char>((value >> (8 * i)) & 0xff);
    return text;
}

/// A structure of Thrift's compact protocol with its fields in ascending order.
class ThriftStruct {
public:
    ThriftStruct& i32(int id, std::int64_t value) { return field(id, 5, zigzag(value)); }
    ThriftStruct& i64(int id, std::int64_t value) { return field(id, 6, zigzag(value)); }
    ThriftStruct& text(int id, std::string_view value) {
        return field(id, 8, varint(value.size()) + std::string(value));
    }
    ThriftStruct& structure(int id, const ThriftStruct& value) {
        return field(id, 12, value.bytes());
    }
    ThriftStruct& structures(int id, const std::vector<ThriftStruct>& values) {
        std::string list = "\xfc" + varint(values.size());
        for (const ThriftStruct& value : values) list += value.bytes();
        return field(id, 9, list);
    }
    /// Writes any bytes as the value of a field of any type.
    ThriftStruct& field(int id, int type, const std::string& value) {
        out_ += static_cast<char>((id - last_) << 4 | type);
        out_ += value;
        last_ = id;
        return *this;
    }
    std::string bytes() const { return out_ + '\0'; }

    static std::string varint(std::uint64_t value) {
        std::string text;
        for (; value >= 0x80; value >>= 7) text += static_cast<char>((value & 0x7f) | 0x80);
        return text + static_cast<char>(value);
    }

private:
    static std::string zigzag(std::int64_t value) {
        return varint((static_cast<std::uint64_t>(value) << 1) ^
                      static_cast<std::uint64_t>(value >> 63));
    }
    std::string out_;
    int last_ = 0;
};

using Image = std::optional<std::string>;

/// False metadata to write into a file.
struct Claims {
    int codec = 0;
    std::optional<std::string> packed_page{};  ///< images to write instead of the generated ones
    std::optional<std::int64_t> page_size{}, packed_size{}, page_values{};
    std::optional<std::int64_t> rows{}, group_rows{}, values{}, chunk_start{}, chunk_size{}, crc{};
    std::optional<std::int64_t> metadata_size{};
    int encoding = 0;
    int schema_children = 2;
    std::string huggingface{};  ///< description of the columns by `datasets`, or "" for none
};

/// An uncompressed page of images: definition levels as bit-packed runs, then plain values.
inline std::string image_page(const std::vector<Image>& images) {
    std::string levels = ThriftStruct::varint((images.size() + 7) / 8 << 1 | 1);
    for (std::size_t i = 0; i < images.size(); i += 8) {
        int byte = 0;
        for (std::size_t k = i; k < i + 8 && k < images.size(); ++k)
            byte |= images[k] ? 1 << (k - i) : 0;
        levels += static_cast<char>(byte);
    }
    std::string page = little_bytes(levels.size(), 4) + levels;
    for (const Image& image : images)
        if (image) page += little_bytes(image->size(), 4) + *image;
    return page;
}

inline std::string label_page(const std::vector<std::int64_t>& labels) {
    std::string page;
    for (const std::int64_t label : labels)
        page += little_bytes(static_cast<std::uint64_t>(label), 8);
    return page;
}

/// An element of the schema. It is a leaf if `type` is not negative.
inline ThriftStruct element(std::string_view name, int type, int repetition, int children = 0) {
    ThriftStruct out;
    if (type >= 0) out.i32(1, type);
    if (repetition >= 0) out.i32(3, repetition);
    out.text(4, name);
    if (children > 0) out.i32(5, children);
    return out;
}

/// Columns `image` (bytes, may be null) and `label` (int64), in one row group, with one page each.
inline std::string file_of(const std::vector<Image>& images,
                           const std::vector<std::int64_t>& labels, const Claims& claims = {}) {
    const auto n = static_cast<std::int64_t>(images.size());
    const auto chunk = [&](const std::string& page, const std::string& packed, const Claims& c,
                           int type, std::size_t start, std::string& bytes) {
        ThriftStruct header;
        header.i32(1, 0)
            .i32(2, c.page_size.value_or(static_cast<std::int64_t>(page.size())))
            .i32(3, c.packed_size.value_or(static_cast<std::int64_t>(packed.size())));
        if (c.crc) header.i32(4, *c.crc);
        header.structure(5, ThriftStruct()
                                .i32(1, c.page_values.value_or(n))
                                .i32(2, c.encoding)
                                .i32(3, 3)
                                .i32(4, 3));
        bytes = header.bytes() + packed;
        return ThriftStruct().i64(2, 0).structure(
            3, ThriftStruct()
                   .i32(1, type)
                   .i32(4, c.codec)
                   .i64(5, c.values.value_or(n))
                   .i64(7, c.chunk_size.value_or(static_cast<std::int64_t>(bytes.size())))
                   .i64(9, c.chunk_start.value_or(static_cast<std::int64_t>(start))));
    };
    std::string file = "PAR1", of_images, of_labels;
    const std::string page = image_page(images);
    const ThriftStruct first =
        chunk(page, claims.packed_page.value_or(page), claims, 6, file.size(), of_images);
    file += of_images;
    const std::string second_page = label_page(labels);
    const ThriftStruct second = chunk(second_page, second_page, {}, 2, file.size(), of_labels);
    file += of_labels;
    ThriftStruct footer;
    footer.i32(1, 1)
        .structures(2, {element("schema", -1, -1, claims.schema_children), element("image", 6, 1),
                        element("label", 2, 0)})
        .i64(3, claims.rows.value_or(n))
        .structures(4, {ThriftStruct()
                            .structures(1, {first, second})
                            .i64(2, 0)
                            .i64(3, claims.group_rows.value_or(n))});
    if (!claims.huggingface.empty()) {
        footer.structures(5, {ThriftStruct().text(1, "huggingface").text(2, claims.huggingface)});
    }
    const std::string metadata = footer.bytes();
    return file + metadata +
           little_bytes(static_cast<std::uint64_t>(claims.metadata_size.value_or(
                            static_cast<std::int64_t>(metadata.size()))),
                        4) +
           "PAR1";
}

}  // namespace assay::made_parquet
