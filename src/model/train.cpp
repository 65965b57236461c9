// The front end of train.h: loading images, existing results, files. train_spec.cpp checks the
// settings, and the plug-in does the arithmetic.
#include "assay/model/train.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>

#include "assay/error.h"
#include "assay/image/image.h"
#include "assay/image/preprocess.h"
#include "core/file.h"
#include "core/hash.h"
#include "core/json_limits.h"
#include "core/parallel.h"
#include "core/paths.h"
#include "core/text.h"
#include "model/plugin.h"
#include "model/train_spec.h"

namespace assay {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr std::uint64_t kLargestMemory = 1ULL << 30;
/// Increase this if the same spec gives another network, for example by a new augmentation or
/// initialization.
constexpr int kRecipe = 1;
constexpr double kMean = 0.5;
constexpr double kStd = 0.25;

/// The images with one label, resized to side x side: planes of bytes.
struct Images {
    std::vector<std::uint8_t> pixels;
    std::vector<std::int32_t> labels;
    std::string fingerprint;
};

Preprocess preprocess_of(int side) {
    Preprocess p;
    p.height = side;
    p.width = side;
    p.interpolation = Interpolation::bilinear;
    p.crop_mode = CropMode::none;
    p.mean = {kMean, kMean, kMean};
    p.std = {kStd, kStd, kStd};
    return p;
}

std::vector<std::size_t> labelled_items(const Dataset& dataset) {
    std::vector<std::size_t> items;
    std::set<std::int32_t> met;
    for (std::size_t i = 0; i < dataset.size(); ++i) {
        const std::int32_t label = dataset.single_label(i);
        if (label < 0) continue;
        items.push_back(i);
        met.insert(label);
    }
    if (met.size() < 2) {
        throw Error(
            ErrorCode::bad_input,
            fmt::format(
                "{}: images of {} classes have exactly one label; training needs two classes",
                dataset.name, met.size()));
    }
    return items;
}

Images load_images(const Dataset& dataset, std::span<const std::size_t> items, int side,
                   int threads) {
    const Preprocess p = preprocess_of(side);
    const auto plane = static_cast<std::size_t>(side) * static_cast<std::size_t>(side);
    Images out;
    out.labels.resize(items.size());
    out.pixels.resize(items.size() * 3 * plane);
    constexpr std::size_t block = 64;
    parallel_blocks((items.size() + block - 1) / block, threads, [&](std::size_t b) {
        for (std::size_t i = b * block; i < std::min(items.size(), (b + 1) * block); ++i) {
            throw_if_stopped();
            const Image window = crop_window(load_image(dataset, items[i]), p);
            for (std::size_t c = 0; c < 3; ++c) {
                std::uint8_t* to = out.pixels.data() + (3 * i + c) * plane;
                for (std::size_t k = 0; k < plane; ++k) to[k] = window.pixels[4 * k + c];
            }
            out.labels[i] = dataset.single_label(items[i]);
        }
    });
    Hasher hasher;
    hasher.add_field(dataset.classes.fingerprint());
    hasher.add(std::as_bytes(std::span(out.labels)));
    hasher.add(std::as_bytes(std::span(out.pixels)));
    out.fingerprint = hasher.digest();
    return out;
}

json to_json(const TrainReport& report) {
    return {{"seconds", report.seconds},
            {"loss", report.loss},
            {"temperature", report.temperature},
            {"trained_on", report.trained_on},
            {"held_out", report.held_out},
            {"held_out_right", report.held_out_right},
            {"held_out_right_attacked", report.held_out_right_attacked},
            {"parameters", report.parameters}};
}

/// The files of one network.
class Files {
public:
    Files(const fs::path& folder, const TrainSpec& spec, std::string key)
        : file_(folder / (spec.name + ".pt")),
          calibrated_(spec.calibrated_copy.empty() ? fs::path()
                                                   : folder / (spec.calibrated_copy + ".pt")),
          record_(folder / (spec.name + ".training.json")),
          key_(std::move(key)),
          name_(spec.name) {}

    /// The report of an earlier training with the same key, if all its files are unchanged. A
    /// damaged record is no error, and the network is trained again.
    bool find(TrainReport& report) const {
        try {
            const json all = parse_json(read_text(record_, 1 << 20), 8);
            if (all.at("key") != key_ || all.at("file") != hash_file(file_)) return false;
            if (!calibrated_.empty() && all.at("calibrated_file") != hash_file(calibrated_))
                return false;
            const json& r = all.at("report");
            report.seconds = r.at("seconds");
            report.loss = r.at("loss");
            report.temperature = r.at("temperature");
            report.trained_on = r.at("trained_on");
            report.held_out = r.at("held_out");
            report.held_out_right = r.at("held_out_right");
            report.held_out_right_attacked = r.at("held_out_right_attacked");
            report.parameters = r.at("parameters");
        } catch (const std::exception&) {
            return false;
        }
        report.reused = true;
        name_files(report);
        return true;
    }

