// Tensors as a .pt2 archive describes them: shapes over storages whose bytes stay in the archive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace assay::pt2 {

enum class NumberType {
    uint8,
    int8,
    int16,
    int32,
    int64,
    float16,
    float32,
    float64,
    complex64,
    complex128,
    boolean,
    bfloat16
};

std::size_t bytes_of(NumberType type);
/// By the exporter's own number (not LibTorch's): 7 is float32. Throws bad_input, naming `what`.
NumberType number_type_of(std::int64_t number, const std::string& what);

/// A strided view into one storage. All counts are numbers, not bytes.
struct StoredTensor {
    NumberType type = NumberType::float32;
    std::vector<std::int64_t> sizes, strides;
    std::int64_t offset = 0;
    std::size_t storage = 0;  ///< index of the storage in the package
};

/// The largest count of numbers in one tensor.
inline constexpr std::int64_t kMostNumbers = std::int64_t{1} << 31;

/// Throws bad_input, naming `what`, unless every number of the tensor is inside a storage of
/// `storage_bytes` bytes.
void check_tensor(const StoredTensor& tensor, std::size_t storage_bytes, const std::string& what);

}  // namespace assay::pt2
