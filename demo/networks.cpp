#include "demo/networks.h"

namespace assay::cli {

std::vector<DemoNetwork> demo_networks(std::string_view size, std::uint64_t seed) {
    TrainSpec usual;
    usual.seed = seed;
    usual.batch = 32;
    usual.learning_rate = 6e-3;
    usual.width = size == "full" ? 24 : 16;
    usual.epochs = 6;
    const auto with = [&](const std::string& name, auto change) {
        TrainSpec spec = usual;
        spec.name = name;
        change(spec);
        return spec;
    };
    return {
        {with("standard", [](TrainSpec&) {}), "the usual way: mirrored, shifted, recoloured images",
         ""},
        {with("narrow", [](TrainSpec& s) { s.width /= 4; }),
         "the same with a quarter of the channels", ""},
        {with("shape",
              [](TrainSpec& s) {
                  s.random_textures = 1;
                  s.epochs = s.epochs * 3 / 2;
              }),
         "textures destroyed by random convolutions", ""},
        {with("texture",
              [](TrainSpec& s) {
                  s.network = NetworkKind::patches;
                  s.epochs *= 2;
              }),
         "sees windows of 9 x 9 pixels, no outlines", ""},
        {with("robust", [](TrainSpec& s) { s.adversarial = 8.0 / 255; }),
         "every training image attacked first, by 8/255", ""},
        {with("overfit",
              [](TrainSpec& s) {
                  s.augment = false;
                  s.weight_decay = 0;
                  s.share *= 0.5;
                  s.width = s.width * 3 / 2;
                  s.epochs *= 3;
                  s.calibrated_copy = "overfit-scaled";
              }),
         "half of the images, always the same, for many epochs",
         "its scores divided by one temperature"},
        {with("few",
              [](TrainSpec& s) {
                  s.share *= 0.04;
                  s.epochs *= 2;
              }),
         "one image in twenty-five", ""},
    };
}

}  // namespace assay::cli
