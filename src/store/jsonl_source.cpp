// Tables in JSON lines, and the choice of a reader by a file's extension.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>

#include "assay/error.h"
#include "containers/arrow/arrow_csv.h"
#include "containers/gunzip.h"
#include "containers/parquet/parquet_csv.h"
#include "containers/parquet/parquet_file.h"
#include "core/file.h"
#include "core/json_limits.h"
#include "core/json_reader.h"
#include "core/parallel.h"
#include "core/python_words.h"
#include "core/refuse.h"
#include "core/shell_word.h"
#include "core/text.h"
#include "store/blank_table.h"
#include "store/json_rows.h"
#include "store/json_table.h"
#include "store/score_source.h"
#include "store/spool.h"

namespace assay::store {
namespace {

constexpr std::size_t max_line = 64U << 20;

}  // namespace

ScoreSource read_jsonl(std::string_view text, const std::string& name,
                       const SourceOptions& options) {
    JsonRows rows(options);
    JsonTable table(options, "lines");
    std::string copy;
    for_each_line(text, [&](std::string_view line, std::size_t number) {
        if (trimmed(line).empty()) return;
        with_note(fmt::format("reading {} line {}", name, number), [&] {
            if (line.size() > max_line)
                refuse(fmt::format("a line of {} bytes; the limit is {}", line.size(), max_line));
            nlohmann::json row = parse_json_line(without_python_words(line, copy), max_row_depth);
            if (table.take(row, std::nullopt)) return;
            JsonReader(row, {.whole = "the line"}).object();
            rows.add(row);
        });
    });
    if (table.is_one()) return table.finish(name);
    refuse_columns(options, "such rows");
    return rows.finish();
}

ScoreSource open_jsonl(const std::filesystem::path& file, const SourceOptions& options) {
    const MappedFile map(file);
    return read_jsonl(map.text(), file.filename().string(), options);
}

bool is_ending_of_arrays(std::string_view ending) {
    return ending == ".npy" || ending == ".npz" || ending == ".safetensors" || ending == ".h5" ||
           ending == ".hdf5";
}

std::string conversion_of(std::string_view ending, const std::filesystem::path& file) {
    const std::string from = file.string(), stem = file.stem().string();
    if (from.find_first_of("'\"\\`$") != std::string::npos) return {};
    const auto python = [](const std::string& code) { return "python3 -c \"" + code + "\""; };
    if (ending == ".pt" || ending == ".pth" || ending == ".ckpt") {
        // Reads a tensor, a dictionary of tensors, or (scores, labels), in batches or row by row.
        return python(fmt::format(
                   "import numpy, torch; t = torch.load('{}', map_location='cpu'); "
                   "t = t if hasattr(t, 'keys') else dict(zip(('scores', 'label'), t if "
                   "isinstance(t, tuple) else [t])); "
                   "a = lambda v: v.detach().to(torch.float if v.dtype == torch.bfloat16 else "
                   "v.dtype).numpy() if torch.is_tensor(v) else (numpy.stack if v[0].ndim == 1 and "
                   "v[0].is_floating_point() else numpy.concatenate)([a(x) for x in v]) if "
                   "isinstance(v, (list, tuple)) and torch.is_tensor(v[0]) else numpy.asarray(v); "
                   "numpy.savez('{}.npz', **{{k: a(v) for k, v in t.items()}})",
                   from, stem)) +
               fmt::format("; then rerun the command with {}.npz", stem);
    }
    if (ending == ".pkl" || ending == ".pickle") {
        // Reads a table of pandas, a dictionary of arrays, or an array.
        return python(fmt::format(
                   "import numpy, pickle; t = pickle.load(open('{0}', 'rb')); t.to_csv('{1}.csv') "
                   "if hasattr(t, 'to_csv') else numpy.savez('{1}.npz', **(t if isinstance(t, "
                   "dict) else dict(scores=t)))",
                   from, stem)) +
               fmt::format("; then rerun the command with {0}.npz or {0}.csv", stem);
    }
    const auto pandas = [&](const char* reader) {
        return python(fmt::format("import pandas; pandas.{}('{}').to_csv('{}.csv', index=False)",
                                  reader, from, stem)) +
               fmt::format("; then rerun the command with {}.csv", stem);
    };
    if (ending == ".h5" || ending == ".hdf5") {
        return python(fmt::format("import h5py, numpy; f = h5py.File('{}'); numpy.savez('{}.npz', "
                                  "**{{k: v[()] for k, v in f.items() if hasattr(v, 'dtype')}})",
                                  from, stem)) +
               fmt::format("; then rerun the command with {}.npz", stem);
    }
    if (ending == ".joblib" || ending == ".sav") {
        return python(fmt::format("import joblib, numpy; numpy.save('{}.npy', joblib.load('{}'))",
                                  stem, from)) +
               fmt::format("; then rerun the command with {}.npy", stem);
    }
    if (ending == ".feather") return pandas("read_feather");
    if (ending == ".xlsx") return pandas("read_excel");
    if (ending == ".arrow" || ending == ".ipc") {  // either format, compressed or not
        return python(fmt::format(
                   "import pyarrow.ipc as a; f = '{}'; "
                   "r = a.open_file if open(f, 'rb').read(6) == b'ARROW1' else a.open_stream; "
                   "r(f).read_all().to_pandas().to_csv('{}.csv', index=False)",
                   from, stem)) +
               fmt::format("; then give the same command {}.csv", stem);
    }
    if (ending == ".gz") {
        return fmt::format("gunzip -k {}; then give the same command {}", shell_word(from),
                           shell_word(from.substr(0, from.size() - 3)));
    }
    return {};
}

namespace {

/// A table from pandas, polars or DuckDB, converted to csv.
ScoreSource open_parquet_table(const std::filesystem::path& file, const SourceOptions& options) {
    const parquet::File columns(file);
    Spool spool(options.spool_folder);
    const auto left_out = parquet::write_csv(columns, [&](std::string_view piece) {
        throw_if_stopped();
        spool.append(std::as_bytes(std::span(piece)));
    });
    const std::span<const std::byte> bytes = spool.finish();
    ScoreSource source = read_csv({reinterpret_cast<const char*>(bytes.data()), bytes.size()},
                                  file.filename().string(), options);
    if (!left_out.empty())
        source.notes.push_back(fmt::format("columns not read: {}", fmt::join(left_out, ", ")));
    return source;
}

/// A table from pandas, polars or pyarrow, converted to csv.
ScoreSource open_arrow_table(const std::filesystem::path& file, const SourceOptions& options) {
    const MappedFile map(file);
    Spool spool(options.spool_folder);
    std::vector<std::string> left_out;
    try {
        left_out = arrow::write_csv(map.bytes(), [&](std::string_view piece) {
            throw_if_stopped();
            spool.append(std::as_bytes(std::span(piece)));
        });
    } catch (const Error& error) {
        const std::string command = conversion_of(lower_extension(file.filename().string()), file);
        if (error.code() != ErrorCode::bad_input || command.empty()) throw;
        refuse(fmt::format("{}. To convert it: {}", error.message(), command));
    }
    const std::span<const std::byte> bytes = spool.finish();
    ScoreSource source = read_csv({reinterpret_cast<const char*>(bytes.data()), bytes.size()},
                                  file.filename().string(), options);
    if (!left_out.empty())
        source.notes.push_back(fmt::format("columns not read: {}", fmt::join(left_out, ", ")));
    return source;
}

/// Reads a table from np.savetxt(), or with another separator. A single column has no name from
/// which its meaning is known.
ScoreSource open_text(const std::filesystem::path& file, const SourceOptions& options) {
    const MappedFile map(file);
    const std::string_view text = map.text();
    const std::string_view first = text.substr(0, text.find('\n'));
    const bool table = first.find_first_of(",;\t") != std::string_view::npos;
    if (!table && !is_blank_table(text)) {
        refuse(fmt::format(
            "a text without columns is not supported. If each line is a predicted class, name the "
            "column: sed '1i prediction' {0} > {1}.csv; then rerun the command with {1}.csv",
            shell_word(file.string()), shell_word(file.stem().string())));
    }
    return read_csv(text, file.filename().string(), options);
}

/// A table or JSON compressed by gzip, as pandas writes it. Returns nothing for other extensions.
std::optional<ScoreSource> open_gzip(const std::filesystem::path& file,
                                     const SourceOptions& options) {
    if (lower_extension(file.filename().string()) != ".gz") return std::nullopt;
    const std::string inner = file.stem().string();
    const std::string ending = lower_extension(inner);
    const auto read = ending == ".csv" || ending == ".tsv" ? read_csv
                      : ending == ".jsonl"                 ? read_jsonl
                      : ending == ".json"                  ? read_json
                                                           : nullptr;
    if (read == nullptr) return std::nullopt;
    const MappedFile packed(file);
    Spool spool(options.spool_folder);
    gunzip(packed.bytes(), [&](std::span<const std::byte> piece) {
        throw_if_stopped();  // a small compressed file may contain a lot of data
        spool.append(piece);
    });
    const std::span<const std::byte> bytes = spool.finish();
    return read({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, inner, options);
}

}  // namespace

void refuse_columns(const SourceOptions& options, std::string_view what) {
    const ScoreColumnNames& columns = options.columns;
    const std::string_view option = !columns.scores.empty()    ? "--score-columns"
                                    : !columns.ignored.empty() ? "--ignore-columns"
                                    : !columns.label.empty() && columns.label != no_column
                                        ? "--label-column"
                                    : !columns.id.empty() ? "--id-column"
                                                          : "";
    if (option.empty()) return;
    throw Error(
        ErrorCode::usage,
        fmt::format("{} is for tables with one column per class; {} have none", option, what));
}

ScoreSource open_source(const std::filesystem::path& file, const SourceOptions& options) {
    const std::string ending = lower_extension(file.filename().string());
    return with_note(fmt::format("importing `{}`", file.string()), [&] {
        if (is_ending_of_arrays(ending)) refuse_columns(options, "arrays");
        if (ending == ".h5" || ending == ".hdf5") return open_hdf5(file, options);
        if (ending == ".npy") return open_npy(file, options);
        if (ending == ".npz") return open_npz(file, options);
        if (ending == ".safetensors") return open_safetensors(file, options);
        if (ending == ".csv" || ending == ".tsv") return open_csv(file, options);
        if (ending == ".txt") return open_text(file, options);
        if (ending == ".parquet") return open_parquet_table(file, options);
        if (arrow::has_table_ending(ending)) return open_arrow_table(file, options);
        if (ending == ".jsonl") return open_jsonl(file, options);
        if (ending == ".json") return open_json(file, options);
        if (auto unpacked = open_gzip(file, options)) return std::move(*unpacked);
        const std::string command = conversion_of(ending, file);
        refuse(fmt::format(
            "files ending in `{}` are not supported; known: .npy .npz .safetensors .h5 .csv .tsv "
            ".txt .parquet .feather .arrow .jsonl .json, and .csv.gz, .tsv.gz, .jsonl.gz, "
            ".json.gz{}",
            shortened(ending), command.empty() ? "" : ". To convert it: " + command));
    });
}

}  // namespace assay::store
