#include "store/safetensors.h"

#include <fmt/format.h>

#include <cstring>
#include <optional>

#include "assay/error.h"
#include "core/json_limits.h"
#include "core/json_reader.h"
#include "core/refuse.h"

namespace assay::store {
namespace {

using nlohmann::json;

constexpr std::uint64_t max_header = 16U << 20;
constexpr std::size_t max_dimensions = 32;

std::optional<NumberType> float_type(std::string_view dtype) {
    if (dtype == "F16") return NumberType::f2;
    if (dtype == "BF16") return NumberType::bf16;
    if (dtype == "F32") return NumberType::f4;
    if (dtype == "F64") return NumberType::f8;
    return std::nullopt;
}

Tensor read_tensor(const std::string& name, const json& entry, std::span<const std::byte> data) {
    const JsonReader fields(entry, {.whole = "its entry"});
    Tensor tensor;
    tensor.name = name;
    tensor.dtype = fields["dtype"].text();
    for (const JsonReader& dimension : fields["shape"].entries(max_dimensions))
        tensor.shape.push_back(dimension.whole());
    const std::vector<JsonReader> offsets = fields["data_offsets"].entries();
    if (offsets.size() != 2) fields["data_offsets"].refuse_as("two numbers");
    const std::uint64_t begin = offsets[0].whole(), end = offsets[1].whole();
    if (begin > end || end > data.size()) {
        refuse(fmt::format("its bytes {} to {} are not within the {} bytes of data", begin, end,
                           data.size()));
    }
    const std::optional<NumberType> type = float_type(tensor.dtype);
    if (!type) return tensor;
    std::uint64_t count = 1;
    bool empty = false;
    for (const std::uint64_t dimension : tensor.shape) {
        if (dimension == 0) {
            empty = true;
        } else if (count > (UINT64_MAX / 8) / dimension) {
            refuse("its shape does not fit 64 bits");
        } else {
            count *= dimension;
        }
    }
    if (empty) count = 0;
    if (count * size_of(*type) != end - begin) {
        refuse(fmt::format("its shape takes {} bytes, its offsets say {}", count * size_of(*type),
                           end - begin));
    }
    tensor.values = NumberSpan{*type, count, data.subspan(begin, end - begin)};
    return tensor;
}

}  // namespace

std::vector<Tensor> parse_safetensors(std::span<const std::byte> bytes) {
    std::uint64_t length = 0;
    if (bytes.size() < sizeof length)
        refuse(fmt::format("not a safetensors file: {} bytes", bytes.size()));
    std::memcpy(&length, bytes.data(), sizeof length);
    if (length > bytes.size() - sizeof length || length > max_header) {
        refuse(
            fmt::format("not a safetensors file, or cut off: a header of {} bytes in a file of {} "
                        "(the limit is {})",
                        length, bytes.size(), max_header));
    }
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()) + sizeof length,
                                length);
    const json header = parse_json(text, 8);
    if (!header.is_object()) refuse("damaged safetensors header: an object is expected");
    std::vector<Tensor> tensors;
    const std::span<const std::byte> data = bytes.subspan(sizeof length + length);
    for (const auto& item : header.items()) {
        if (item.key() == "__metadata__") continue;
        tensors.push_back(with_note(fmt::format("reading tensor `{:.60}`", item.key()),
                                    [&] { return read_tensor(item.key(), item.value(), data); }));
    }
    return tensors;
}

}  // namespace assay::store
