#include "data/tar_dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <span>
#include <utility>

#include "assay/error.h"
#include "containers/at_place.h"
#include "containers/inflated_source.h"
#include "containers/remote/files.h"
#include "core/parallel.h"
#include "core/refuse.h"
#include "core/shell_word.h"
#include "core/text.h"
#include "core/url.h"
#include "data/parquet/labels.h"
#include "data/webdataset/kept_samples.h"
#include "data/webdataset/members.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using namespace webdataset;

struct IndexedTar {
    std::uint64_t bytes = 0;
    Samples samples;
    std::shared_ptr<const InflatedSource> unpacked{};  ///< for a compressed archive
};

struct Packed {
    std::string_view magic, called, unpack;
};
constexpr Packed packed_forms[] = {
    {"\x1f\x8b", "gzip", "gunzip -k"},
    {"\x28\xb5\x2f\xfd", "zstd", "zstd -d"},
    {"BZh", "bzip2", "bunzip2 -k"},
    {std::string_view("\xfd\x37zXZ\0", 6), "xz", "unxz -k"},
};

/// The compression that the first bytes indicate, or null.
const Packed* packed_form(const SourceFile& source) {
    std::array<std::byte, 8> start{};
    const std::size_t there = std::min<std::uint64_t>(start.size(), source.size());
    source.read(0, std::span(start).first(there));
    const std::string_view text(reinterpret_cast<const char*>(start.data()), there);
    for (const Packed& form : packed_forms)
        if (text.starts_with(form.magic)) return &form;
    return nullptr;
}

/// Gzip-compressed archives also allow random access.
IndexedTar read_gzip(std::shared_ptr<const SourceFile> source, const LabelRule& rule, bool labels,
                     std::uint64_t limit) {
    constexpr std::uint64_t most_ratio = 1032;  // largest ratio of deflate
    const std::uint64_t most = source->size() * most_ratio;
    const auto unpacked =
        std::make_shared<const InflatedSource>(std::move(source), DeflateWrap::gzip, most);
    IndexedTar indexed{unpacked->size(), read_samples(*unpacked, rule, labels, limit), unpacked};
    unpacked->forget();
    return indexed;
}

IndexedTar read_tar(const fs::path& path, const LabelRule& rule, bool labels, std::uint64_t limit) {
    const auto source = std::make_shared<const SourceFile>(path);
    const Packed* const form = packed_form(*source);
    if (form == nullptr) return {source->size(), read_samples(*source, rule, labels, limit)};
    if (form == packed_forms && !is_url(path)) return read_gzip(source, rule, labels, limit);
    refuse(fmt::format(
        "it is compressed ({}), but images need random access, so {}unpack it first: {} {}",
        form->called, is_url(path) ? "download and " : "", form->unpack,
        shell_word(is_url(path) ? path.filename().string() : path.string())));
}

/// The index of an archive at a URL is read from a folder or stored there.
IndexedTar index_remote_tar(const std::string& url, const LabelRule& rule, bool labels,
                            std::uint64_t limit, const fs::path& folder) {
    if (auto kept = remote::kept_samples(folder, url, rule)) {
        const auto file = remote::files().open_known(url, kept->version);
        if (file->version() != kept->version) {
            throw Error(ErrorCode::unreachable,
                        fmt::format("it changed on the server since {} was made: remove that file "
                                    "to use the new one",
                                    remote::kept_samples_file(folder, url, rule).string()));
        }
        auto& samples = kept->samples.samples;
        if (limit > 0 && samples.size() > limit) samples.resize(limit);
        return {kept->version.size, std::move(kept->samples)};
    }
    IndexedTar indexed = read_tar(url, rule, labels, limit);
    if (limit == 0 && labels)
        remote::keep_samples(folder, url, rule,
                             {SourceFile(url).remote()->version(), indexed.samples});
    return indexed;
}

IndexedTar index_tar(const fs::path& path, const LabelRule& rule, bool labels, std::uint64_t limit,
                     const fs::path& folder) {
    throw_if_stopped();
    return at_place([&] { return path.string(); },
                    [&] {
                        return is_url(path)
                                   ? index_remote_tar(path.string(), rule, labels, limit, folder)
                                   : read_tar(path, rule, labels, limit);
                    });
}

/// Reads an integer, which makes the label a class number. Nothing for any other text.
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

/// The folder of a name: n01 for "a/n01/x", "" for a name without folders.
std::string_view folder_of_key(std::string_view key) {
    const std::size_t end = key.rfind('/');
    if (end == std::string_view::npos) return {};
    return key.substr(0, end).substr(key.substr(0, end).rfind('/') + 1);
}

/// True if class folders were packed unchanged: all images are in one, and none has a label.
bool are_class_folders(const std::vector<IndexedTar>& indexed) {
    bool any = false;
    for (const IndexedTar& tar : indexed) {
        for (const Sample& sample : tar.samples.samples) {
            if (!sample.label.empty() || folder_of_key(sample.key).empty()) return false;
            any = true;
        }
    }
    return any;
}

/// Collects remarks, so that a remark on all archives appears once.
struct Oddities {
    std::uint64_t without_image = 0, left_out = 0, beside = 0;
    std::string first_without, first_beside;
    std::vector<std::string> without_end;
    std::vector<std::string> compressed;

