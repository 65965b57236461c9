#include "evaluate/exported_items.h"

#include <fmt/format.h>

#include <algorithm>

namespace assay {
namespace {

std::string_view name_of(RowStatus status) {
    switch (status) {
        case RowStatus::ok:
            return "ok";
        case RowStatus::missing:
            return "missing";
        case RowStatus::unreadable:
            return "unreadable";
        case RowStatus::not_finite:
            return "not_finite";
    }
    return "";
}

}  // namespace

ExportedItems::ExportedItems(const PredictionStore& store, const ScoreOptions& options,
                             std::size_t top, bool with_scores)
    : store_(store),
      truth_(truth_for(store, options)),
      reader_(store, options.map),
      classes_(options.map ? options.map->targets : store.dataset().classes),
      top_(top),
      with_scores_(with_scores) {}

ExportLine ExportedItems::read(std::uint64_t item) const {
    ExportLine line;
    line.item = item;
    line.labels = truth_.labels[static_cast<std::size_t>(item)];
    // The loss is for the label that the metric nll uses.
    line.status =
        reader_.read(item, truth_.targets[static_cast<std::size_t>(item)], line.labels, line.row);
    if (line.status == RowStatus::ok) reader_.top(item, std::max<std::size_t>(top_, 2), line.best);
    return line;
}

void ExportedItems::write(const ExportLine& line, LineFields& out) const {
    const Dataset& dataset = store_.dataset();
    const auto item = static_cast<std::size_t>(line.item);
    const bool ok = line.status == RowStatus::ok;
    const bool believes = ok && reader_.has_probabilities();
    out.text("dataset", store_.spec().dataset_name);
    out.text("model", store_.spec().model_name);
    out.text("id", dataset.ids[item]);
    if (dataset.root.empty()) {
        out.absent("filepath");
    } else {
        out.text("filepath", dataset.path_of(item).string());
    }
    std::vector<std::string> names;
    for (const std::int32_t c : line.labels) names.push_back(name_of_class(c));
    out.labels(line.labels, names);
    write_class("predicted", ok ? line.row.predicted : -1, out);
    if (ok && !line.labels.empty()) {
        out.flag("correct", std::ranges::binary_search(line.labels, line.row.predicted));
    } else {
        out.absent("correct");
    }
    const auto number = [&](const char* name, bool known, float value) {
        if (known) {
            out.single(name, value);
        } else {
            out.absent(name);
        }
    };
    number("confidence", believes, line.row.confidence);
    number("margin", believes && line.best.size() > 1,
           line.best.size() > 1 ? line.best[0].probability - line.best[1].probability : 0);
    const bool target = believes && line.row.target_known;
    number("label_probability", target, line.row.target_probability);
    if (target) {
        out.real("loss", 0.0 - line.row.log_target);
    } else {
        out.absent("loss");
    }
    out.text("status", name_of(line.status));
    for (std::size_t k = 0; k < std::min<std::size_t>(top_, reader_.depth()); ++k) {
        const std::string name = fmt::format("top{}", k + 1);
        const bool there = k < line.best.size();
        write_class(name, there ? line.best[k].cls : -1, out);
        number((name + "_probability").c_str(), there && believes,
               there ? line.best[k].probability : 0);
    }
    if (with_scores_) {
        thread_local std::vector<float> buffer;
        out.scores(ok ? reader_.scores(line.item, buffer) : std::span<const float>());
    }
    out.end();
}

std::string ExportedItems::name_of_class(std::int32_t c) const {
    const auto index = static_cast<std::size_t>(c);
    return index < classes_.size() ? classes_.name(index) : std::to_string(c);
}

void ExportedItems::write_class(const std::string& name, std::int32_t c, LineFields& out) const {
    if (c < 0) {
        out.absent(name);
        out.absent(name + "_name");
    } else {
        out.whole(name, c);
        out.text(name + "_name", name_of_class(c));
    }
}

}  // namespace assay
