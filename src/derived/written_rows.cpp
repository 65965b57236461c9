#include "derived/written_rows.h"

#include <numeric>

#include <fmt/format.h>

#include "assay/data/sample.h"
#include "assay/version.h"
#include "core/hash.h"
#include "core/json_text.h"
#include "core/parallel.h"
#include "store/same_data.h"

namespace assay::derived {
namespace {

RowState state_of(RowStatus status) {
    return status == RowStatus::ok           ? RowState::ok
           : status == RowStatus::not_finite ? RowState::not_finite
                                             : RowState::unreadable;
}

/// Writes a shard of the new store, whose rows are `rows` of the source.
void write_one(const RowReader& source, const MadeStore& made, StoreWriter& writer,
               std::size_t shard, std::span<const std::uint32_t> rows) {
    const std::size_t classes = source.store().classes();
    std::vector<float> scores(rows.size() * classes, 0.0F);
    std::vector<RowState> states(rows.size());
    std::vector<RowError> errors;
    std::vector<ImageFile> images;
    for (std::size_t r = 0; r < rows.size(); ++r) {
        const RowStatus status = made.status(rows[r]);
        states[r] = state_of(status);
        if (status == RowStatus::ok) {
            made.fill(rows[r], std::span(scores).subspan(r * classes, classes));
        } else {
            errors.push_back({writer.first_row(shard) + r, states[r],
                              source.status(rows[r]) == RowStatus::ok
                                  ? "another store has no scores of it"
                                  : source.why_not(rows[r])});
        }
        const std::uint32_t size = source.store().spec().shard_rows;
        const PredictionStore::Shard* of = source.shard(rows[r] / size);
        if (of != nullptr && !of->images().empty())
            images.push_back(of->images()[rows[r] - static_cast<std::uint32_t>(of->first_row)]);
    }
    if (images.size() != rows.size()) images.clear();
    // A shard with the same rows has the same hash of their images.
    const PredictionStore::Shard* same =
        made.rows.empty() ? source.shard(static_cast<std::size_t>(shard)) : nullptr;
    writer.write_shard(shard, scores, states, errors, same != nullptr ? same->images_hash() : "",
                       images);
}

}  // namespace

std::filesystem::path write_store(const RowReader& source, const MadeStore& made, int threads) {
    const PredictionStore& store = source.store();
    std::vector<std::uint32_t> rows = made.rows;
    Dataset dataset = store.dataset();
    if (rows.empty()) {
        rows.resize(static_cast<std::size_t>(store.rows()));
        std::iota(rows.begin(), rows.end(), 0U);
    } else {
        dataset = take_items(dataset, rows);
    }
    dataset.name = made.dataset;
    StoreSpec spec = store.spec();
    spec.dataset_name = made.dataset;
    spec.model_name = made.model;
    spec.rows = rows.size();
    spec.kind = made.kind;
    spec.storage = StorageFormat::full_f32;
    spec.top_k = 0;
    spec.ids_hash = dataset.ids_fingerprint();
    spec.model_hash = hash_text(made.identity);
    spec.import_hash.clear();
    spec.part = {};
    spec.dataset_id.clear();
    spec.id.clear();
    nlohmann::json provenance = made.provenance;
    provenance["assay"] = version;
    spec.provenance_json = json_line(provenance);
    StoreWriter writer = StoreWriter::open(store.folder().parent_path().parent_path(), spec,
                                           dataset, store::corruption_of(store));
    parallel_blocks(writer.shards(), resolve_threads(threads), [&](std::size_t shard) {
        throw_if_stopped();
        if (writer.has(shard)) return;
        write_one(source, made, writer, shard,
                  std::span(rows).subspan(static_cast<std::size_t>(writer.first_row(shard)),
                                          writer.rows_in(shard)));
    });
    std::filesystem::path folder = writer.folder();
    writer.finish();
    return folder;
}

}  // namespace assay::derived