    void add(const fs::path& path, const IndexedTar& tar) {
        const Samples& samples = tar.samples;
        if (tar.unpacked != nullptr) compressed.push_back(path.string());
        if (without_image == 0 && samples.without_image > 0)
            first_without = fmt::format("{} in {}", samples.first_without, path.string());
        without_image += samples.without_image;
        if (beside == 0 && samples.beside > 0)
            first_beside = fmt::format("{} in {}", samples.first_beside, path.string());
        beside += samples.beside;
        left_out += samples.left_out;
        if (!samples.has_end_mark) without_end.push_back(path.filename().string());
    }
    void say(std::vector<std::string>& notes) const {
        if (without_image > 0)
            notes.push_back(fmt::format("skipped {} without an image, the first: {}",
                                        how_many(without_image, "sample"), first_without));
        if (beside > 0)
            notes.push_back(
                fmt::format("skipped {} with a dot in the suffix, because the sample has an image "
                            "without one; the first: {}",
                            how_many(beside, "image"), first_beside));
        if (left_out > 0)
            notes.push_back(fmt::format("skipped {} that are not plain files (links, sparse files)",
                                        how_many(left_out, "member")));
        if (!without_end.empty())
            notes.push_back(fmt::format(
                "{} without an end-of-archive mark, the first: {}: it may have been cut off",
                how_many(without_end.size(), "archive"), without_end.front()));
        if (!compressed.empty())
            notes.push_back(fmt::format(
                "{} compressed by gzip and unpacked while {} read; unpacked archives are faster: "
                "gunzip -k {}",
                compressed.size() == 1 ? compressed.front() + " is"
                                       : fmt::format("{} archives are", compressed.size()),
                compressed.size() == 1 ? "it is" : "they are", shell_word(compressed.front())));
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
                    fmt::format("{} contains its labels, and --list is for a folder of images: "
                                "omit --list, or name the labels with --label-column",
                                files.front().string()));
    }
    Dataset dataset;
    dataset.root = parent_of_archive(files.front());
    for (const fs::path& file : files) {
        if (parent_of_archive(file) != dataset.root) {
            refuse(
                fmt::format("{} and {} are in different folders; a data set must be in one folder",
                            files.front().string(), file.string()));
        }
    }
    const LabelRule rule{options.label_column};
    std::vector<IndexedTar> indexed(files.size());
    if (options.limit == 0) {
        parallel_blocks(files.size(), resolve_threads(0), [&](std::size_t i) {
            indexed[i] = index_tar(files[i], rule, true, 0, options.index_folder);
        });
    }
    notes.insert(notes.end(), tars.notes.begin(), tars.notes.end());
    std::uint64_t found = 0;
    for (std::size_t i = 0; i < files.size() && (options.limit == 0 || found < options.limit);
         ++i) {
        if (options.limit > 0)
            indexed[i] =
                index_tar(files[i], rule, true, options.limit - found, options.index_folder);
        const std::uint64_t own = indexed[i].samples.samples.size();
        if (options.limit == 0 && i < tars.lengths.size() && own != tars.lengths[i]) {
            refuse(fmt::format("{} has {} images, but its index says {}", files[i].string(), own,
                               tars.lengths[i]));
        }
        found += own;
    }
    const bool by_folder = rule.name.empty() && are_class_folders(indexed);
    if (by_folder)
        notes.emplace_back("no sample has its own label, so the folders are the classes");
    auto images = std::make_shared<Members>();
    parquet::Labels labels(tars.classes);
    Oddities odd;
    for (std::size_t i = 0; i < files.size(); ++i) {
        const Samples& samples = indexed[i].samples;
        if (indexed[i].bytes == 0) continue;  // the archive is beyond the limit or empty
        images->add(files[i], indexed[i].bytes, samples.samples, indexed[i].unpacked);
        const std::string name = files[i].filename().string();
        for (const Sample& sample : samples.samples) {
            dataset.ids.append(fmt::format("{}/{}", name, sample.key));
            dataset.paths.append(fmt::format("{}/{}", name, sample.image));
            if (by_folder) {
                labels.add(std::string(folder_of_key(sample.key)),
                           fmt::format("{}: {}", files[i].string(), sample.image));
            } else {
                add_label(labels, files[i], sample);
            }
        }
        odd.add(files[i], indexed[i]);
        indexed[i] = {};
    }
    if (dataset.ids.size() == 0)
        refuse(fmt::format("{}: no image in {}", files.front().string(),
                           files.size() == 1 ? "it" : "this or the other archives"));
    odd.say(notes);
    parquet::Labels::Classes classes = labels.resolve(options.classes);
    notes.push_back(classes.note);
    dataset.classes = std::move(classes.classes);
    for (const std::int32_t& label : classes.label_of)
        dataset.labels.append(std::span(&label, label < 0 ? 0 : 1));
    dataset.archive = std::move(images);
    return dataset;
}

std::shared_ptr<const ImageArchive> open_tar_images(const std::vector<fs::path>& files,
                                                    const fs::path& index_folder) {
    auto images = std::make_shared<Members>();
    for (const fs::path& file : files) {
        const IndexedTar indexed = index_tar(file, {}, false, 0, index_folder);
        images->add(file, indexed.bytes, indexed.samples.samples, indexed.unpacked);
    }
    return images;
}

}  // namespace assay
