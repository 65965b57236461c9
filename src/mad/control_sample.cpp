#include "mad/control_sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "assay/error.h"
#include "assay/report.h"
#include "core/parallel.h"
#include "core/random.h"
#include "core/refuse.h"
#include "core/text.h"
#include "mad/competition_rows.h"
#include "mad/competition_settings.h"

namespace assay::mad {
namespace {

using HashedImage = std::pair<std::uint64_t, std::uint64_t>;

/// Keeps the `most` smallest of any number of values.
class SmallestFew {
public:
    explicit SmallestFew(std::uint64_t most) : most_(most) {}
    void offer(const HashedImage& one) {
        if (most_ == 0) return;
        if (heap_.size() < most_) {
            heap_.push_back(one);
            std::push_heap(heap_.begin(), heap_.end());
        } else if (one < heap_.front()) {
            std::pop_heap(heap_.begin(), heap_.end());
            heap_.back() = one;
            std::push_heap(heap_.begin(), heap_.end());
        }
    }
    std::vector<HashedImage> take() {
        std::sort_heap(heap_.begin(), heap_.end());
        return std::move(heap_);
    }

private:
    std::uint64_t most_;
    std::vector<HashedImage> heap_;
};

/// Calls Philox's block function directly, because RandomStream takes several steps per image.
class ControlHash {
public:
    explicit ControlHash(std::uint64_t seed) {
        RandomStream random(seed, "control sample");
        key_ = {random.next_u32(), random.next_u32()};
    }
    std::uint64_t operator()(std::uint64_t image) const {
        const auto block = philox4x32(
            {static_cast<std::uint32_t>(image), static_cast<std::uint32_t>(image >> 32), 0, 0},
            key_);
        return std::uint64_t{block[0]} << 32 | block[1];
    }

private:
    std::array<std::uint32_t, 2> key_{};
};

/// -1 if no classifier has scores for the image.
int stratum_of(std::span<const std::span<const std::uint16_t>> labels, std::size_t image) {
    std::uint16_t first = no_label;
    for (const std::span<const std::uint16_t>& of : labels) {
        const std::uint16_t label = of[image];
        if (label == no_label) continue;
        if (first == no_label) first = label;
        if (label != first) return 1;
    }
    return first == no_label ? -1 : 0;
}

std::vector<std::byte> packed_draw(const ControlDraw& draw) {
    std::vector<std::uint64_t> numbers;
    for (const ControlStratum& stratum : draw) {
        numbers.push_back(stratum.images);
        numbers.push_back(stratum.drawn.size());
        for (const auto& [hash, image] : stratum.drawn) {
            numbers.push_back(hash);
            numbers.push_back(image);
        }
    }
    std::vector<std::byte> bytes(numbers.size() * sizeof(std::uint64_t));
    std::memcpy(bytes.data(), numbers.data(), bytes.size());
    return bytes;
}

ControlDraw unpacked_draw(const std::vector<std::byte>& bytes) {
    std::vector<std::uint64_t> numbers(bytes.size() / sizeof(std::uint64_t));
    std::memcpy(numbers.data(), bytes.data(), bytes.size());
    ControlDraw draw;
    std::size_t at = 0;
    for (ControlStratum& stratum : draw) {
        stratum.images = numbers.at(at);
        stratum.drawn.resize(numbers.at(at + 1));
        at += 2;
        for (auto& [hash, image] : stratum.drawn) {
            hash = numbers.at(at++);
            image = numbers.at(at++);
        }
    }
    return draw;
}

/// The classifiers whose labels define the strata.
std::string strata_by(const Competition& competition) {
    std::string names;
    for (const CompetitionClassifier& one : competition.active())
        names += (names.empty() ? "" : "/") + one.name;  // names contain no '/'
    return names;
}

void write_control(Competition& competition, const ControlDraw& draw, const ControlWish& wish) {
    const auto sizes = control_sizes(draw, wish.images);
    Database& database = competition.impl().database;
    Transaction all(database);
    // Checks again, because no lock was held while images were drawn. A smaller sample would give
    // images of a larger one wrong probabilities.
    if (control_images(competition) != wish.there || !control_is_missing(competition, wish.images))
        throw Error(
            ErrorCode::busy,
            fmt::format(
                "{}: another process has drawn control images in the meantime; rerun the command",
                database.path().string()));
    std::vector<std::uint64_t> images;
    for (std::size_t s = 0; s < control_strata; ++s)
        for (std::uint64_t i = 0; i < sizes[s]; ++i) images.push_back(draw[s].drawn.at(i).second);
    note_images(competition, images);
    const std::string wanted = fmt::to_string(wish.images), by = strata_by(competition);
    decide(database, DecisionKind::control, wanted, by, wish.reason);
    write_setting(database, "control", wanted, wish.reason);
    write_setting(database, "control_classifiers", by, wish.reason);
    Statement insert = database.prepare(
        "INSERT INTO control (image, stratum, stratum_images, stratum_sample) VALUES (?, ?, ?, ?) "
        "ON CONFLICT (image) DO UPDATE SET stratum_sample = excluded.stratum_sample");
    for (std::size_t s = 0; s < control_strata; ++s) {
        for (std::uint64_t i = 0; i < sizes[s]; ++i) {
            insert.run(draw[s].drawn[i].second, s, draw[s].images, sizes[s]);
        }
    }
    all.commit();
}

}  // namespace

ControlDraw draw_control(std::span<const std::span<const std::uint16_t>> labels,
                         std::uint64_t first_image, std::uint64_t seed, std::uint64_t most,
                         int threads) {
    const std::uint64_t images = labels.empty() ? 0 : labels[0].size();
    const ControlHash hash(seed);
    const auto parts = static_cast<std::size_t>(std::min<std::uint64_t>(
        static_cast<std::uint64_t>(resolve_threads(threads)), std::max<std::uint64_t>(images, 1)));
    std::vector<ControlDraw> draws(parts);
    parallel_blocks(parts, static_cast<int>(parts), [&](std::size_t part) {
        std::array<SmallestFew, control_strata> few = {SmallestFew(most), SmallestFew(most)};
        const std::uint64_t end =
            images / parts * (part + 1) + std::min<std::uint64_t>(part + 1, images % parts);
        std::uint64_t i = images / parts * part + std::min<std::uint64_t>(part, images % parts);
        for (; i < end; ++i) {
            if (i % 65536 == 0) throw_if_stopped();
            const int stratum = stratum_of(labels, i);
            if (stratum < 0) continue;
            const auto s = static_cast<std::size_t>(stratum);
            ++draws[part][s].images;
            few[s].offer({hash(first_image + i), first_image + i});
        }
        for (std::size_t s = 0; s < control_strata; ++s) draws[part][s].drawn = few[s].take();
    });
    ControlDraw draw;
    for (const ControlDraw& part : draws) merge(draw, part, most);
    return draw;
}

void merge(ControlDraw& draw, const ControlDraw& other, std::uint64_t most) {
    for (std::size_t s = 0; s < control_strata; ++s) {
        draw[s].images += other[s].images;
        std::vector<HashedImage> both;
        std::merge(draw[s].drawn.begin(), draw[s].drawn.end(), other[s].drawn.begin(),
                   other[s].drawn.end(), std::back_inserter(both));
        if (both.size() > most) both.resize(most);
        draw[s].drawn = std::move(both);
    }
}

std::array<std::uint64_t, control_strata> control_sizes(const ControlDraw& draw,
                                                        std::uint64_t wanted) {
    const std::uint64_t agree = draw[0].images, differ = draw[1].images;
    if (wanted == 1 && agree > 0 && differ > 0) {
        throw Error(ErrorCode::usage, fmt::format("a control sample needs at least 2 images: the "
                                                  "classifiers agree on {} images and differ on {}",
                                                  count_text(agree), count_text(differ)));
    }
    // If the number is odd, the stratum in which classifiers differ gets one more.
    const std::uint64_t of_agree = std::min(agree, wanted / 2);
    const std::uint64_t of_differ = std::min(differ, wanted - of_agree);
    return {std::min(agree, wanted - of_differ), of_differ};
}

std::uint64_t control_images(const Competition& competition) {
    return static_cast<std::uint64_t>(
        competition.impl().database.integer("SELECT count(*) FROM control"));
}

bool control_is_missing(const Competition& competition, std::uint64_t wanted) {
    if (wanted == 0) return false;
    const std::uint64_t there = control_images(competition);
    if (there == 0) return true;
    const Database& database = competition.impl().database;
    const std::map<std::string, std::string> text = read_settings(database);
    const std::string file = database.path().string();
    std::uint64_t before = 0;
    if (!parse_number(setting_of(text, "control", file), before))
        refuse(fmt::format("{}: the setting control is `{}`; allowed: a number of images", file,
                           shortened(setting_of(text, "control", file))));
    if (wanted == before) return false;
    if (wanted < before)
        throw Error(ErrorCode::usage, fmt::format("the control sample has {} images and cannot be "
                                                  "reduced to {}: a drawn image stays in it",
                                                  before, wanted));
    const std::string& by = setting_of(text, "control_classifiers", file);
    if (by != strata_by(competition))
        throw Error(
            ErrorCode::usage,
            fmt::format("the control sample of {} images was drawn by the agreement of the "
                        "classifiers {}. With others its sampling probabilities would be wrong, so "
                        "it cannot grow. It also applies to classifiers that were added later",
                        there, by));
    return true;
}

void sample_control(Competition& competition, const ControlWish& wish,
                    std::span<const std::span<const std::uint16_t>> labels,
                    std::uint64_t first_image, int threads, Comm& comm) {
    const std::uint64_t most = std::min(wish.images, competition.images());
    ControlDraw draw;
    agree(comm, [&] {
        draw = draw_control(labels, first_image, competition.settings().seed, most, threads);
    });
    const std::vector<std::vector<std::byte>> parts = comm.gather(packed_draw(draw), 0);
    agree(comm, [&] {
        if (comm.rank() != 0) return;
        ControlDraw all;
        for (const std::vector<std::byte>& part : parts) merge(all, unpacked_draw(part), most);
        write_control(competition, all, wish);
    });
}

}  // namespace assay::mad
