#include "containers/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "assay/error.h"
#include "core/half.h"
#include "core/refuse.h"

namespace assay {
namespace {

struct TypeRow {
    NumberType type;
    std::string_view name;
    std::size_t size;
};
// Indexed by NumberType.
constexpr std::array<TypeRow, 13> types{{{NumberType::f2, "<f2", 2},
                                         {NumberType::f4, "<f4", 4},
                                         {NumberType::f8, "<f8", 8},
                                         {NumberType::u1, "|u1", 1},
                                         {NumberType::u2, "<u2", 2},
                                         {NumberType::u4, "<u4", 4},
                                         {NumberType::u8, "<u8", 8},
                                         {NumberType::i1, "|i1", 1},
                                         {NumberType::i2, "<i2", 2},
                                         {NumberType::i4, "<i4", 4},
                                         {NumberType::i8, "<i8", 8},
                                         {NumberType::b1, "|b1", 1},
                                         {NumberType::bf16, "bfloat16", 2}}};

constexpr auto npy_types = std::span(types).first<12>();  // all types except bfloat16

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t max_header = 1U << 20;
constexpr std::size_t max_dimensions = 32;  // NumPy's own limit

float float_from_bfloat16(std::uint16_t bits) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

template <class T>
T load(const std::byte* at) {
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

/// Calls body(T{}) with the C++ type of `type`; the two 16-bit float types arrive as std::uint16_t.
template <class Body>
auto with_type(NumberType type, Body&& body) {
    switch (type) {
        case NumberType::f4:
            return body(float{});
        case NumberType::f8:
            return body(double{});
        case NumberType::u1:
        case NumberType::b1:
            return body(std::uint8_t{});
        case NumberType::f2:
        case NumberType::bf16:
        case NumberType::u2:
            return body(std::uint16_t{});
        case NumberType::u4:
            return body(std::uint32_t{});
        case NumberType::u8:
            return body(std::uint64_t{});
        case NumberType::i1:
            return body(std::int8_t{});
        case NumberType::i2:
            return body(std::int16_t{});
        case NumberType::i4:
            return body(std::int32_t{});
        case NumberType::i8:
            return body(std::int64_t{});
    }
    throw Error(ErrorCode::internal, "unknown npy type");
}

/// The header is a Python literal in a known form. This parser reads only that form.
class HeaderParser {
public:
    explicit HeaderParser(std::string_view text) : rest_(text) {}

    void parse(NpyView& view) {
        expect('{');
        while (!accept('}')) {
            const std::string_view key = quoted("a key");
            expect(':');
            if (key == "descr" && !descr_) {
                descr_ = true;
                parse_descr(view);
            } else if (key == "fortran_order" && !order_) {
                order_ = true;
                view.fortran = boolean();
            } else if (key == "shape" && !shape_) {
                shape_ = true;
                parse_shape(view);
            } else {
                refuse(
                    fmt::format("npy header has an unexpected or repeated key `{}`; expected "
                                "descr, fortran_order, shape",
                                printable(key)));
            }
            if (!accept(',')) {
                expect('}');
                break;
            }
        }
        skip_blanks();
        if (!rest_.empty())
            refuse(fmt::format("npy header continues after its end: `{}`", printable(rest_)));
        if (!descr_ || !order_ || !shape_) {
            refuse(fmt::format("npy header lacks `{}`", !descr_   ? "descr"
                                                        : !order_ ? "fortran_order"
                                                                  : "shape"));
        }
    }

private:
    static std::string printable(std::string_view text) {
        std::string out;
        for (const char c : text.substr(0, 40)) out += c >= ' ' && c <= '~' ? c : '?';
        return out;
    }
    void skip_blanks() {
        const std::size_t n = rest_.find_first_not_of(" \t\n\r");
        rest_.remove_prefix(n == std::string_view::npos ? rest_.size() : n);
    }
    bool accept(char c) {
        skip_blanks();
        if (rest_.empty() || rest_.front() != c) return false;
        rest_.remove_prefix(1);
        return true;
    }
    void expect(char c) {
        if (!accept(c))
            refuse(
                fmt::format("npy header is damaged: expected `{}` at `{}`", c, printable(rest_)));
    }
    std::string_view quoted(std::string_view what) {
        skip_blanks();
        const char quote = rest_.empty() ? '\0' : rest_.front();
        const std::size_t end =
            quote == '\'' || quote == '"' ? rest_.find(quote, 1) : std::string_view::npos;
        if (end == std::string_view::npos) {
            refuse(fmt::format("npy header is damaged: expected {} in quotes at `{}`", what,
                               printable(rest_)));
        }
        const std::string_view text = rest_.substr(1, end - 1);
        rest_.remove_prefix(end + 1);
        return text;
    }
    bool boolean() {
        skip_blanks();
        for (const bool value : {true, false}) {
            const std::string_view word = value ? "True" : "False";
            if (rest_.starts_with(word)) {
                rest_.remove_prefix(word.size());
                return value;
            }
        }
        refuse(fmt::format("npy header is damaged: fortran_order is `{}`, not True or False",
                           printable(rest_)));
    }
    void parse_descr(NpyView& view) {
        skip_blanks();
        if (!rest_.empty() && rest_.front() == '[') {
            refuse(
                fmt::format("npy array has a structured dtype `{}`; a plain number type is needed",
                            printable(rest_)));
        }
        view.values.type = npy_type_named(quoted("the dtype"));
    }
    void parse_shape(NpyView& view) {
        expect('(');
        while (!accept(')')) {
            skip_blanks();
            std::uint64_t size = 0;
            std::size_t digits = 0;
            while (digits < rest_.size() && rest_[digits] >= '0' && rest_[digits] <= '9') {
                const auto digit = static_cast<std::uint64_t>(rest_[digits++] - '0');
                if (size > (UINT64_MAX - digit) / 10)
                    refuse("npy header is damaged: a dimension does not fit 64 bits");
                size = size * 10 + digit;
            }
            if (digits == 0) {
                refuse(fmt::format("npy header is damaged: expected a dimension at `{}`",
                                   printable(rest_)));
            }
            rest_.remove_prefix(digits);
            if (!rest_.empty() && rest_.front() == 'L')
                rest_.remove_prefix(1);  // Python 2 wrote long integers with an L
            if (view.shape.size() == max_dimensions)
                refuse("npy array has more than 32 dimensions");
            view.shape.push_back(size);
            if (!accept(',')) {
                expect(')');
                break;
            }
        }
    }

    std::string_view rest_;
    bool descr_ = false;
    bool order_ = false;
    bool shape_ = false;
};

std::string shape_as_text(std::span<const std::uint64_t> shape) {
    std::string text = "(";
    for (std::size_t i = 0; i < shape.size(); ++i)
        text += fmt::format("{}{}", i == 0 ? "" : ", ", shape[i]);
    return text + (shape.size() == 1 ? ",)" : ")");
}

}  // namespace

std::string_view name_of(NumberType type) {
    return types.at(static_cast<std::size_t>(type)).name;
}

std::size_t size_of(NumberType type) {
    return types.at(static_cast<std::size_t>(type)).size;
}

bool is_float(NumberType type) {
    return type == NumberType::f2 || type == NumberType::f4 || type == NumberType::f8 ||
           type == NumberType::bf16;
}

NumberType npy_type_named(std::string_view descr) {
    for (const TypeRow& row : npy_types) {
        // One-byte types have no byte order, but some writers give one.
        if (row.name == descr ||
            (row.size == 1 && descr.size() == 3 && descr.substr(1) == row.name.substr(1))) {
            return row.type;
        }
    }
    std::string known;
    for (const TypeRow& row : npy_types)
        known += fmt::format("{}{}", known.empty() ? "" : " ", row.name);
    const bool big_endian = descr.starts_with('>');
    refuse(fmt::format("npy array has dtype `{:.40}`{}; supported: {}", descr,
                       big_endian ? " (big-endian)" : "", known));
}

double NumberSpan::number(std::uint64_t i) const {
    const std::byte* at = data.data() + i * size_of(type);
    if (type == NumberType::f2)
        return static_cast<double>(float_from_half(load<std::uint16_t>(at)));
    if (type == NumberType::bf16)
        return static_cast<double>(float_from_bfloat16(load<std::uint16_t>(at)));
    if (type == NumberType::b1) return load<std::uint8_t>(at) != 0 ? 1.0 : 0.0;
    return with_type(type,
                     [&](auto zero) { return static_cast<double>(load<decltype(zero)>(at)); });
}

std::int64_t NumberSpan::integer(std::uint64_t i) const {
    const std::byte* at = data.data() + i * size_of(type);
    if (is_float(type)) {
        const double value = number(i);
        // A double can hold -2^63 but not 2^63 - 1, hence < on one side.
        if (!(value >= -0x1p63 && value < 0x1p63) || std::floor(value) != value) {
            refuse(fmt::format("element {} is {}, not an integer", i, value));
        }
        return static_cast<std::int64_t>(value);
    }
    if (type == NumberType::b1) return load<std::uint8_t>(at) != 0 ? 1 : 0;
    if (type == NumberType::u8) {
        const auto value = load<std::uint64_t>(at);
        if (value > INT64_MAX)
            refuse(fmt::format("element {} is {}, beyond 64-bit integers", i, value));
        return static_cast<std::int64_t>(value);
    }
    return with_type(
        type, [&](auto zero) { return static_cast<std::int64_t>(load<decltype(zero)>(at)); });
}

void NumberSpan::floats(std::uint64_t first, std::span<float> out) const {
    if (first > count || out.size() > count - first) {
        throw Error(ErrorCode::internal, "npy elements were requested beyond the end of the array");
    }
    const std::byte* at = data.data() + first * size_of(type);
    if (type == NumberType::f4) {
        if (!out.empty()) std::memcpy(out.data(), at, out.size_bytes());
    } else if (type == NumberType::f2) {
        std::array<std::uint16_t, 512> aligned;
        for (std::size_t done = 0; done < out.size(); done += aligned.size()) {
            const std::size_t n = std::min(aligned.size(), out.size() - done);
            std::memcpy(aligned.data(), at + done * 2, n * 2);
            floats_from_halves(std::span(aligned).first(n), out.subspan(done, n));
        }
    } else if (type == NumberType::bf16) {
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = float_from_bfloat16(load<std::uint16_t>(at + i * 2));
    } else if (type == NumberType::b1) {
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = at[i] != std::byte{0} ? 1.0F : 0.0F;
    } else {
        with_type(type, [&](auto zero) {
            using T = decltype(zero);
            for (std::size_t i = 0; i < out.size(); ++i)
                out[i] = static_cast<float>(load<T>(at + i * sizeof(T)));
        });
    }
}

std::string NpyView::shape_text() const {
    return shape_as_text(shape);
}

NpyView parse_npy_header(std::span<const std::byte> bytes) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (!text.starts_with(magic)) refuse("not a npy file: it does not begin with \\x93NUMPY");
    if (text.size() < 10) refuse(fmt::format("npy file is cut off: {} bytes", text.size()));
    const int major = static_cast<unsigned char>(text[6]);
    if (major < 1 || major > 3)
        refuse(fmt::format("npy format version {}; supported: 1, 2, 3", major));
    const std::size_t before = major == 1 ? 10 : 12;
    if (text.size() < before) refuse(fmt::format("npy file is cut off: {} bytes", text.size()));
    const std::size_t length =
        major == 1 ? load<std::uint16_t>(bytes.data() + 8) : load<std::uint32_t>(bytes.data() + 8);
    if (length > max_header)
        refuse(fmt::format("npy header claims {} bytes; the limit is {}", length, max_header));
    if (length > text.size() - before) {
        refuse(fmt::format("npy file is cut off: its header should have {} bytes, it has {}",
                           length, text.size() - before));
    }

