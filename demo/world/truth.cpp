#include "demo/world/truth.h"

#include <fmt/format.h>

#include "containers/csv.h"

namespace assay::world {
namespace {

std::string id_of(int cls) {
    return cls < 0 ? std::string() : std::string(classes()[static_cast<std::size_t>(cls)].id);
}

std::string joined(const std::vector<int>& labels) {
    std::string out;
    for (const int label : labels) out += (out.empty() ? "" : " ") + id_of(label);
    return out;
}

std::string_view surface_of(Texture texture) {
    for (const ClassRow& row : classes()) {
        if (row.texture == texture) return row.surface;
    }
    return {};
}
/// The class that usually has a texture.
int owner_of(Texture texture) {
    int cls = 0;
    for (const ClassRow& row : classes()) {
        if (row.texture == texture) return cls;
        ++cls;
    }
    return -1;
}

}  // namespace

void SetText::add(const Recipe& recipe, const std::vector<Seen>& seen) {
    const Scene& scene = recipe.scene;
    std::string boxes, hidden;
    for (std::size_t i = 0; i < seen.size(); ++i) {
        const PixelBox& b = seen[i].box;
        if (b.empty()) continue;
        boxes += fmt::format("{}{}:{}:{}:{}:{}", boxes.empty() ? "" : ";",
                             id_of(scene.things[i].cls), b.x0, b.y0, b.x1 - 1, b.y1 - 1);
    }
    const bool some = !scene.things.empty();
    if (some && seen[0].area > 0) hidden = fmt::format("{:.3f}", seen[0].hidden / seen[0].area);
    CsvWriter truth(truth_);
    truth.row({recipe.path, id_of(recipe.cls), joined(recipe.labels), boxes,
               some ? id_of(scene.things[0].cls) : "",
               some ? id_of(owner_of(scene.things[0].texture)) : "",
               some ? surface_of(scene.things[0].texture) : "",
               scene.plain ? "plain" : name_of(scene.place), id_of(recipe.place_class),
               fmt::format("{:.4f}", recipe.difficulty), fmt::format("{:.4f}", recipe.rate), hidden,
               fmt::format("{}", scene.seed), recipe.duplicate_of});
    CsvWriter(labels_).row({recipe.path, joined(recipe.labels)});
    CsvWriter cues(cues_);
    cues.row({recipe.path, joined(recipe.labels), some ? id_of(scene.things[0].cls) : "",
              some ? id_of(owner_of(scene.things[0].texture)) : ""});
}

void SetText::append(const SetText& next) {
    truth_ += next.truth_;
    labels_ += next.labels_;
    cues_ += next.cues_;
}

std::string SetText::truth_csv() const {
    return "path,class,labels,boxes,shape,texture,surface,background,background_class,difficulty,"
           "selection_rate,hidden,"
           "seed,duplicate_of\n" +
           truth_;
}

std::string SetText::labels_csv(LabelsCsv kind) const {
    return kind == LabelsCsv::cues ? "path,labels,shape,texture\n" + cues_
                                   : "path,labels\n" + labels_;
}

}  // namespace assay::world
