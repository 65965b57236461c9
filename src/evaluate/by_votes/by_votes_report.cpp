#include "evaluate/by_votes/by_votes_report.h"

#include <fmt/format.h>

#include "assay/describe_result.h"
#include "metric/measurement_result.h"

namespace assay {

std::vector<Block> by_votes_blocks(std::span<const ByVotes> results) {
    using Show = Column::Show;
    std::vector<Block> blocks;
    for (const ByVotes& result : results) {
        Table table;
        table.title = fmt::format(
            "{} by votes: {} images, {} questions, {} votes of {} annotators, {:.0f} % of the "
            "questions unsure{}",
            result.dataset, count_text(result.asked), count_text(result.questions),
            count_text(result.votes), result.annotators, 100 * result.unsure,
            result.experts > 0
                ? fmt::format(", {} images judged by experts", count_text(result.experts))
                : "");
        table.columns = {{"model", false},
                         {"metric", false},
                         {"against true sets", true, Show::value_and_half},
                         {"interval", true, Show::interval},
                         {"against sets at .8", true, Show::value_and_interval},
                         {"moved by the prior"}};
        std::string last;
        for (const ValueByVotes& v : result.values) {
            const bool first = v.value.key.model != last;
            if (first && !last.empty()) table.rule();
            last = v.value.key.model;
            table.add(
                {first ? last : "", v.value.key.metric + " %", Estimate(v.value), Estimate(v.value),
                 v.thresholded,
                 v.moved ? Cell(Number{.value = *v.moved, .unit = Unit::proportion}) : Cell()});
            if (!v.value.value)
                table.notes.push_back(fmt::format("{}: {}: undefined: {}", v.value.key.model,
                                                  v.value.key.metric, v.value.undefined));
            if (!v.thresholded.value)
                table.notes.push_back(fmt::format("{}: {} against sets at .8: undefined: {}",
                                                  v.value.key.model, v.value.key.metric,
                                                  v.thresholded.undefined));
        }
        table.notes.insert(table.notes.end(), result.notes.begin(), result.notes.end());
        table.notes.emplace_back(
            "against sets at .8: the labels that `labels aggregate` keeps by default; the interval "
            "ignores that they may be wrong");
        blocks.emplace_back(std::move(table));
    }
    return blocks;
}

std::vector<Measurement> measurements_by_votes(std::span<const ByVotes> results) {
    std::vector<Measurement> out;
    for (const ByVotes& result : results)
        for (const ValueByVotes& v : result.values) out.push_back(v.value);
    return out;
}

ResultType result_type(ResultOf<ValueByVotes>) {
    using Of = ValueByVotes;
    static constexpr auto rows = describe_result<Of>(
        {.name = "ValueByVotes", .help = "A value against the true label sets"},
        {
            part<&Of::value>({.inlined = true}),
            part<&Of::moved>({.help = "How much the prior changed the value; a proportion"}),
            part<&Of::thresholded>(
                {.help = "The value against label sets with posteriors of at least .8. Its "
                         "interval covers neither other annotators nor other thresholds"}),
        });
    return rows;
}

ResultType result_type(ResultOf<ByVotes>) {
    using Of = ByVotes;
    static constexpr auto rows = describe_result<Of>(
        {.name = "ByVotes", .help = "Values of one data set by the votes of annotators"},
        {
            part<&Of::dataset>({}),
            part<&Of::images>({.help = "With scores of all models"}),
            part<&Of::asked>({.help = "Images with a question"}),
            part<&Of::given>({.help = "Images without one, whose given labels count as true"}),
            part<&Of::questions>({.help = "Pairs of an image and a class, with a vote"}),
            part<&Of::votes>({}),
            part<&Of::annotators>({}),
            part<&Of::unsure>({.help = "Proportion of the questions with a posterior of .05 to "
                                       ".95"}),
            part<&Of::experts>({.help = "Images that experts judged", .name = "gold"}),
            part<&Of::sensitivity>({.help = "Mean over the votes, as fitted"}),
            part<&Of::specificity>({.help = "Mean over the votes, as fitted"}),
            part<&Of::values>({.help = "By model: ReaL, then ASMA"}),
            part<&Of::notes>({}),
            part<&Of::warnings>({}),
        });
    return rows;
}

}  // namespace assay
