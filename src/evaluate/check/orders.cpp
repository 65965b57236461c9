#include "evaluate/check/orders.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "core/text.h"

namespace assay::checks {
namespace {

/// The order with order[j] = the class whose text is j-th in byte order.
ClassOfOutput sorted_order(const std::vector<std::string>& texts) {
    ClassOfOutput order = given_order(texts.size());
    std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
        return texts[static_cast<std::size_t>(a)] < texts[static_cast<std::size_t>(b)];
    });
    return order;
}

ClassOfOutput inverse(const ClassOfOutput& order) {
    ClassOfOutput out(order.size(), -1);
    for (std::size_t j = 0; j < order.size(); ++j)
        out[static_cast<std::size_t>(order[j])] = static_cast<std::int32_t>(j);
    return out;
}

ClassOfOutput shifted(std::size_t classes, std::int32_t by) {
    ClassOfOutput order = given_order(classes);
    for (std::int32_t& c : order) {
        c += by;
        if (c < 0 || static_cast<std::size_t>(c) >= classes) c = -1;
    }
    return order;
}

std::vector<std::string> numbers_from(std::size_t first, std::size_t count) {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < count; ++i) out.push_back(std::to_string(first + i));
    return out;
}

/// The order with order[j] = the class whose text is the j-th number; empty if one is no number, or
/// two are equal.
ClassOfOutput numeric_order(const std::vector<std::string>& texts) {
    std::vector<std::pair<std::uint64_t, std::int32_t>> numbers;
    for (const std::string& text : texts) {
        std::uint64_t number = 0;
        if (!parse_number(text, number)) return {};
        numbers.emplace_back(number, static_cast<std::int32_t>(numbers.size()));
    }
    std::sort(numbers.begin(), numbers.end());
    ClassOfOutput order;
    for (std::size_t j = 0; j < numbers.size(); ++j) {
        if (j > 0 && numbers[j].first == numbers[j - 1].first) return {};
        order.push_back(numbers[j].second);
    }
    return order;
}

/// Collects distinct orders.
class Orders {
public:
    Orders(std::size_t outputs, const Dataset& dataset)
        : outputs_(outputs), dataset_(dataset), given_(given_order(outputs)) {}

    void add(std::string name, std::string advice, ClassOfOutput order, bool by_names = false) {
        order.resize(outputs_, -1);
        if (order == given_) return;
        const auto same = std::find_if(found.begin(), found.end(),
                                       [&](const UsualOrder& o) { return o.order == order; });
        if (same == found.end()) {
            found.push_back({std::move(name), std::move(advice), std::move(order), by_names});
        } else {
            same->by_names = same->by_names || by_names;
        }
    }

    void add_usual() {
        const std::size_t n = dataset_.classes.empty() ? outputs_ : dataset_.classes.size();
        const std::string letters =
            "pass --classes with ids in the order of the classifier's outputs (sorted as text: 0, "
            "1, 10, 11, ...)";
        for (const std::size_t first : {std::size_t{0}, std::size_t{1}}) {
            const ClassOfOutput text_order = sorted_order(numbers_from(first, n));
            add(fmt::format("folders named {}..{} sorted as text when the classifier was trained",
                            first, first + n - 1),
                letters, text_order, dataset_.classes.empty() && first == 0);
            add(fmt::format(
                    "labels numbered by folders {}..{} sorted as text, the classifier by number",
                    first, first + n - 1),
                "number the labels of the data set in numeric order", inverse(text_order));
        }
        add("outputs are shifted by +1: a background class at index 0, or labels that count from 0 "
            "instead of 1",
            "pass --classes with the classifier's first class (background), or labels that start "
            "at the same number",
            shifted(n + 1, -1));
        add("outputs are shifted by -1: labels of the data set count from 1",
            "count the labels of the data set from 0", shifted(n, 1));
        if (!dataset_.classes.empty()) {
            const std::string sorted =
                "pass --classes with a list in the order of the classifier's outputs";
            add("classes sorted by id", sorted, sorted_order(dataset_.classes.ids()), true);
            if (ClassOfOutput order = numeric_order(dataset_.classes.ids()); !order.empty())
                add("classes sorted by the numbers in their ids", sorted, std::move(order), true);
            add("classes sorted by name", sorted, sorted_order(dataset_.classes.names()), true);
            add("labels numbered by class names sorted, the classifier by id", sorted,
                inverse(sorted_order(dataset_.classes.names())));
        }
        ClassOfOutput backwards = given_order(n);
        std::reverse(backwards.begin(), backwards.end());
        add("reversed", "reverse the class list", std::move(backwards));
        add_subsets();
    }

    std::vector<UsualOrder> found;

private:
    void add_subsets() {
        std::vector<std::uint8_t> seen(dataset_.classes.size(), 0);
        for (std::size_t i = 0; i < dataset_.labels.size(); ++i) {
            for (const std::int32_t c : dataset_.labels[i]) {
                if (static_cast<std::size_t>(c) < seen.size())
                    seen[static_cast<std::size_t>(c)] = 1;
            }
        }
        ClassOfOutput with_images;
        for (std::size_t c = 0; c < seen.size(); ++c) {
            if (seen[c]) with_images.push_back(static_cast<std::int32_t>(c));
        }
        add("only the classes that have images, in order",
            "pass --classes with the classifier's own classes", with_images);
        for (const char* name : {"imagenet-a", "imagenet-r"}) {
            const std::vector<std::int32_t>& target_of =
                class_map_named(name, imagenet_classes()).target_of;
            const std::string advice =
                fmt::format("use the class map {0} (assay score RUNS --class-map {0})", name);
            if (outputs_ == target_of.size())
                add(fmt::format("labels count the 200 classes of {}", name), advice, target_of);
            ClassOfOutput members;
            for (std::size_t c = 0; c < target_of.size(); ++c) {
                if (target_of[c] >= 0) members.push_back(static_cast<std::int32_t>(c));
            }
            if (outputs_ == members.size())
                add(fmt::format("the classifier predicts the 200 classes of {}", name), advice,
                    members);
        }
    }

    std::size_t outputs_;
    const Dataset& dataset_;
    ClassOfOutput given_;
};

}  // namespace

std::vector<UsualOrder> usual_orders(std::size_t outputs, const Dataset& dataset) {
    Orders orders(outputs, dataset);
    orders.add_usual();
    return std::move(orders.found);
}

OtherOrders other_orders(const Scores& scores, const Sample& sample, const Dataset& dataset) {
    OtherOrders out;
    for (UsualOrder& usual : usual_orders(scores.classes, dataset)) {
        out.rivals.push_back({std::move(usual.name), std::move(usual.advice),
                              judge(scores, sample, dataset, usual.order)});
        out.orders.push_back(std::move(usual.order));
    }
    return out;
}

}  // namespace assay::checks
