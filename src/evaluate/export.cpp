#include "assay/evaluate/export.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "assay/error.h"
#include "assay/evaluate/score.h"
#include "assay/robustness/model_stores.h"
#include "assay/store/prediction_store.h"
#include "assay/store/row_reader.h"
#include "containers/arrow/arrow_writer.h"
#include "containers/npy.h"
#include "containers/parquet/parquet_writer.h"
#include "core/parallel.h"
#include "evaluate/export_columns.h"
#include "evaluate/export_fields.h"
#include "evaluate/exported_items.h"
#include "evaluate/given_labels.h"
#include "evaluate/item_pieces.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

/// Number of lines that are prepared before any is written: enough to keep the threads busy.
constexpr std::uint64_t piece_rows = 4096, block_rows = 256;

/// Reads only the class map, because labels may be a large file.
std::optional<ClassMap> map_of(const ExportOptions& options, const PredictionStore& store) {
    MeasureOptions measure;
    measure.class_map = options.class_map;
    return resolve(measure, store).map;
}

ScoreOptions export_options_for(const ExportOptions& options, const GivenLabels& labels,
                                const PredictionStore& store) {
    MeasureOptions measure;
    measure.class_map = options.class_map;
    return resolve(labels.measure_for(measure, store), store);
}

/// Receives the items of all stores in order.
class ExportSink {
public:
    virtual ~ExportSink() = default;
    /// Called for a store before its items.
    virtual void begin(const ExportedItems&) {}
    /// Adds items [first, last) on many threads; returns how many have no scores.
    virtual std::uint64_t add(const ExportedItems& items, std::uint64_t first,
                              std::uint64_t last) = 0;
    virtual void finish() {}
};

/// Calls make(block, item) for blocks of the items on many threads; returns how many have no
/// scores.
template <class Make>
std::uint64_t in_blocks(const ExportedItems& items, std::uint64_t first, std::uint64_t last,
                        int threads, const Make& make) {
    const auto blocks = static_cast<std::size_t>((last - first + block_rows - 1) / block_rows);
    std::vector<std::uint64_t> failed(blocks, 0);
    parallel_blocks(blocks, threads, [&](std::size_t b) {
        throw_if_stopped();
        const std::uint64_t begin = first + b * block_rows;
        for (std::uint64_t item = begin; item < std::min(last, begin + block_rows); ++item) {
            const ExportLine line = items.read(item);
            failed[b] += line.status != RowStatus::ok;
            make(b, line);
        }
    });
    return std::accumulate(failed.begin(), failed.end(), std::uint64_t{0});
}

class LineSink final : public ExportSink {
public:
    LineSink(bool csv, int threads, const std::function<void(std::string_view)>& write)
        : csv_(csv), threads_(threads), write_(write) {}

    void begin(const ExportedItems& items) override {
        if (!csv_ || named_ || items.rows() == 0) return;
        std::string header;
        items.write(items.read(0), *csv_names(header));
        write_(header);
        named_ = true;
    }
    std::uint64_t add(const ExportedItems& items, std::uint64_t first,
                      std::uint64_t last) override {
        std::vector<std::string> texts(
            static_cast<std::size_t>((last - first + block_rows - 1) / block_rows));
        const std::uint64_t failed =
            in_blocks(items, first, last, threads_, [&](std::size_t b, const ExportLine& line) {
                items.write(line, csv_ ? *csv_fields(texts[b]) : *json_fields(texts[b]));
            });
        std::string all;
        for (const std::string& text : texts) all += text;
        write_(all);
        return failed;
    }

private:
    bool csv_, named_ = false;
    int threads_;
    const std::function<void(std::string_view)>& write_;
};

/// Appends items [first, last) to `rows`; returns how many have no scores.
std::uint64_t append_items(const ExportedItems& items, std::uint64_t first, std::uint64_t last,
                           int threads, ColumnTable& rows) {
    std::vector<ColumnTable> parts(
        static_cast<std::size_t>((last - first + block_rows - 1) / block_rows));
    for (ColumnTable& part : parts) {
        part.specs = rows.specs;
        part.clear();
    }
    const std::uint64_t failed =
        in_blocks(items, first, last, threads, [&](std::size_t b, const ExportLine& line) {
            ColumnFields fields(parts[b]);
            items.write(line, fields);
        });
    for (const ColumnTable& part : parts) rows.append(part);
    return failed;
}

