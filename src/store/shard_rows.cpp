// Gives a caller the records and scores of one shard of a store.
#include <fmt/format.h>

#include <cstring>

#include "assay/error.h"
#include "assay/store/prediction_store.h"
#include "core/half.h"
#include "store/store_impl.h"

namespace assay {

void PredictionStore::Shard::Impl::check_entries() const {
    const std::span<const TopEntry> entries = numbers<TopEntry>(0);
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const bool ok = record.states[i / per_row] == RowState::ok;
        const std::int32_t c = entries[i].cls;
        if (ok ? c < 0 || static_cast<std::uint32_t>(c) >= classes : c != -1) {
            throw Error(
                ErrorCode::bad_input,
                fmt::format("row {} of the shard holds class {} of {}", i / per_row, c, classes));
        }
    }
}

std::span<const RowState> PredictionStore::Shard::states() const {
    return impl->record.states;
}

const std::vector<RowError>& PredictionStore::Shard::errors() const {
    return impl->record.errors;
}

const ComputedOn& PredictionStore::Shard::computed_on() const {
    return impl->record.computed_on;
}

const std::string& PredictionStore::Shard::images_hash() const {
    return impl->record.images_hash;
}

std::span<const ImageFile> PredictionStore::Shard::images() const {
    return impl->record.images;
}

std::span<const float> PredictionStore::Shard::f32() const {
    return impl->storage == StorageFormat::full_f32 ? impl->numbers<float>(0)
                                                    : std::span<const float>();
}

std::span<const std::uint16_t> PredictionStore::Shard::f16() const {
    return impl->storage == StorageFormat::full_f16 ? impl->numbers<std::uint16_t>(0)
                                                    : std::span<const std::uint16_t>();
}

void PredictionStore::Shard::read_rows(std::uint32_t begin, std::uint32_t n,
                                       std::span<float> out) const {
    const std::size_t first = std::size_t{begin} * impl->classes;
    const std::size_t count = std::size_t{n} * impl->classes;
    if (begin > rows || n > rows - begin || out.size() != count) {
        throw Error(ErrorCode::internal,
                    fmt::format("rows {} to {} of a shard of {} asked for, into {} floats", begin,
                                std::uint64_t{begin} + n, rows, out.size()));
    }
    if (impl->storage == StorageFormat::full_f32) {
        if (count != 0)
            std::memcpy(out.data(), impl->numbers<float>(0).data() + first, count * sizeof(float));
    } else if (impl->storage == StorageFormat::full_f16) {
        floats_from_halves(impl->numbers<std::uint16_t>(0).subspan(first, count), out);
    } else {
        throw Error(ErrorCode::internal, fmt::format("full rows were requested from a store of {}",
                                                     name_of(impl->storage)));
    }
}

std::span<const TopEntry> PredictionStore::Shard::top(std::uint32_t row,
                                                      double& log_sum_exp) const {
    if (impl->storage != StorageFormat::top_k && impl->storage != StorageFormat::label) {
        throw Error(
            ErrorCode::internal,
            fmt::format("best entries were requested from a store of {}", name_of(impl->storage)));
    }
    if (row >= rows)
        throw Error(ErrorCode::internal,
                    fmt::format("row {} does not exist in a shard of {} rows", row, rows));
    const auto entries =
        impl->numbers<TopEntry>(0).subspan(std::size_t{row} * impl->per_row, impl->per_row);
    log_sum_exp = impl->storage == StorageFormat::top_k ? impl->numbers<double>(1)[row]
                                                        : static_cast<double>(entries[0].score);
    return entries;
}

std::span<const TopEntry> PredictionStore::Shard::top(std::uint32_t row, float& log_sum_exp) const {
    double exact = 0;
    const std::span<const TopEntry> entries = top(row, exact);
    log_sum_exp = static_cast<float>(exact);
    return entries;
}

}  // namespace assay
