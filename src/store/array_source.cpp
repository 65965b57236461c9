// Reads matrices in binary files: npy, npz, safetensors. hdf5_source.cpp reads HDF5.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assay/error.h"
#include "containers/npy_foreign.h"
#include "containers/npy_stream.h"
#include "containers/zip.h"
#include "core/file.h"
#include "store/array_choice.h"
#include "store/safetensors.h"
#include "store/score_source.h"
#include "store/spool.h"
#include "store/table_builder.h"

namespace assay::store {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t max_array_columns = 1U << 24;

[[noreturn]] void fail(ErrorCode code, std::string message) {
    throw Error(code, std::move(message));
}

/// Reads rows of a matrix that is stored by columns. A few columns at a time are read and written
/// to the rows, so that the rows' cache lines are filled while they are in the cache.
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

/// Selects one view of each item, such as a flipped image, from an array of items x views x
/// classes.
ScoreSource from_views(const NumberSpan& values, const std::vector<std::uint64_t>& shape,
                       bool fortran, std::uint32_t view) {
    const std::uint64_t views = shape[1];
    if (fortran)
        fail(ErrorCode::bad_input,
             "the array of items x views x classes is in Fortran order: save "
             "numpy.ascontiguousarray(scores)");
    if (view == 0 || view > views)
        fail(ErrorCode::usage,
             fmt::format("the array is {} x {} x {}, items x views x classes{}. Import each view "
                         "by --view 1 to --view {}, then average them: assay ensemble "
                         "RUNS/DATASET/NAME-view1 RUNS/DATASET/NAME-view2 ...",
                         shape[0], views, shape[2],
                         view == 0 ? "" : fmt::format(", and --view is {}", view), views));
    ScoreSource source;
    source.rows = shape[0];
    source.classes = static_cast<std::uint32_t>(shape[2]);
    source.precision = values.type;
    source.views = static_cast<std::uint32_t>(views);
    source.reading = fmt::format("view {} of {}", view, views);
    source.read = [=, classes = source.classes](std::uint64_t first, std::uint32_t n,
                                                std::span<float> out) {
        for (std::uint32_t r = 0; r < n; ++r)
            values.floats(((first + r) * views + view - 1) * classes,
                          out.subspan(std::size_t{r} * classes, classes));
    };
    return source;
}

ScoreSource from_matrix(const NumberSpan& values, const std::vector<std::uint64_t>& shape,
                        bool fortran, std::uint32_t view) {
    if (!is_float(values.type)) {
        fail(ErrorCode::bad_input,
             fmt::format("scores must be floats; the array is of type {}", name_of(values.type)));
    }
    if (shape.size() == 3 && shape[0] > 0 && shape[1] > 0 && shape[1] <= max_array_columns &&
        shape[2] > 0 && shape[2] <= max_array_columns)
        return from_views(values, shape, fortran, view);
    if (shape.size() != 2 || shape[0] == 0 || shape[1] == 0 || shape[1] > max_array_columns) {
        std::string text;
        for (const std::uint64_t dimension : shape)
            text += fmt::format("{}{}", text.empty() ? "" : " x ", dimension);
        fail(ErrorCode::bad_input,
             fmt::format(
                 "scores must be an array of rows x classes, or rows x views x classes. None "
                 "may be 0, and there are at most {} classes; it is {}",
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

/// Reads only predicted classes, one per row.
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

/// Texts, one per row, are also predicted classes.
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

/// Describes an entry from its first bytes. Its size is checked later, when the array is read.
ArrayCandidate describe_entry(const ZipArchive& archive, const ZipEntry& entry) {
    const std::string name = entry.name.substr(0, entry.name.size() - 4);
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
    } catch (const Error& error) {
        return {.name = name,
                .described = fmt::format("({})", error.message()),
                .damage = error.message()};
    }
    return describe_array(name, std::as_bytes(std::span(head.data(), head.size())));
}

/// Refuses labels that np.column_stack() put next to the scores. They are integers that are class
/// numbers in the first or the last column, if no other column has only integers.
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
            ". To split it: python3 -c \"import numpy; a = numpy.load('{}'); numpy.savez('{}.npz', "
            "scores=a[:, {}], label=a[:, {}].astype(int))\"; then rerun the command with {}.npz",
            from, file.stem().string(), column == 0 ? "1:" : ":-1", column == 0 ? "0" : "-1",
            file.stem().string());
    }
    fail(ErrorCode::bad_input,
         fmt::format("the {} of the array's {} columns holds whole numbers, the others do not: it "
                     "may be the labels{}. If it is a class, pass --class-count {}",
                     column == 0 ? "first" : "last", width, command, width));
}

}  // namespace