/// True if a table of columns has enough rows for one piece; up to piece_rows more may be added.
bool is_full(const ColumnTable& rows) {
    constexpr std::uint64_t most_rows = 65'536, most_bytes = std::uint64_t{64} << 20;
    return rows.rows() + piece_rows > most_rows || rows.bytes() > most_bytes;
}

class ColumnSink final : public ExportSink {
public:
    ColumnSink(std::vector<ColumnSpec> specs, std::unique_ptr<ColumnFile> file, int threads)
        : file_(std::move(file)), threads_(threads) {
        group_.specs = std::move(specs);
        group_.clear();
    }

    std::uint64_t add(const ExportedItems& items, std::uint64_t first,
                      std::uint64_t last) override {
        const std::uint64_t failed = append_items(items, first, last, threads_, group_);
        if (is_full(group_)) flush();
        return failed;
    }
    void finish() override {
        flush();
        file_->finish();
    }

private:
    void flush() {
        file_->write(group_);
        group_.clear();
    }

    ColumnTable group_;
    std::unique_ptr<ColumnFile> file_;
    int threads_;
};

/// All scores of an item are one column, with one name and one length.
struct ScoreColumn {
    std::string name;
    std::uint32_t length = 0;
};

ScoreColumn score_column(const ExportOptions& options, const PredictionStore& store) {
    const RowReader reader(store);
    if (!options.class_map.empty()) {
        throw Error(ErrorCode::usage, "--scores writes the model's own classes: omit --class-map");
    }
    if (!reader.full()) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("`{}` keeps {} of {} scores of each item: a column of scores needs "
                                "all of them; predict again into another --out with --storage full",
                                store.folder().string(), reader.depth(), reader.classes()));
    }
    return {std::string(name_of(store.spec().kind)), reader.classes()};
}

std::unique_ptr<ExportSink> sink_for(const ExportOptions& options, std::size_t top,
                                     const ScoreColumn& scores, int threads,
                                     const std::function<void(std::string_view)>& write) {
    using Format = ExportOptions::Format;
    if (options.format == Format::csv || options.format == Format::jsonl)
        return std::make_unique<LineSink>(options.format == Format::csv, threads, write);
    std::vector<ColumnSpec> specs = item_columns(top, scores.name, scores.length);
    const std::vector<std::pair<std::string, std::string>> metadata = {
        {"assay.schema", "assay.items/1"}};
    auto file = options.format == Format::parquet
                    ? parquet::write_parquet(specs, metadata, threads, write)
                    : arrow::write_arrow(specs, metadata, write);
    return std::make_unique<ColumnSink>(std::move(specs), std::move(file), threads);
}

}  // namespace

ExportResult export_items(const ExportOptions& options,
                          const std::function<void(std::string_view)>& write,
                          const ProgressCallback& progress) {
    const bool lines = options.format == ExportOptions::Format::csv ||
                       options.format == ExportOptions::Format::jsonl;
    if (options.scores && lines) {
        throw Error(ErrorCode::usage,
                    "scores are a column of Parquet and Arrow files: add --parquet or --arrow; for "
                    "numpy there is the matrix of --probabilities");
    }
    ExportResult result;
    const ModelStores stores = model_stores(options.paths);
    const std::vector<fs::path>& folders = stores.folders;
    const GivenLabels labels = labels_of_stores(options.labels, folders);
    result.notes = labels.notes();
    if (!stores.variants.empty()) result.notes.push_back(stores.note());
    result.warnings = labels.warnings();
    Progress state;
    std::size_t top = options.top;
    ScoreColumn scores;
    for (const fs::path& folder : folders) {
        const PredictionStore store = PredictionStore::open(folder);
        state.total += store.rows();
        if (options.scores) {
            const ScoreColumn found = score_column(options, store);
            if (scores.length != 0 &&
                (found.name != scores.name || found.length != scores.length)) {
                throw Error(ErrorCode::bad_input,
                            fmt::format("`{}` has {} {} per item, but the stores before it have {} "
                                        "{}, and a column holds one kind; export them separately",
                                        folder.string(), found.length, found.name, scores.length,
                                        scores.name));
            }
            scores = found;
        }
        // A table has the same columns on every line.
        if (options.format == ExportOptions::Format::jsonl) continue;
        top = std::min<std::size_t>(top, RowReader(store, map_of(options, store)).depth());
    }
    const int threads = resolve_threads(options.threads);
    const std::unique_ptr<ExportSink> sink = sink_for(options, top, scores, threads, write);
    for (const fs::path& folder : folders) {
        with_note("exporting `" + folder.string() + "`", [&] {
            const PredictionStore store = PredictionStore::open(folder);
            const ScoreOptions score = export_options_for(options, labels, store);
            if (std::string writing = writer_warning(store); !writing.empty())
                result.warnings.push_back(std::move(writing));
            const ExportedItems items(store, score, top, options.scores);
            sink->begin(items);
            state.step = store.spec().dataset_name + "/" + store.spec().model_name;
            for (std::uint64_t first = 0; first < items.rows(); first += piece_rows) {
                const std::uint64_t last = std::min(items.rows(), first + piece_rows);
                result.without_scores += sink->add(items, first, last);
                result.rows += last - first;
                state.done += last - first;
                if (progress) progress(state);
            }
        });
    }
    sink->finish();
    return result;
}

