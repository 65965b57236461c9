// Matrices in binary files: npy, npz, safetensors.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "assay/error.h"
#include "containers/npy_foreign.h"
#include "containers/npy_stream.h"
#include "containers/zip.h"
#include "core/file.h"
#include "store/cells.h"
#include "store/safetensors.h"
#include "store/score_source.h"
#include "store/spool.h"
#include "store/table_builder.h"

namespace assay::store {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t max_array_columns = 1U << 24;
constexpr std::uint64_t max_truth_bytes = 1ULL << 30;

[[noreturn]] void fail(ErrorCode code, std::string message) {
    throw Error(code, std::move(message));
}

/// Rows of a matrix that is stored column by column: each column's run is read, then spread over
/// the rows, a few columns at a time so that the rows' cache lines are filled while they are near.
void read_columns(const NumberSpan& values, std::uint64_t rows, std::uint32_t classes,
                  std::uint64_t first, std::uint32_t n, std::span<float> out) {
    constexpr std::uint32_t width = 16;
    std::vector<float> runs(std::size_t{width} * n);
    for (std::uint32_t begin = 0; begin < classes; begin += width) {
        const std::uint32_t columns = std::min(width, classes - begin);
        for (std::uint32_t c = 0; c < columns; ++c) {
            values.floats(std::uint64_t{begin + c} * rows + first,
                          std::span(runs).subspan(std::size_t{c} * n, n));
        }
        for (std::uint32_t r = 0; r < n; ++r) {
            for (std::uint32_t c = 0; c < columns; ++c)
                out[std::size_t{r} * classes + begin + c] = runs[std::size_t{c} * n + r];
        }
    }
}

bool is_matrix(const std::vector<std::uint64_t>& shape, NumberType type) {
    return shape.size() == 2 && is_float(type);
}

ScoreSource from_matrix(const NumberSpan& values, const std::vector<std::uint64_t>& shape,
                        bool fortran) {
    if (!is_float(values.type)) {
        fail(ErrorCode::bad_input,
             fmt::format("scores must be floats; the array is of type {}", name_of(values.type)));
    }
    if (shape.size() != 2 || shape[0] == 0 || shape[1] == 0 || shape[1] > max_array_columns) {
        std::string text;
        for (const std::uint64_t dimension : shape)
            text += fmt::format("{}{}", text.empty() ? "" : " x ", dimension);
        fail(ErrorCode::bad_input,
             fmt::format("scores must be an array of rows x classes, neither 0, at most {} "
                         "classes; it is {}",
                         max_array_columns, text.empty() ? "a single number" : text));
    }
    ScoreSource source;
    source.rows = shape[0];
    source.classes = static_cast<std::uint32_t>(shape[1]);
    source.precision = values.type;
    source.read = [=, rows = source.rows, classes = source.classes](
                      std::uint64_t first, std::uint32_t n, std::span<float> out) {
        if (fortran) {
            read_columns(values, rows, classes, first, n, out);
        } else {
            values.floats(first * classes, out);
        }
    };
    return source;
}

/// A row of whole numbers, or a column: predicted classes or labels.
bool is_column(const std::vector<std::uint64_t>& shape, NumberType type) {
    return !is_float(type) && (shape.size() == 1 || (shape.size() == 2 && shape[1] == 1));
}

/// Predicted classes alone, one a row.
ScoreSource from_predictions(const NumberSpan& values, const SourceOptions& options) {
    TableBuilder builder(options);
    for (std::uint64_t i = 0; i < values.count; ++i) {
        with_note(fmt::format("reading row {}", i), [&] {
            builder.add_top(std::nullopt,
                            {{builder.class_of(fmt::format("{}", values.integer(i))), 1.0F}});
        });
    }
    ScoreSource source = builder.finish();
    source.hint = ScoreKind::labels;
    source.notes.emplace_back(
        "the array holds whole numbers: assuming predicted classes. Without scores only metrics "
        "of the predicted class are computed");
    return source;
}

/// Texts, one a row, are predicted classes as well.
ScoreSource from_texts(std::span<const std::byte> npy, const SourceOptions& options) {
    TableBuilder builder(options);
    std::uint64_t row = 0;
    for (const std::string& text : texts_of(npy)) {
        with_note(fmt::format("reading row {}", row++), [&] {
            builder.add_top(std::nullopt, {{builder.class_of(text), 1.0F}});
        });
    }
    ScoreSource source = builder.finish();
    source.hint = ScoreKind::labels;
    source.notes.emplace_back(
        "the array holds texts: assuming predicted classes (labels go to --labels). Without scores "
        "only metrics of the predicted class are computed");
    return source;
}

ScoreSource from_array(const NpyView& view, const SourceOptions& options) {
    if (is_column(view.shape, view.type())) return from_predictions(view.values, options);
    // N floats are one score per row.
    std::vector<std::uint64_t> shape = view.shape;
    if (shape.size() == 1 && shape.front() > 0) shape.push_back(1);
    return from_matrix(view.values, shape, view.fortran);
}

/// What there is to choose from, and the choice: the named array, or the only matrix of floats.
struct Candidate {
    std::string name;
    std::string described;
    bool matrix;
    bool column = false;
    bool texts = false;  ///< one a row
    std::uint64_t count = 0;
};

/// `ids`, `filenames`, `image_paths`, ...
bool names_ids(std::string_view name) {
    return role_of(name) == Role::id ||
           (name.ends_with('s') && role_of(name.substr(0, name.size() - 1)) == Role::id);
}

/// The array of ids beside the scores, by its name and length; nothing when there is none.
std::optional<std::size_t> ids_among(const std::vector<Candidate>& candidates, std::uint64_t rows) {
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        const Candidate& c = candidates[i];
        if (c.texts && c.count == rows && names_ids(c.name)) return i;
    }
    return std::nullopt;
}

