#include "assay/store/memory_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "assay/error.h"
#include "assay/store/import.h"
#include "core/npy.h"
#include "core/parallel.h"
#include "core/string_index.h"
#include "dataset_files.h"
#include "import_decisions.h"
#include "layout.h"
#include "reduce.h"
#include "store_impl.h"

namespace assay {
namespace {

using namespace store;

std::uint32_t width_of(const ScoreMatrix& m) {
    return std::max(m.columns, 1U);
}

const std::byte* row_at(const ScoreMatrix& m, std::uint64_t row) {
    return static_cast<const std::byte*>(m.data) + static_cast<std::int64_t>(row) * m.row_stride;
}

bool is_packed_row(const ScoreMatrix& m) {
    return m.columns <= 1 || m.column_stride == static_cast<std::int64_t>(size_of(m.type));
}

/// Rows follow one another without a gap, at addresses where numbers of this type may lie.
bool is_packed(const ScoreMatrix& m) {
    const std::size_t size = size_of(m.type);
    return is_packed_row(m) && m.row_stride == static_cast<std::int64_t>(width_of(m) * size) &&
           reinterpret_cast<std::uintptr_t>(m.data) % size == 0;
}

/// A row's numbers, one behind the other: where they are, or in `buffer`.
NumberSpan numbers_of(const ScoreMatrix& m, std::uint64_t row, std::vector<std::byte>& buffer) {
    const std::size_t size = size_of(m.type), width = width_of(m);
    const std::byte* from = row_at(m, row);
    if (is_packed_row(m)) return {m.type, width, {from, width * size}};
    buffer.resize(width * size);
    for (std::size_t c = 0; c < width; ++c, from += m.column_stride)
        std::memcpy(buffer.data() + c * size, from, size);
    return {m.type, width, buffer};
}

void read_rows(const ScoreMatrix& m, std::uint64_t first, std::uint32_t n, std::span<float> out) {
    std::vector<std::byte> buffer;
    for (std::uint32_t r = 0; r < n; ++r)
        numbers_of(m, first + r, buffer)
            .floats(0, out.subspan(std::size_t{r} * m.columns, m.columns));
}

class MatrixShards final : public ShardsInMemory {
public:
    MatrixShards(ScoreMatrix matrix, const StoreSpec& spec)
        : matrix_(std::move(matrix)), spec_(spec) {
        in_place_ = is_packed(matrix_) && matrix_.columns > 0 &&
                    (matrix_.type == NumberType::f4 || matrix_.type == NumberType::f2);
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
            const std::vector<TopEntry> entries = predicted(first, rows);
            shard->reduced = reduce(spec_, std::span(entries), record.states);
        } else {
            const std::span<const float> scores = floats(*shard, first, rows);
            find_not_finite(spec_, scores, first, record.states, record.errors);
            const bool sound = record.errors.empty();
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

    std::vector<TopEntry> predicted(std::uint64_t first, std::uint32_t rows) const {
        std::vector<TopEntry> entries(rows);
        std::vector<std::byte> buffer;
        for (std::uint32_t r = 0; r < rows; ++r) {
            const std::int64_t c = numbers_of(matrix_, first + r, buffer).integer(0);
            if (c < 0 || c >= static_cast<std::int64_t>(spec_.classes)) {
                throw Error(ErrorCode::bad_input,
                            fmt::format("the predicted class of row {} is {}; 0 to {} are allowed",
                                        first + r, c, spec_.classes - 1));
            }
            entries[r] = {static_cast<std::int32_t>(c), 1.0F};
        }
        return entries;
    }

    ScoreMatrix matrix_;
    StoreSpec spec_;
    bool in_place_ = false;
};

void check_shape(const ScoreMatrix& scores, const MemoryStoreOptions& options) {
    if (scores.rows == 0) throw Error(ErrorCode::usage, "the scores have no rows");
    if (scores.columns > 0 && !is_float(scores.type)) {
        throw Error(ErrorCode::usage,
                    fmt::format("the scores are a matrix of {} numbers; floating-point ones are "
                                "needed, or one predicted class a row",
                                name_of(scores.type)));
    }
    if (scores.columns == 0 && (is_float(scores.type) || scores.type == NumberType::b1)) {
        throw Error(ErrorCode::usage,
                    fmt::format("one number of type {} a row: predicted classes are whole numbers, "
                                "and scores have a column for each class",
                                name_of(scores.type)));
    }
    if (scores.columns == 0 && options.classes.empty() && options.class_count == 0) {
        throw Error(ErrorCode::usage,
                    "predicted classes do not tell how many classes there are: say it");
    }
}

Dataset dataset_of(const MemoryStoreOptions& options, std::uint64_t rows) {
    const auto check_rows = [rows](const std::string& what, std::size_t there) {
        if (there == rows) return;
        throw Error(ErrorCode::bad_input,
                    fmt::format("{} {} for {} rows of scores", there, what, rows));
    };
    Dataset dataset;
    dataset.name = options.dataset_name;
    dataset.ids = options.ids;
    if (dataset.ids.size() == 0) {
        for (std::uint64_t row = 0; row < rows; ++row) dataset.ids.append(std::to_string(row));
    } else {
        check_rows("ids", dataset.ids.size());
        const auto text_of = [&](std::uint32_t item) { return dataset.ids[item]; };
        StringIndex<decltype(text_of)> index(dataset.ids.size(), text_of);
        for (std::uint32_t i = 0; i < dataset.ids.size(); ++i) {
            if (const auto earlier = index.insert(i)) {
                throw Error(ErrorCode::bad_input,
                            fmt::format("the id `{}` is given to rows {} and {}", dataset.ids[i],
                                        *earlier, i));
            }
        }
    }
    dataset.labels = options.labels;
    if (dataset.labels.size() != 0) {
        check_rows("labels", dataset.labels.size());
    } else {
        for (std::uint64_t row = 0; row < rows; ++row) dataset.labels.append({});
    }
    dataset.attributes = options.attributes;
    for (const Dataset::Attribute& attribute : dataset.attributes)
        check_rows(fmt::format("values of `{}`", attribute.name), attribute.values.size());
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
