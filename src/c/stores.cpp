// Implements stored predictions in the C interface.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "c/arrow_stream.h"
#include "c/objects.h"
#include "c/options.h"
#include "core/json_text.h"

using namespace assay;
using namespace assay::c;
using nlohmann::json;

namespace {

/// Options for a store in memory, including where its data came from.
MemoryStoreOptions memory_options(Keys& keys) {
    MemoryStoreOptions options;
    options.model_name = keys.take("model", options.model_name);
    options.dataset_name = keys.take("dataset", options.dataset_name);
    if (const auto kind = keys.take<std::string>("kind", ""); !kind.empty())
        options.kind = score_kind_named(kind);
    options.classes = take_classes(keys);
    options.class_count = keys.take("num_classes", options.class_count);
    options.attributes = take_attributes(keys);
    options.threads = keys.take("threads", options.threads);
    return options;
}

json description_of(const assay_store& object) {
    const PredictionStore& store = *object.store;
    const StoreSpec& spec = store.spec();
    const Dataset& dataset = store.dataset();
    json attributes = json::array();
    for (const Dataset::Attribute& attribute : dataset.attributes)
        attributes.push_back(attribute.name);
    return {{"dataset", spec.dataset_name},
            {"model", spec.model_name},
            {"path", store.is_in_memory() ? json(nullptr) : json(store.folder().string())},
            {"rows", spec.rows},
            {"classes", spec.classes},
            {"kind", name_of(spec.kind)},
            {"storage", name_of(spec.storage)},
            {"top_k", spec.top_k},
            {"shards", store.shards()},
            {"shard_rows", spec.shard_rows},
            {"missing_shards", store.missing_shards()},
            {"finished", store.finished()},
            {"class_ids", dataset.classes.ids()},
            {"class_names", dataset.classes.names()},
            {"attributes", std::move(attributes)},
            {"notes", object.notes},
            {"provenance", json::parse(spec.provenance_json, nullptr, false)}};
}

}  // namespace

assay_store* assay_store_open(const char* path, assay_error** error) {
    return guarded(error, static_cast<assay_store*>(nullptr), [&] {
        if (path == nullptr) throw Error(ErrorCode::usage, "no path is given");
        return new assay_store{std::make_shared<const PredictionStore>(PredictionStore::open(path)),
                               {}};
    });
}

assay_text* assay_store_list(const char* path, assay_error** error) {
    return guarded(error, static_cast<assay_text*>(nullptr), [&] {
        if (path == nullptr) throw Error(ErrorCode::usage, "no path is given");
        json list = json::array();
        for (const auto& folder : find_stores(std::filesystem::path(path)))
            list.push_back(folder.string());
        return text_of(json_line(list));
    });
}

assay_store* assay_store_in_memory(const assay_array* scores, const assay_array* labels,
                                   const assay_sets* sets, const assay_texts* ids,
                                   const char* options, assay_error** error) {
    return guarded(error, static_cast<assay_store*>(nullptr), [&] {
        if (labels != nullptr && sets != nullptr) {
            throw Error(ErrorCode::usage,
                        "pass labels or valid classes, not both; the scoring call takes both");
        }
        Keys keys = options_of(options);
        MemoryStoreOptions how = memory_options(keys);
        keys.nothing_left();
        if (ids != nullptr) how.ids = texts_of(*ids);
        if (labels != nullptr) how.labels = labels_of(*labels);
        if (sets != nullptr) how.labels = sets_of(*sets);
        auto store = std::make_unique<assay_store>();
        store->store = std::make_shared<const PredictionStore>(
            PredictionStore::in_memory(matrix_of(scores), how, &store->notes));
        return store.release();
    });
}

assay_text* assay_store_describe(const assay_store* store, assay_error** error) {
    return guarded(error, static_cast<assay_text*>(nullptr), [&] {
        store_of(store);
        return text_of(json_line(description_of(*store)));
    });
}