/// The array of labels beside the scores, by its name; nothing when there is none.
std::optional<std::size_t> truth_among(const std::vector<Candidate>& candidates,
                                       std::size_t chosen) {
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        const Role role = role_of(candidates[i].name);
        if (i != chosen && (candidates[i].column || candidates[i].texts) &&
            (role == Role::label || role == Role::truth))
            return i;
    }
    return std::nullopt;
}

/// The arrays that are neither the scores nor their labels or ids.
void note_others(ScoreSource& source, const std::vector<Candidate>& candidates, std::size_t chosen,
                 std::optional<std::size_t> truth, std::optional<std::size_t> ids = std::nullopt) {
    constexpr std::size_t most_named = 20;  // a checkpoint has thousands
    std::size_t others = 0;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        if (i == chosen || i == truth || i == ids || ++others > most_named) continue;
        source.notes.push_back(fmt::format("the array `{:.60}` {} is not used", candidates[i].name,
                                           candidates[i].described));
    }
    if (others > most_named) {
        source.notes.push_back(
            fmt::format("{} more arrays are not used, either", others - most_named));
    }
}

std::size_t choose(const std::vector<Candidate>& candidates, const std::string& wanted) {
    std::vector<std::string> names;
    std::string list;
    std::vector<std::size_t> matrices;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        if (!wanted.empty() && candidates[i].name == wanted) return i;
        names.push_back(candidates[i].name);
        if (i < 12)
            list += fmt::format("{}`{:.60}` {}", i == 0 ? "" : ", ", candidates[i].name,
                                candidates[i].described);
        if (candidates[i].matrix) matrices.push_back(i);
    }
    if (!wanted.empty())
        fail(ErrorCode::usage,
             fmt::format("no array is called `{}`{}", wanted, suggest(wanted, names)));
    // Without scores, predicted classes; labels are what they are compared with.
    std::vector<std::size_t> columns;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        if (candidates[i].column && role_of(candidates[i].name) == Role::predicted)
            columns.push_back(i);
    }
    if (matrices.empty() && columns.size() == 1) return columns.front();
    if (matrices.empty())
        fail(ErrorCode::bad_input,
             fmt::format("no array is a matrix of floats; there are: {}", list));
    if (matrices.size() > 1) {
        fail(ErrorCode::usage,
             fmt::format("{} arrays could be the scores; say which with --array; there are: {}",
                         matrices.size(), list));
    }
    return matrices.front();
}

