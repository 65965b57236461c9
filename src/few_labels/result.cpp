#include "assay/describe_result.h"
#include "assay/few_labels/estimate.h"
#include "few_labels/described_few_labels.h"

namespace assay {

using namespace few_labels;

ResultType result_type(ResultOf<DrawnStratum>) {
    using Of = DrawnStratum;
    static constexpr auto rows = describe_result<Of>(
        {.name = "DrawnStratum", .columns = "stratum,contested,images,drawn,weight"},
        {part<&Of::stratum>({}),
         part<&Of::contested>(
             {.help = "True if the classifiers predict different labels for its images"}),
         part<&Of::images>({.help = "Of the pool"}), part<&Of::drawn>({}),
         part<&Of::weight>({.help = "Images that a drawn one stands for"})});
    return rows;
}

ResultType result_type(ResultOf<DrawnSample>) {
    using Of = DrawnSample;
    static constexpr auto rows = describe_result<Of>(
        {.name = "DrawnSample",
         .help = "What `assay estimate select` and `estimate add` print",
         .schema = "assay.estimate_sample/1"},
        {part<&Of::study>({}), part<&Of::dataset>({}), part<&Of::classifiers>({}),
         part<&Of::images>({.help = "Of the pool: those with scores of every classifier"}),
         part<&Of::left_out>({.help = "Images without a finite score of every classifier"}),
         part<&Of::drawn>({.help = "In all rounds"}), part<&Of::added>({.help = "In this round"}),
         part<&Of::settled>({.help = "Images whose answers a competition has; not drawn"}),
         part<&Of::spared>({.help = "Questions of this round that a competition has answered"}),
         part<&Of::questions>({.help = "Of this round"}), part<&Of::questions_file>({}),
         part<&Of::images_folder>({.help = "Empty if it is unknown"}), part<&Of::strata>({}),
         part<&Of::warnings>({})});
    return rows;
}

ResultType result_type(ResultOf<EstimatedStratum>) {
    using Of = EstimatedStratum;
    static constexpr auto rows = describe_result<Of>(
        {.name = "EstimatedStratum", .columns = "stratum,contested,images,drawn,labels,unjudged"},
        {part<&Of::stratum>({}), part<&Of::contested>({}), part<&Of::images>({}),
         part<&Of::drawn>({}), part<&Of::labels>({.help = "Drawn images whose answers are used"}),
         part<&Of::unjudged>({.help = "Drawn images that nobody can judge"})});
    return rows;
}

ResultType result_type(ResultOf<EstimatedClassifier>) {
    using Of = EstimatedClassifier;
    static constexpr auto rows = describe_result<Of>(
        {.name = "EstimatedClassifier",
         .columns = "classifier,accuracy=accuracy.value,low=accuracy.interval.low,"
                    "high=accuracy.interval.high,labels,random_sample,"
                    "overconfidence=overconfidence.value,corrected*"},
        {part<&Of::classifier>({}), part<&Of::accuracy>({}),
         part<&Of::corrected>(
             {.help = "Value without annotators' errors, by --gold", .omitted = true}),
         part<&Of::overconfidence>({.help = "Mean confidence minus accuracy"}),
         part<&Of::factor>({.help = "Factor by which the regression reduces the variance"}),
         part<&Of::labels>({}),
         part<&Of::random_sample>(
             {.help = "Labels that a simple random sample needs for this width"})});
    return rows;
}

ResultType result_type(ResultOf<EstimatedPair>) {
    using Of = EstimatedPair;
    static constexpr auto rows = describe_result<Of>(
        {.name = "EstimatedPair"},
        {part<&Of::first>({}), part<&Of::second>({}),
         part<&Of::difference>({.help = "Accuracy of the first minus that of the second"}),
         part<&Of::corrected>(
             {.help = "Value without annotators' errors, by --gold", .omitted = true}),
         part<&Of::disagreement>({.help = "Proportion of images with different labels"}),
         part<&Of::labels>({.help = "Of these images"})});
    return rows;
}

ResultType result_type(ResultOf<EstimatedGroup>) {
    using Of = EstimatedGroup;
    static constexpr auto rows = describe_result<Of>(
        {.name = "EstimatedGroup"},
        {part<&Of::group>({}), part<&Of::classifier>({}),
         part<&Of::images>({.help = "Images, without the proportion that people could not judge"}),
         part<&Of::labels>({}), part<&Of::accuracy>({}),
         part<&Of::corrected>(
             {.help = "Value without annotators' errors, by --gold", .omitted = true})});
    return rows;
}

ResultType result_type(ResultOf<EstimatedClass>) {
    using Of = EstimatedClass;
    static constexpr auto rows = describe_result<Of>(
        {.name = "EstimatedClass",
         .columns = "class,name,classifier,labels,recall*,predicted,predicted_labels,precision*,"
                    "corrected*"},
        {part<&Of::cls>(
             {.help = "Id of a class that a labelled image has or that is predicted for one",
              .name = "class"}),
         part<&Of::name>({}), part<&Of::classifier>({}),
         part<&Of::labels>({.help = "Labelled images of the class; null if the class of some "
                                    "labelled images is unknown"}),
         part<&Of::recall>({.help = "Proportion of its images that are correct"}),
         part<&Of::predicted_labels>({.help = "Labelled images of which the class is predicted"}),
         part<&Of::predicted>(
             {.help = "Images of the pool of which the class is predicted, without the proportion "
                      "that people could not judge; only with a precision"}),
         part<&Of::precision>({.help = "Proportion of these images that are correct"}),
         part<&Of::corrected>(
             {.help = "Precision without annotators' errors, by --gold", .omitted = true})});
    return rows;
}

ResultType result_type(ResultOf<PoolEstimate>) {
    using Of = PoolEstimate;
    static constexpr auto rows = describe_result<Of>(
        {.name = "PoolEstimate",
         .help = "What `assay estimate show` prints",
         .schema = "assay.estimate/1"},
        {part<&Of::study>({}),
         part<&Of::dataset>({}),
         part<&Of::images>({.help = "Of the pool"}),
         part<&Of::left_out>({.help = "Images without a finite score of every classifier"}),
         part<&Of::drawn>({.help = "In all rounds"}),
         part<&Of::labels>({.help = "Drawn images whose answers are used"}),
         part<&Of::settled>(
             {.help = "Images whose answers a competition had before; all are used"}),
         part<&Of::behind_gap>({.help = "Answered images that are not used yet, because an image "
                                        "before them in the random order has no answer"}),
         part<&Of::unjudged>({.help = "Drawn images that nobody can judge"}),
         part<&Of::answers_ignored>({.help = "About other images or labels"}),
         part<&Of::looks>({.help = "Number of looks: different numbers of labels at which results "
                                   "were shown without --peek or --stop-at"}),
         part<&Of::level>({}),
         part<&Of::quantile>({.help = "1.96 for 95 %, more with --peek"}),
         part<&Of::by>({.help = "Attribute of the groups"}),
         part<&Of::strata>({}),
         part<&Of::classifiers>({}),
         part<&Of::pairs>({}),
         part<&Of::groups>({}),
         part<&Of::classes>({.help = "With --per-class"}),
         part<&Of::sensitivity>({.help = "Proportion of yes among the gold questions whose answer "
                                         "is yes, after adding half an answer of each kind",
                                 .omitted = true}),
         part<&Of::specificity>({.help = "Proportion of no among the gold questions whose answer "
                                         "is no, after adding half an answer of each kind",
                                 .omitted = true}),
         part<&Of::best>({.help = "The highest estimate"}),
         part<&Of::not_resolved>({.help = "Classifiers whose difference from the best may be 0"}),
         part<&Of::half_width>({.help = "Half of the widest interval that --stop-at is about"}),
         part<&Of::labels_needed>({.help = "More labels until --stop-at is reached"}),
         part<&Of::precise_enough>({.help = "--stop-at is reached"}),
         part<&Of::notes>({}),
         part<&Of::warnings>({})});
    return rows;
}

}  // namespace assay
