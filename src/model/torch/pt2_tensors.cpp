#include "model/torch/pt2_tensors.h"

#include <ATen/ops/empty.h>

#include <cstdint>
#include <cstring>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "model/torch/pt2_call.h"

namespace assay::torch_plugin {
namespace {

using StoredPlaces = std::set<std::tuple<std::size_t, std::int64_t, std::int64_t>>;

/// Counts tensors of one kind, skipping those in `seen`.
void count_numbers(const pt2::Package& package, bool parameters, StoredPlaces& seen,
                   std::uint64_t& total, std::uint64_t& bytes) {
    for (const pt2::Input& input : package.program.inputs) {
        if ((input.kind == pt2::InputKind::parameter) != parameters) continue;
        const auto found = package.weights.find(input.name);
        const auto constant = package.constants.find(input.name);
        if (found == package.weights.end() && constant == package.constants.end()) continue;
        const pt2::StoredTensor& tensor =
            found != package.weights.end() ? found->second : constant->second;
        std::int64_t numbers = 1;
        for (const std::int64_t size : tensor.sizes) numbers *= size;
        if (!seen.insert({tensor.storage, tensor.offset, numbers}).second) continue;
        total += static_cast<std::uint64_t>(numbers);
        bytes += static_cast<std::uint64_t>(numbers) * pt2::bytes_of(tensor.type);
    }
}

}  // namespace

at::Tensor Pt2Tensors::get(const pt2::StoredTensor& stored) {
    auto& whole = wholes_[{stored.storage, stored.type}];
    if (!whole.defined()) {
        const std::span<const std::byte> bytes = package_.storages[stored.storage];
        const std::size_t count = bytes.size() / pt2::bytes_of(stored.type);
        whole = at::empty({static_cast<std::int64_t>(count)}, scalar_type_of(stored.type));
        if (count > 0)
            std::memcpy(whole.data_ptr(), bytes.data(), count * pt2::bytes_of(stored.type));
        whole = whole.to(computed_type(whole.scalar_type(), where_.type)).to(where_.device);
    }
    return whole.as_strided(stored.sizes, stored.strides, stored.offset);
}

WeightCost program_weights(const pt2::Package& package) {
    StoredPlaces seen;
    WeightCost total;
    count_numbers(package, true, seen, total.parameters, total.bytes);
    count_numbers(package, false, seen, total.buffers, total.bytes);
    if (total.parameters == 0) std::swap(total.parameters, total.buffers);
    return total;
}

}  // namespace assay::torch_plugin
