// Simulations for intervals of replication studies: distributions of selection rates,
// numbers of annotators, classes of unequal size. They were defined before any estimator was run on
// them, and are kept even if an estimator performs badly.
//
// Rates are drawn from 2^16 equally likely values, so that true accuracies are plain means.
#pragma once

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "assay/replication/study.h"
#include "core/random.h"

namespace assay::replication::worlds {

inline constexpr std::size_t rate_values = 1U << 16U;

/// One component of a distribution of rates, given by its quantiles.
struct RatePart {
    double weight;
    std::function<double(double)> quantile;
};
inline RatePart beta(double weight, double a, double b) {
    return {weight, [a, b](double u) { return boost::math::ibeta_inv(a, b, u); }};
}
inline RatePart atom(double weight, double s) {
    return {weight, [s](double) { return s; }};
}
inline RatePart even(double weight, double low, double high) {
    return {weight, [low, high](double u) { return low + (high - low) * u; }};
}
inline double normal_below(double z) {
    return boost::math::cdf(boost::math::normal(), z);
}
inline RatePart probit(double weight, double mean, double deviation) {
    return {
        weight, [mean, deviation](double u) {
            return normal_below(mean + deviation * boost::math::quantile(boost::math::normal(), u));
        }};
}

/// Random numbers, sorted in ascending order.
inline std::vector<double> rate_table(const std::vector<RatePart>& parts) {
    std::vector<double> values;
    double weights = 0, done = 0;
    for (const RatePart& part : parts) weights += part.weight;
    for (const RatePart& part : parts) {
        done += part.weight / weights;
        const auto count =
            static_cast<std::size_t>(std::lround(done * rate_values)) - values.size();
        for (std::size_t i = 0; i < count; ++i) {
            const double s =
                part.quantile((static_cast<double>(i) + .5) / static_cast<double>(count));
            values.push_back(std::clamp(s, 1e-9, 1 - 1e-9));
        }
    }
    std::ranges::sort(values);
    return values;
}

/// Draws the number of annotators of an image with rate s, and how many of them select it.
struct Reading {
    int n, k;
};
using Asking = std::function<Reading(RandomStream&, double s)>;

inline int selections(RandomStream& random, int n, double s) {
    int k = 0;
    for (int i = 0; i < n; ++i) k += random.uniform() < s ? 1 : 0;
    return k;
}
inline Asking ask(int n) {
    return [n](RandomStream& random, double s) { return Reading{n, selections(random, n, s)}; };
}
inline Asking ask_between(int low, int high) {
    return [low, high](RandomStream& random, double s) {
        const int n =
            low + static_cast<int>(random.below(static_cast<std::uint64_t>(high - low + 1)));
        return Reading{n, selections(random, n, s)};
    };
}
/// Asks until this number of answers in a row are equal, or until `most` answers were given.
inline Asking ask_until_alike(int in_row, int most) {
    return [in_row, most](RandomStream& random, double s) {
        int n = 0, k = 0, run = 0;
        bool last = false;
        while (n < most && run < in_row) {
            const bool yes = random.uniform() < s;
            run = n > 0 && yes == last ? run + 1 : 1;
            last = yes;
            ++n;
            k += yes ? 1 : 0;
        }
        return Reading{n, k};
    };
}
/// `first` annotators, plus `more` if between `low` and `high` of them selected the image.
inline Asking ask_again(int first, int more, int low, int high) {
    return [=](RandomStream& random, double s) {
        const int k = selections(random, first, s);
        if (k < low || k > high) return Reading{first, k};
        return Reading{first + more, k + selections(random, more, s)};
    };
}

struct Curve {
    std::string name;
    std::function<double(double)> at;
};
inline double logistic(double x) {
    return 1 / (1 + std::exp(-x));
}
inline std::vector<Curve> curves() {
    const auto step = [](double slope, double middle) {
        return [=](double s) { return .1 + .8 * logistic(slope * (s - middle)); };
    };
    return {{"power", [](double s) { return .05 + .4 * s + .5 * std::pow(s, 9); }},
            {"logistic 5 at .5", step(5, .5)},
            {"logistic 12 at .6", step(12, .6)},
            {"logistic 25 at .55", step(25, .55)},
            {"logistic 30 at .8", step(30, .8)},
            {"step at .6", [](double s) { return s < .6 ? .1 : .9; }},
            {"step at .9", [](double s) { return s < .9 ? .2 : .8; }},
            {"two steps", [](double s) { return s < .3   ? .1
                                                : s < .8 ? .45
                                                         : .9; }},
            {"hump", [](double s) { return .2 + .6 * std::exp(-std::pow((s - .7) / .2, 2)); }},
            {"saturating", [](double s) { return .9 * (1 - std::exp(-4 * s)); }},
            {"flat", [](double) { return .7; }},
            // Nearly all of the rise is at rates where the replication has almost no image. The
            // estimators are known to fail here.
            {"top", [](double s) { return .1 + .5 * s + .3 * std::pow(s, 60); }}};
}
/// Other curves, which were defined after an estimator was tuned on the previous ones.
inline std::vector<Curve> held_out_curves() {
    const auto rise = [](double slope, double middle) {
        return [=](double s) { return .15 + .75 * logistic(slope * (s - middle)); };
    };
    return {
        {"power 4", [](double s) { return .1 + .8 * std::pow(s, 4); }},
        {"root", [](double s) { return .05 + .85 * std::sqrt(s); }},
        {"logistic 15 at .85", rise(15, .85)},
        {"logistic 40 at .4", rise(40, .4)},
        {"step at .5", [](double s) { return s < .5 ? .2 : .85; }},
        {"step at .8", [](double s) { return s < .8 ? .15 : .9; }},
        {"three steps", [](double s) { return s < .25   ? .1
                                              : s < .55 ? .35
                                              : s < .85 ? .6
                                                        : .85; }},
        {"dip", [](double s) { return .8 - .5 * std::exp(-std::pow((s - .5) / .15, 2)); }},
        {"falling", [](double s) { return .9 - .6 * logistic(20 * (s - .7)); }},
        {"late", [](double s) { return .3 + .1 * s + .5 * std::pow(s, 12); }},
        {"line", [](double s) { return .1 + .8 * s; }},
        {"top", [](double s) { return .2 + .4 * s + .35 * std::pow(s, 80); }}};
}
/// The number of curves for which intervals are claimed: all but the last.
inline constexpr std::size_t claimed_curves = 11;
/// At an equal selection rate, the probability of a correct prediction is higher by this
/// amount for set 1 than for set 2.
inline constexpr double easier = .03;

struct World {
    std::string name;
    std::vector<RatePart> first, second;
    Asking ask_first, ask_second;
    std::size_t images = 10000;  ///< number of images in each set
    std::size_t classes = 1000;
    double zipf = 0;         ///< the proportion of class c is proportional to (c + 1)^-zipf
    double rate_class = .1;  ///< correlation of the normal scores of the rates within a class
    double hit_class = .1;   ///< the same for the normal variables of hits, at equal rates
    bool claimed = true;     ///< whether intervals are claimed; if false, the command must warn
    std::vector<Curve> accuracies;
};

/// The worlds for one list of curves.
struct AddTo {
    std::vector<World>& list;
    std::vector<Curve> accuracies;
    World& operator()(std::string name, std::vector<RatePart> first, std::vector<RatePart> second,
                      Asking one, Asking two) const {
        World& world = list.emplace_back();
        world.name = std::move(name);
        world.first = std::move(first);
        world.second = std::move(second);
        world.ask_first = std::move(one);
        world.ask_second = std::move(two);
        world.accuracies = accuracies;
        return world;
    }
};

inline std::vector<World> all() {
    const std::vector<RatePart> paper_first = {beta(.71, 27, .38), beta(.215, 2.9, 1.9),
                                               beta(.075, 1.15, 2.75)},
                                paper_second = {beta(.51, 33, 1.5), beta(.40, 6, 2.45),
                                                beta(.09, 1.3, 1.95)};
    std::vector<World> list;
    const AddTo add{list, curves()};
    add("paper, 40", paper_first, paper_second, ask(40), ask(40));
    add("paper, 10", paper_first, paper_second, ask(10), ask(10));
    World& small = add("paper, 40, 2,000 images", paper_first, paper_second, ask(40), ask(40));
    small.images = 2000;
    small.classes = 200;
    add("groups, 20", {beta(.15, 4, 36), beta(.15, 20, 20), beta(.55, 36, 4), even(.15, 0, 1)},
        {beta(.30, 4, 36), beta(.20, 20, 20), beta(.35, 36, 4), even(.15, 0, 1)}, ask(20), ask(20));
    add("atoms, 40",
        {atom(.05, .002), atom(.1, .25), atom(.15, .5), atom(.3, .75), atom(.3, .998),
         even(.1, 0, 1)},
        {atom(.1, .002), atom(.15, .25), atom(.2, .5), atom(.3, .75), atom(.15, .998),
         even(.1, 0, 1)},
        ask(40), ask(40));
    add("probit, 15 to 60", {probit(1, 1.6, .5)}, {probit(1, 1.1, .8)}, ask_between(15, 60),
        ask_between(15, 60));
    add("U-shaped, until 5 alike", {beta(1, 1.2, .35)}, {beta(1, .9, .5)}, ask_until_alike(5, 40),
        ask_until_alike(5, 40));
    add("three parts, asked again", {beta(.2, 2, 8), beta(.3, 12, 8), beta(.5, 25, 2)},
        {beta(.3, 2, 8), beta(.4, 12, 8), beta(.3, 25, 2)}, ask(25), ask_again(8, 32, 2, 6));
    World& unequal = add("unequal classes, 30", {beta(.6, 15, 1.5), beta(.4, 2, 2)},
                         {beta(.4, 12, 2), beta(.6, 2, 2)}, ask(30), ask(30));
    unequal.classes = 150;
    unequal.zipf = .9;
    unequal.rate_class = unequal.hit_class = .5;
    World& few = add("few annotators, 5", {beta(1, 6, 1.5)}, {beta(1, 4, 1.6)}, ask(5), ask(5));
    few.images = 20000;
    add("one in ten answers at random, 40", {even(.3, .05, .35), beta(.7, 14, 2.4)},
        {even(.5, .05, .5), beta(.5, 11, 2.6)}, ask(40), ask(40));
    World& clustered = add("40 classes, 2,000 images, 20", {beta(.7, 18, 2), beta(.3, 2, 3)},
                           {beta(.5, 14, 2.2), beta(.5, 2.2, 3)}, ask(20), ask(20));
    clustered.images = 2000;
    clustered.classes = 40;
    clustered.rate_class = clustered.hit_class = .3;
    World& beyond = add("beyond, 40", {beta(1, 30, 1)}, {beta(1, 8, 2)}, ask(40), ask(40));
    beyond.claimed = false;
    return list;
}

/// Simulations and curves that were defined before the estimator was changed because of all().
inline std::vector<World> held_out() {
    std::vector<World> list;
    const AddTo add{list, held_out_curves()};
    const auto near = [](double weight, double s) { return even(weight, s - .02, s + .02); };
    add("lumps, 25", {near(.1, .1), near(.1, .4), near(.15, .6), near(.3, .8), near(.35, .95)},
        {near(.2, .1), near(.15, .4), near(.2, .6), near(.25, .8), near(.2, .95)}, ask(25),
        ask(25));
    add("a hole in the middle, 40", {beta(.35, 3, 27), beta(.65, 45, 3)},
        {beta(.5, 3, 27), beta(.5, 30, 3)}, ask(40), ask(40));
    add("easy, 12", {beta(1, 9, .8)}, {beta(1, 6, 1.2)}, ask(12), ask(12));
    add("two probits, 8 to 40", {probit(.6, 1.8, .5), probit(.4, 0, .7)},
        {probit(.4, 1.5, .5), probit(.6, 0, .7)}, ask_between(8, 40), ask_between(8, 40));
    add("until 4 alike", {beta(.5, 10, 3), beta(.3, 30, 1), beta(.2, 2, 5)},
        {beta(.6, 10, 4), beta(.1, 30, 1), beta(.3, 2, 5)}, ask_until_alike(4, 30),
        ask_until_alike(4, 30));
    World& small = add("1,000 images, 30", {beta(.8, 12, 1.8), beta(.2, 2, 4)},
                       {beta(.65, 10, 2.2), beta(.35, 2, 4)}, ask(30), ask(30));
    small.images = 1000;
    small.classes = 50;
    small.rate_class = small.hit_class = .2;
    World& zipf = add(
        "unequal classes, lumps, 20", {atom(.1, .3), near(.2, .7), atom(.4, .9), beta(.3, 5, 2)},
        {atom(.2, .3), near(.25, .7), atom(.2, .9), beta(.35, 4, 3)}, ask(20), ask(20));
    zipf.classes = 300;
    zipf.zipf = 1.1;
    zipf.rate_class = zipf.hit_class = .3;
    World& many = add("30,000 images, 40 and 20", {beta(.7, 22, .6), beta(.3, 2.5, 2)},
                      {beta(.55, 18, 1.2), beta(.45, 3, 2.6)}, ask(40), ask(20));
    many.images = 30000;
    World& tenths = add(
        "tenths, 50",
        {atom(.05, .1), atom(.05, .3), atom(.1, .5), atom(.15, .7), atom(.25, .9), atom(.4, .995)},
        {atom(.1, .1), atom(.1, .3), atom(.15, .5), atom(.2, .7), atom(.25, .9), atom(.2, .995)},
        ask(50), ask(50));
    tenths.rate_class = .2;
    return list;
}

/// A simulation with its computed rates and true values.
class Drawer {
public:
    explicit Drawer(const World& world)
        : world_(world),
          first_(rate_table(world.first)),
          second_(rate_table(world.second)),
          curves_(world.accuracies) {
        for (const Curve& curve : curves_) {
            double one = 0, adjusted = 0;
            for (const double s : first_) {
                one += first_hit(curve, s) / rate_values;
                adjusted += curve.at(s) / rate_values;
            }
            first_accuracy.push_back(one);
            truth.push_back(adjusted);
        }
        class_of_ = classes_of(world.images, world.classes);
    }

