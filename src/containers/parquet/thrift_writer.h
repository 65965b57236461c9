// Writes Thrift's compact protocol: the counterpart of ThriftReader.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace assay::parquet {

inline void append_varint(std::string& out, std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) out += static_cast<char>((value & 0x7f) | 0x80);
    out += static_cast<char>(value);
}

/// Writes a structure, whose fields must be added in ascending order.
class ThriftStruct {
public:
    ThriftStruct& i32(int id, std::int64_t value) { return number(id, 5, value); }
    ThriftStruct& i64(int id, std::int64_t value) { return number(id, 6, value); }
    ThriftStruct& text(int id, std::string_view value) {
        head(id, 8);
        append_text(value);
        return *this;
    }
    ThriftStruct& structure(int id, const ThriftStruct& value) {
        head(id, 12);
        out_ += value.bytes();
        return *this;
    }
    ThriftStruct& structures(int id, const std::vector<ThriftStruct>& values) {
        list(id, 12, values.size());
        for (const ThriftStruct& value : values) out_ += value.bytes();
        return *this;
    }
    ThriftStruct& texts(int id, const std::vector<std::string>& values) {
        list(id, 8, values.size());
        for (const std::string& value : values) append_text(value);
        return *this;
    }
    ThriftStruct& numbers(int id, const std::vector<std::int32_t>& values) {
        list(id, 5, values.size());
        for (const std::int32_t value : values) append_varint(out_, zigzag(value));
        return *this;
    }
    std::string bytes() const { return out_ + '\0'; }

private:
    static std::uint64_t zigzag(std::int64_t value) {
        return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
    }
    void head(int id, int type) {
        // ids of successive fields differ by less than 16
        out_ += static_cast<char>((id - last_) << 4 | type);
        last_ = id;
    }
    ThriftStruct& number(int id, int type, std::int64_t value) {
        head(id, type);
        append_varint(out_, zigzag(value));
        return *this;
    }
    void list(int id, int type, std::size_t size) {
        head(id, 9);
        if (size < 15) {
            out_ += static_cast<char>(size << 4 | static_cast<std::size_t>(type));
        } else {
            out_ += static_cast<char>(0xf0 | type);
            append_varint(out_, size);
        }
    }
    void append_text(std::string_view value) {
        append_varint(out_, value.size());
        out_ += value;
    }

    std::string out_;
    int last_ = 0;
};

}  // namespace assay::parquet
