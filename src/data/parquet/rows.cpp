#include "data/parquet/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "containers/at_place.h"
#include "containers/parquet/huggingface_features.h"
#include "containers/parquet/parquet_columns.h"
#include "containers/parquet/parquet_file.h"
#include "core/parallel.h"
#include "core/refuse.h"

namespace assay::parquet {
namespace {

namespace fs = std::filesystem;

/// Appends the images of a file. With `labels`, returns the positions of its labels.
std::optional<ColumnIndex> add_images(Images& images, const fs::path& path, const File& file,
                                      const ImageColumns& chosen, bool labels) {
    std::vector<std::size_t> wanted = {chosen.image};
    if (labels) wanted.push_back(chosen.label.value());
    if (chosen.path) wanted.push_back(*chosen.path);
    std::vector<ColumnIndex> columns = file.index(wanted);
    std::optional<ColumnIndex> label, paths;
    if (labels) label.emplace(std::move(columns[1]));
    if (chosen.path) paths.emplace(std::move(columns.back()));
    images.add(path, file.source().size(), std::move(columns[0]), std::move(paths),
               chosen.image_feature);
    return label;
}

/// Opens the files one after the other.
class RowsReader {
public:
    explicit RowsReader(const RowOptions& options) : options_(options) {}

    bool full() const { return options_.limit > 0 && ids_.size() >= options_.limit; }

    void add(const fs::path& path) {
        throw_if_stopped();
        const File file = at_place([&] { return path.string(); }, [&] { return File(path); });
        const std::uint64_t rows =
            options_.limit == 0
                ? file.footer().rows
                : std::min<std::uint64_t>(file.footer().rows, options_.limit - ids_.size());
        at_place([&] { return path.string(); }, [&] { index(path, file); });
        if (label_) {
            labels_->add(path.string(), file.source(), *label_, label_column_, rows);
        } else {
            labels_->add_unlabelled(rows);
        }
        const std::string name = path.filename().string();
        for (std::uint64_t row = 0; row < rows; ++row) ids_.append(fmt::format("{}/{}", name, row));
    }

    Rows rows(std::vector<std::string>& notes) {
        if (ids_.size() == 0) refuse("the Parquet files have no rows");
        notes.push_back(fmt::format(
            "images are the column `{}`, {}", image_name_,
            label_name_.empty()
                ? "labels none (columns: " + all_columns_ + "; --label-column names one)"
                : "labels the column `" + label_name_ + "`" + kind_of_labels()));
        if (turned_)
            notes.push_back("images are rotated as their EXIF data say, like `datasets` does");
        Labels::Classes classes = labels_->resolve(options_.classes);
        if (!label_name_.empty()) notes.push_back(classes.note);
        return {std::move(ids_), std::move(classes), std::move(images_)};
    }

private:
    /// A remark about labels that are neither integers nor texts.
    std::string kind_of_labels() const {
        if (label_column_.type == Physical::boolean) return " (false is class 0, true is class 1)";
        if (label_column_.meaning == Meaning::decimal) return " (decimals, all of them whole)";
        const bool real = label_column_.type == Physical::float32 ||
                          label_column_.type == Physical::float64 ||
                          label_column_.meaning == Meaning::float16;
        return real ? " (real numbers, all of them whole)" : "";
    }

    /// Finds the images of a file and the positions of its labels.
    void index(const fs::path& path, const File& file) {
        HuggingfaceFeatures features = parse_huggingface_features(file.footer().huggingface);
        const ImageColumns chosen =
            choose_columns(file.footer(), features, options_.image_column, options_.label_column);
        std::vector<std::string> names = std::move(features.labels[chosen.label_name]);
        const std::string& image = file.footer().columns[chosen.image].path;
        if (!labels_) {
            labels_.emplace(std::move(names));
            image_name_ = image;
            turned_ = chosen.image_feature;
            label_name_ = chosen.label_name;
            all_columns_ = column_names(file.footer());
        } else if (chosen.label_name != label_name_) {
            refuse(fmt::format("its labels are `{}`, but those of the files before it are `{}`",
                               chosen.label_name, label_name_));
        } else if (names != labels_->names()) {
            refuse("it names different classes than the files before it");
        }
        if (chosen.label) label_column_ = file.footer().columns[*chosen.label];
        label_.reset();
        if (auto label = add_images(*images_, path, file, chosen, chosen.label.has_value()))
            label_.emplace(std::move(*label));
    }

    const RowOptions& options_;
    StringColumn ids_;
    std::shared_ptr<Images> images_ = std::make_shared<Images>();
    std::optional<Labels> labels_;
    std::string image_name_, label_name_, all_columns_;
    bool turned_ = false;
    std::optional<ColumnIndex> label_;  ///< labels of the most recently opened file
    Column label_column_;
};

}  // namespace

Rows open_rows(std::span<const fs::path> files, const RowOptions& options,
               std::vector<std::string>& notes) {
    RowsReader reader(options);
    for (const fs::path& path : files) {
        if (!reader.full()) reader.add(path);
    }
    return reader.rows(notes);
}

std::shared_ptr<const Images> open_images(std::span<const fs::path> files,
                                          const std::string& image_column) {
    auto images = std::make_shared<Images>();
    for (const fs::path& path : files) {
        throw_if_stopped();
        at_place([&] { return path.string(); },
                 [&] {
                     const File file(path);
                     const HuggingfaceFeatures features =
                         parse_huggingface_features(file.footer().huggingface);
                     const ImageColumns chosen =
                         choose_columns(file.footer(), features, image_column, "");
                     add_images(*images, path, file, chosen, false);
                 });
    }
    return images;
}

}  // namespace assay::parquet
