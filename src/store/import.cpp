#include "assay/store/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "assay/error.h"
#include "assay/version.h"
#include "core/descriptor.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/json_limits.h"
#include "core/parallel.h"
#include "core/paths.h"
#include "core/text.h"
#include "store/annotated_items.h"
#include "store/dataset_files.h"
#include "store/fields.h"
#include "store/import_decisions.h"
#include "store/import_items.h"
#include "store/kind_check.h"
#include "store/layout.h"
#include "store/one_column.h"
#include "store/score_source.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using namespace store;

StorageFormat decide_storage(const ScoreSource& source, const ImportOptions& options,
                             ScoreKind kind, std::uint32_t& top_k) {
    top_k = 0;
    if (source.top == 0) {
        const StorageFormat storage = options.storage.value_or(
            source.precision == NumberType::f2 ? StorageFormat::full_f16 : StorageFormat::full_f32);
        if (storage == StorageFormat::top_k) top_k = options.top_k;
        return storage;
    }
    const StorageFormat storage = options.storage.value_or(
        kind == ScoreKind::labels ? StorageFormat::label : StorageFormat::top_k);
    if (kind == ScoreKind::labels && storage != StorageFormat::label) {
        throw Error(ErrorCode::usage,
                    fmt::format("the file holds only predicted classes, so {} cannot be stored",
                                name_of(storage)));
    }
    if (storage == StorageFormat::full_f32 || storage == StorageFormat::full_f16) {
        throw Error(
            ErrorCode::usage,
            fmt::format("the file holds the best {} of {} scores of a row, so {} cannot be stored",
                        source.top, source.classes, name_of(storage)));
    }
    if (kind == ScoreKind::logits) {
        throw Error(
            ErrorCode::bad_input,
            fmt::format("the best {} logits of a row cannot give probabilities, which need all {}; "
                        "export probabilities (timm: --output-type prob) or full rows",
                        source.top, source.classes));
    }
    if (storage == StorageFormat::top_k) {
        top_k = options.top_k != 0 ? options.top_k : source.top;
        if (top_k > source.top) {
            throw Error(ErrorCode::usage,
                        fmt::format("top_k {} is more than the {} entries that the file holds",
                                    top_k, source.top));
        }
    }
    return storage;
}

