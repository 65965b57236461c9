#include "data/tar_dataset.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "assay/error.h"
#include "core/parallel.h"
#include "core/refuse.h"
#include "core/text.h"
#include "data/parquet/labels.h"
#include "data/parquet/place.h"
#include "data/webdataset/members.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using namespace webdataset;

struct IndexedTar {
    std::uint64_t bytes = 0;
    Samples samples;
};

IndexedTar index_tar(const fs::path& path, const LabelRule& rule, bool labels,
                     std::uint64_t limit) {
    throw_if_stopped();
    return parquet::at_place(
        [&] { return path.string(); },
        [&] {
            const Source source(path);
            return IndexedTar{source.size(), read_samples(source, rule, labels, limit)};
        });
}

/// A whole number, of which the label is a class's number; nothing for any other text.
bool parse_whole(std::string_view text, std::int64_t& number) {
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    return problem == std::errc() && end == text.data() + text.size();
}

void add_label(parquet::Labels& labels, const fs::path& tar, const Sample& sample) {
    if (sample.label.empty()) return labels.add_unlabelled(1);
    const std::string place = fmt::format("{}: {}", tar.string(), sample.label_place);
    std::int64_t number = 0;
    if (parse_whole(sample.label, number)) {
        labels.add(number, place);
    } else {
        labels.add(sample.label, place);
    }
}

/// What is the same for all the archives is said once.
struct Oddities {
    std::uint64_t without_image = 0, left_out = 0;
    std::string first_without;
    std::vector<std::string> without_end;

    void add(const fs::path& path, const Samples& samples) {
        if (without_image == 0 && samples.without_image > 0)
            first_without = fmt::format("{} in {}", samples.first_without, path.string());
        without_image += samples.without_image;
        left_out += samples.left_out;
        if (!samples.has_end_mark) without_end.push_back(path.filename().string());
    }
    void say(std::vector<std::string>& notes) const {
        if (without_image > 0)
            notes.push_back(fmt::format("{} without an image left out, the first: {}",
                                        how_many(without_image, "sample"), first_without));
        if (left_out > 0)
            notes.push_back(fmt::format("{} left out that are no plain files (links, sparse files)",
                                        how_many(left_out, "member")));
        if (!without_end.empty())
            notes.push_back(
                fmt::format("{} without the mark of an archive's end, the first: {}: "
                            "it may have been cut off",
                            how_many(without_end.size(), "archive"), without_end.front()));
    }
};

fs::path parent_of_archive(const fs::path& file) {
    return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

}  // namespace

Dataset open_tars(const TarFiles& tars, const DatasetOptions& options,
                  std::vector<std::string>& notes) {
    const std::vector<fs::path>& files = tars.files;
    if (!options.list.empty()) {
        throw Error(ErrorCode::usage,
                    fmt::format("{} has its labels itself; a list goes with a folder of images",
                                files.front().string()));
    }
    Dataset dataset;
    dataset.root = parent_of_archive(files.front());
    for (const fs::path& file : files) {
        if (parent_of_archive(file) != dataset.root) {
            refuse(fmt::format("{} and {} lie in different folders: one data set lies in one",
                               files.front().string(), file.string()));
        }
    }
    const LabelRule rule{options.label_column};
    std::vector<IndexedTar> indexed(files.size());
    if (options.limit == 0) {
        parallel_blocks(files.size(), resolve_threads(0),
                        [&](std::size_t i) { indexed[i] = index_tar(files[i], rule, true, 0); });
    }
    notes.insert(notes.end(), tars.notes.begin(), tars.notes.end());
    auto images = std::make_shared<Members>();
    parquet::Labels labels(tars.classes);
    Oddities odd;
    for (std::size_t i = 0; i < files.size(); ++i) {
        const std::uint64_t left = options.limit - dataset.ids.size();
        if (options.limit > 0 && left == 0) break;
        if (options.limit > 0) indexed[i] = index_tar(files[i], rule, true, left);
        const Samples& samples = indexed[i].samples;
        if (options.limit == 0 && i < tars.lengths.size() &&
            samples.samples.size() != tars.lengths[i]) {
            refuse(fmt::format("{} has {} images, and {} are said to be in it", files[i].string(),
                               samples.samples.size(), tars.lengths[i]));
        }
        images->add(files[i], indexed[i].bytes, samples.samples);
        const std::string name = files[i].filename().string();
        for (const Sample& sample : samples.samples) {
            dataset.ids.append(fmt::format("{}/{}", name, sample.key));
            dataset.paths.append(fmt::format("{}/{}", name, sample.image));
            add_label(labels, files[i], sample);
        }
        odd.add(files[i], samples);
        indexed[i] = {};
    }
    if (dataset.ids.size() == 0)
        refuse(fmt::format("{}: no image in {}", files.front().string(),
                           files.size() == 1 ? std::string("it") : "this or the other archives"));
    odd.say(notes);
    parquet::Labels::Classes classes = labels.resolve(options.classes);
    notes.push_back(classes.note);
    dataset.classes = std::move(classes.classes);
    for (const std::int32_t& label : classes.label_of)
        dataset.labels.append(std::span(&label, label < 0 ? 0 : 1));
    dataset.archive = std::move(images);
    return dataset;
}

std::shared_ptr<const ImageArchive> open_tar_images(const std::vector<fs::path>& files) {
    auto images = std::make_shared<Members>();
    for (const fs::path& file : files) {
        const IndexedTar indexed = index_tar(file, {}, false, 0);
        images->add(file, indexed.bytes, indexed.samples.samples);
    }
    return images;
}

}  // namespace assay
