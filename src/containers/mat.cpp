#include "containers/mat.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "containers/mat/format.h"
#include "core/refuse.h"
#include "core/terminal_text.h"

namespace assay {
namespace {

constexpr std::size_t most_mat_bytes = std::size_t{64} << 20;
constexpr std::size_t most_mat_values = 1'000'000;
constexpr int most_mat_levels = 8;

template <class Number>
Number mat_number_at(std::span<const std::byte> bytes, std::size_t at) {
    Number number;
    std::memcpy(&number, bytes.data() + at, sizeof number);
    return number;
}

template <class Number>
void append_mat_numbers(std::span<const std::byte> bytes, std::vector<double>& out) {
    out.reserve(bytes.size() / sizeof(Number));
    for (std::size_t at = 0; at + sizeof(Number) <= bytes.size(); at += sizeof(Number))
        out.push_back(static_cast<double>(mat_number_at<Number>(bytes, at)));
}

void append_mat_letter(std::string& text, double letter) {
    constexpr std::uint32_t unknown = 0xFFFD;
    const bool is_one = letter >= 0 && letter <= 0x10FFFF && !(letter >= 0xD800 && letter < 0xE000);
    append_utf8(is_one ? static_cast<std::uint32_t>(letter) : unknown, text);
}

struct MatElement {
    std::uint32_t type = 0;
    std::span<const std::byte> data;
};

/// Reads numbers of any type that an element may have, independent of the array's class.
std::vector<double> mat_numbers_of(const MatElement& element) {
    std::vector<double> out;
    switch (element.type) {
        case mat::int8_type:
            append_mat_numbers<std::int8_t>(element.data, out);
            break;
        case mat::uint8_type:
        case mat::utf8_type:
            append_mat_numbers<std::uint8_t>(element.data, out);
            break;
        case mat::int16_type:
            append_mat_numbers<std::int16_t>(element.data, out);
            break;
        case mat::uint16_type:
        case mat::utf16_type:
            append_mat_numbers<std::uint16_t>(element.data, out);
            break;
        case mat::int32_type:
            append_mat_numbers<std::int32_t>(element.data, out);
            break;
        case mat::uint32_type:
        case mat::utf32_type:
            append_mat_numbers<std::uint32_t>(element.data, out);
            break;
        case mat::float32_type:
            append_mat_numbers<float>(element.data, out);
            break;
        case mat::float64_type:
            append_mat_numbers<double>(element.data, out);
            break;
        case mat::int64_type:
            append_mat_numbers<std::int64_t>(element.data, out);
            break;
        case mat::uint64_type:
            append_mat_numbers<std::uint64_t>(element.data, out);
            break;
        default:
            refuse(fmt::format("an element has the unknown type {}", element.type));
    }
    return out;
}

/// Iterates over elements.
class MatElements {
public:
    explicit MatElements(std::span<const std::byte> bytes) : bytes_(bytes) {}

    bool at_end() const noexcept { return at_ == bytes_.size(); }
    MatElement next() {
        const mat::Tag tag = mat::tag_at(MemorySource(bytes_), at_);
        at_ = static_cast<std::size_t>(std::min<std::uint64_t>(bytes_.size(), tag.next));
        return {tag.type, bytes_.subspan(static_cast<std::size_t>(tag.begin),
                                         static_cast<std::size_t>(tag.size))};
    }

private:
    std::span<const std::byte> bytes_;
    std::size_t at_ = 0;
};

class MatReader {
public:
    std::vector<MatValue> variables(std::span<const std::byte> bytes) {
        std::vector<MatValue> all;
        MatElements elements(bytes);
        while (!elements.at_end()) {
            MatElement element = elements.next();
            std::vector<std::byte> unpacked;
            if (element.type == mat::packed_type) {
                unpacked = unpack(element.data);
                element = MatElements(unpacked).next();
            }
            if (element.type == mat::matrix_type) all.push_back(matrix(element.data, 0));
        }
        return all;
    }

private:
    std::vector<std::byte> unpack(std::span<const std::byte> packed) {
        z_stream stream{};
        if (inflateInit(&stream) != Z_OK) refuse("zlib cannot be started");
        const std::unique_ptr<z_stream, int (*)(z_stream*)> ended(&stream, inflateEnd);
        stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(packed.data()));
        stream.avail_in = static_cast<uInt>(packed.size());
        std::vector<std::byte> out;
        for (int result = Z_OK; result != Z_STREAM_END;) {
            constexpr std::size_t step = 1U << 16;
            const std::size_t have = out.size();
            if (have > most_mat_bytes - std::min(unpacked_, most_mat_bytes))
                refuse(fmt::format("it decompresses to more than {} bytes", most_mat_bytes));
            out.resize(have + step);
            stream.next_out = reinterpret_cast<Bytef*>(out.data() + have);
            stream.avail_out = static_cast<uInt>(step);
            result = inflate(&stream, Z_NO_FLUSH);
            out.resize(have + step - stream.avail_out);
            if (result != Z_OK && result != Z_STREAM_END)
                refuse("a compressed variable is damaged or cut off");
        }
        unpacked_ += out.size();
        return out;
    }