    /// The spec determines the settings, so missing or altered settings files are written again.
    void mend_settings(std::string_view sidecar) const {
        for (const fs::path& network : {file_, calibrated_}) {
            if (network.empty()) continue;
            const fs::path settings = settings_of(network);
            std::error_code none;
            if (fs::file_size(settings, none) == sidecar.size() && !none &&
                read_text(settings) == sidecar)
                continue;
            write_file_atomically(settings, sidecar);
        }
    }

    void write(const TrainedNetwork& trained, const json& spec, std::string_view sidecar) const {
        std::error_code ignored;
        fs::remove(record_,
                   ignored);  // the record is written last and confirms that the files belong
                              // together
        write_network(file_, trained.file, sidecar);
        if (!calibrated_.empty()) write_network(calibrated_, trained.calibrated_file, sidecar);
        json all = {{"key", key_},
                    {"spec", spec},
                    {"report", to_json(trained.report)},
                    {"file", hash_file(file_)}};
        if (!calibrated_.empty()) all["calibrated_file"] = hash_file(calibrated_);
        write_file_atomically(record_, all.dump(2) + "\n");
    }

    void name_files(TrainReport& report) const {
        report.name = name_;
        report.file = file_;
        report.calibrated_file = calibrated_;
    }

private:
    static fs::path settings_of(const fs::path& network) {
        return fs::path(network).replace_extension(".toml");
    }
    static void write_network(const fs::path& path, const std::string& bytes,
                              std::string_view sidecar) {
        write_file_atomically(path, bytes);
        write_file_atomically(settings_of(path), sidecar);
    }

    fs::path file_, calibrated_, record_;
    std::string key_, name_;
};

/// A text quoted for JSON and TOML.
std::string quoted(const std::string& text, std::string_view what) {
    try {
        return json(text).dump();
    } catch (const json::type_error&) {
        throw Error(ErrorCode::bad_input,
                    fmt::format("the name of {} `{}` is not UTF-8, which the files next to a "
                                "trained network require: rename it",
                                what, shortened(text)));
    }
}

std::string sidecar_text(const TrainSpec& spec, std::size_t classes, const fs::path& class_list) {
    return fmt::format(
        "# Settings of the classifier next to this file: what `assay predict` needs to feed "
        "it.\ninput_size = [3, {0}, {0}]\ninterpolation = \"bilinear\"\ncrop_mode = \"none\"\nmean "
        "= [{1}, {1}, {1}]\nstd = [{2}, {2}, {2}]\nnum_classes = {3}\nclasses = {4}\noutputs = "
        "\"logits\"\n",
        spec.side, kMean, kStd, classes, quoted(class_list.generic_string(), "the class list"));
}

/// The path of the class list relative to the models' folder, for the sidecars.
fs::path class_list_for(const Dataset& dataset, const TrainOptions& options) {
    if (!options.classes.empty()) {
        const fs::path list = absolute_path(options.classes);
        const fs::path relative = list.lexically_relative(absolute_path(options.folder));
        return relative.empty() ? list : relative;
    }
    json all = json::object();
    for (std::size_t c = 0; c < dataset.classes.size(); ++c) {
        quoted(std::string(dataset.classes.id(c)), "the class");
        quoted(std::string(dataset.classes.name(c)), "the class");
        all[std::to_string(c)] = {dataset.classes.id(c), dataset.classes.name(c)};
    }
    write_file_atomically(options.folder / "classes.json", all.dump(1) + "\n");
    return "classes.json";
}

class Job {
public:
    Job(const Dataset& dataset, std::span<const TrainSpec> specs, const TrainOptions& options,
        const ProgressCallback& callback)
        : dataset_(dataset),
          specs_(specs),
          options_(options),
          callback_(callback),
          plugin_(opened_plugin()) {}

    std::vector<TrainReport> run() {
        const std::vector<std::size_t> items = labelled_items(dataset_);
        load(items);
        make_folders(options_.folder);
        class_list_ = class_list_for(dataset_, options_);
        quoted(class_list_.generic_string(),
               "the class list");  // checked before hours of training
        for (const TrainSpec& spec : specs_) {
            progress_.total += images_of(spec);
            work_ += cost(spec);
        }
        std::vector<TrainReport> reports(specs_.size());
        // The longest trainings come first, so that they do not run alone at the end.
        std::vector<std::size_t> order(specs_.size());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return cost(specs_[a]) > cost(specs_[b]);
        });
        parallel_blocks(order.size(), resolve_threads(options_.threads), [&](std::size_t block) {
            reports[order[block]] = train_one(specs_[order[block]]);
        });
        return reports;
    }