ScoreSource source_of_array(const NpyView& view, const SourceOptions& options) {
    if (is_array_column(view.shape, view.type())) return from_predictions(view.values, options);
    // An array of N floats has one score per row.
    std::vector<std::uint64_t> shape = view.shape;
    if (shape.size() == 1 && shape.front() > 0) shape.push_back(1);
    return from_matrix(view.values, shape, view.fortran, options.view);
}

ScoreSource open_npy(const fs::path& file, const SourceOptions& options) {
    const auto map = std::make_shared<MappedFile>(file);
    if (const auto foreign = foreign_numbers(map->bytes())) {
        const auto spool = std::make_shared<Spool>(options.spool_folder);
        write_native(map->bytes(), *foreign,
                     [&](std::span<const std::byte> piece) { spool->append(piece); });
        ScoreSource source = source_of_array(parse_npy(spool->finish()), options);
        if (foreign->bfloat16) source.precision = NumberType::bf16;
        source.owners.push_back(spool);
        source.notes.push_back(
            foreign->bfloat16
                ? fmt::format("the array's type is {}: assuming bfloat16", foreign->dtype)
                : fmt::format("the array's numbers are big-endian ({})", foreign->dtype));
        return source;
    }
    if (holds_texts(map->bytes())) return from_texts(map->bytes(), options);
    ScoreSource source = source_of_array(parse_npy(map->bytes()), options);
    source.owners.push_back(map);
    refuse_column_of_labels(source, file, options);
    return source;
}

ScoreSource open_npz(const fs::path& file, const SourceOptions& options) {
    const auto map = std::make_shared<MappedFile>(file);
    const ZipArchive archive(map->bytes());
    std::vector<ArrayCandidate> candidates;
    std::vector<const ZipEntry*> entries;
    for (const ZipEntry& entry : archive.entries()) {
        if (!entry.name.ends_with(".npy")) continue;
        candidates.push_back(describe_entry(archive, entry));
        entries.push_back(&entry);
    }
    const std::size_t chosen = choose_array(candidates, options.array);
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
        ScoreSource source = source_of_array(parse_npy(bytes), options);
        source.array = candidates[chosen].name;
        source.owners.push_back(map);
        source.owners.push_back(spool);
        take_arrays_beside(source, candidates, chosen, [&](std::size_t i) {
            return archive.read(*entries[i], max_bytes_beside);
        });
        return source;
    });
}

ScoreSource open_safetensors(const fs::path& file, const SourceOptions& options) {
    const auto map = std::make_shared<MappedFile>(file);
    const std::vector<Tensor> tensors = parse_safetensors(map->bytes());
    std::vector<ArrayCandidate> candidates;
    for (const Tensor& tensor : tensors) {
        const bool matrix = tensor.shape.size() == 2 && tensor.values.has_value();
        candidates.push_back(
            {tensor.name, fmt::format("({}) {:.20}", fmt::join(tensor.shape, ", "), tensor.dtype),
             matrix});
    }
    const std::size_t chosen = choose_array(candidates, options.array);
    const Tensor& tensor = tensors[chosen];
    return with_note(fmt::format("reading tensor `{:.60}`", tensor.name), [&] {
        if (!tensor.values) {
            fail(ErrorCode::bad_input,
                 fmt::format("scores must be F16, BF16, F32 or F64; the tensor is of type {:.20}",
                             tensor.dtype));
        }
        ScoreSource source = from_matrix(*tensor.values, tensor.shape, false, options.view);
        source.array = tensor.name;
        source.owners.push_back(map);
        note_other_arrays(source, candidates, chosen);
        return source;
    });
}

}  // namespace assay::store
