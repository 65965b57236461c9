// A crowd of people who look at the images. Annotators answer "is there an X?". Selectors select
// the images that show an X from a grid of 48 images.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "demo/world/sets.h"

namespace assay::world {

/// An annotator answers at random, with the probabilities {no, maybe, yes} in `absent` if the label
/// does not fit, and in `present` if it does. This is exactly Dawid and Skene's (1979) model, so
/// its estimates can be compared with these numbers.
struct Annotator {
    std::string_view manner;  ///< careful, lenient, strict, careless or lazy
    std::array<float, 3> absent, present;
};
std::vector<Annotator> annotators(const Plan& plan);
inline constexpr int annotator_count = 40, answers_a_question = 5;
/// Returns a name such as "r07".
std::string name_of_annotator(int annotator);

/// A selector selects an image of true rate s with probability Phi(sqrt(1 + sigma^2) Phi^-1(s) +
/// leniency), so that the mean over all diligent selectors is s. Other selectors select with a
/// fixed probability.
struct Selector {
    std::string_view manner;  ///< diligent, idle (hardly any) or hasty (nearly all)
    float leniency = 0;
    float fixed = 0;
};
inline constexpr float leniency_sd = 0.35F;
std::vector<Selector> selectors(const Plan& plan);
int selectors_a_grid(WorldSize size);

/// A table annotator,item,label,answer. Each image of the set has questions about its labels, its
/// class, and two classes that it does not show.
std::string votes_csv(const Plan& plan, const SetRow& row);
std::string annotators_csv(const Plan& plan);

/// Tables annotator,image,label,selected,batch,control of v1 and v2. Grids of one class have up to
/// 21 images of each set and 6 of other classes (controls: three rows in each file). A batch is a
/// grid that several selectors see.
struct SelectionsText {
    std::string v1, v2;
};
SelectionsText selections_csv(const Plan& plan);
std::string selectors_csv(const Plan& plan);

/// A table set,image,class,rate,selected,annotators,taken for the replication (sets.h).
std::string matching_csv(const Replication& replication);

}  // namespace assay::world
