#include "model/torch/onnx_tensors.h"

#include <ATen/ops/empty.h>
#include <c10/util/accumulate.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <limits>
#include <map>
#include <optional>

#include "assay/error.h"
#include "core/refuse.h"
#include "core/shell_word.h"
#include "core/text.h"
#include "model/torch/onnx_graph.h"

namespace assay::torch_plugin {
namespace {

namespace fs = std::filesystem;

/// The number type of a tensor in the file.
at::ScalarType stored_type(std::int64_t type, const std::string& name) {
    using onnx::TensorProto;
    switch (type) {
        case TensorProto::FLOAT:
            return at::kFloat;
        case TensorProto::DOUBLE:
            return at::kDouble;
        case TensorProto::FLOAT16:
            return at::kHalf;
        case TensorProto::BFLOAT16:
            return at::kBFloat16;
        case TensorProto::INT8:
            return at::kChar;
        case TensorProto::UINT8:
            return at::kByte;
        case TensorProto::INT16:
            return at::kShort;
        case TensorProto::UINT16:  // torch has no such type
            return at::kInt;
        case TensorProto::INT32:
            return at::kInt;
        case TensorProto::INT64:
            return at::kLong;
        case TensorProto::BOOL:
            return at::kBool;
        default:
            refuse(fmt::format("{}numbers of ONNX type {} are not supported; {}",
                               name.empty() ? "" : fmt::format("tensor \"{}\": ", name), type,
                               by_onnx_runtime));
    }
}

Ints checked_sizes(const onnx::TensorProto& proto) {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 16;
    Ints sizes(proto.dims().begin(), proto.dims().end());
    if (sizes.size() > 16)
        refuse(fmt::format("tensor \"{}\" has {} dimensions", proto.name(), sizes.size()));
    std::int64_t numbers = 1;
    for (const std::int64_t size : sizes) {
        if (size < 0)
            refuse(fmt::format("tensor \"{}\" has a dimension of size {}", proto.name(), size));
        if (size > 0 && numbers > most / size)
            refuse(fmt::format("tensor \"{}\" has an impossible size", proto.name()));
        numbers *= size;
    }
    return sizes;
}

bool lies_in(const fs::path& folder, const fs::path& path) {
    return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first ==
           folder.end();
}

/// Reads the bytes of a tensor that are in another file.
std::string external_bytes(const onnx::TensorProto& proto, DataFiles& data, std::uint64_t bytes) {
    std::map<std::string, std::string> entries;
    for (const auto& entry : proto.external_data()) entries[entry.key()] = entry.value();
    const auto number = [&](const char* key, std::uint64_t fallback) {
        const std::string& text = entries[key];
        if (text.empty()) return fallback;
        std::uint64_t value = 0;
        if (!parse_number(text, value))
            refuse(fmt::format("tensor \"{}\": the {} of its data is \"{}\", not a number",
                               proto.name(), key, text));
        return value;
    };
    const std::uint64_t offset = number("offset", 0);
    if (const std::uint64_t length = number("length", bytes); length != bytes)
        refuse(fmt::format("tensor \"{}\" needs {} bytes of external data, but the model says {}",
                           proto.name(), bytes, length));
    const fs::path path = data.use(proto.name(), entries["location"]);
    std::error_code error;
    const std::uint64_t there = fs::file_size(path, error);
    if (error)
        refuse(fmt::format("the model's data file {} cannot be read: {}", path.string(),
                           error.message()));
    if (offset > there || bytes > there - offset) {
        refuse(
            fmt::format("the model's data file {} has {} bytes; tensor \"{}\" needs {} from {} on",
                        path.string(), there, proto.name(), bytes, offset));
    }
    std::string out(bytes, '\0');
    std::ifstream file(path, std::ios::binary);
    file.seekg(static_cast<std::streamoff>(offset));
    if (!file.read(out.data(), static_cast<std::streamsize>(bytes)))
        throw Error(ErrorCode::io, fmt::format("reading {} failed", path.string()));
    return out;
}

/// Reads numbers stored one by one in a typed field. Narrow types share the int32 field.
template <class Stored, class Field>
void copy_field(at::Tensor& out, const Field& field, const std::string& name) {
    if (field.size() != out.numel())
        refuse(fmt::format("tensor \"{}\" has room for {} numbers but contains {}", name,
                           out.numel(), field.size()));
    auto* to = static_cast<Stored*>(out.data_ptr());
    for (const auto value : field) *to++ = static_cast<Stored>(value);
}

/// The bytes of a tensor, in this file or another; empty if it is in a typed field.
std::optional<std::string> raw_bytes(const onnx::TensorProto& proto, DataFiles& data,
                                     std::uint64_t bytes) {
    if (proto.data_location() == onnx::TensorProto::EXTERNAL)
        return external_bytes(proto, data, bytes);
    if (!proto.has_raw_data()) return std::nullopt;
    if (proto.raw_data().size() != bytes)
        refuse(fmt::format("tensor \"{}\" needs {} bytes but has {}", proto.name(), bytes,
                           proto.raw_data().size()));
    return proto.raw_data();
}

/// Unpacks two numbers per byte, the first in the lower half.
at::Tensor decode_halves_of_bytes(const onnx::TensorProto& proto, DataFiles& data) {
    const Ints sizes = checked_sizes(proto);
    const auto numbers = static_cast<std::uint64_t>(c10::multiply_integers(sizes));
    const std::uint64_t bytes = (numbers + 1) / 2;
    std::optional<std::string> packed = raw_bytes(proto, data, bytes);
    if (!packed) {
        if (static_cast<std::uint64_t>(proto.int32_data_size()) != bytes)
            refuse(fmt::format("tensor \"{}\" needs {} bytes but has {}", proto.name(), bytes,
                               proto.int32_data_size()));
        packed.emplace();
        for (const auto value : proto.int32_data()) packed->push_back(static_cast<char>(value));
    }
    const bool is_signed = proto.data_type() == kInt4;
    at::Tensor out = at::empty(sizes, is_signed ? at::kChar : at::kByte);
    auto* to = static_cast<std::uint8_t*>(out.data_ptr());
    for (std::uint64_t i = 0; i < numbers; ++i) {
        const int value = static_cast<std::uint8_t>((*packed)[i / 2]) >> (i % 2 * 4) & 15;
        to[i] = static_cast<std::uint8_t>(is_signed && value > 7 ? value - 16 : value);
    }
    return out;
}

at::Tensor decode_uint16(const onnx::TensorProto& proto, DataFiles& data) {
    const Ints sizes = checked_sizes(proto);
    const auto numbers = static_cast<std::uint64_t>(c10::multiply_integers(sizes));
    const std::optional<std::string> raw = raw_bytes(proto, data, 2 * numbers);
    if (!raw && static_cast<std::uint64_t>(proto.int32_data_size()) != numbers)
        refuse(fmt::format("tensor \"{}\" has room for {} numbers but contains {}", proto.name(),
                           numbers, proto.int32_data_size()));
    at::Tensor out = at::empty(sizes, at::kInt);
    auto* to = out.data_ptr<std::int32_t>();
    for (std::uint64_t i = 0; i < numbers; ++i) {
        std::uint16_t value = 0;
        if (raw) {
            std::memcpy(&value, raw->data() + 2 * i, sizeof value);
        } else {
            value = static_cast<std::uint16_t>(proto.int32_data(static_cast<int>(i)));
        }
        to[i] = value;
    }
    return out;
}

}  // namespace

DataFiles::DataFiles(const fs::path& model) : folder_(model.parent_path()) {
    std::error_code error;
    for (const fs::path& folder :
         {fs::absolute(model, error).parent_path(), fs::canonical(model, error).parent_path()}) {
        const fs::path real = fs::canonical(folder, error);
        if (!error) allowed_.push_back(real);
    }
}

fs::path DataFiles::use(const std::string& tensor, const fs::path& location) {
    const auto outside = [](const fs::path& part) { return part == ".."; };
    if (location.empty() || location.is_absolute() || std::ranges::any_of(location, outside))
        refuse(fmt::format("tensor \"{}\": its data file \"{}\" is not inside the model's folder",
                           tensor, location.string()));
    fs::path path = folder_ / location;
    std::error_code error;
    const fs::path real = fs::canonical(path, error);
    // The code that opens the file reports a missing file.
    if (!error && std::ranges::none_of(
                      allowed_, [&](const fs::path& folder) { return lies_in(folder, real); })) {
        refuse(fmt::format(
            "tensor \"{}\": its data file \"{}\" is not inside the model's folder, but a link to "
            "{}. If you trust that file, put it in place of the link: `cp --remove-destination {} "
            "{}`",
            tensor, location.string(), real.string(), shell_word(real.string()),
            shell_word(path.string())));
    }
    used_.insert(path);
    return path;
}

at::Tensor decode_tensor(const onnx::TensorProto& proto, DataFiles& data) {
    if (proto.data_type() == kUint4 || proto.data_type() == kInt4)
        return decode_halves_of_bytes(proto, data);
    if (proto.data_type() == onnx::TensorProto::UINT16) return decode_uint16(proto, data);
    const at::ScalarType type = stored_type(proto.data_type(), proto.name());
    const Ints sizes = checked_sizes(proto);
    const auto numbers = static_cast<std::uint64_t>(c10::multiply_integers(sizes));
    const std::uint64_t bytes = numbers * c10::elementSize(type);
    const bool external = proto.data_location() == onnx::TensorProto::EXTERNAL;
    if (proto.has_segment())
        refuse(
            fmt::format("tensor \"{}\" is cut in segments, which is not supported", proto.name()));

    // Memory is allocated only after checking that the numbers exist.
    const auto from_bytes = [&](const std::string& raw) {
        if (raw.size() != bytes)
            refuse(fmt::format("tensor \"{}\" needs {} bytes but has {}", proto.name(), bytes,
                               raw.size()));
        at::Tensor out = at::empty(sizes, type);
        if (bytes > 0) std::memcpy(out.data_ptr(), raw.data(), bytes);
        return out;
    };
    at::Tensor out;
    if (external) {
        out = from_bytes(external_bytes(proto, data, bytes));
    } else if (proto.has_raw_data()) {
        out = from_bytes(proto.raw_data());
    } else {
        const auto held = static_cast<std::uint64_t>(proto.float_data_size()) +
                          proto.double_data_size() + proto.int32_data_size() +
                          proto.int64_data_size();
        if (held != numbers)
            refuse(fmt::format("tensor \"{}\" has room for {} numbers but contains {}",
                               proto.name(), numbers, held));
        out = at::empty(sizes, type);
        switch (type) {
            case at::kFloat:
                copy_field<float>(out, proto.float_data(), proto.name());
                break;
            case at::kDouble:
                copy_field<double>(out, proto.double_data(), proto.name());
                break;
            case at::kLong:
                copy_field<std::int64_t>(out, proto.int64_data(), proto.name());
                break;
            case at::kInt:
                copy_field<std::int32_t>(out, proto.int32_data(), proto.name());
                break;
            case at::kShort:
                copy_field<std::int16_t>(out, proto.int32_data(), proto.name());
                break;
            case at::kChar:
                copy_field<std::int8_t>(out, proto.int32_data(), proto.name());
                break;
            case at::kByte:
                copy_field<std::uint8_t>(out, proto.int32_data(), proto.name());
                break;
            case at::kBool:
                copy_field<bool>(out, proto.int32_data(), proto.name());
                break;
            default:
                copy_field<std::uint16_t>(out, proto.int32_data(), proto.name());
                break;  // the bits of half-precision types
        }
    }
    return type == at::kHalf || type == at::kBFloat16 ? out.to(at::kFloat) : out;
}

at::ScalarType scalar_type_of(std::int64_t onnx_type) {
    const at::ScalarType type = stored_type(onnx_type, "");
    return type == at::kHalf || type == at::kBFloat16 ? at::kFloat : type;
}

at::ScalarType quantised_type_of(std::int64_t onnx_type) {
    switch (onnx_type) {
        case onnx::TensorProto::UINT8:
        case onnx::TensorProto::INT8:
        case onnx::TensorProto::INT16:
        case onnx::TensorProto::UINT16:
            return stored_type(onnx_type, "");
        default:
            throw NotSupported(fmt::format(
                "quantising to ONNX type {} is not supported; int8, uint8, int16, uint16 are",
                onnx_type));
    }
}

}  // namespace assay::torch_plugin
