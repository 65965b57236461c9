// Which-class votes: each annotator names one class of an image, and a model of the annotators
// finds the class that the image most likely has.
//
// Q questions (image, class that somebody chose for it), R annotators, K classes that somebody
// chose for some image. Results do not depend on the number of threads, nor on the order of votes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "assay/annotation/votes.h"

namespace assay {

struct WhichClassOptions {
    double tolerance = 1e-7;  ///< stop when a pass changes no posterior by more
    int max_passes = 500;
    int threads = 0;  ///< 0 means one thread per core
};

/// Annotators who agree more often than their accuracies explain.
struct AnswerTogether {
    std::vector<std::uint32_t> annotators;  ///< indices into Votes::annotators, ascending
    double agreement = 0;      ///< proportion of equal answers over their pairs and shared images
    double expected = 0;       ///< the agreement that their accuracies explain
    std::uint64_t shared = 0;  ///< pairs of answers to one image
};

/// An image whose likeliest class was not chosen by anybody.
struct UnchosenClass {
    std::uint32_t item = 0, label = 0;  ///< of Votes
    double posterior = 0;
};

struct WhichClassFit {
    std::vector<double> posterior;        ///< Q
    std::vector<double> accuracy;         ///< R, each shrunk towards the mean
    std::vector<double> proportions;      ///< proportion of images for each of Votes::labels
    std::vector<UnchosenClass> unchosen;  ///< by item
    std::vector<AnswerTogether> together;
    double strength = 0;  ///< the number of answers to which the prior of a confusion matrix row is
                          ///< equivalent
    int passes = 0;
    bool converged = false;
    std::vector<std::string> notes;
};

/// Dawid and Skene's model (Applied Statistics 28, 1979) with K latent classes, which are the
/// classes themselves. It has a prior, because people answer few questions:
///
/// - The accuracy of an annotator is shrunk towards the overall accuracy by 20 answers.
///
/// - Row k of an annotator's confusion matrix is shrunk towards a mixture. Its parts are .75 of
///   "accurate as everywhere, errors to all classes alike" and .25 of what all annotators say of
///   class k. What they say is itself shrunk by 20 answers. The votes decide by how many answers
///   (16 to 512) the row is shrunk: the most likely number is used.
///
/// - Each class has 3 images more.
///
/// A pass finds the posteriors of an image from the expected counts of all other images, so an
/// image never confirms itself. CVB0 of Asuncion et al. does the same ("On smoothing and inference
/// for topic models", UAI 2009). Up to 16 classes each may be the class of each image; with more,
/// the chosen ones and one remainder. Images with one answer say nothing about annotators. Of
/// annotators who answer together (AnswerTogether) equal answers to an image count as one. Memory:
/// never R x K x K, but answers times the classes chosen for their images (or 16). Cost: one
/// division for each of these in a pass. Throws usage for no votes, bad options; internal: votes
/// that name no class.
WhichClassFit fit_which_class(const Votes& votes, const WhichClassOptions& options = {});

/// The votes plus a question for each class in `unchosen`, to which all annotators of its image
/// have said no. The new questions come last, in that order.
Votes with_unchosen_classes(const Votes& votes, const std::vector<UnchosenClass>& unchosen);

}  // namespace assay
