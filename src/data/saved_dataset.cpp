#include "data/saved_dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "assay/error.h"
#include "containers/at_place.h"
#include "containers/parquet/huggingface_features.h"
#include "core/file.h"
#include "core/json_limits.h"
#include "core/parallel.h"
#include "core/paths.h"
#include "core/refuse.h"
#include "core/shell_word.h"
#include "core/text.h"
#include "data/arrow/saved_images.h"
#include "data/parquet/labels.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using arrow::SavedFile;
using arrow::StreamField;

bool is_saved_split(const fs::path& folder) {
    return is_there(folder / "state.json") && is_there(folder / "dataset_info.json");
}

/// The split folders of a saved DatasetDict.
std::vector<fs::path> saved_splits(const fs::path& folder) {
    std::vector<fs::path> splits;
    for (const fs::path& entry : entries_of(folder))
        if (is_folder(entry) && is_saved_split(entry)) splits.push_back(entry);
    return splits;
}

fs::path chosen_split(const fs::path& folder, const std::vector<fs::path>& splits,
                      const std::string& wanted) {
    std::string known;
    for (const fs::path& split : splits) {
        if (split.filename().string() == wanted) return split;
        known += (known.empty() ? "" : "  or  ") + shell_word(split.string());
    }
    refuse(fmt::format("{} holds several splits of `datasets.save_to_disk`: name one, {}",
                       folder.string(), known));
}

/// The files that state.json lists.
std::vector<fs::path> saved_files(const fs::path& folder) {
    const fs::path state = folder / "state.json";
    constexpr std::uint64_t most_bytes = std::uint64_t{16} << 20;
    constexpr int deepest = 16;
    const nlohmann::json all = with_note("reading " + state.string(), [&] {
        return parse_json(read_text(state, most_bytes), deepest);
    });
    std::vector<fs::path> files;
    const auto list = all.is_object() ? all.find("_data_files") : all.end();
    if (all.is_object() && list != all.end() && list->is_array()) {
        for (const nlohmann::json& one : *list) {
            const auto name = one.is_object() ? one.find("filename") : one.end();
            if (!one.is_object() || name == one.end() || !name->is_string()) continue;
            const std::string text = name->get<std::string>();
            if (text.empty() || text.find('/') != std::string::npos)
                refuse(fmt::format("{}: `{}` is not a file next to it", state.string(),
                                   shortened(text)));
            files.push_back(folder / text);
        }
    }
    if (files.empty()) refuse(state.string() + ": its `_data_files` name no files");
    return files;
}

/// The column `wanted`, or one with a usual name; null if there is none.
const StreamField* label_field(const SavedFile& file, const std::string& wanted) {
    if (wanted == "none") return nullptr;
    const std::vector<StreamField>& fields = file.stream().fields();
    for (const std::string_view name : {"label", "labels", "fine_label"}) {
        const auto found = std::ranges::find(
            fields, wanted.empty() ? name : std::string_view(wanted), &StreamField::name);
        if (found == fields.end()) continue;
        if (found->type != StreamField::Type::integer && found->type != StreamField::Type::text)
            refuse(fmt::format("{}: its column `{}` holds {}; labels are integers or texts",
                               file.path().string(), shortened(found->name), found->called));
        return &*found;
    }
    if (wanted.empty()) return nullptr;
    std::string names;
    for (const StreamField& field : fields) names += (names.empty() ? "" : ", ") + field.name;
    refuse(fmt::format("{}: no column `{}` (--label-column); it has {}", file.path().string(),
                       shortened(wanted), shortened(names)));
}