struct ItemPieces::Impl {
    ExportedItems items;
    std::vector<ColumnSpec> columns;
    int threads;
    std::uint64_t next = 0;
};

ItemPieces::ItemPieces(const PredictionStore& store, const ExportOptions& options) {
    const ScoreColumn scores = options.scores ? score_column(options, store) : ScoreColumn{};
    const PredictionStore* const one = &store;
    const GivenLabels labels(options.labels, {&one, 1});
    const ScoreOptions score = export_options_for(options, labels, store);
    const auto top = std::min<std::size_t>(options.top, RowReader(store, score.map).depth());
    impl_ = std::make_unique<Impl>(Impl{ExportedItems(store, score, top, options.scores),
                                        item_columns(top, scores.name, scores.length),
                                        resolve_threads(options.threads)});
}
ItemPieces::~ItemPieces() = default;

const std::vector<ColumnSpec>& ItemPieces::columns() const noexcept {
    return impl_->columns;
}

bool ItemPieces::next(ColumnTable& rows) {
    const std::uint64_t all = impl_->items.rows();
    rows.specs = impl_->columns;
    rows.clear();
    while (impl_->next < all && !is_full(rows)) {
        const std::uint64_t last = std::min(all, impl_->next + piece_rows);
        append_items(impl_->items, impl_->next, last, impl_->threads, rows);
        impl_->next = last;
    }
    return rows.rows() > 0;
}

void export_probabilities(const ExportOptions& options,
                          const std::function<void(std::string_view)>& write) {
    const std::vector<fs::path> folders = model_stores(options.paths).folders;
    if (folders.size() != 1) {
        throw Error(
            ErrorCode::usage,
            fmt::format(
                "--probabilities needs one store, but there are {}: name one of them, such as {}",
                folders.size(), folders.empty() ? "RUNS/DATA_SET/MODEL" : folders[0].string()));
    }
    const PredictionStore store = PredictionStore::open(folders[0]);
    const RowReader reader(store);
    if (!options.class_map.empty() || !reader.full()) {
        throw Error(
            ErrorCode::bad_input,
            options.class_map.empty()
                ? fmt::format(
                      "`{}` keeps {} of {} scores of each item: the matrix of probabilities needs "
                      "all of them; predict again into another --out with --storage full",
                      folders[0].string(), reader.depth(), reader.classes())
                : std::string("--probabilities writes the model's own classes: omit --class-map"));
    }
    const std::array<std::uint64_t, 2> shape = {store.rows(), reader.classes()};
    write(npy_header("<f4", shape));
    std::vector<float> values;
    for (std::uint64_t first = 0; first < store.rows(); first += block_rows) {
        throw_if_stopped();
        const std::uint64_t n = std::min(block_rows, store.rows() - first);
        values.assign(static_cast<std::size_t>(n) * reader.classes(),
                      std::numeric_limits<float>::quiet_NaN());
        parallel_blocks(static_cast<std::size_t>(n), resolve_threads(options.threads),
                        [&](std::size_t i) {
                            RowPrediction row;
                            if (reader.read(first + i, {}, row) != RowStatus::ok) return;
                            reader.probabilities(first + i, 0, reader.classes(), row.scale,
                                                 values.data() + i * reader.classes());
                        });
        write({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)});
    }
}

}  // namespace assay
