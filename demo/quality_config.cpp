#include "demo/quality_config.h"

namespace assay::cli {

std::string demo_quality_config(const std::vector<DemoNetwork>& networks) {
    std::string text =
        "# Nine quality dimensions of the classifiers of `assay demo`: assay quality run "
        "assay.toml\n"
        "# (--plan first shows what it will do, and about how long that takes).\n"
        "out = \"quality-runs\"\n\n";
    for (const DemoNetwork& network : networks) {
        for (const std::string& name : {network.spec.name, network.spec.calibrated_copy}) {
            if (!name.empty()) text += "[[model]]\npath = \"models/" + name + ".pt\"\n";
        }
    }
    text += R"(
[quality]                   # docs/assay.toml.md
val = "images/v1"
r = "images/rendition"
sketch = "images/sketch"
stylized = "images/retextured"
edge = "images/edges"
silhouette = "images/silhouette"
mixed-same = "images/mixed-same"
mixed-rand = "images/mixed-rand"
cue-conflict = "images/cue-conflict"

corruption-limit = 100      # images of val, 75 versions of each
corruption-resize = 0       # the images are small: corrupted as they are
corruption-crop = 0
attack-limit = 200
)";
    return text;
}

}  // namespace assay::cli
