// Trains small convolutional classifiers from a data set on the CPU in seconds. They are for
// walkthroughs, tests and teaching, where the reasons for a classifier's behavior must be known. A
// trained classifier is a TorchScript file with a sidecar, like any other.
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

/// The information that a network can use.
enum class NetworkKind {
    whole,    ///< five convolutions, three of which halve the sides, then the maximum over all
              ///< positions: sees whole objects
    patches,  ///< a bag of local features (Brendel, Bethge 2019): the mean of evidence from windows
              ///< of 9 x 9 pixels, so that it sees textures but no outlines
};

/// The settings of one network. Equal settings and images give equal bits on one machine with one
/// version of LibTorch, for any number of threads. This holds because every random draw depends
/// only on (seed, purpose, epoch, image).
struct TrainSpec {
    std::string name;  ///< file name: letters, digits, '-', '_', '.'
    NetworkKind network = NetworkKind::whole;
    int width =
        16;  ///< channels of the first layer, 1..256; later layers have 2 and 4 times as many
    int side = 48;  ///< input is side x side pixels, 16..256, resized from the whole image
                    ///< (bilinear)
    int epochs = 10;
    int batch = 64;
    double learning_rate =
        4e-3;  ///< peak of a ramp up (the first fifth) and a cosine down to 0; AdamW
    double weight_decay = 0.02;  ///< AdamW (Loshchilov, Hutter 2019)
    double label_smoothing = 0;  ///< [0, 1)
    /// The proportion of the training images to use, in (0, 1]; drawn per image.
    double share = 1;
    /// Mirror images, shift them by up to a twelfth of the side, and change their colors.
    bool augment = true;
    /// The proportion of images, in each epoch, that first pass through a random convolution, which
    /// preserves outlines and destroys textures and colors. Source: Xu, Liu, Yang, Raffel,
    /// Niethammer: "Robust and generalizable visual representation learning via random
    /// convolutions", ICLR 2021.
    double random_textures = 0;
    /// Every image is attacked before each step. The attack is one signed gradient step of this
    /// size, in [0, 1] units, from a random start within it. 0 disables it. Source: Wong, Rice,
    /// Kolter: "Fast is better than free", ICLR 2020.
    double adversarial = 0;
    /// Also save a copy under this name whose scores are divided by one temperature. It is chosen
    /// to minimise the negative log-likelihood of the held-out images (Guo, Pleiss, Sun, Weinberger
    /// 2017). "" saves none.
    std::string calibrated_copy;
    /// The proportion of images kept out of training, for the temperature and for the report: 0 to
    /// 0.9.
    double held_out = 0.1;
    std::uint64_t seed = 1;
};

nlohmann::json to_json(const TrainSpec& spec);

/// Facts about a network after its training.
struct TrainReport {
    std::string name;
    std::filesystem::path file;             ///< FOLDER/<name>.pt; its settings: <name>.toml
    std::filesystem::path calibrated_file;  ///< "" without calibrated_copy
    bool reused = false;                    ///< true if an earlier run made it, so that it was not
                                            ///< trained again
    double seconds = 0;            ///< processor time of the training, in this or an earlier run
    double loss = 0;               ///< mean cross entropy over the last epoch, with augmentation
    double temperature = 1;        ///< temperature of the calibrated copy
    std::uint64_t trained_on = 0;  ///< images
    std::uint64_t held_out = 0;    ///< held-out images, and how many of them are classified
                                   ///< correctly:
    std::uint64_t held_out_right = 0;
    std::uint64_t held_out_right_attacked =
        0;  ///< after one signed gradient step of TrainOptions::attack
    std::int64_t parameters = 0;
};

struct TrainOptions {
    std::filesystem::path folder;  ///< folder for the files; created if missing
    int threads =
        0;  ///< networks trained at the same time, each on one thread; 0 means one per core
    bool again = false;             ///< train again even if the network exists
    double attack = 4.0 / 255;      ///< step of the report's attack, in [0, 1] units
    std::filesystem::path classes;  ///< class list for the sidecars; "" writes FOLDER/classes.json
};

/// Trains one classifier for each spec on the items of `dataset` that have exactly one label.
/// Writes FOLDER/<name>.pt (TorchScript; batch norms folded into the convolutions) and <name>.toml
/// (its settings). Also writes <name>.training.json (the spec, the images' fingerprint and the
/// report). Reports come in the order of `specs`. A network whose spec and images are unchanged is
/// not trained again, but missing or altered settings are rewritten. A killed call loses only the
/// networks in training. Progress counts images over all networks and epochs, and its `work`
/// weights them, because an image costs more in a wide network.
///
/// Memory: 3 * side^2 bytes per image and distinct side, at most 1 GiB in total. Throws usage (no
/// spec, bad values, two of one name, built without LibTorch, too many images), bad_input (fewer
/// than two classes, unreadable image), interrupted.
std::vector<TrainReport> train_classifiers(const Dataset& dataset, std::span<const TrainSpec> specs,
                                           const TrainOptions& options,
                                           const ProgressCallback& callback = {});

}  // namespace assay
