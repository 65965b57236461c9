#include <fmt/format.h>

#include <algorithm>

#include "assay/error.h"
#include "core/parallel.h"
#include "evaluate/check/check_parts.h"

namespace assay::checks {
namespace {

Finding class_counts(const Dataset& dataset, const ModelSpec& spec, std::size_t outputs) {
    Finding finding{Severity::ok, "data.classes", "", "", ""};
    if (!spec.classes.empty() && spec.classes.size() != outputs) {
        finding.severity = Severity::error;
        finding.title =
            fmt::format("the classifier's class list has {} classes, but its output has {}",
                        spec.classes.size(), outputs);
        finding.advice = "give the class list that the classifier was trained with";
        return finding;
    }
    std::int32_t largest = -1;
    for (std::size_t i = 0; i < dataset.labels.size(); ++i) {
        if (const auto set = dataset.labels[i]; !set.empty())
            largest = std::max(largest, set.back());
    }
    if (largest >= static_cast<std::int64_t>(outputs)) {
        finding.severity = Severity::error;
        finding.title =
            fmt::format("the data set has label {}, but the classifier's classes are 0 to {}",
                        largest, outputs - 1);
        finding.advice =
            "pass the classifier's class list with --classes, or use another classifier";
        return finding;
    }
    if (dataset.classes.size() != outputs && !dataset.classes.empty()) {
        finding.severity = Severity::error;
        finding.title = fmt::format("the data set has {} classes, but the classifier has {}",
                                    dataset.classes.size(), outputs);
        finding.advice = dataset.classes.size() + 1 == outputs
                             ? "one extra class is often a background class at index 0: pass "
                               "--classes with a list that contains it"
                             : "pass the classifier's class list with --classes, so that labels "
                               "match its classes";
        return finding;
    }
    finding.title = fmt::format("{} classes", outputs);
    return finding;
}

Finding empty_classes(const Dataset& dataset, std::size_t outputs) {
    std::vector<std::uint8_t> seen(outputs, 0);
    for (std::size_t i = 0; i < dataset.labels.size(); ++i) {
        for (const std::int32_t c : dataset.labels[i]) {
            if (static_cast<std::size_t>(c) < outputs) seen[static_cast<std::size_t>(c)] = 1;
        }
    }
    const auto without = static_cast<std::size_t>(std::count(seen.begin(), seen.end(), 0));
    if (without == 0 || without == outputs)
        return {Severity::ok, "data.classes", "every class has images", "", ""};
    const auto first =
        static_cast<std::size_t>(std::find(seen.begin(), seen.end(), 0) - seen.begin());
    const std::string name =
        first < dataset.classes.size() ? fmt::format(" (`{}`)", dataset.classes.name(first)) : "";
    return {Severity::note, "data.classes",
            fmt::format("{} of {} classes have no images", without, outputs),
            fmt::format("the first is class {}{}", first, name),
            "their per-class values are undefined; `assay score --class-map` (imagenet-a, "
            "imagenet-r) restricts "
            "predictions to a subset of the classes"};
}

Finding labels(const Dataset& dataset) {
    std::size_t without = 0;
    for (std::size_t i = 0; i < dataset.size(); ++i)
        without += i >= dataset.labels.size() || dataset.labels[i].empty();
    if (without == 0)
        return {Severity::ok, "data.labels",
                fmt::format("all {} images have labels", dataset.size()), "", ""};
    const bool all = without == dataset.size();
    return {Severity::note, "data.labels",
            fmt::format("{} images have no label", all ? "the" : std::to_string(without)),
            fmt::format("{} of {}", without, dataset.size()),
            all ? "pass a list of labels with --list to check class order and preprocessing"
                : "metrics omit them and count them"};
}

}  // namespace

std::vector<Finding> check_data(const Dataset& dataset, const ModelSpec& spec,
                                std::size_t outputs) {
    std::vector<Finding> findings = {class_counts(dataset, spec, outputs)};
    if (findings.front().severity == Severity::ok) {
        Finding empty = empty_classes(dataset, outputs);
        if (empty.severity != Severity::ok) findings.push_back(std::move(empty));
    }
    findings.push_back(labels(dataset));
    return findings;
}

std::vector<Finding> check_images(const Dataset& dataset, const Sample& sample,
                                  const CheckOptions& options) {
    std::vector<Sample::Unreadable> unreadable = sample.unreadable;
    std::size_t looked_at = sample.asked;
    if (options.decode_all) {
        looked_at = dataset.size();
        constexpr std::size_t block = 64;
        std::vector<std::vector<Sample::Unreadable>> found((dataset.size() + block - 1) / block);
        parallel_blocks(found.size(), resolve_threads(options.threads), [&](std::size_t b) {
            throw_if_stopped();
            for (std::size_t i = b * block; i < std::min(dataset.size(), (b + 1) * block); ++i) {
                try {
                    load_image(dataset, i);
                } catch (const Error& error) {
                    if (error.code() != ErrorCode::bad_input && error.code() != ErrorCode::io)
                        throw;
                    found[b].push_back({static_cast<std::uint32_t>(i), error.what()});
                }
            }
        });
        unreadable.clear();
        for (auto& part : found) unreadable.insert(unreadable.end(), part.begin(), part.end());
    }
    if (unreadable.empty()) {
        return {{Severity::ok, "data.images",
                 fmt::format("read {} of {} images; none is damaged", looked_at, dataset.size()),
                 "", ""}};
    }
    constexpr std::size_t shown = 5;
    std::string detail;
    for (std::size_t i = 0; i < std::min(shown, unreadable.size()); ++i) {
        detail += fmt::format("{}{}: {}", i == 0 ? "" : "; ",
                              dataset.path_of(unreadable[i].item).string(), unreadable[i].message);
    }
    if (unreadable.size() > shown)
        detail += fmt::format("; and {} more", unreadable.size() - shown);
    return {{unreadable.size() == looked_at ? Severity::error : Severity::warning, "data.images",
             fmt::format("{} of {} images looked at cannot be read", unreadable.size(), looked_at),
             detail, "replace or remove them; metrics omit them and count them"}};
}

}  // namespace assay::checks

namespace assay {

DataToCheck open_to_check(const std::filesystem::path& folder, const DatasetOptions& options,
                          std::vector<std::string>* notes) {
    try {
        return {open_dataset(folder, options, notes), {}};
    } catch (const Error& error) {
        if (error.code() != ErrorCode::bad_input) throw;
        DatasetOptions without = options;
        without.classes = ClassList();
        if (notes != nullptr) notes->clear();
        // Throws the error again if the classes are not the problem.
        return {open_dataset(folder, without),
                {{Finding::Severity::error, "data.classes",
                  "the data set and the classifier have different classes", error.what(),
                  "give the classifier's own class list, or a list of the images' labels"}}};
    }
}

}  // namespace assay
