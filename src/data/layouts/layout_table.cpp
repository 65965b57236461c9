#include "data/layouts/layout.h"

namespace assay::layouts {
namespace {

using Names = const std::string_view[];

constexpr Names beside_images = {"images"};

constexpr Names pets_any = {"annotations/test.txt", "annotations/trainval.txt",
                            "annotations/list.txt"};
constexpr Split pets_splits[] = {{"test", "annotations/test.txt"},
                                 {"trainval", "annotations/trainval.txt", true}};

constexpr Names aircraft_all = {"data/images"};
constexpr Names aircraft_any = {"data/variants.txt", "data/images_variant_test.txt"};
constexpr Split aircraft_splits[] = {{"test", "data/images_variant_test.txt"},
                                     {"val", "data/images_variant_val.txt"},
                                     {"train", "data/images_variant_train.txt", true},
                                     {"trainval", "data/images_variant_trainval.txt", true}};

constexpr Names cub_any = {"image_class_labels.txt", "train_test_split.txt"};
constexpr Split cub_splits[] = {{"test", "train_test_split.txt"},
                                {"train", "train_test_split.txt", true},
                                {"all", "image_class_labels.txt", true}};

constexpr Names dtd_any = {"labels/test1.txt", "labels/val1.txt", "labels/train1.txt",
                           "labels/labels_joint_anno.txt"};
constexpr Split dtd_splits[] = {
    {"test", "labels/test1.txt"},         {"val", "labels/val1.txt"},
    {"train", "labels/train1.txt", true}, {"test2", "labels/test2.txt", true},
    {"test3", "labels/test3.txt", true},  {"test4", "labels/test4.txt", true},
    {"test5", "labels/test5.txt", true},  {"test6", "labels/test6.txt", true},
    {"test7", "labels/test7.txt", true},  {"test8", "labels/test8.txt", true},
    {"test9", "labels/test9.txt", true},  {"test10", "labels/test10.txt", true},
};

constexpr Names celeba_all = {"list_attr_celeba.txt"};
constexpr Names celeba_any = {"img_align_celeba", "list_eval_partition.txt"};
constexpr Split celeba_splits[] = {{"test", "list_eval_partition.txt"},
                                   {"valid", "list_eval_partition.txt", true},
                                   {"train", "list_eval_partition.txt", true},
                                   {"all", "list_eval_partition.txt", true}};

constexpr Names food_any = {"meta/test.json", "meta/train.json", "meta/classes.txt"};
constexpr Split food_splits[] = {{"test", "meta/test.json"}, {"train", "meta/train.json", true}};

constexpr Names gtsrb_all = {"GTSRB"};
constexpr Names gtsrb_any = {"GT-final_test.csv", "GTSRB/Training", "GTSRB/Final_Test"};
constexpr Split gtsrb_splits[] = {{"test", "GT-final_test.csv"}, {"train", "GTSRB/Training", true}};

constexpr Names eurosat_all = {"2750/AnnualCrop", "2750/SeaLake"};
constexpr Split eurosat_splits[] = {{"", "2750"}};

// The images of the split `test` have no labels.
constexpr Names places_all = {"categories_places365.txt"};
constexpr Names places_any = {"places365_val.txt", "places365_test.txt",
                              "places365_train_standard.txt", "places365_train_challenge.txt"};
constexpr Split places_splits[] = {{"val", "places365_val.txt"},
                                   {"test", "places365_test.txt", true},
                                   {"train-standard", "places365_train_standard.txt", true},
                                   {"train-challenge", "places365_train_challenge.txt", true}};

constexpr Names sun_all = {"ClassName.txt", "a"};
constexpr Split sun_splits[] = {{"", "ClassName.txt"}};

constexpr Names flowers_all = {"jpg"};
constexpr Names flowers_any = {"setid.mat", "imagelabels.mat"};
constexpr Split flowers_splits[] = {
    {"test", "setid.mat"}, {"val", "setid.mat", true}, {"train", "setid.mat", true}};

constexpr Names cars_all = {"devkit"};
constexpr Names cars_any = {"cars_test_annos_withlabels.mat", "devkit/cars_meta.mat",
                            "devkit/cars_train_annos.mat"};
constexpr Split cars_splits[] = {{"test", "cars_test_annos_withlabels.mat"},
                                 {"train", "devkit/cars_train_annos.mat", true}};

constexpr Names imagenet_all = {"ILSVRC2012_img_val.tar"};
constexpr Split imagenet_splits[] = {{"val", "ILSVRC2012_img_val.tar"}};

constexpr Layout layout_rows[] = {
    {"Oxford-IIIT Pets", "oxford-iiit-pet", beside_images, pets_any, pets_splits, read_pets},
    {"FGVC Aircraft", "fgvc-aircraft-2013b", aircraft_all, aircraft_any, aircraft_splits,
     read_aircraft, true},
    {"CUB-200-2011", "CUB_200_2011", beside_images, cub_any, cub_splits, read_cub},
    {"DTD", "dtd/dtd", beside_images, dtd_any, dtd_splits, read_dtd},
    {"CelebA", "celeba", celeba_all, celeba_any, celeba_splits, read_celeba, true},
    {"Food-101", "food-101", beside_images, food_any, food_splits, read_food},
    {"GTSRB", "gtsrb", gtsrb_all, gtsrb_any, gtsrb_splits, read_gtsrb},
    {"EuroSAT", "eurosat", eurosat_all, {}, eurosat_splits},
    {"Places365", "", places_all, places_any, places_splits, read_places},
    {"Flowers102", "flowers-102", flowers_all, flowers_any, flowers_splits, read_flowers},
    {"Stanford Cars", "stanford_cars", cars_all, cars_any, cars_splits, read_cars},
    {"ImageNet", "", imagenet_all, {}, imagenet_splits, nullptr, false, open_imagenet_tar, "val"},
    {"SUN397", "SUN397", sun_all, {}, sun_splits, read_sun},
};

}  // namespace

std::span<const Layout> layouts() {
    return layout_rows;
}

}  // namespace assay::layouts