/// Header only: the entry's first bytes, with the size checked later, when the array is read.
Candidate describe_entry(const ZipArchive& archive, const ZipEntry& entry) {
    Candidate candidate;
    candidate.name = entry.name.substr(0, entry.name.size() - 4);
    std::string head;
    try {
        struct Enough {};
        try {
            archive.unpack(entry, [&](std::span<const std::byte> piece) {
                head.assign(reinterpret_cast<const char*>(piece.data()),
                            std::min<std::size_t>(piece.size(), 4096));
                throw Enough{};
            });
        } catch (const Enough&) {
        }
        const ArrayHeader header = array_header(std::as_bytes(std::span(head.data(), head.size())));
        const NpyView& view = header.view;
        if (header.text.width > 0) {
            candidate.described = fmt::format("{} of texts", view.shape_text());
            candidate.texts =
                view.shape.size() == 1 || (view.shape.size() == 2 && view.shape[1] == 1);
            candidate.matrix = false;
            candidate.count = header.elements();
            return candidate;
        }
        candidate.described = fmt::format("{} {}", view.shape_text(), name_of(view.type()));
        candidate.matrix = is_matrix(view.shape, view.type());
        candidate.column = is_column(view.shape, view.type());
    } catch (const Error& error) {
        candidate.described = fmt::format("({})", error.message());
        candidate.matrix = false;
    }
    return candidate;
}

/// An array of texts that lies beside the scores, as many as there are rows.
StringColumn texts_beside(const ScoreSource& source, const ZipArchive& archive,
                          const ZipEntry& entry, const std::string& name, const char* what) {
    StringColumn column;
    for (const std::string& text : texts_of(archive.read(entry, max_truth_bytes)))
        column.append(text);
    if (column.size() != source.rows) {
        fail(ErrorCode::bad_input, fmt::format("the array `{:.60}` has {} {} for {} rows", name,
                                               column.size(), what, source.rows));
    }
    return column;
}

/// Labels that lie beside the scores, as many as there are rows.
void take_truth(ScoreSource& source, const ZipArchive& archive, const ZipEntry& entry,
                const Candidate& candidate) {
    const std::string& name = candidate.name;
    source.truth_name = name;
    if (candidate.texts) {
        source.truth = texts_beside(source, archive, entry, name, "labels");
        return;
    }
    const std::vector<std::byte> bytes = archive.read(entry, max_truth_bytes);
    const NpyView view = parse_npy(bytes);
    if (view.count() != source.rows) {
        fail(ErrorCode::bad_input, fmt::format("the array `{:.60}` has {} labels for {} rows", name,
                                               view.count(), source.rows));
    }
    for (std::uint64_t i = 0; i < view.count(); ++i)
        source.truth.append(fmt::format("{}", view.values.integer(i)));
}

/// Labels that np.column_stack() put beside the scores: whole numbers of classes in the first or
/// the last column, where no other column has whole numbers alone.
void refuse_column_of_labels(const ScoreSource& source, const fs::path& file,
                             const SourceOptions& options) {
    constexpr std::uint64_t enough = 1000, fewest = 10, enough_numbers = std::uint64_t{1} << 22;
    constexpr std::uint32_t widest = 100'000;
    const std::uint32_t width = source.classes;
    const bool told =
        options.class_count == width || (options.classes_told && options.classes.size() == width);
    if (!source.read || width < 3 || width > widest || source.rows < fewest || told) return;
    const auto rows =
        static_cast<std::uint32_t>(std::min({source.rows, enough, enough_numbers / width}));
    std::vector<float> values(std::size_t{rows} * width);
    source.read(0, rows, values);
    const auto every = [&](std::uint32_t column, auto&& holds) {
        for (std::uint32_t r = 0; r < rows; ++r)
            if (!holds(values[std::size_t{r} * width + column])) return false;
        return true;
    };
    const auto is_whole = [](float value) { return std::floor(value) == value; };
    const auto is_class = [&](float value) {
        return is_whole(value) && value >= 0 && value + 1 < static_cast<float>(width);
    };
    const std::uint32_t column = every(0, is_class) ? 0 : width - 1;
    const float first = values[column];
    if (!every(column, is_class) || every(column, [&](float value) { return value == first; }))
        return;
    for (std::uint32_t other = 0; other < width; ++other)
        if (other != column && every(other, is_whole)) return;
    std::string command;
    if (const std::string from = file.string(); from.find_first_of("'\"\\`$") == from.npos) {
        command = fmt::format(
            ". This takes it apart: python3 -c \"import numpy; a = numpy.load('{}'); "
            "numpy.savez('{}.npz', scores=a[:, {}], label=a[:, {}].astype(int))\"; then give the "
            "same command {}.npz",
            from, file.stem().string(), column == 0 ? "1:" : ":-1", column == 0 ? "0" : "-1",
            file.stem().string());
    }
    fail(ErrorCode::bad_input,
         fmt::format("the {} of the array's {} columns holds whole numbers, the others do not: it "
                     "may be the labels{}. If it is a class, say so by --class-count {}",
                     column == 0 ? "first" : "last", width, command, width));
}

}  // namespace

