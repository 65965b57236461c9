#include "assay/evaluate/export.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "assay/error.h"
#include "assay/evaluate/score.h"
#include "assay/store/prediction_store.h"
#include "assay/store/row_reader.h"
#include "core/csv.h"
#include "core/json_text.h"
#include "core/npy.h"
#include "core/parallel.h"
#include "evaluate/truth.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

/// Lines that are made before any of them is written: enough to keep the threads busy.
constexpr std::uint64_t piece_rows = 4096, block_rows = 256;

std::string_view name_of(RowStatus status) {
    switch (status) {
        case RowStatus::ok:
            return "ok";
        case RowStatus::missing:
            return "missing";
        case RowStatus::unreadable:
            return "unreadable";
        case RowStatus::not_finite:
            return "not_finite";
    }
    return "";
}

/// What is known of one item.
struct ExportLine {
    std::uint64_t item = 0;
    RowStatus status = RowStatus::ok;
    std::span<const std::int32_t> labels;
    RowPrediction row;
    std::vector<RankedClass> best;  ///< at least two where so many are stored
};

/// The value of one column: a number or a text; nothing where it is not known.
class LineFields {
public:
    virtual ~LineFields() = default;
    virtual void text(const std::string& name, std::string_view value) = 0;
    virtual void whole(const std::string& name, std::int64_t value) = 0;
    virtual void real(const std::string& name, double value) = 0;
    virtual void single(const std::string& name, float value) = 0;
    virtual void flag(const std::string& name, bool value) = 0;
    virtual void absent(const std::string& name) = 0;
    virtual void end() = 0;
};

class CsvLine final : public LineFields {
public:
    explicit CsvLine(std::string& out) : writer_(out) {}
    void text(const std::string&, std::string_view value) override { writer_.field(value); }
    void whole(const std::string&, std::int64_t value) override {
        writer_.field(fmt::format("{}", value));
    }
    void real(const std::string&, double value) override {
        writer_.field(fmt::format("{}", value));
    }
    void single(const std::string&, float value) override {
        writer_.field(fmt::format("{}", value));
    }
    void flag(const std::string&, bool value) override {
        // pandas reads these two as booleans.
        writer_.field(value ? "True" : "False");
    }
    void absent(const std::string&) override { writer_.field(""); }
    void end() override { writer_.end_row(); }

private:
    CsvWriter writer_;
};

/// The names of the columns: the first line of the csv.
class HeaderLine final : public LineFields {
public:
    explicit HeaderLine(std::string& out) : writer_(out) {}
    void text(const std::string& name, std::string_view) override { writer_.field(name); }
    void whole(const std::string& name, std::int64_t) override { writer_.field(name); }
    void real(const std::string& name, double) override { writer_.field(name); }
    void single(const std::string& name, float) override { writer_.field(name); }
    void flag(const std::string& name, bool) override { writer_.field(name); }
    void absent(const std::string& name) override { writer_.field(name); }
    void end() override { writer_.end_row(); }

private:
    CsvWriter writer_;
};

/// Keys in the order of the columns, as a person reads them.
class JsonLine final : public LineFields {
public:
    explicit JsonLine(std::string& out) : out_(out) {}
    void text(const std::string& name, std::string_view value) override {
        add(name, json_line(std::string(value)));
    }
    void whole(const std::string& name, std::int64_t value) override {
        add(name, fmt::format("{}", value));
    }
    void real(const std::string& name, double value) override {
        // JSON has no infinity: the loss of a label whose probability is zero.
        add(name, std::isfinite(value) ? fmt::format("{}", value) : "null");
    }
    void single(const std::string& name, float value) override {
        add(name, fmt::format("{}", value));
    }
    void flag(const std::string& name, bool value) override { add(name, value ? "true" : "false"); }
    void absent(const std::string& name) override { add(name, "null"); }
    void end() override {
        out_ += "}\n";
        first_ = true;
    }

private:
    void add(const std::string& name, std::string_view value) {
        out_ += first_ ? "{" : ", ";
        first_ = false;
        out_ += fmt::format("\"{}\": {}", name, value);
    }
    std::string& out_;
    bool first_ = true;
};