    NpyView view;
    HeaderParser(text.substr(before, length)).parse(view);
    const std::size_t size = size_of(view.type());
    std::uint64_t nonzero =
        1;  // the product without zero dimensions, because (0, 2^63, 2^63) is damaged too
    bool empty = false;
    for (const std::uint64_t dimension : view.shape) {
        if (dimension == 0) {
            empty = true;
        } else if (nonzero > (UINT64_MAX / size) / dimension) {
            refuse(fmt::format("npy shape {} is too large: its bytes do not fit 64 bits",
                               view.shape_text()));
        } else {
            nonzero *= dimension;
        }
    }
    view.values.count = empty ? 0 : nonzero;
    view.values.data = bytes.subspan(before + length);
    return view;
}

NpyView parse_npy(std::span<const std::byte> bytes) {
    NpyView view = parse_npy_header(bytes);
    const std::uint64_t needed = view.values.count * size_of(view.type());
    const std::uint64_t present = view.values.data.size();
    if (present != needed) {
        refuse(fmt::format("npy array of shape {} and dtype {} needs {} bytes, found {} ({} {})",
                           view.shape_text(), name_of(view.type()), needed, present,
                           present < needed ? needed - present : present - needed,
                           present < needed ? "missing" : "too many"));
    }
    return view;
}

std::string npy_header(std::string_view descr, std::span<const std::uint64_t> shape, bool fortran) {
    const std::string quote = descr.starts_with('[') ? "" : "'";
    std::string body = fmt::format("{{'descr': {}{}{}, 'fortran_order': {}, 'shape': {}, }}", quote,
                                   descr, quote, fortran ? "True" : "False", shape_as_text(shape));
    const std::size_t before = 10;
    body.append(63 - (before + body.size()) % 64, ' ');
    body += '\n';
    if (body.size() > 0xffff)
        throw Error(ErrorCode::internal, "npy header longer than version 1 allows");
    std::string header(magic);
    header += '\x01';
    header += '\x00';
    header += static_cast<char>(body.size() & 0xff);
    header += static_cast<char>(body.size() >> 8);
    return header + body;
}

}  // namespace assay
