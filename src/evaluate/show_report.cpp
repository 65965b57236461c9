#include <fmt/format.h>

#include "assay/describe_result.h"
#include "core/result_table.h"
#include "evaluate/described_evaluate.h"

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

/// The best classes, then below a line the labels that are not among them, and unknown values.
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
    if (image.labels.size() < 2) return table;  // for one label, top-1 shows the same
    if (model.hits) {
        table.notes.push_back(fmt::format("variable top-k: {} of the {} best {} correct",
                                          *model.hits, image.labels.size(),
                                          *model.hits == 1 ? "is" : "are"));
    } else {
        table.notes.push_back(
            fmt::format("variable top-k is unknown: {} labels, but only {} classes stored",
                        image.labels.size(), model.classes_stored));
    }
    return table;
}

}  // namespace

ResultType result_type(ResultOf<ShownClass>) {
    static constexpr auto rows = describe_result<ShownClass>(
        {.name = "ShownClass"}, {part<&ShownClass::index>({.name = "class"}),
                                 part<&ShownClass::id>({}), part<&ShownClass::name>({})});
    return rows;
}

namespace {

struct PredictionInOrder {
    const Predicted* predicted;
    bool probabilities;

    const double* probability() const { return probabilities ? &predicted->probability : nullptr; }
};
ResultType result_type(ResultOf<PredictionInOrder>) {
    static constexpr auto predicted = &PredictionInOrder::predicted;
    static constexpr auto rows = describe_result<PredictionInOrder>(
        {.name = "RankedClass"},
        {
            part<predicted, &Predicted::cls>({.inlined = true}),
            part<predicted, &Predicted::rank>({.help = "From 1"}),
            part<&PredictionInOrder::probability>({.help = "Null if only classes are known"}),
        });
    return rows;
}

struct PredictedClass {
    PredictionInOrder ranked;
};
ResultType result_type(ResultOf<PredictedClass>) {
    static constexpr auto ranked = &PredictedClass::ranked;
    static constexpr auto rows = describe_result<PredictedClass>(
        {.name = "PredictedClass"},
        {
            part<ranked>({.inlined = true}),
            part<ranked, &PredictionInOrder::predicted, &Predicted::correct>({}),
        });
    return rows;
}

struct ModelOfImage {
    const ShownImage* image;
    const ShownImage::Model* model;

    std::vector<PredictedClass> predictions() const {
        std::vector<PredictedClass> out;
        for (const Predicted& p : model->best) out.push_back({{&p, model->has_probabilities}});
        return out;
    }
    std::vector<json> labels() const {
        std::vector<json> out;
        for (std::size_t i = 0; i < model->labels.size(); ++i) {
            const auto& label = model->labels[i];
            out.push_back(label ? json_of(PredictionInOrder{&*label, model->has_probabilities})
                                : json_of(image->labels[i]));
        }
        return out;
    }
};
ResultType result_type(ResultOf<ModelOfImage>) {
    static constexpr auto model = &ModelOfImage::model;
    static constexpr auto rows = describe_result<ModelOfImage>(
        {.name = "ModelOfImage"},
        {
            part<model, &ShownImage::Model::name>({.name = "model"}),
            part<model, &ShownImage::Model::classes_stored>({.help = "Of each row"}),
            part<model, &ShownImage::Model::not_scored>(
                {.help = "Why there are no scores", .omitted = true}),
            part<&ModelOfImage::predictions>({.help = "Best first"}),
            part<&ModelOfImage::labels>(
                {.help = "Like predictions; a class that is not stored has only a name",
                 .script = "(ShownClass & Partial<RankedClass>)[]"}),
            part<model, &ShownImage::Model::hits>(
                {.help = "Null if unknown", .name = "variable_top_k_hits"}),
        });
    return rows;
}

/// A row of csv.
struct ShownRow {
    const ShownImage* image;
    const ShownImage::Model* model;
    PredictedClass predicted;
};
ResultType result_type(ResultOf<ShownRow>) {
    static constexpr auto rows = describe_result<ShownRow>(
        {.name = "ShownRow",
         .columns = "dataset,id,model,rank=of.rank,class=of.id,name=of.name,"
                    "probability=of.probability,correct=of.correct"},
        {
            part<&ShownRow::image, &ShownImage::dataset>({}),
            part<&ShownRow::image, &ShownImage::id>({}),
            part<&ShownRow::model, &ShownImage::Model::name>({.name = "model"}),
            part<&ShownRow::predicted>({.name = "of"}),
        });
    return rows;
}

}  // namespace

ResultType result_type(ResultOf<ShownImage>) {
    static constexpr auto rows = describe_result<ShownImage>(
        {.name = "ShownImage"},
        {
            part<&ShownImage::id>({}),
            part<&ShownImage::item>({}),
            part<&ShownImage::dataset>(
                {.help = "Its name, or its folder if another data set has that name"}),
            part<&ShownImage::path>({.omitted = true}),
            part<&ShownImage::labels>({}),
            part<&ShownImage::attributes>({}),
            part({.name = "models"},
                 [](const ShownImage& image) {
                     std::vector<ModelOfImage> out;
                     for (const auto& model : image.models) out.push_back({&image, &model});
                     return out;
                 }),
        });
    return rows;
}

ResultType result_type(ResultOf<ShowResult>) {
    static constexpr auto rows = describe_result<ShowResult>(
        {.name = "ShowResult", .help = "What `assay show` prints", .schema = "assay.show/1"},
        {part<&ShowResult::images>({})});
    return rows;
}

Report report_of(std::span<const ShownImage> images) {
    Report report;
    report.records = result_table<ShownRow>();
    for (const ShownImage& image : images) {
        Section section{.title = image.id, .blocks = {facts_of(image)}, .sections = {}};
        for (const auto& model : image.models) {
            section.blocks.emplace_back(table_of(image, model));
            for (const Predicted& p : model.best)
                add_row(report.records, ShownRow{&image, &model, {{&p, model.has_probabilities}}});
        }
        report.sections.push_back(std::move(section));
    }
    report.result = json_of(ShowResult{images});
    return report;
}

}  // namespace assay