int assay_store_texts(const assay_store* store, size_t number, assay_texts* out,
                      assay_error** error) {
    return guarded(error, -1, [&] {
        const Dataset& dataset = store_of(store).dataset();
        if (number > dataset.attributes.size()) {
            throw Error(ErrorCode::usage, fmt::format("column {} of ids and {} attributes", number,
                                                      dataset.attributes.size()));
        }
        const StringColumn& column =
            number == 0 ? dataset.ids : dataset.attributes[number - 1].values;
        *out = {column.text().data(), column.ends().data(), column.size()};
        return 0;
    });
}

int assay_store_labels(const assay_store* store, assay_sets* out, assay_error** error) {
    return guarded(error, -1, [&] {
        const LabelSets& labels = store_of(store).dataset().labels;
        *out = {labels.offsets().data(), labels.classes().data(), labels.size()};
        return 0;
    });
}

assay_shard* assay_store_shard(const assay_store* store, size_t number, assay_error** error) {
    return guarded(error, static_cast<assay_shard*>(nullptr), [&] {
        const PredictionStore& all = store_of(store);
        if (number >= all.shards()) {
            throw Error(ErrorCode::usage,
                        fmt::format("shard {} of a store of {}", number, all.shards()));
        }
        auto shard = std::make_unique<assay_shard>();
        shard->store = store->store;
        shard->shard = all.shard(number);
        const StorageFormat storage = all.spec().storage;
        if (storage == StorageFormat::top_k || storage == StorageFormat::label) {
            double unused = 0;
            for (std::uint32_t row = 0; row < shard->shard.rows; ++row) {
                const auto entries = shard->shard.top(row, unused);
                shard->kept = entries.size();
                for (const TopEntry& entry : entries) {
                    shard->classes.push_back(entry.cls);
                    shard->scores.push_back(entry.score);
                }
            }
        }
        return shard.release();
    });
}

int assay_shard_scores(const assay_shard* shard, size_t part, assay_array* out) {
    if (shard == nullptr || out == nullptr) return -1;
    const StoreSpec& spec = shard->store->spec();
    const auto rows = static_cast<std::int64_t>(shard->shard.rows);
    const auto fill = [&](const void* data, std::int32_t type, std::int64_t columns,
                          std::int64_t size) {
        *out = {data, type, 2, {rows, columns}, {columns * size, size}};
        return 0;
    };
    const auto kept = static_cast<std::int64_t>(shard->kept);
    switch (spec.storage) {
        case StorageFormat::full_f32:
            if (part > 0) return -1;
            return fill(shard->shard.f32().data(), ASSAY_FLOAT32, spec.classes, 4);
        case StorageFormat::full_f16:
            if (part > 0) return -1;
            return fill(shard->shard.f16().data(), ASSAY_FLOAT16, spec.classes, 2);
        case StorageFormat::top_k:
        case StorageFormat::label:
            if (part > 1) return -1;
            return part == 0 ? fill(shard->classes.data(), ASSAY_INT32, kept, 4)
                             : fill(shard->scores.data(), ASSAY_FLOAT32, kept, 4);
    }
    return -1;
}

const uint8_t* assay_shard_states(const assay_shard* shard, uint64_t* rows) {
    if (shard == nullptr) return nullptr;
    const std::span<const RowState> states = shard->shard.states();
    if (rows != nullptr) *rows = states.size();
    return reinterpret_cast<const uint8_t*>(states.data());
}

void assay_shard_free(assay_shard* shard) {
    delete shard;
}

int assay_store_arrow(const assay_store* store, const char* options, struct ArrowArrayStream* out,
                      assay_error** error) {
    return guarded(error, -1, [&] {
        store_of(store);
        Keys keys = options_of(options);
        ExportOptions how;
        keys.take(how);
        std::erase(how.labels, "");  // none
        keys.nothing_left();
        stream_items(store->store, how, *out);
        return 0;
    });
}

void assay_store_free(assay_store* store) {
    delete store;
}
