#include "data/array_dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "assay/error.h"
#include "core/parallel.h"
#include "core/paths.h"
#include "core/refuse.h"
#include "core/text.h"
#include "data/arrays/array_data.h"
#include "data/parquet/labels.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

fs::path folder_of_array(const fs::path& file) {
    return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

/// CIFAR-10-C and CIFAR-100-C have five blocks with the same labels, one block per severity.
bool has_five_severities(const arrays::ArrayData& data) {
    constexpr std::size_t severities = 5;
    const std::vector<std::int64_t>& labels = data.labels.numbers;
    return labels.size() == images_per_severity * severities && data.images.channels == 3 &&
           std::equal(labels.begin() + images_per_severity, labels.end(), labels.begin());
}

void add_labels(const arrays::ArrayLabels& labels, const std::string& file, std::uint64_t count,
                parquet::Labels& all) {
    if (labels.size() == 0) return all.add_unlabelled(count);
    for (std::size_t i = 0; i < count; ++i) {
        const std::string place = fmt::format("{} image {}", file, i);
        if (labels.texts.empty()) {
            all.add(labels.numbers[i], place);
        } else {
            all.add(labels.texts[i], place);
        }
    }
}

/// Tells the user how to choose one of several files.
std::string ask_for_one(const fs::path& folder, const std::vector<fs::path>& files,
                        const std::vector<fs::path>& training) {
    constexpr std::size_t most = 4;
    std::string text;
    std::size_t shown = 0;
    for (const fs::path& file : files) {
        const bool is_training = std::ranges::find(training, file) != training.end();
        if (training.size() > 1 && is_training) continue;
        if (shown++ < most) text += (text.empty() ? "" : "  or  ") + ("-d " + file.string());
    }
    if (training.size() > 1) {
        text += fmt::format("{}-d '{}'", text.empty() ? "" : "  or  ",
                            (folder / fmt::format("data_batch_{{1..{}}}{}", training.size(),
                                                  training.front().extension().string()))
                                .string());
    }
    return shown > most ? text + ", ..." : text;
}

}  // namespace

bool is_array_file(const fs::path& file) {
    return arrays::array_file_kind(file) != arrays::ArrayFileKind::none;
}

bool is_label_file(const fs::path& file) {
    return arrays::is_file_of_labels(file);
}

std::vector<fs::path> array_files_of(const fs::path& folder) {
    std::vector<fs::path> files, training;
    for (const fs::path& entry : entries_of(folder)) {
        const std::string name = entry.filename().string();
        if (name.starts_with('.') || name == "meta" || is_folder(entry) || !is_array_file(entry) ||
            arrays::is_file_of_labels(entry))
            continue;
        // "x.gz" next to "x" has the same data.
        if (!files.empty() && name == files.back().filename().string() + ".gz") continue;
        files.push_back(entry);
        if (name.starts_with("data_batch_")) training.push_back(entry);
    }
    // torchvision unpacks MNIST into `raw`.
    if (files.empty() && is_folder(folder / "raw")) return array_files_of(folder / "raw");
    if (files.size() <= 1 || training.size() == files.size()) return files;
    refuse(
        fmt::format("{} holds {} files with arrays of images; name the files of one data set: {}",
                    folder.string(), files.size(), ask_for_one(folder, files, training)));
}

Dataset open_arrays(const std::vector<fs::path>& files, const DatasetOptions& options,
                    std::vector<std::string>& notes) {
    Dataset dataset;
    dataset.root = folder_of_array(files.front());
    const arrays::ArrayWishes wishes{.image_column = options.image_column,
                                     .label_column = options.label_column,
                                     .list = options.list};
    if (files.size() > 1 && !options.list.empty()) {
        throw Error(ErrorCode::usage,
                    fmt::format("--list gives the labels of one file, but {} files are named",
                                files.size()));
    }
    auto images = std::make_shared<arrays::ArrayImages>();
    std::optional<parquet::Labels> labels;
    bool labelled = false;
    Dataset::Attribute severity{"severity", {}};
    for (const fs::path& file : files) {
        throw_if_stopped();
        if (folder_of_array(file) != dataset.root) {
            refuse(
                fmt::format("{} and {} are in different folders; a data set must be in one folder",
                            files.front().string(), file.string()));
        }
        if (options.limit > 0 && dataset.size() >= options.limit) break;
        arrays::ArrayData data = arrays::read_array_file(file, wishes);
        if (!labels) {
            labels.emplace(data.class_names);
            notes.push_back(fmt::format("images are {} ({}), labels {}", data.taken,
                                        data.images.described(), data.labels.from));
        } else if (data.class_names != labels->names()) {
            refuse(fmt::format("{}: it names different classes than the files before it",
                               file.string()));
        }
        labelled = labelled || data.labels.size() > 0;
        const std::uint64_t count =
            options.limit == 0
                ? data.images.count
                : std::min<std::uint64_t>(data.images.count, options.limit - dataset.size());
        for (std::uint64_t i = 0; i < count; ++i)
            dataset.ids.append(fmt::format("{}/{}", data.name, i));
        add_labels(data.labels, file.string(), count, *labels);
        if (files.size() == 1 && has_five_severities(data)) {
            for (std::uint64_t i = 0; i < count; ++i)
                severity.values.append(std::to_string(i / images_per_severity + 1));
            notes.emplace_back(
                "the same 10000 labels repeat five times: severities 1 to 5 in this order, stored "
                "as the attribute `severity`");
        }
        images->add(data.name, file, std::move(data.images));
    }
    parquet::Labels::Classes classes = labels->resolve(options.classes);
    if (labelled) notes.push_back(classes.note);
    dataset.classes = std::move(classes.classes);
    for (const std::int32_t& label : classes.label_of)
        dataset.labels.append(std::span(&label, label < 0 ? 0 : 1));
    if (severity.values.size() > 0) dataset.attributes.push_back(std::move(severity));
    dataset.archive = std::move(images);
    return dataset;
}

std::shared_ptr<const ImageArchive> open_array_images(const fs::path& folder,
                                                      const std::set<std::string>& names) {
    auto images = std::make_shared<arrays::ArrayImages>();
    for (const std::string& name : names) {
        const std::size_t slash = name.find('/');
        const fs::path file = folder / name.substr(0, slash);
        const arrays::ArrayWishes wishes{
            .image_column = slash == std::string::npos ? "" : name.substr(slash + 1),
            .label_column = "none"};
        images->add(name, file, arrays::read_array_file(file, wishes).images);
    }
    return images;
}

}  // namespace assay