    MatValue matrix(std::span<const std::byte> bytes, int level) {
        if (++values_ > most_mat_values)
            refuse(fmt::format("more than {} values", most_mat_values));
        if (level > most_mat_levels) refuse(fmt::format("more than {} levels", most_mat_levels));
        MatValue value;
        if (bytes.empty()) return value;  // a field may be []
        MatElements parts(bytes);
        const MatElement flags = parts.next(), shape = parts.next(), name = parts.next();
        if (flags.type != mat::uint32_type || flags.data.size() < 8 ||
            shape.type != mat::int32_type)
            refuse("a variable does not begin with its flags and shape");
        value.name = text_of(name);
        const std::uint32_t kind = mat_number_at<std::uint32_t>(flags.data, 0) & 0xFF;
        if (kind == mat::cell_class) {
            value.kind = MatValue::Kind::cells;
            read_values(value, parts, count_of(shape, bytes.size()), level);
        } else if (kind == mat::struct_class) {
            value.kind = MatValue::Kind::structs;
            read_fields(value, parts);
            read_values(value, parts, count_of(shape, bytes.size()) * value.fields.size(), level);
        } else if (kind == mat::char_class) {
            value.kind = MatValue::Kind::text;
            value.text = text_of(parts.next());
        } else if (kind >= mat::double_class && kind <= mat::uint64_class) {
            value.numbers = mat_numbers_of(parts.next());
            if (value.numbers.size() != count_of(shape, bytes.size()))
                refuse(fmt::format("`{}` has {} numbers, and its shape says {}", value.name,
                                   value.numbers.size(), count_of(shape, bytes.size())));
        } else {
            refuse(fmt::format(
                "a variable has the class {}; supported: cells, structs, text and numbers", kind));
        }
        return value;
    }

    /// The number of elements according to the shape. Each takes at least one byte.
    static std::size_t count_of(const MatElement& shape, std::size_t most) {
        std::size_t count = 1;
        for (std::size_t at = 0; at + 4 <= shape.data.size(); at += 4) {
            const auto length = mat_number_at<std::int32_t>(shape.data, at);
            if (length < 0) refuse(fmt::format("a variable has a side of {}", length));
            if (length == 0) return 0;
            if (count > most / static_cast<std::size_t>(length))
                refuse("a variable is larger than its bytes");
            count *= static_cast<std::size_t>(length);
        }
        return count;
    }

    static std::string text_of(const MatElement& element) {
        if (element.type <= mat::uint8_type || element.type == mat::utf8_type)
            return {reinterpret_cast<const char*>(element.data.data()), element.data.size()};
        std::string text;
        for (const double letter : mat_numbers_of(element)) append_mat_letter(text, letter);
        return text;
    }

    static void read_fields(MatValue& value, MatElements& parts) {
        const MatElement length = parts.next(), names = parts.next();
        const std::size_t each = length.type == mat::int32_type && length.data.size() == 4
                                     ? static_cast<std::size_t>(std::max<std::int32_t>(
                                           0, mat_number_at<std::int32_t>(length.data, 0)))
                                     : 0;
        if (each == 0 || names.data.size() % each != 0)
            refuse("the names of a struct's fields are damaged");
        for (std::size_t at = 0; at < names.data.size(); at += each) {
            const std::string name = text_of({mat::int8_type, names.data.subspan(at, each)});
            value.fields.push_back(name.substr(0, name.find('\0')));
        }
    }

    void read_values(MatValue& value, MatElements& parts, std::size_t count, int level) {
        for (std::size_t i = 0; i < count; ++i) {
            const MatElement part = parts.next();
            if (part.type != mat::matrix_type) refuse("a cell or field is not an array");
            value.values.push_back(matrix(part.data, level + 1));
        }
    }

    std::size_t values_ = 0, unpacked_ = 0;
};

}  // namespace

const MatValue* MatValue::field(std::size_t i, std::string_view named) const {
    const auto found = std::ranges::find(fields, named);
    if (found == fields.end() || i >= structs()) return nullptr;
    return &values[i * fields.size() + static_cast<std::size_t>(found - fields.begin())];
}

std::vector<MatValue> read_mat(std::span<const std::byte> file) {
    mat::check_header(MemorySource(file));
    if (file.size() > most_mat_bytes)
        refuse(fmt::format("it has more than {} bytes", most_mat_bytes));
    return MatReader().variables(file.subspan(mat::header_bytes));
}

}  // namespace assay