ScoreSource open_npy(const fs::path& file, const SourceOptions& options) {
    const auto map = std::make_shared<MappedFile>(file);
    if (const auto foreign = foreign_numbers(map->bytes())) {
        const auto spool = std::make_shared<Spool>(options.spool_folder);
        write_native(map->bytes(), *foreign,
                     [&](std::span<const std::byte> piece) { spool->append(piece); });
        ScoreSource source = from_array(parse_npy(spool->finish()), options);
        if (foreign->bfloat16) source.precision = NumberType::bf16;
        source.owners.push_back(spool);
        source.notes.push_back(
            foreign->bfloat16
                ? fmt::format("the array's type is {}: taken as bfloat16", foreign->dtype)
                : fmt::format("the array's numbers are big-endian ({})", foreign->dtype));
        return source;
    }
    if (holds_texts(map->bytes())) return from_texts(map->bytes(), options);
    ScoreSource source = from_array(parse_npy(map->bytes()), options);
    source.owners.push_back(map);
    refuse_column_of_labels(source, file, options);
    return source;
}

ScoreSource open_npz(const fs::path& file, const SourceOptions& options) {
    const auto map = std::make_shared<MappedFile>(file);
    const ZipArchive archive(map->bytes());
    std::vector<Candidate> candidates;
    std::vector<const ZipEntry*> entries;
    for (const ZipEntry& entry : archive.entries()) {
        if (!entry.name.ends_with(".npy")) continue;
        candidates.push_back(describe_entry(archive, entry));
        entries.push_back(&entry);
    }
    const std::size_t chosen = choose(candidates, options.array);
    const ZipEntry& entry = *entries[chosen];
    return with_note(fmt::format("reading array `{:.60}`", candidates[chosen].name), [&] {
        std::shared_ptr<Spool> spool;
        std::span<const std::byte> bytes;
        if (entry.stored) {
            bytes = archive.view(entry);
        } else {
            spool = std::make_shared<Spool>(options.spool_folder);
            archive.unpack(entry, [&](std::span<const std::byte> piece) { spool->append(piece); });
            bytes = spool->finish();
        }
        ScoreSource source = from_array(parse_npy(bytes), options);
        source.array = candidates[chosen].name;
        source.owners.push_back(map);
        source.owners.push_back(spool);
        const auto truth = truth_among(candidates, chosen);
        if (truth) take_truth(source, archive, *entries[*truth], candidates[*truth]);
        const auto ids = ids_among(candidates, source.rows);
        if (ids)
            source.ids =
                texts_beside(source, archive, *entries[*ids], candidates[*ids].name, "ids");
        note_others(source, candidates, chosen, truth, ids);
        return source;
    });
}

ScoreSource open_safetensors(const fs::path& file, const SourceOptions& options) {
    const auto map = std::make_shared<MappedFile>(file);
    const std::vector<Tensor> tensors = parse_safetensors(map->bytes());
    std::vector<Candidate> candidates;
    for (const Tensor& tensor : tensors) {
        const bool matrix = tensor.shape.size() == 2 && tensor.values.has_value();
        candidates.push_back(
            {tensor.name, fmt::format("({}) {:.20}", fmt::join(tensor.shape, ", "), tensor.dtype),
             matrix});
    }
    const std::size_t chosen = choose(candidates, options.array);
    const Tensor& tensor = tensors[chosen];
    return with_note(fmt::format("reading tensor `{:.60}`", tensor.name), [&] {
        if (!tensor.values) {
            fail(ErrorCode::bad_input,
                 fmt::format("scores must be F16, BF16, F32 or F64; the tensor is of type {:.20}",
                             tensor.dtype));
        }
        ScoreSource source = from_matrix(*tensor.values, tensor.shape, false);
        source.array = tensor.name;
        source.owners.push_back(map);
        note_others(source, candidates, chosen, std::nullopt);
        return source;
    });
}

}  // namespace assay::store