std::string provenance_of(const fs::path& file, const std::string& hash, const ScoreSource& source,
                          const ImportOptions& options, const KindFacts& facts,
                          const std::vector<std::string>& notes) {
    nlohmann::json value = options.provenance_json.empty()
                               ? nlohmann::json::object()
                               : parse_json(options.provenance_json, 32);
    if (!value.is_object())
        throw Error(ErrorCode::usage, "the provenance of an import must be a JSON object");
    value["import"] = {{"file", file.filename().string()},
                       {"xxh128", hash},
                       {"array", source.array},
                       {"numbers", name_of(source.precision)},
                       {"top", source.top},
                       {"rows_like_probabilities", facts.probabilities},
                       {"rows_like_log_probabilities", facts.log_probabilities},
                       {"rows_not_finite", facts.not_finite},
                       {"notes", notes}};
    return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Everything, except the file's bytes, that determines where a number of the file is stored.
std::string arrangement_hash(const ImportedItems& items, const ClassList& classes,
                             const std::string& reading) {
    Hasher hasher;
    if (!reading.empty()) hasher.add_field(reading);
    for (const std::string& id : classes.ids()) hasher.add_field(id);
    for (std::uint64_t item = 0; item < items.dataset.size(); ++item) {
        const std::uint64_t row = items.row_of(item);
        hasher.add(std::as_bytes(std::span(&row, 1)));
    }
    return hasher.digest();
}

/// Writes one shard's entries, truncated to the k that are stored.
void write_entries(StoreWriter& writer, std::size_t shard, const ScoreSource& source,
                   const ImportedItems& items) {
    const std::uint64_t first = writer.first_row(shard);
    const std::uint32_t rows = writer.rows_in(shard);
    const std::uint32_t k = writer.spec().storage == StorageFormat::label ? 1 : writer.spec().top_k;
    std::vector<TopEntry> stored;
    stored.reserve(std::size_t{rows} * k);
    for (std::uint32_t r = 0; r < rows; ++r) {
        const auto row = source.entries.subspan(items.row_of(first + r) * source.top, source.top);
        const bool finite = std::none_of(row.begin(), row.end(),
                                         [](const TopEntry& e) { return std::isnan(e.score); });
        stored.insert(stored.end(), row.begin(), row.begin() + k);
        if (!finite)
            stored[stored.size() - k].score =
                // it may be a dropped entry
                std::numeric_limits<float>::quiet_NaN();
    }
    writer.write_entries(shard, stored, std::vector<RowState>(rows, RowState::ok), {}, "");
}

void write_rows(StoreWriter& writer, std::size_t shard, const ScoreSource& source,
                const ImportedItems& items) {
    const std::uint32_t rows = writer.rows_in(shard);
    const std::uint64_t first = writer.first_row(shard);
    std::vector<float> scores(std::size_t{rows} * source.classes);
    if (items.order.empty()) {
        source.read(first, rows, scores);
    } else {
        for (std::uint32_t r = 0; r < rows; ++r) {
            source.read(items.row_of(first + r), 1,
                        std::span(scores).subspan(std::size_t{r} * source.classes, source.classes));
        }
    }
    writer.write_shard(shard, scores, std::vector<RowState>(rows, RowState::ok), {}, "");
}

void write_all(StoreWriter& writer, const ScoreSource& source, const ImportedItems& items,
               int threads, const ProgressCallback& callback) {
    Stage stage("writing", items.dataset.size(), callback);
    parallel_blocks(writer.shards(), threads, [&](std::size_t shard) {
        if (!writer.has(shard)) {
            throw_if_stopped();
            source.top != 0 ? write_entries(writer, shard, source, items)
                            : write_rows(writer, shard, source, items);
        }
        stage.add(writer.rows_in(shard));
    });
    writer.finish();
}

/// The data set that earlier imports or predictions described.
std::optional<Dataset> dataset_there(const fs::path& folder) {
    if (!is_there(folder / "dataset.json")) return std::nullopt;
    return load_dataset(folder);
}

/// The items from a list in JSON, which contains more than ids.
std::optional<AnnotatedItems> annotated_items(const ImportOptions& options,
                                              const std::optional<Dataset>& existing) {
    if (lower_extension(options.ids.filename().string()) != ".json") return std::nullopt;
    return with_note(fmt::format("reading the items of `{}`", options.ids.string()), [&] {
        const MappedFile file(options.ids);
        return read_annotated_items(
            file.text(), options.classes.empty() && existing ? existing->classes : options.classes);
    });
}

/// Rows without ids are numbered. If an existing data set has other ids, only the user knows if the
/// rows have the same order.
void refuse_rows_without_ids(const Dataset& existing, std::uint64_t rows, const fs::path& folder) {
    if (existing.size() != rows || existing.ids[0] == "0") return;
    throw Error(ErrorCode::bad_input,
                fmt::format("the scores have no ids, but the data set `{}` already has {} items; "
                            "if the rows are in its order, pass --items {}",
                            existing.name, rows, (folder / "items.csv").string()));
}

/// The column names for the table of scores. Names that remain in `options` apply to the labels.
ScoreColumnNames take_columns_of_scores(ImportOptions& options, const fs::path& file,
                                        bool annotated) {
    const std::string ending = lower_extension(file.filename().string());
    const bool array = is_ending_of_arrays(ending);
    const bool listed = !options.ids.empty() && !annotated;
    if (!options.image_column.empty() && options.labels.empty() && !listed) {
        throw Error(ErrorCode::usage,
                    "--image-column is for a table of labels or of items: add --labels FILE or "
                    "--items FILE");
    }
    ScoreColumnNames of_scores = options.columns;
    if (!options.labels.empty() || (listed && array)) {
        of_scores.label.clear();
    } else {
        options.columns.label.clear();
    }
    return of_scores;
}

}  // namespace

