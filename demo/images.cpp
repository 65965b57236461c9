#include "demo/images.h"

#include <array>

#include "cli/command.h"
#include "cli/progress.h"
#include "demo/world/world.h"

namespace assay::cli {
namespace {

struct Told {
    std::string_view set, what;
};
constexpr std::array<Told, 14> told = {{
    {"train", "photographs to train on"},
    {"v1", "more of the same kind: the usual test set"},
    {"v2", "collected again, selected by a crowd's answers"},
    {"multi", "several objects in an image, with boxes"},
    {"cue-conflict", "the outline of one class, the texture of another"},
    {"sketch", "pencil lines"},
    {"edges", "outlines on white"},
    {"silhouette", "filled outlines"},
    {"retextured", "the outline kept under some other texture"},
    {"rendition", "posters, large pixels, mosaics, neon signs"},
    {"original", "as photographed, for the next two"},
    {"mixed-same", "on the background of another image of the class"},
    {"mixed-rand", "on a background of another class"},
    {"unlabelled", "photographs that nobody has labelled"},
}};

std::string_view what_is(std::string_view set) {
    for (const Told& t : told) {
        if (t.set == set) return t.what;
    }
    return "";
}

}  // namespace

WorldSpec world_of(const Demo& demo) {
    WorldSpec spec;
    spec.folder = demo.dir;
    spec.seed = demo.seed;
    spec.size = demo.size == "full" ? WorldSize::full : WorldSize::small;
    return spec;
}

void make_demo_images(const Demo& demo) {
    const WorldSpec spec = world_of(demo);
    ProgressLine progress("images", "images");
    make_world(spec, progress, demo.threads);
    progress.finish();
    Table table{.title = "",
                .columns = {{"set", false}, {"images"}, {"what", false}},
                .rows = {},
                .notes = {}};
    for (const std::string& set : world_sets())
        table.add({set, Count{world_set_size(set, spec.size)}, std::string(what_is(set))});
    Report report;
    report.sections.push_back({.title = "", .blocks = {std::move(table)}, .sections = {}});
    Output().print(report);
}

}  // namespace assay::cli