class Exported {
public:
    Exported(const PredictionStore& store, const ScoreOptions& options, std::size_t top)
        : store_(store),
          truth_(truth_for(store, options)),
          reader_(store, options.map),
          classes_(options.map ? options.map->targets : store.dataset().classes),
          top_(top) {}

    ExportLine read(std::uint64_t item) const {
        ExportLine line;
        line.item = item;
        line.labels = truth_.labels[static_cast<std::size_t>(item)];
        // The loss is of the label that score's nll goes by.
        line.status = reader_.read(item, truth_.targets[static_cast<std::size_t>(item)],
                                   line.labels, line.row);
        if (line.status == RowStatus::ok)
            reader_.top(item, std::max<std::size_t>(top_, 2), line.best);
        return line;
    }

    void write(const ExportLine& line, LineFields& out) const {
        const Dataset& dataset = store_.dataset();
        const auto item = static_cast<std::size_t>(line.item);
        const bool ok = line.status == RowStatus::ok;
        const bool believes = ok && reader_.has_probabilities();
        out.text("dataset", store_.spec().dataset_name);
        out.text("model", store_.spec().model_name);
        out.text("id", dataset.ids[item]);
        if (dataset.root.empty()) {
            out.absent("filepath");
        } else {
            out.text("filepath", dataset.path_of(item).string());
        }
        write_labels(line, out);
        write_class("predicted", ok ? line.row.predicted : -1, out);
        if (ok && !line.labels.empty()) {
            out.flag("correct", std::ranges::binary_search(line.labels, line.row.predicted));
        } else {
            out.absent("correct");
        }
        const auto number = [&](const char* name, bool known, float value) {
            if (known) {
                out.single(name, value);
            } else {
                out.absent(name);
            }
        };
        number("confidence", believes, line.row.confidence);
        number("margin", believes && line.best.size() > 1,
               line.best.size() > 1 ? line.best[0].probability - line.best[1].probability : 0);
        const bool target = believes && line.row.target_known;
        number("label_probability", target, line.row.target_probability);
        if (target) {
            out.real("loss", 0.0 - line.row.log_target);
        } else {
            out.absent("loss");
        }
        out.text("status", name_of(line.status));
        for (std::size_t k = 0; k < std::min<std::size_t>(top_, reader_.depth()); ++k) {
            const std::string name = fmt::format("top{}", k + 1);
            const bool there = k < line.best.size();
            write_class(name, there ? line.best[k].cls : -1, out);
            number((name + "_probability").c_str(), there && believes,
                   there ? line.best[k].probability : 0);
        }
        out.end();
    }

    std::uint64_t rows() const { return store_.rows(); }

private:
    std::string name_of_class(std::int32_t c) const {
        const auto index = static_cast<std::size_t>(c);
        return index < classes_.size() ? classes_.name(index) : std::to_string(c);
    }
    void write_class(const std::string& name, std::int32_t c, LineFields& out) const {
        if (c < 0) {
            out.absent(name);
            out.absent(name + "_name");
        } else {
            out.whole(name, c);
            out.text(name + "_name", name_of_class(c));
        }
    }
    /// One label is a number; several are numbers with a blank between two.
    void write_labels(const ExportLine& line, LineFields& out) const {
        if (line.labels.size() < 2)
            return write_class("label", line.labels.empty() ? -1 : line.labels[0], out);
        std::string numbers, names;
        for (const std::int32_t c : line.labels) {
            numbers += (numbers.empty() ? "" : " ") + std::to_string(c);
            names += (names.empty() ? "" : "; ") + name_of_class(c);
        }
        out.text("label", numbers);
        out.text("label_name", names);
    }

    const PredictionStore& store_;
    Truth truth_;
    RowReader reader_;
    ClassList classes_;
    std::size_t top_;
};

/// The map alone: labels may be a large file.
std::optional<ClassMap> map_of(const ExportOptions& options, const PredictionStore& store) {
    MeasureOptions measure;
    measure.class_map = options.class_map;
    return resolve(measure, store).map;
}

