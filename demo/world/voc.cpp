#include <fmt/format.h>

#include <filesystem>

#include "demo/world/truth.h"

namespace assay::world {

std::string annotation_path(const Recipe& recipe) {
    return "Annotations/" + std::filesystem::path(recipe.path).stem().string() + ".xml";
}

std::string annotation(const Recipe& recipe, const std::vector<Seen>& seen) {
    const Scene& scene = recipe.scene;
    std::string out = fmt::format(
        "<annotation>\n\t<folder>multi</folder>\n\t<filename>{}</"
        "filename>\n\t<source>\n\t\t<database>Assay world"
        "</database>\n\t</source>\n\t<size>\n\t\t<width>{}</width>\n\t\t<height>{}</"
        "height>\n\t\t<depth>3</depth>\n\t"
        "</size>\n\t<segmented>0</segmented>\n",
        std::filesystem::path(recipe.path).stem().string(), scene.width, scene.height);
    for (std::size_t i = 0; i < seen.size(); ++i) {
        const PixelBox& box = seen[i].box;
        if (box.empty()) continue;
        const bool cut_off =
            box.x0 == 0 || box.y0 == 0 || box.x1 == scene.width || box.y1 == scene.height;
        out += fmt::format(
            "\t<object>\n\t\t<name>{}</name>\n\t\t<pose>Unspecified</pose>\n\t\t<truncated>{}</"
            "truncated>\n\t\t"
            "<difficult>{}</difficult>\n\t\t<bndbox>\n\t\t\t<xmin>{}</xmin>\n\t\t\t<ymin>{}</"
            "ymin>\n\t\t\t<xmax>{}</"
            "xmax>"
            "\n\t\t\t<ymax>{}</ymax>\n\t\t</bndbox>\n\t</object>\n",
            classes()[static_cast<std::size_t>(scene.things[i].cls)].id, cut_off ? 1 : 0,
            seen[i].hidden > 0.5F * seen[i].area ? 1 : 0, box.x0, box.y0, box.x1 - 1, box.y1 - 1);
    }
    return out + "</annotation>\n";
}

}  // namespace assay::world
