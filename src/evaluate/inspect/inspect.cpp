#include "assay/evaluate/inspect.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "assay/error.h"
#include "data/class_text.h"
#include "evaluate/inspect/class_orders.h"
#include "evaluate/inspect/described_data.h"
#include "evaluate/inspect/duplicates.h"
#include "evaluate/inspect/image_tally.h"
#include "evaluate/inspect/near_pairs.h"
#include "evaluate/inspect/read_images.h"

namespace assay {
namespace {

/// The first `most` classes sorted by number of images, ascending or descending; ties stay in their
/// order.
template <class Before>
std::vector<ClassCount> first_classes(const ClassList& classes,
                                      const std::vector<std::uint64_t>& counts,
                                      std::vector<std::int32_t> with_images, std::size_t most,
                                      Before&& before) {
    std::stable_sort(with_images.begin(), with_images.end(), [&](std::int32_t a, std::int32_t b) {
        return before(counts[static_cast<std::size_t>(a)], counts[static_cast<std::size_t>(b)]);
    });
    std::vector<ClassCount> out;
    for (const std::int32_t c : with_images) {
        if (out.size() == most) break;
        out.push_back({class_text(classes, c), counts[static_cast<std::size_t>(c)]});
    }
    return out;
}

InspectedLabels inspected_labels(const Dataset& dataset, std::size_t examples) {
    InspectedLabels out;
    std::vector<std::uint64_t> counts(dataset.classes.size());
    for (std::uint32_t i = 0; i < dataset.size(); ++i) {
        const auto labels = inspect::labels_of(dataset, i);
        out.images_with_several += labels.size() > 1;
        if (labels.empty()) {
            ++out.images_without;
            if (out.first_without.size() < examples) out.first_without.emplace_back(dataset.ids[i]);
        }
        for (const std::int32_t c : labels) {
            if (static_cast<std::size_t>(c) >= counts.size())
                counts.resize(static_cast<std::size_t>(c) + 1);
            ++counts[static_cast<std::size_t>(c)];
        }
    }
    out.classes = counts.size();
    std::vector<std::int32_t> with_images;
    for (std::size_t c = 0; c < counts.size(); ++c) {
        const auto number = static_cast<std::int32_t>(c);
        if (out.order.size() < examples) out.order.push_back(class_text(dataset.classes, number));
        if (counts[c] > 0) {
            with_images.push_back(number);
            continue;
        }
        ++out.classes_without_images;
        if (out.without_images.size() < examples)
            out.without_images.push_back(class_text(dataset.classes, number));
    }
    const std::size_t shown = std::min<std::size_t>(examples, 3);
    out.fewest = first_classes(dataset.classes, counts, with_images, shown, std::less<>());
    out.most = first_classes(dataset.classes, counts, with_images, shown, std::greater<>());
    return out;
}

/// Indices spaced evenly over the data set, including the first and the last.
std::vector<InspectedImage> samples_of(const Dataset& dataset, std::size_t examples) {
    const std::size_t n = std::min(examples, dataset.size());
    std::vector<InspectedImage> out;
    for (std::size_t k = 0; k < n; ++k) {
        const std::size_t item = n == 1 ? 0 : k * (dataset.size() - 1) / (n - 1);
        out.push_back(inspect::inspected_image(dataset, static_cast<std::uint32_t>(item)));
    }
    return out;
}

}  // namespace

InspectResult inspect::described_data(const Dataset& dataset, std::size_t examples) {
    InspectResult result;
    result.name = dataset.name;
    result.images = dataset.size();
    result.samples = samples_of(dataset, examples);
    result.labels = inspected_labels(dataset, examples);
    return result;
}

InspectResult inspect_predictions(const PredictionStore& store, std::size_t examples) {
    std::optional<InspectResult> recorded = inspect_store(store, examples);
    InspectResult result =
        recorded ? std::move(*recorded) : inspect::described_data(store.dataset(), examples);
    result.store = store.folder().string();
    result.images_known = recorded.has_value();
    result.class_orders = inspect::orders_by_scores(store);
    return result;
}

void inspect::take_tally(const ImageTally& tally, const Dataset& dataset, InspectResult& result) {
    result.unreadable = tally.unreadable();
    result.kinds = tally.kinds(dataset);
    result.sizes = tally.sizes();
    result.unusual = tally.unusual(dataset);
    for (const auto& [item, why] : tally.first_unreadable())
        result.unreadable_examples.push_back({std::string(dataset.ids[item]), why});
}

InspectResult inspect_data(const OpenedDataset& data, const OpenedDataset* against,
                           const InspectOptions& options, const ProgressCallback& callback) {
    if (options.near < 0 || options.near > inspect::most_bits) {
        throw Error(ErrorCode::usage, fmt::format("--near is {} bits; allowed: 0 to {}",
                                                  options.near, inspect::most_bits));
    }
    const Dataset& dataset = data.dataset;
    InspectResult result = inspect::described_data(dataset, options.examples);
    result.near = options.near;
    result.notes = data.notes;
    result.class_orders = inspect::orders_by_names(dataset);

    const bool in_arrays = dataset.archive != nullptr && dataset.archive->holds_samples();
    inspect::ImageTally tally(options.examples, in_arrays);
    inspect::ImageHashes hashes =
        inspect::read_images(dataset, options, inspect::Pixels::measured, tally, callback);
    inspect::take_tally(tally, dataset, result);

    inspect::ImageHashes others;
    if (against != nullptr) {
        inspect::ImageTally other_tally(0, false);
        others = inspect::read_images(against->dataset, options, inspect::Pixels::only_hashed,
                                      other_tally, callback);
        result.against.emplace();
        result.against->name = against->dataset.name;
        result.against->images = against->dataset.size();
        result.against->unreadable = other_tally.unreadable();
        result.against->notes = against->notes;
    }
    inspect::find_duplicates(dataset, std::move(hashes),
                             against == nullptr ? nullptr : &against->dataset, std::move(others),
                             options, result);
    return result;
}

bool has_faults(const InspectResult& result) {
    return result.unreadable > 0 || result.same_files.groups_of_other_labels > 0 ||
           (result.against && result.against->same > 0) ||
           (result.class_orders && (result.class_orders->verdict == ClassOrders::Verdict::other ||
                                    result.class_orders->verdict == ClassOrders::Verdict::none));
}

}  // namespace assay
