// Writes the corrupted copies of a data set to disk.
#include "assay/robustness/corrupt_dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <mutex>
#include <numeric>
#include <set>

#include "assay/data/dataset.h"
#include "assay/data/sample.h"
#include "assay/error.h"
#include "assay/image/encode.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/memory_budget.h"
#include "core/parallel.h"
#include "core/paths.h"
#include "core/refuse.h"
#include "core/text.h"
#include "data/image_names.h"
#include "data/made_folder.h"
#include "robustness/corrupted_file.h"
#include "robustness/work.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* corrupt_record = "corrupt.json";
constexpr std::size_t most_examples = 5;

ImageNames target_names(const Dataset& dataset, bool jpeg) {
    using namespace std::string_view_literals;
    static constexpr std::array jpegs = {".jpg"sv, ".jpeg"sv};
    static constexpr std::array pngs = {".png"sv};
    return jpeg ? image_names(dataset, ".jpg", jpegs) : image_names(dataset, ".png", pngs);
}

/// Labels that are not in folder names require a file.
bool labels_in_a_file(const CorruptOptions& options, const Dataset& dataset) {
    return !options.list.empty() || !dataset.attributes.empty() || !is_folder(options.data) ||
           is_there(options.data / "labels.csv");
}

/// Everything that determines the bytes, except the bytes of the images, because reading all images
/// would take as long as decoding them.
json corrupt_settings(const CorruptOptions& o, const Dataset& dataset, const ImageNames& targets,
                      const CorruptedVersions& versions) {
    json names = json::array();
    for (const Corruption* c : versions.corruptions())
        names.push_back(c->file.empty() ? c->name : c->definition);
    json labels;  // labels that are folder names are in the ids
    if (labels_in_a_file(o, dataset))
        labels = hash_text(image_labels(dataset, dataset.classes, targets.names,
                                        std::vector<std::uint8_t>(dataset.size(), 0)));
    json settings = {
        {"schema", "assay.corrupted"},
        {"schema_version", 1},
        {"seed", o.seed},
        {"corruptions", names},
        {"severities", o.severities},
        {"resize", o.window.resize},
        {"crop", o.window.crop},
        {"jpeg_quality", o.jpeg_quality ? json(*o.jpeg_quality) : json()},
        {"frost", versions.frost().images.empty() ? json() : json(versions.frost().fingerprint)},
        {"labels", labels},
        {"dataset",
         {{"name", dataset.name},
          {"images", dataset.size()},
          {"fingerprint", dataset.ids_fingerprint()}}}};
    // Records without these keys have ImageNet-C's parameters, and earlier pixels.
    if (*o.profile != CorruptionProfile::imagenet) settings["profile"] = name_of(*o.profile);
    if (std::ranges::any_of(versions.versions(), [&](const CorruptionVersion& v) {
            return robustness::was_made_otherwise(*v.corruption, *o.profile, o.window.crop);
        }))
        settings["revision"] = robustness::pixel_revision;
    // An earlier version used another rule to give one of two images the plain name.
    if (targets.met) settings["equal_names"] = "images that already had the extension";
    return settings;
}

/// Returns true for a file that an earlier run wrote completely.
bool is_whole(const fs::path& path) {
    std::error_code problem;
    if (!fs::exists(path, problem)) return false;
    try {
        decode_image(read_file(path));
        return true;
    } catch (const Error&) {
        return false;
    }
}

class Writer {
public:
    Writer(const Dataset& dataset, const StringColumn& names, CorruptResult& result,
           const CorruptedVersions& made, const fs::path& folder, const ProgressCallback& callback)
        : dataset_(dataset),
          result_(result),
          made_(made),
          callback_(callback),
          names_(names),
          left_out_(dataset.size(), 0) {
        for (const CorruptionVersion& v : made.versions())
            versions_.push_back({v, folder / v.corruption->name / std::to_string(v.severity)});
        progress_.total = versions_.size() * dataset.size();
    }

    void run() {
        make_class_folders();
        parallel_blocks(dataset_.size(), resolve_threads(result_.options.threads),
                        [&](std::size_t item) { write_versions(item); });
        if (labels_in_a_file(result_.options, dataset_)) {
            const std::string text = image_labels(dataset_, dataset_.classes, names_, left_out_);
            for (const Version& v : versions_) write_file_atomically(v.folder / "labels.csv", text);
        }
        result_.left_out =
            static_cast<std::uint64_t>(std::count(left_out_.begin(), left_out_.end(), 1));
        for (const auto& [item, problem] : problems_) {
            result_.examples.push_back(
                fmt::format("{}: {}", shortened(dataset_.ids[item], 200), problem));
        }
        if (result_.left_out == dataset_.size())
            refuse("no image could be corrupted: " + result_.examples.front());
    }

private:
    struct Version {
        CorruptionVersion what;
        fs::path folder;
    };

