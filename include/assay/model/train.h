// Small convolutional classifiers, trained from a data set on the CPU in seconds: for walkthroughs,
// tests and teaching, where one must know why a classifier behaves as it does. A trained classifier
// is a TorchScript file with a sidecar, like any other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "assay/data/dataset.h"
#include "assay/progress.h"

namespace assay {

/// What the network looks at.
enum class NetworkKind {
    whole,    ///< five convolutions, of which three halve the sides, and the strongest evidence of
              ///< each kind: sees the whole of an object
    patches,  ///< a bag of local features (Brendel, Bethge 2019): mean of evidence from windows of
              ///< 9 x 9 pixels, so that it knows textures and no outline
};

/// How one network is made. Equal settings and equal images give equal bits on one machine with one
/// version of LibTorch, for any number of threads: every random draw depends on (seed, purpose,
/// epoch, image) alone.
struct TrainSpec {
    std::string name;  ///< of the file: letters, digits, '-', '_', '.'
    NetworkKind network = NetworkKind::whole;
    int width =
        16;  ///< channels of the first layer, 1..256; later layers have 2 and 4 times as many
    int side = 48;  ///< input is side x side pixels, 16..256, from the whole image (bilinear)
    int epochs = 10;
    int batch = 64;
    double learning_rate =
        4e-3;  ///< peak of a ramp up (the first fifth) and a cosine down to 0; AdamW
    double weight_decay = 0.02;  ///< AdamW (Loshchilov, Hutter 2019)
    double label_smoothing = 0;  ///< [0, 1)
    /// Proportion of the training images that are used, (0, 1]; drawn per image.
    double share = 1;
    /// Mirror, shift by up to a twelfth of the side, brightness, contrast and colour.
    bool augment = true;
    /// Share of the images, each epoch, that pass through a random convolution first, which leaves
    /// outlines and destroys textures and colours (Xu, Liu, Yang, Raffel, Niethammer: "Robust and
    /// generalizable visual representation learning via random convolutions", ICLR 2021).
    double random_textures = 0;
    /// Every image is attacked before each step: one signed gradient step of this size, in [0, 1]
    /// units, from a random start within it (Wong, Rice, Kolter: "Fast is better than free", ICLR
    /// 2020). 0: no attack.
    double adversarial = 0;
    /// Also save a copy under this name whose scores are divided by one temperature, chosen to
    /// minimise the negative log-likelihood of the held-out images (Guo, Pleiss, Sun, Weinberger
    /// 2017). "": none.
    std::string calibrated_copy;
    /// Share of the images that no step sees: for the temperature and for the report. [0, 0.9].
    double held_out = 0.1;
    std::uint64_t seed = 1;
};

nlohmann::json to_json(const TrainSpec& spec);

/// What is known about a network after its training.
struct TrainReport {
    std::string name;
    std::filesystem::path file;             ///< FOLDER/<name>.pt; settings beside it in <name>.toml
    std::filesystem::path calibrated_file;  ///< "" without calibrated_copy
    bool reused = false;                    ///< nothing had changed since an earlier run
    double seconds = 0;            ///< of processor time that the training took, earlier or now
    double loss = 0;               ///< mean cross entropy over the last epoch, as trained
    double temperature = 1;        ///< of the calibrated copy
    std::uint64_t trained_on = 0;  ///< images
    std::uint64_t held_out = 0;    ///< images; of these, how many were right:
    std::uint64_t held_out_right = 0;
    std::uint64_t held_out_right_attacked =
        0;  ///< after one signed gradient step of TrainOptions::attack
    std::int64_t parameters = 0;
};

struct TrainOptions {
    std::filesystem::path folder;  ///< of the files; made when missing
    int threads =
        0;  ///< networks that are trained at a time; each takes one thread. 0: one per core
    bool again = false;         ///< train even what is there already
    double attack = 4.0 / 255;  ///< step of the report's attack, in [0, 1] units
    std::filesystem::path
        classes;  ///< class list that the sidecars name; "": FOLDER/classes.json is written
};

/// Trains one classifier for each spec on the items of `dataset` that have exactly one label, and
/// writes FOLDER/<name>.pt (TorchScript; batch norms folded into the convolutions), <name>.toml
/// (its settings) and <name>.training.json (the spec, the images' fingerprint and the report).
/// Reports come in the order of `specs`. A network whose spec and images did not change is not
/// trained again (its settings are written again where they are lost or changed); a killed call
/// loses the networks in work only. Progress counts images seen, all networks and epochs together,
/// and its `work` weighs them: an image costs a wide network more than a narrow one.
///
/// Memory: 3 * side^2 bytes an image and distinct side, at most 1 GiB in all. Throws usage (no
/// spec, bad values, two of one name, built without LibTorch, too many images), bad_input (fewer
/// than two classes, unreadable image), interrupted.
std::vector<TrainReport> train_classifiers(const Dataset& dataset, std::span<const TrainSpec> specs,
                                           const TrainOptions& options,
                                           const ProgressCallback& callback = {});

}  // namespace assay