private:
    void load(std::span<const std::size_t> items) {
        std::uint64_t bytes = 0;
        std::set<int> sides;
        for (const TrainSpec& spec : specs_) {
            if (sides.insert(spec.side).second)
                bytes += 3ULL * static_cast<std::uint64_t>(spec.side * spec.side) * items.size();
        }
        if (bytes > kLargestMemory || items.size() > UINT32_MAX) {
            throw Error(
                ErrorCode::usage,
                fmt::format("{} images take {} MiB; training holds at most {} MiB in memory; "
                            "use fewer images or a smaller side",
                            items.size(), bytes >> 20, kLargestMemory >> 20));
        }
        for (const int side : sides)
            images_[side] = load_images(dataset_, items, side, resolve_threads(options_.threads));
    }

    std::uint64_t images_of(const TrainSpec& spec) const {
        const auto n = static_cast<double>(images_.at(spec.side).labels.size());
        return static_cast<std::uint64_t>(n * spec.share * (1 - spec.held_out) * spec.epochs);
    }
    /// A rough estimate of the duration, for order and progress: a fit to widths of 6 to 36 on one
    /// machine.
    double cost(const TrainSpec& spec) const {
        return static_cast<double>(images_of(spec)) * std::pow(spec.width, 1.25) * spec.side *
               spec.side * (spec.network == NetworkKind::patches ? 0.5 : 1.0) *
               (spec.adversarial > 0 ? 2.0 : 1.0) * (1 + 0.2 * spec.random_textures);
    }

    std::string key_of(const TrainSpec& spec) const {
        Hasher hasher;
        for (const std::string& part :
             {to_json(spec).dump(), images_.at(spec.side).fingerprint,
              std::string(plugin_.framework),
              fmt::format("recipe {}, attack {}", kRecipe, options_.attack), class_list_.string()})
            hasher.add_field(part);
        return hasher.digest();
    }

    TrainReport train_one(const TrainSpec& spec) {
        throw_if_stopped();
        const Files files(options_.folder, spec, key_of(spec));
        TrainReport report;
        const std::string settings = sidecar_text(spec, dataset_.classes.size(), class_list_);
        if (!options_.again && files.find(report)) {
            files.mend_settings(settings);
            tell(spec, images_of(spec), true);
            return report;
        }
        const Images& images = images_.at(spec.side);
        const TrainingImages view{images.pixels, images.labels,
                                  static_cast<std::uint32_t>(dataset_.classes.size()), kMean, kStd};
        // Held-out images are drawn individually, so their number only approximates the requested
        // number.
        std::uint64_t to_come = images_of(spec);
        const auto seen = [&](std::uint64_t n) {
            n = std::min(n, to_come);
            to_come -= n;
            tell(spec, n, false);
        };
        const TrainedNetwork trained =
            with_note(fmt::format("training the network {}", spec.name), [&] {
                return plugin_.train(view, spec, options_.attack, [&](std::uint64_t n) {
                    throw_if_stopped();
                    seen(n);
                });
            });
        seen(to_come);
        files.write(trained, to_json(spec), settings);
        report = trained.report;
        files.name_files(report);
        return report;
    }

    void tell(const TrainSpec& spec, std::uint64_t images, bool reused) {
        if (!callback_) return;
        const auto all = static_cast<double>(std::max<std::uint64_t>(1, images_of(spec)));
        const double work = cost(spec) / work_ * static_cast<double>(images) / all;
        const std::scoped_lock lock(mutex_);
        progress_.done += images;
        progress_.work = std::min(*progress_.work + work, 1.0);  // the sum may have rounding errors
        if (reused) {
            progress_.skipped += images;
            progress_.work_skipped = std::min(*progress_.work_skipped + work, 1.0);
        }
        callback_(progress_);
    }

    const Dataset& dataset_;
    std::span<const TrainSpec> specs_;
    const TrainOptions& options_;
    const ProgressCallback& callback_;
    const TorchPlugin& plugin_;
    std::map<int, Images> images_;  ///< by side
    fs::path class_list_;
    std::mutex mutex_;
    double work_ = 0;
    Progress progress_{.work = 0, .work_skipped = 0};
};

}  // namespace

std::vector<TrainReport> train_classifiers(const Dataset& dataset, std::span<const TrainSpec> specs,
                                           const TrainOptions& options,
                                           const ProgressCallback& callback) {
    check_specs(specs);
    return Job(dataset, specs, options, callback).run();
}

}  // namespace assay