ScoreOptions export_options_for(const ExportOptions& options, const PredictionStore& store) {
    MeasureOptions measure;
    measure.labels = options.labels;
    measure.class_map = options.class_map;
    return resolve(measure, store);
}

/// The lines [first, last), made by many threads and joined in order.
std::pair<std::string, std::uint64_t> exported_lines(const Exported& items, std::uint64_t first,
                                                     std::uint64_t last,
                                                     ExportOptions::Format format, int threads) {
    const auto blocks = static_cast<std::size_t>((last - first + block_rows - 1) / block_rows);
    std::vector<std::string> texts(blocks);
    std::vector<std::uint64_t> failed(blocks, 0);
    parallel_blocks(blocks, threads, [&](std::size_t b) {
        throw_if_stopped();
        CsvLine csv(texts[b]);
        JsonLine json(texts[b]);
        LineFields& fields =
            format == ExportOptions::Format::csv ? static_cast<LineFields&>(csv) : json;
        const std::uint64_t begin = first + b * block_rows;
        for (std::uint64_t item = begin; item < std::min(last, begin + block_rows); ++item) {
            const ExportLine line = items.read(item);
            failed[b] += line.status != RowStatus::ok;
            items.write(line, fields);
        }
    });
    std::pair<std::string, std::uint64_t> out;
    for (std::size_t b = 0; b < blocks; ++b) {
        out.first += texts[b];
        out.second += failed[b];
    }
    return out;
}

}  // namespace

ExportResult export_items(const ExportOptions& options,
                          const std::function<void(std::string_view)>& write,
                          const ProgressCallback& progress) {
    ExportResult result;
    const std::vector<fs::path> folders = find_stores(options.paths);
    Progress state;
    std::size_t top = options.top;
    for (const fs::path& folder : folders) {
        const PredictionStore store = PredictionStore::open(folder);
        state.total += store.rows();
        // One table has the same columns on every line.
        if (options.format == ExportOptions::Format::jsonl) continue;
        top = std::min<std::size_t>(top, RowReader(store, map_of(options, store)).depth());
    }
    const int threads = resolve_threads(options.threads);
    bool named = options.format == ExportOptions::Format::jsonl;
    for (const fs::path& folder : folders) {
        with_note("exporting `" + folder.string() + "`", [&] {
            const PredictionStore store = PredictionStore::open(folder);
            const ScoreOptions score = export_options_for(options, store);
            if (const std::string& text = score.labels_note;
                !text.empty() && std::ranges::find(result.warnings, text) == result.warnings.end())
                result.warnings.push_back(text);
            if (std::string writing = writer_warning(store); !writing.empty())
                result.warnings.push_back(std::move(writing));
            const Exported items(store, score, top);
            if (!named && items.rows() > 0) {
                std::string header;
                HeaderLine names(header);
                items.write(items.read(0), names);
                write(header);
                named = true;
            }
            state.step = store.spec().dataset_name + "/" + store.spec().model_name;
            for (std::uint64_t first = 0; first < items.rows(); first += piece_rows) {
                const std::uint64_t last = std::min(items.rows(), first + piece_rows);
                const auto [text, failed] =
                    exported_lines(items, first, last, options.format, threads);
                write(text);
                result.rows += last - first;
                result.without_scores += failed;
                state.done += last - first;
                if (progress) progress(state);
            }
        });
    }
    return result;
}

void export_probabilities(const ExportOptions& options,
                          const std::function<void(std::string_view)>& write) {
    const std::vector<fs::path> folders = find_stores(options.paths);
    if (folders.size() != 1) {
        throw Error(
            ErrorCode::usage,
            fmt::format("a matrix of probabilities is of one store; there are {}", folders.size()));
    }
    const PredictionStore store = PredictionStore::open(folders[0]);
    const RowReader reader(store);
    if (!options.class_map.empty() || !reader.full()) {
        throw Error(ErrorCode::bad_input,
                    options.class_map.empty()
                        ? fmt::format("`{}` keeps {} of {} scores of each item: the matrix of "
                                      "probabilities needs all",
                                      folders[0].string(), reader.depth(), reader.classes())
                        : std::string("a matrix of probabilities is of the model's own classes, "
                                      "without a class map"));
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
