#include "model/pt2/tensors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/refuse.h"

namespace assay::pt2 {

std::size_t bytes_of(NumberType type) {
    switch (type) {
        case NumberType::uint8:
        case NumberType::int8:
        case NumberType::boolean:
            return 1;
        case NumberType::int16:
        case NumberType::float16:
        case NumberType::bfloat16:
            return 2;
        case NumberType::int32:
        case NumberType::float32:
            return 4;
        case NumberType::int64:
        case NumberType::float64:
        case NumberType::complex64:
            return 8;
        case NumberType::complex128:
            return 16;
    }
    throw Error(ErrorCode::internal, "bytes_of: not a number type");
}

NumberType number_type_of(std::int64_t number, const std::string& what) {
    // ScalarType of torch/_export/serde/schema.py.
    switch (number) {
        case 1:
            return NumberType::uint8;
        case 2:
            return NumberType::int8;
        case 3:
            return NumberType::int16;
        case 4:
            return NumberType::int32;
        case 5:
            return NumberType::int64;
        case 6:
            return NumberType::float16;
        case 7:
            return NumberType::float32;
        case 8:
            return NumberType::float64;
        case 10:
            return NumberType::complex64;
        case 11:
            return NumberType::complex128;
        case 12:
            return NumberType::boolean;
        case 13:
            return NumberType::bfloat16;
        default:
            break;
    }
    refuse(fmt::format(
        "{}: number type {} is not supported (8- to 64-bit integers, bool, float16, bfloat16, "
        "float32, float64, complex64 and complex128 are)",
        what, number));
}

void check_tensor(const StoredTensor& tensor, std::size_t storage_bytes, const std::string& what) {
    const auto shape = [&] {
        return fmt::format("{}: a tensor of sizes [{}], strides [{}] and offset {}", what,
                           fmt::join(tensor.sizes, ", "), fmt::join(tensor.strides, ", "),
                           tensor.offset);
    };
    if (tensor.sizes.size() != tensor.strides.size() || tensor.sizes.size() > 64)
        refuse(shape() + " is not possible");
    std::int64_t numbers = 1;
    std::int64_t last = tensor.offset;
    bool fits = tensor.offset >= 0;
    for (std::size_t d = 0; d < tensor.sizes.size(); ++d) {
        const std::int64_t size = tensor.sizes[d];
        if (size < 0 || tensor.strides[d] < 0) refuse(shape() + " is not possible");
        std::int64_t reach = 0;
        if (size > 0 && (__builtin_mul_overflow(size - 1, tensor.strides[d], &reach) ||
                         __builtin_add_overflow(last, reach, &last)))
            fits = false;
        if (__builtin_mul_overflow(numbers, size, &numbers) || numbers > kMostNumbers)
            refuse(fmt::format("{} has more than {} numbers", shape(), kMostNumbers));
    }
    const std::size_t stored = storage_bytes / bytes_of(tensor.type);
    if (numbers > 0 && (!fits || static_cast<std::uint64_t>(last) >= stored))
        refuse(fmt::format("{} reaches beyond its storage of {} numbers", shape(), stored));
    if (numbers == 0 && !fits) refuse(shape() + " is not possible");
}

}  // namespace assay::pt2
