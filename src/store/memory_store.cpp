#include "assay/store/memory_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "assay/error.h"
#include "assay/store/import.h"
#include "containers/npy.h"
#include "core/parallel.h"
#include "store/dataset_files.h"
#include "store/given_items.h"
#include "store/import_decisions.h"
#include "store/layout.h"
#include "store/matrix_rows.h"
#include "store/reduce.h"
#include "store/store_impl.h"

namespace assay {
namespace {

using namespace store;

class MatrixShards final : public ShardsInMemory {
public:
    MatrixShards(ScoreMatrix matrix, const StoreSpec& spec)
        : matrix_(std::move(matrix)), spec_(spec), sound_(shard_count(spec)) {
        in_place_ = is_packed(matrix_) && matrix_.columns > 0 &&
                    (matrix_.type == NumberType::f4 || matrix_.type == NumberType::f2);
        if (matrix_.columns > 0 && matrix_.type == NumberType::f8)
            doubles_ = std::make_shared<const ScoreMatrix>(matrix_);
    }

    bool makes_copies() const override { return !in_place_; }

    std::shared_ptr<const PredictionStore::Shard::Impl> load(std::size_t index) const override {
        auto shard = std::make_shared<PredictionStore::Shard::Impl>(spec_);
        const std::uint64_t first = shard_begin(spec_, index);
        const std::uint32_t rows = shard_size(spec_, index);
        ShardRecord& record = shard->record;
        record.shard = index;
        record.states.assign(rows, RowState::ok);
        if (matrix_.columns == 0) {
            const std::vector<TopEntry> entries =
                read_predicted(matrix_, first, rows, spec_.classes);
            shard->reduced = reduce(spec_, std::span(entries), record.states);
        } else {
            std::span<const float> scores;
            if (!in_place_ || !sound_[index].load(std::memory_order_relaxed)) {
                scores = floats(*shard, first, rows);
                find_not_finite(spec_, scores, first, record.states, record.errors);
            }
            const bool sound = record.errors.empty();
            sound_[index].store(sound, std::memory_order_relaxed);
            if (in_place_ && sound) {
                const std::size_t bytes =
                    std::size_t{rows} * matrix_.columns * size_of(matrix_.type);
                shard->reduced.files.emplace_back(row_at(matrix_, first), bytes);
            } else {
                shard->reduced = reduce(spec_, scores, record.states);
            }
            if (in_place_ || !shard->reduced.owned.empty()) shard->floats = {};
        }
        shard->data = shard->reduced.files;
        shard->doubles = doubles_;
        return shard;
    }

private:
    std::span<const float> floats(PredictionStore::Shard::Impl& shard, std::uint64_t first,
                                  std::uint32_t rows) const {
        const std::size_t count = std::size_t{rows} * matrix_.columns;
        if (in_place_ && matrix_.type == NumberType::f4)
            return {reinterpret_cast<const float*>(row_at(matrix_, first)), count};
        shard.floats.resize(count);
        read_rows(matrix_, first, rows, shard.floats);
        return shard.floats;
    }

    ScoreMatrix matrix_;
    StoreSpec spec_;
    std::shared_ptr<const ScoreMatrix> doubles_;
    bool in_place_ = false;
    /// For each shard, true if it was checked and every number is valid.
    mutable std::vector<std::atomic<bool>> sound_;
};

void check_shape(const ScoreMatrix& scores, const MemoryStoreOptions& options) {
    check_numbers(scores);
    if (scores.columns == 0 && options.classes.empty() && options.class_count == 0) {
        throw Error(ErrorCode::usage, "pass the number of classes with predicted classes");
    }
}

Dataset dataset_of(const MemoryStoreOptions& options, std::uint64_t rows) {
    Dataset dataset;
    dataset.name = options.dataset_name;
    dataset.ids = options.ids;
    dataset.labels = options.labels;
    dataset.attributes = options.attributes;
    if (dataset.ids.size() == 0) {
        for (std::uint64_t row = 0; row < rows; ++row) dataset.ids.append(std::to_string(row));
    }
    if (dataset.ids.size() != rows) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("{} ids for {} rows of scores", dataset.ids.size(), rows));
    }
    check_given_items(dataset);
    return dataset;
}

}  // namespace

PredictionStore PredictionStore::in_memory(const ScoreMatrix& scores,
                                           const MemoryStoreOptions& options,
                                           std::vector<std::string>* notes) {
    check_shape(scores, options);
    check_folder_name("data set", options.dataset_name);
    check_folder_name("model", options.model_name);
    std::vector<std::string> found;
    ImportOptions import;
    import.kind = options.kind;
    import.classes = options.classes;
    import.class_count = options.class_count;
    ScoreSource source;
    source.rows = scores.rows;
    source.classes = scores.columns > 0         ? scores.columns
                     : !options.classes.empty() ? static_cast<std::uint32_t>(options.classes.size())
                                                : options.class_count;
    source.precision = scores.type;

    auto impl = std::make_unique<Impl>();
    Dataset dataset = dataset_of(options, scores.rows);
    dataset.classes = classes_of(source, import, std::nullopt, found);
    StoreSpec& spec = impl->manifest.spec;
    spec.dataset_name = options.dataset_name;
    spec.model_name = options.model_name;
    spec.rows = scores.rows;
    spec.classes = source.classes;
    spec.kind = ScoreKind::labels;
    spec.storage = scores.columns == 0             ? StorageFormat::label
                   : scores.type == NumberType::f2 ? StorageFormat::full_f16
                                                   : StorageFormat::full_f32;
    if (options.kind && scores.columns > 0) {
        spec.kind = *options.kind;
    } else if (scores.columns > 0) {
        source.read = [&](std::uint64_t first, std::uint32_t n, std::span<float> out) {
            read_rows(scores, first, n, out);
        };
        spec.kind = decide_kind(source, look_at(source, resolve_threads(options.threads), {}),
                                import, found);
    }
    spec.ids_hash = dataset.ids_fingerprint();
    spec.dataset_id = identity_of(spec.dataset_name, dataset);
    spec.provenance_json = "{}";
    spec.shard_rows = default_shard_rows(spec);
    impl->folder = std::filesystem::path(spec.dataset_name) / spec.model_name;
    impl->manifest.finished = true;
    impl->present.assign(shard_count(spec), true);
    impl->memory = std::make_unique<MatrixShards>(scores, spec);
    impl->dataset = std::move(dataset);
    if (notes != nullptr) *notes = std::move(found);
    return PredictionStore(std::move(impl));
}

}  // namespace assay
