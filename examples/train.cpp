// Trains two small classifiers on any folder of labelled images (one folder for each class), and
// prints their accuracy. usage: example_train IMAGES MODELS
#include <cstdio>
#include <vector>

#include "assay/error.h"
#include "assay/model/train.h"

int main(int count, char** words) {
    if (count != 3) {
        std::fputs("usage: example_train IMAGES MODELS\n", stderr);
        return 2;
    }
    try {
        std::vector<assay::TrainSpec> specs(2);
        specs[0].name = "usual";
        specs[1].name = "hardened";
        specs[1].adversarial = 8.0 / 255;
        assay::TrainOptions options;
        options.folder = words[2];
        for (const auto& report :
             assay::train_classifiers(assay::open_dataset(words[1], {}), specs, options)) {
            std::printf("%s: %llu of %llu held-out images right, %llu after an attack (%.1f s)\n",
                        report.name.c_str(), static_cast<unsigned long long>(report.held_out_right),
                        static_cast<unsigned long long>(report.held_out),
                        static_cast<unsigned long long>(report.held_out_right_attacked),
                        report.seconds);
        }
    } catch (const assay::Error& error) {
        std::fprintf(stderr, "error: %s\n", error.what());
        return 2;
    }
    return 0;
}