    void make_class_folders() const {
        std::set<fs::path> parents;
        for (std::size_t i = 0; i < dataset_.size(); ++i)
            parents.insert(fs::path(names_[i]).parent_path());
        for (const Version& v : versions_) {
            for (const fs::path& parent : parents) make_folders(v.folder / parent);
        }
    }

    void write_versions(std::size_t item) {
        std::vector<const Version*> missing;
        for (const Version& v : versions_) {
            if (!is_whole(v.folder / names_[item])) missing.push_back(&v);
        }
        count(versions_.size() - missing.size(), true);
        if (missing.empty()) return;
        std::size_t written = 0;
        try {
            const Image window = read_window(item);
            for (const Version* v : missing) made_.check_size(v->what, window.width, window.height);
            // Each version is written as soon as it is made, because all versions of a large
            // photograph would fill the memory.
            for (const Version* v : missing) {
                throw_if_stopped();
                const MemoryBudget::Share share =
                    memory_.take(CorruptedVersions::memory(window.width, window.height));
                write_renamed(v->folder / names_[item],
                              encoded(made_.corrupted(v->what, window, dataset_.ids[item])));
                ++written;
                count(1, false);
            }
        } catch (const Error& error) {
            if (error.code() != ErrorCode::bad_input) throw;
            leave_out(item, error.message(), written, versions_.size() - missing.size());
        }
    }

    Image read_window(std::size_t item) {
        MemoryBudget::Share share;  // kept as long as the image's pixels are in memory
        DecodeLimits limits;
        limits.reserve = [&](std::uint64_t bytes) { share = memory_.take(bytes); };
        return with_note("reading " + dataset_.path_of(item).string(), [&] {
            return made_.window(decode_image(dataset_.read_image(item), limits));
        });
    }

    /// Skips the image in every version, including `earlier` versions by a run that was
    /// stopped.
    void leave_out(std::size_t item, const std::string& why, std::size_t written,
                   std::size_t earlier) {
        for (const Version& v : versions_) {
            std::error_code problem;
            fs::remove(v.folder / names_[item], problem);
        }
        const std::scoped_lock lock(mutex_);
        result_.written -= written + earlier;
        result_.found -= earlier;
        left_out_[item] = 1;
        problems_.emplace(item, why);
        if (problems_.size() > most_examples) problems_.erase(std::prev(problems_.end()));
    }

    std::vector<std::byte> encoded(const Image& image) const {
        if (!result_.options.jpeg_quality) return encode_png(image);
        return robustness::published_jpeg(image, *result_.options.jpeg_quality);
    }

    void count(std::size_t files, bool earlier) {
        const std::scoped_lock lock(mutex_);
        result_.written += files;
        if (earlier) result_.found += files;
        progress_.done = result_.written;
        progress_.skipped = result_.found;
        if (callback_) callback_(progress_);
    }

    const Dataset& dataset_;
    CorruptResult& result_;
    const CorruptedVersions& made_;
    const ProgressCallback& callback_;
    const StringColumn& names_;
    std::vector<std::uint8_t> left_out_;  // 1: yes
    std::vector<Version> versions_;
    MemoryBudget memory_{DecodeLimits{}.bytes};
    std::mutex mutex_;
    Progress progress_;
    std::map<std::size_t, std::string> problems_;  // the first problems in the data set's order
};

/// Identifies the selected images; null means all of them.
json part_of(const CorruptOptions& o) {
    if (o.first != 0) return {{"first", o.first}};
    return o.limit == 0 ? json() : json{{"sample", o.limit}, {"seed", o.sample_seed}};
}

/// Returns true if `part` has the same images with the same names as in `dataset`.
bool is_part(const Dataset& part, const Dataset& dataset, bool jpeg) {
    const ImageNames own = target_names(part, jpeg), all = target_names(dataset, jpeg);
    std::size_t at = 0;
    for (std::size_t i = 0; i < part.size(); ++i, ++at) {
        while (at < dataset.size() && dataset.ids[at] != part.ids[i]) ++at;
        if (at == dataset.size() || own.names[i] != all.names[at]) return false;
    }
    return true;
}