    /// By curve: the adjusted accuracy, and the accuracy on set 1.
    std::vector<double> truth, first_accuracy;

    Study draw(std::uint64_t seed) const { return draw(class_of_, world_.classes, seed); }
    /// The same simulation with other numbers of images and classes.
    Study draw(std::uint64_t seed, std::size_t images, std::size_t classes) const {
        return draw(classes_of(images, classes), classes, seed);
    }

private:
    /// The class of each image.
    std::vector<std::uint32_t> classes_of(std::size_t images, std::size_t classes) const {
        std::vector<std::uint32_t> out;
        double all = 0;
        for (std::size_t c = 0; c < classes; ++c)
            all += std::pow(static_cast<double>(c + 1), -world_.zipf);
        double sum = 0;
        for (std::size_t c = 0; c < classes; ++c) {
            sum += std::pow(static_cast<double>(c + 1), -world_.zipf) / all;
            const auto end =
                static_cast<std::size_t>(std::lround(sum * static_cast<double>(images)));
            while (out.size() < end) out.push_back(static_cast<std::uint32_t>(c));
        }
        return out;
    }

    Study draw(const std::vector<std::uint32_t>& class_of, std::size_t class_count,
               std::uint64_t seed) const {
        Study study;
        for (const Curve& curve : curves_) study.classifiers.push_back(curve.name);
        for (std::size_t c = 0; c < class_count; ++c) study.classes.push_back(std::to_string(c));
        study.row_bytes = (curves_.size() + 15) / 16 * 16;
        std::vector<double> rate_effect, hit_effect;
        RandomStream classes(seed, "coverage.classes");
        for (std::size_t c = 0; c < class_count; ++c) {
            rate_effect.push_back(classes.normal());
            hit_effect.push_back(classes.normal());
        }
        for (const bool is_first : {true, false}) {
            StudySet& set = is_first ? study.first : study.second;
            const std::vector<double>& rates = is_first ? first_ : second_;
            for (std::size_t i = 0; i < class_of.size(); ++i) {
                RandomStream random(seed, is_first ? "coverage.first" : "coverage.second", i);
                const std::uint32_t c = class_of[i];
                const double z = std::sqrt(world_.rate_class) * rate_effect[c] +
                                 std::sqrt(1 - world_.rate_class) * random.normal();
                const auto place = static_cast<std::size_t>(normal_below(z) * rate_values);
                const double s = rates[std::min(place, rate_values - 1)];
                const Reading reading =
                    (is_first ? world_.ask_first : world_.ask_second)(random, s);
                set.classes.push_back(c);
                set.annotators.push_back(static_cast<std::uint16_t>(reading.n));
                set.selected.push_back(static_cast<std::uint16_t>(reading.k));
                set.hits.resize(set.hits.size() + study.row_bytes, 0);
                std::uint8_t* row = set.hits.data() + i * study.row_bytes;
                // If an image is easy, it is easy for all classifiers.
                const double image = random.normal();
                for (std::size_t m = 0; m < curves_.size(); ++m) {
                    const double own = std::sqrt(world_.hit_class) * hit_effect[c] +
                                       std::sqrt(.4) * image +
                                       std::sqrt(.6 - world_.hit_class) * random.normal();
                    const double rate = is_first ? first_hit(curves_[m], s) : curves_[m].at(s);
                    row[m] = normal_below(own) < rate ? 1 : 0;
                }
            }
        }
        return study;
    }

    static double first_hit(const Curve& curve, double s) {
        return std::min(1.0, curve.at(s) + easier);
    }
    World world_;
    std::vector<double> first_, second_;
    std::vector<Curve> curves_;
    std::vector<std::uint32_t> class_of_;
};

}  // namespace assay::replication::worlds