void add_saved_label(const SavedFile& file, const StreamField& field, std::uint64_t row,
                     parquet::Labels& labels) {
    const std::string place = fmt::format("{} row {}", file.path().string(), row);
    at_place(
        [&] { return place; },
        [&] {
            const auto [batch, in_batch] = file.place_of(row);
            if (!is_valid(file.source(), *batch, field, in_batch)) return labels.add_unlabelled(1);
            if (field.type == StreamField::Type::integer) {
                const std::int64_t number = integer_of_row(file.source(), *batch, field, in_batch);
                return number == -1 ? labels.add_unlabelled(1) : labels.add(number, place);
            }
            constexpr std::uint64_t longest = 1U << 16;
            const arrow::StreamBuffer bytes = bytes_of_row(file.source(), *batch, field, in_batch);
            if (bytes.size > longest) refuse("its label is too long");
            std::string text(static_cast<std::size_t>(bytes.size), '\0');
            file.source().read(bytes.begin,
                               std::as_writable_bytes(std::span(text.data(), text.size())));
            labels.add(std::move(text), place);
        });
}

std::vector<std::string> names_in(const SavedFile& file, const StreamField* label) {
    if (label == nullptr) return {};
    auto features = parquet::parse_huggingface_features(file.stream().metadata("huggingface"));
    return std::move(features.labels[label->name]);
}

Dataset open_split(const fs::path& folder, const DatasetOptions& options,
                   std::vector<std::string>& notes) {
    Dataset dataset;
    dataset.root = folder;
    auto images = std::make_shared<arrow::SavedImages>();
    std::optional<parquet::Labels> labels;
    for (const fs::path& path : saved_files(folder)) {
        throw_if_stopped();
        if (options.limit > 0 && dataset.size() >= options.limit) break;
        const auto file = std::make_shared<const SavedFile>(path);
        arrow::ImageField image = image_field(*file, options.image_column);
        const StreamField* const label = label_field(*file, options.label_column);
        const std::vector<std::string> names = names_in(*file, label);
        if (!labels) {
            labels.emplace(names);
            notes.push_back(fmt::format(
                "images are the column `{}`, labels {}", image.whole.name,
                label == nullptr ? "none" : fmt::format("the column `{}`", label->name)));
            if (image.turn)
                notes.emplace_back(
                    "images are rotated as their EXIF data say, like `datasets` does");
        } else if (names != labels->names()) {
            refuse(path.string() + ": it names different classes than the files before it");
        }
        const std::uint64_t rows =
            options.limit == 0
                ? file->rows()
                : std::min<std::uint64_t>(file->rows(), options.limit - dataset.size());
        for (std::uint64_t row = 0; row < rows; ++row) {
            dataset.ids.append(fmt::format("{}/{}", path.filename().string(), row));
            label == nullptr ? labels->add_unlabelled(1)
                             : add_saved_label(*file, *label, row, *labels);
        }
        images->add(file, std::move(image));
    }
    if (dataset.size() == 0) refuse(folder.string() + ": its Arrow files hold no rows");
    parquet::Labels::Classes classes = labels->resolve(options.classes);
    notes.push_back(classes.note);
    dataset.classes = std::move(classes.classes);
    for (const std::int32_t& label : classes.label_of)
        dataset.labels.append(std::span(&label, label < 0 ? 0 : 1));
    dataset.archive = std::move(images);
    return dataset;
}

}  // namespace

std::optional<Dataset> open_saved_dataset(const fs::path& folder, const DatasetOptions& options,
                                          std::vector<std::string>& notes) {
    if (is_saved_split(folder)) {
        if (!options.split.empty()) return std::nullopt;  // the folder is already one split
        return open_split(folder, options, notes);
    }
    if (!is_there(folder / "dataset_dict.json")) return std::nullopt;
    const std::vector<fs::path> splits = saved_splits(folder);
    if (splits.empty()) return std::nullopt;
    return open_split(chosen_split(folder, splits, options.split), options, notes);
}

std::shared_ptr<const ImageArchive> open_saved_images(const std::vector<fs::path>& files) {
    auto images = std::make_shared<arrow::SavedImages>();
    for (const fs::path& path : files) {
        auto file = std::make_shared<const SavedFile>(path);
        images->add(file, image_field(*file, ""));
    }
    return images;
}

bool has_arrow_extension(const fs::path& file) {
    return lower_extension(file.filename().string()) == ".arrow";
}

}  // namespace assay
