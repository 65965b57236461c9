// A competition with images whose selections and answers a test writes itself, for its galleries.
#pragma once

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "assay/image/encode.h"
#include "assay/mad/gallery.h"
#include "image/lettering.h"
#include "mad/competition_rows.h"
#include "scratch.h"
#include "small_pool.h"

namespace assay::mad {

inline Image plain_image(int width, int height, Ink colour) {
    Image image;
    image.width = width;
    image.height = height;
    image.pixels.assign(std::size_t{4} * width * height, 255);
    fill_box(image, 0, 0, width, height, colour);
    return image;
}

inline Ink pixel_at(const Image& image, int x, int y) {
    const std::size_t at = 4 * (static_cast<std::size_t>(y) * image.width + x);
    return {image.pixels[at], image.pixels[at + 1], image.pixels[at + 2]};
}

/// Three classifiers of six images. The first predicts cat, the second dog, and the third car.
class MadGallery : public testing::Test {
protected:
    explicit MadGallery(std::vector<std::string> names = {"alpha", "beta", "gamma"})
        : names_(std::move(names)) {
        for (std::size_t c = 0; c < names_.size(); ++c) {
            std::vector<MadePrediction> all(6,
                                            {.label = static_cast<int>(c), .probability = 0.999});
            all[1].probability = 0.5;
            stores_.push_back(write_small_store(scratch_ / "runs", names_[c], all).string());
        }
        for (int i = 0; i < 4; ++i)
            save_png(plain_image(i == 1 ? 8 : 16, 16, colour_of(i)), image_of(i));
        std::ofstream(scratch_ / "hierarchy.csv") << small_hierarchy();
        InitOptions options;
        options.stores = stores_;
        options.hierarchy = (scratch_ / "hierarchy.csv").string();
        options.images = scratch_.path();
        options.settings.threshold = 0.5;
        options.settings.rule.k = 4;
        competition_.emplace(Competition::create(scratch_ / "mad", options));
        out_ = scratch_ / "sheets";
    }

    std::filesystem::path image_of(int image) const {
        std::filesystem::create_directories(scratch_ / "images");
        return scratch_ / fmt::format("images/{:05}.png", image);
    }
    static Ink colour_of(int image) {
        return {static_cast<std::uint8_t>(40 * image + 20), 90, 200};
    }

    void sql(const std::string& text) { competition_->impl().database.execute(text); }
    /// The pairs (1, 2), (1, 3), (2, 3) of classifiers 0, 1, 2. Images are selected by select().
    void pair(int id, int first, int second) {
        sql(fmt::format("INSERT INTO pair VALUES ({}, {}, {}, 6, 6, 4)", id, first, second));
    }
    void select(int pair_id, int image, int place, int first, int second,
                const std::string& state = "accepted") {
        note_images(*competition_, {static_cast<std::uint64_t>(image)});
        sql(
            fmt::format("INSERT INTO selected VALUES ({}, {}, {}, {}, {}, {}, {}, 200, '{}', 1, "
                        "NULL)",
                        pair_id, image, place, place, first, second, 1 << 20, state));
    }
    /// A question with three equal answers: 0 no, 1 yes, 2 cannot say. "Cannot say" needs five.
    void answer(int image, int label, int said) {
        const int id = ++questions_;
        sql(fmt::format("INSERT INTO question VALUES ({0}, 't{0}', {1}, {2}, {0}, NULL, NULL)", id,
                        image, label));
        for (int who = 1; who <= 5; ++who) {
            sql(fmt::format("INSERT OR IGNORE INTO annotator VALUES ({0}, 'a{0}', 0, NULL)", who));
            sql(
                fmt::format("INSERT INTO answer (question, annotator, answer, at, source, key, "
                            "counts) VALUES ({}, {}, {}, '', '', NULL, 1)",
                            id, who, said));
        }
    }
    /// Adds tags, a line for each, to an answer about the image.
    void tag(int image, const std::string& tags) {
        sql(fmt::format(
            "UPDATE answer SET tags = '{}' WHERE id = (SELECT min(answer.id) FROM answer "
            "JOIN question ON question.id = answer.question WHERE question.image = {})",
            tags, image));
    }
    Gallery make(GalleryOptions options = {}) {
        options.out = out_;
        if (options.side == GalleryOptions{}.side) options.side = 64;
        return make_gallery(*competition_, options);
    }

    Scratch scratch_;
    std::vector<std::string> names_, stores_;
    std::optional<Competition> competition_;
    std::filesystem::path out_;
    int questions_ = 0;
};

}  // namespace assay::mad