ImportReport import_predictions(const fs::path& file, const fs::path& runs,
                                const ImportOptions& given, const ProgressCallback& callback) {
    // A missing file is reported before a missing option.
    (void)Descriptor(open_regular(file).first);
    StoreSpec spec;
    spec.dataset_name = !given.dataset_name.empty() ? given.dataset_name
                        : !given.ids.empty()        ? folder_name_from(given.ids.stem().string())
                                                    : std::string();
    if (spec.dataset_name.empty()) {
        throw Error(ErrorCode::usage,
                    "unknown data set of the scores: pass its name with --dataset-name, or a list "
                    "of its ids with --items");
    }
    const std::string view = given.view == 0 ? "" : fmt::format("-view{}", given.view);
    spec.model_name = !given.model_name.empty() ? given.model_name
                                                : folder_name_from(file.stem().string() + view);
    check_folder_name("data set", spec.dataset_name);
    check_folder_name("model", spec.model_name);
    const int threads = resolve_threads(given.threads);

    ImportReport report;
    const std::string hash = hash_file(file);
    const std::optional<Dataset> existing = dataset_there(runs / spec.dataset_name);
    const std::optional<AnnotatedItems> annotated = annotated_items(given, existing);
    ImportOptions options = given;
    if (annotated) options.classes = annotated->classes;
    const ScoreColumnNames of_scores = take_columns_of_scores(options, file, annotated.has_value());
    const bool told = !options.classes.empty() || options.class_count != 0;
    ScoreSource source =
        open_source(file, {.spool_folder = runs,
                           .array = options.array,
                           .view = options.view,
                           .classes = told || !existing ? options.classes : existing->classes,
                           .class_count = options.class_count,
                           .classes_told = told,
                           .columns = of_scores,
                           .numbered = annotated ? &annotated->numbered : nullptr});
    if (options.view != 0 && source.views == 0)
        throw Error(ErrorCode::usage, fmt::format("--view {} is for arrays of items x views x "
                                                  "classes, and `{}` has no views: omit --view",
                                                  options.view, file.string()));
    if (of_scores.label == no_column && source.truth_name != no_column) source.truth = {};
    // The sign says the same as --kind percent.
    if (!source.percent_signs || options.scale != ScoreScale::percent)
        apply_scale(source, options.scale);
    return with_note(fmt::format("importing `{}`", file.string()), [&] {
        take_one_column(source, options);
        report.notes = std::move(source.notes);
        const KindFacts facts = look_at(source, threads, callback);
        spec.kind = decide_kind(source, facts, options, report.notes);
        spec.storage = decide_storage(source, options, spec.kind, spec.top_k);
        if (existing && options.ids.empty() && !source.ids)
            refuse_rows_without_ids(*existing, source.rows, runs / spec.dataset_name);
        const ImportedItems items =
            imported_items(source, options, classes_of(source, options, existing, report.notes),
                           annotated ? &*annotated : nullptr, existing, report.notes);
        const Dataset& dataset = items.dataset;
        spec.rows = dataset.size();
        spec.classes = source.classes;
        spec.shard_rows = options.shard_rows;
        spec.ids_hash = dataset.ids_fingerprint();
        spec.model_hash = hash;
        if (!source.array.empty() || !view.empty()) {  // two arrays in one file are for two models
            Hasher both;
            both.add_field(hash);
            both.add_field(source.array + view);
            spec.model_hash = both.digest();
        }
        spec.import_hash = arrangement_hash(items, dataset.classes, source.reading);
        spec.provenance_json = provenance_of(file, hash, source, options, facts, report.notes);

        StoreWriter writer = StoreWriter::open(runs, spec, dataset);
        write_all(writer, source, items, threads, callback);
        report.store = writer.folder();
        report.rows = dataset.size();
        report.left_out = items.left_out;
        report.classes = source.classes;
        report.top_k = source.top;
        report.kind = spec.kind;
        report.storage = spec.storage;
        report.array = source.array;
        const StoreWriter::BadRows bad = writer.bad_rows();
        report.bad_rows = bad.count;
        if (bad.first) {
            report.first_error =
                fmt::format("{}: {}", dataset.ids[bad.first->row], bad.first->message);
        }
        return report;
    });
}

}  // namespace assay
