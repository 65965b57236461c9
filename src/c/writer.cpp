// Lets a caller's own loop write a store through the C interface.
#include <nlohmann/json.hpp>

#include "assay/version.h"
#include "c/objects.h"
#include "c/options.h"
#include "core/hash.h"
#include "core/json_text.h"
#include "store/given_items.h"

using namespace assay;
using namespace assay::c;
using nlohmann::json;

namespace {

assay_writer& writer_of(assay_writer* writer) {
    if (writer == nullptr) throw Error(ErrorCode::usage, "no writer is given");
    return *writer;
}

void take_spec(Keys& keys, StoreSpec& spec) {
    spec.dataset_name = keys.take<std::string>("dataset", "");
    spec.model_name = keys.take<std::string>("model", "");
    if (spec.dataset_name.empty() || spec.model_name.empty())
        throw Error(ErrorCode::usage, "options need names of the data set and the model");
    spec.kind = score_kind_named(keys.take<std::string>("kind", "logits"));
    const bool classes_alone = spec.kind == ScoreKind::labels;
    const StorageChoice choice =
        storage_choice_named(keys.take<std::string>("storage", classes_alone ? "label" : "full"));
    spec.storage = choice.storage;
    spec.top_k = choice.top_k;
    const auto identity = keys.take<std::string>("identity", "");
    const std::filesystem::path file = keys.take_path("model_file");
    if (!identity.empty() && !file.empty())
        throw Error(ErrorCode::usage,
                    "the options give the model both an identity and a file; pass one of them");
    if (!identity.empty()) spec.model_hash = hash_text(identity);
    if (!file.empty()) spec.model_hash = hash_file(file);
    json provenance = keys.take_any("provenance");
    if (provenance.is_null()) provenance = json::object();
    if (!provenance.is_object())
        throw Error(ErrorCode::usage, "options.provenance must be an object");
    provenance["assay"] = assay::version;
    if (!identity.empty()) provenance["identity"] = identity;
    spec.provenance_json = json_line(provenance);
}

}  // namespace

assay_writer* assay_writer_open(const char* runs, const char* options, const assay_texts* ids,
                                const assay_array* labels, const assay_sets* sets,
                                assay_error** error) {
    return guarded(error, static_cast<assay_writer*>(nullptr), [&] {
        if (runs == nullptr || ids == nullptr)
            throw Error(ErrorCode::usage, "a folder and the ids of the items are needed");
        if (labels != nullptr && sets != nullptr)
            throw Error(ErrorCode::usage, "pass labels or valid classes, not both");
        Keys keys = options_of(options);
        StoreSpec spec;
        take_spec(keys, spec);
        Dataset dataset;
        dataset.name = spec.dataset_name;
        dataset.classes = take_classes(keys);
        spec.classes = keys.take("num_classes", static_cast<std::uint32_t>(dataset.classes.size()));
        dataset.attributes = take_attributes(keys);
        dataset.root = keys.take_path("root");
        for (const std::string& path : keys.take_list<std::string>("paths"))
            dataset.paths.append(path);
        keys.nothing_left();
        dataset.ids = texts_of(*ids);
        if (labels != nullptr) dataset.labels = labels_of(*labels);
        if (sets != nullptr) dataset.labels = sets_of(*sets);
        if (dataset.classes.empty() && spec.classes > 0) {
            dataset.classes = spec.classes == imagenet_classes().size()
                                  ? imagenet_classes()
                                  : numbered_classes(spec.classes);
        }
        store::check_given_items(dataset);
        spec.rows = dataset.size();
        return new assay_writer{RowWriter(runs, spec, dataset)};
    });
}

int64_t assay_writer_write(assay_writer* writer, uint64_t first_row, const assay_array* scores,
                           assay_error** error) {
    return guarded(error, int64_t{-1}, [&] {
        return static_cast<int64_t>(writer_of(writer).writer.write(first_row, matrix_of(scores)));
    });
}

assay_text* assay_writer_describe(const assay_writer* writer, assay_error** error) {
    return guarded(error, static_cast<assay_text*>(nullptr), [&] {
        const RowWriter& all = writer_of(const_cast<assay_writer*>(writer)).writer;
        json missing = json::array();
        for (const auto& [begin, end] : all.missing()) missing.push_back(json::array({begin, end}));
        return text_of(json_line({{"path", all.folder().string()},
                                  {"rows", all.spec().rows},
                                  {"shard_rows", all.spec().shard_rows},
                                  {"missing", std::move(missing)},
                                  {"warning", all.lock_warning()}}));
    });
}

int assay_writer_finish(assay_writer* writer, assay_error** error) {
    return guarded(error, -1, [&] {
        writer_of(writer).writer.finish();
        return 0;
    });
}

void assay_writer_free(assay_writer* writer) {
    delete writer;
}