/// Checks `folder` for a pilot that was made from the first of these images or a sample of them,
/// with otherwise the same settings. Its files are then the same as those of this run. Returns the
/// pilot's number of images, or 0 if there is no pilot.
std::uint64_t images_of_pilot(const fs::path& folder, const CorruptOptions& options,
                              const Dataset& dataset, const json& settings) {
    if (options.limit != 0 || !is_there(folder / corrupt_record)) return 0;
    const json there =
        json::parse(read_text(folder / corrupt_record, std::uint64_t{16} << 20), nullptr, false);
    if (!there.is_object()) return 0;
    for (const auto& [key, value] : settings.items()) {
        if (key != "dataset" && key != "labels" && there.value(key, json()) != value) return 0;
    }
    const json part = there.value("part", json()), of = there.value("dataset", json());
    if (!part.is_object() || !of.is_object()) return 0;
    const auto number = [&](const char* key) {
        const auto found = part.find(key);
        return found != part.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
    };
    const std::uint64_t first = std::min<std::uint64_t>(number("first"), dataset.size());
    const std::uint64_t sample = number("sample");
    if (first == 0 && (sample == 0 || options.first != 0)) return 0;
    std::vector<std::uint32_t> items(first);
    std::iota(items.begin(), items.end(), 0U);
    const Dataset pilot =
        first > 0 ? take_items(dataset, items) : stratified_sample(dataset, sample, number("seed"));
    if (of.value("fingerprint", json()) != pilot.ids_fingerprint() ||
        of.value("name", json()) != dataset.name || pilot.size() == dataset.size() ||
        !is_part(pilot, dataset, options.jpeg_quality.has_value()))
        return 0;
    return pilot.size();
}

void read_earlier_result(const fs::path& file, CorruptResult& result) {
    const json record = json::parse(read_text(file, std::uint64_t{16} << 20), nullptr, false);
    const json made = record.is_object() ? record.value("made", json()) : json();
    if (!made.is_object()) refuse(file.string() + ": damaged: it has no `made`");
    result.was_there = true;
    try {
        result.written = result.found = made.value("files", std::uint64_t{0});
        result.left_out = made.value("left_out", std::uint64_t{0});
        result.examples = made.value("examples", std::vector<std::string>{});
    } catch (const json::exception&) {
        refuse(file.string() +
               ": damaged: `made` holds `files` and `left_out`, numbers, and `examples`, texts");
    }
}

void write_sheet(const Dataset& dataset, const CorruptResult& result,
                 const CorruptedVersions& made) {
    const CorruptOptions& options = result.options;
    std::size_t item = 0;
    if (!options.sheet_image.empty()) {
        while (item < dataset.size() && dataset.ids[item] != options.sheet_image) ++item;
        if (item == dataset.size()) {
            refuse(fmt::format("the data set {} has no image `{}`", dataset.name,
                               shortened(options.sheet_image, 200)));
        }
    }
    const Image window = made.window(load_image(dataset, item));
    save_png(contact_sheet(window, result.corruptions, options.severities,
                           {options.seed, dataset.ids[item]}, &made.frost(), *options.profile),
             options.sheet);
}

}  // namespace

CorruptResult corrupt_dataset(const CorruptOptions& options, const ProgressCallback& progress) {
    check(options);
    CorruptResult result;
    result.options = options;
    Dataset dataset =
        open_dataset(options.data, {.list = options.list, .limit = options.first}, &result.notes);
    if (options.limit != 0)
        dataset = stratified_sample(dataset, options.limit, options.sample_seed);
    const CorruptedVersions versions(options, dataset);
    result.options.severities = versions.settings().severities;
    result.options.window = versions.settings().window;
    result.options.profile = versions.settings().profile;
    result.corruptions = versions.corruptions();
    result.versions = versions.versions();
    result.versions_left_out = versions.left_out();
    result.dataset = dataset.name;
    result.images = dataset.size();
    for (std::string& note : versions.notes()) result.notes.push_back(std::move(note));
    if (!options.sheet.empty()) write_sheet(dataset, result, versions);
    if (options.out.empty()) return result;
    const ImageNames targets = target_names(dataset, options.jpeg_quality.has_value());
    json settings = corrupt_settings(result.options, dataset, targets, versions);
    const std::uint64_t kept = images_of_pilot(options.out, options, dataset, settings);
    MadeFolder made(options.out, corrupt_record, settings,
                    kept > 0 ? MadeFolder::Begin::grows : MadeFolder::Begin::empty);
    if (kept > 0) {
        result.notes.push_back(
            fmt::format("keeping the {} in {}; the folder changes only when the others are "
                        "complete. Predictions of the pilot stay with its images",
                        how_many(kept, "image"), options.out.string()));
    }
    result.options.out = made.final_path();
    if (made.finished()) {
        read_earlier_result(made.final_path() / corrupt_record, result);
        return result;
    }
    with_note("making " + made.final_path().string(), [&] {
        Writer(dataset, targets.names, result, versions, made.path(), progress).run();
        settings["pipeline"] = describe_pipeline(result.options);
        if (json part = part_of(options); !part.is_null()) settings["part"] = std::move(part);
        settings["made"] = {{"files", result.written},
                            {"left_out", result.left_out},
                            {"examples", result.examples}};
        made.finish(settings);
    });
    return result;
}

}  // namespace assay
