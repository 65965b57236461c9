#include <fmt/format.h>

#include "assay/evaluate/show.h"

namespace assay {
namespace {

using nlohmann::json;
using Predicted = ShownImage::Predicted;

std::string facts_of(const ShownImage& image) {
    std::string text = fmt::format("item {} of {} in {}", image.item, image.items, image.dataset);
    if (!image.path.empty() && image.path != image.id)
        text += fmt::format("\npath: {}", image.path);
    std::string labels;
    for (const ShownClass& c : image.labels)
        labels += fmt::format("{}{} ({})", labels.empty() ? "" : ", ", c.name, c.id);
    text += fmt::format("\n{}: {}", image.labels.size() == 1 ? "label" : "labels",
                        labels.empty() ? "none" : labels);
    for (const auto& [name, value] : image.attributes) {
        if (!value.empty()) text += fmt::format("\n{}: {}", name, value);
    }
    return text;
}

void add(Table& table, const Predicted& p, bool probabilities) {
    constexpr int bar_width = 24;
    if (!probabilities) return table.add({p.cls.name, Count{p.rank}, p.correct ? "✓" : "", {}, {}});
    table.add({p.cls.name, Count{p.rank}, p.correct ? "✓" : "",
               Number{.value = p.probability, .unit = Unit::proportion, .digits = 1},
               Bar{p.probability, bar_width}});
}

/// The best classes, below a line the labels that are not among them, and what is not known.
Table table_of(const ShownImage& image, const ShownImage::Model& model) {
    Table table{.title = "",
                .columns = {{model.name, false}, {"rank"}, {"", false}, {"%"}, {"", false}},
                .rows = {},
                .notes = {}};
    if (!model.not_scored.empty()) {
        table.notes.push_back("no scores: " + model.not_scored);
        return table;
    }
    for (const Predicted& p : model.best) add(table, p, model.has_probabilities);
    bool below = false;
    for (std::size_t i = 0; i < image.labels.size(); ++i) {
        const auto& label = model.labels[i];
        if (!label) {
            table.notes.push_back(fmt::format("{}: not among the {} classes stored",
                                              image.labels[i].name, model.classes_stored));
        } else if (label->rank > model.best.size()) {
            if (!below) table.rule();
            below = true;
            add(table, *label, model.has_probabilities);
        }
    }
    if (model.hits) {
        table.notes.push_back(fmt::format("variable top-k: {} of the {} best {} correct",
                                          *model.hits, image.labels.size(),
                                          *model.hits == 1 ? "is" : "are"));
    } else if (!image.labels.empty()) {
        table.notes.push_back(fmt::format("variable top-k: not known: {} labels, {} classes stored",
                                          image.labels.size(), model.classes_stored));
    }
    return table;
}

json class_json(const ShownClass& c) {
    return {{"class", c.index}, {"id", c.id}, {"name", c.name}};
}

json predicted_json(const Predicted& p, bool probabilities) {
    json out = class_json(p.cls);
    out["rank"] = p.rank;
    out["probability"] = probabilities ? json(p.probability) : json(nullptr);
    return out;
}

json model_json(const ShownImage& image, const ShownImage::Model& model) {
    json out = {{"model", model.name},
                {"classes_stored", model.classes_stored},
                {"predictions", json::array()},
                {"labels", json::array()}};
    if (!model.not_scored.empty()) out["not_scored"] = model.not_scored;
    for (const Predicted& p : model.best) {
        json one = predicted_json(p, model.has_probabilities);
        one["correct"] = p.correct;
        out["predictions"].push_back(std::move(one));
    }
    for (std::size_t i = 0; i < model.labels.size(); ++i) {
        out["labels"].push_back(model.labels[i]
                                    ? predicted_json(*model.labels[i], model.has_probabilities)
                                    : class_json(image.labels[i]));
    }
    out["variable_top_k_hits"] = model.hits ? json(*model.hits) : json(nullptr);
    return out;
}

json image_json(const ShownImage& image) {
    json out = {
        {"id", image.id},          {"item", image.item},           {"dataset", image.dataset},
        {"labels", json::array()}, {"attributes", json::object()}, {"models", json::array()}};
    if (!image.path.empty()) out["path"] = image.path;
    for (const ShownClass& c : image.labels) out["labels"].push_back(class_json(c));
    for (const auto& [name, value] : image.attributes) out["attributes"][name] = value;
    for (const auto& model : image.models) out["models"].push_back(model_json(image, model));
    return out;
}

}  // namespace

Report report_of(std::span<const ShownImage> images) {
    Report report;
    report.records.columns = {{"dataset", false}, {"id", false},     {"model", false},
                              {"rank"},           {"class", false},  {"name", false},
                              {"probability"},    {"correct", false}};
    json list = json::array();
    for (const ShownImage& image : images) {
        Section section{.title = image.id, .blocks = {facts_of(image)}, .sections = {}};
        for (const auto& model : image.models) {
            section.blocks.emplace_back(table_of(image, model));
            for (const Predicted& p : model.best) {
                std::vector<Cell> row = {image.dataset, image.id,   model.name, Count{p.rank},
                                         p.cls.id,      p.cls.name, {},         p.correct};
                if (model.has_probabilities) row[6] = Number{.value = p.probability};
                report.records.add(std::move(row));
            }
        }
        report.sections.push_back(std::move(section));
        list.push_back(image_json(image));
    }
    report.result = {{"schema", "assay.show/1"}, {"images", std::move(list)}};
    return report;
}

}  // namespace assay
