#include "assay/annotation/draw_gold.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "annotation/propose_inputs.h"
#include "annotation/propose_questions.h"
#include "assay/describe_result.h"
#include "assay/error.h"
#include "assay/robustness/model_stores.h"
#include "assay/store/row_reader.h"
#include "containers/described_csv.h"
#include "core/parallel.h"
#include "core/random.h"
#include "core/result_table.h"
#include "store/same_data.h"

namespace assay {
namespace {

constexpr std::uint32_t deepest_draw = 64;
constexpr std::size_t most_drawing_models = 64;

void check_draw(const DrawGoldOptions& options) {
    if (options.images == 0)
        throw Error(ErrorCode::usage,
                    "0 images to draw; at least 1 is needed, as in --draw-gold 150");
    if (options.depth < 1 || options.depth > deepest_draw)
        throw Error(ErrorCode::usage,
                    fmt::format("draw depth {} is not in 1 .. {}", options.depth, deepest_draw));
}

/// Lists the best classes of the models, and the original labels, by descending probability.
void ask_all(std::uint64_t item, std::span<const RowReader> readers, const DrawGoldOptions& options,
             std::span<const std::int32_t> original, GoldDraw& out) {
    propose::TopClasses top(readers.size());
    for (std::size_t m = 0; m < readers.size(); ++m) readers[m].top(item, options.depth, top[m]);
    const auto first = static_cast<std::ptrdiff_t>(out.questions.size());
    if (!options.keep_original) original = {};
    for (const std::int32_t c : propose::classes_in(top, original)) {
        double sum = 0;
        std::uint64_t models = 0;
        for (std::size_t m = 0; m < top.size(); ++m) {
            const std::size_t at = propose::place_in(top[m], c);
            if (at == top[m].size()) continue;
            sum += static_cast<double>(top[m][at].probability);
            models |= std::uint64_t{1} << m;
        }
        out.questions.push_back({.item = item,
                                 .cls = c,
                                 .prior = static_cast<float>(sum / static_cast<double>(top.size())),
                                 .models = models});
    }
    std::stable_sort(out.questions.begin() + first, out.questions.end(),
                     [](const Question& a, const Question& b) { return a.prior > b.prior; });
}

}  // namespace

GoldDraw draw_gold(const DrawGoldOptions& options) {
    check_draw(options);
    const OpenedModels opened = open_models({options.stores.begin(), options.stores.end()});
    if (opened.stores.empty() || opened.stores.size() > most_drawing_models)
        throw Error(ErrorCode::usage, fmt::format("{} models; 1 to {} can be judged",
                                                  opened.stores.size(), most_drawing_models));
    GoldDraw out;
    if (!opened.skipped.empty()) out.warnings.push_back(opened.skipped);
    std::vector<RowReader> readers;
    for (const PredictionStore& store : opened.stores) {
        store::require_same(opened.stores.front(), store, {.classes = true});
        const RowReader& reader = readers.emplace_back(store);
        out.models.push_back(store.spec().model_name);
        if (reader.depth() < options.depth && reader.depth() < reader.classes())
            throw Error(
                ErrorCode::bad_input,
                fmt::format("{} keeps the {} best classes of an image, fewer than {}; "
                            "draw with --draw-depth {}",
                            out.models.back(), reader.depth(), options.depth, reader.depth()));
    }
    out.dataset = opened.stores.front().dataset();
    out.depth = options.depth;
    std::vector<std::uint64_t> scored;
    for (std::uint64_t i = 0; i < opened.stores.front().rows(); ++i) {
        const bool all = std::all_of(readers.begin(), readers.end(), [&](const RowReader& r) {
            return r.status(i) == RowStatus::ok;
        });
        if (all) {
            scored.push_back(i);
        } else {
            ++out.not_scored;
        }
    }
    out.images = scored.size();
    if (options.images > scored.size())
        throw Error(ErrorCode::usage,
                    fmt::format("cannot draw {} images: {} has only {} with scores of every model. "
                                "Draw at most that many: --draw-gold {}",
                                count_text(options.images), out.dataset.name,
                                count_text(scored.size()), scored.size()));
    RandomStream random(options.seed, "images for experts");
    for (std::size_t n = 0; n < options.images; ++n)
        std::swap(scored[n], scored[n + random.below(scored.size() - n)]);
    scored.resize(options.images);
    std::sort(scored.begin(), scored.end());
    out.drawn = scored.size();
    out.probability = static_cast<double>(out.drawn) / static_cast<double>(out.images);
    const LabelSets& labels = out.dataset.labels;
    for (const std::uint64_t item : scored) {
        throw_if_stopped();
        ask_all(item, readers, options,
                item < labels.size() ? labels[static_cast<std::size_t>(item)]
                                     : std::span<const std::int32_t>(),
                out);
    }
    return out;
}

ResultType result_type(ResultOf<GoldDraw>) {
    using Of = GoldDraw;
    static constexpr auto rows = describe_result<Of>(
        {.name = "GoldDraw",
         .help = "Images drawn for experts",
         .schema = "assay.gold_draw/1",
         .columns = "dataset,images,drawn,probability,depth,questions,not_scored"},
        {
            part<&Of::dataset, &Dataset::name>({.name = "dataset"}),
            part<&Of::models>({}),
            part<&Of::images>({.help = "Images with scores of every model"}),
            part<&Of::drawn>({}),
            part<&Of::probability>({.help = "Probability of each image to be drawn"}),
            part<&Of::depth>({.help = "Number of best classes of each model that experts judge"}),
            part({.name = "questions"}, [](const Of& o) { return o.questions.size(); }),
            part<&Of::not_scored>({.help = "Images that could not be drawn"}),
        });
    return rows;
}

Report report_of(const GoldDraw& draw) {
    Report report;
    Table table;
    table.title = draw.dataset.name;
    table.columns = {{.name = "", .numbers = false}, {.name = ""}};
    table.add({"images", Count{draw.images}});
    table.add({"drawn for experts", Count{draw.drawn}});
    table.add({"probability of each", Number{.value = draw.probability}});
    table.add({"classes to judge", Count{draw.questions.size()}});
    table.add({"without scores", Count{draw.not_scored}});
    table.notes.push_back(fmt::format(
        "experts judge all classes that a model has among its {} best. What they accept is a label "
        "file for `assay score --votes VOTES --expert-labels FILE`; images without a valid class "
        "stay in it with an empty set",
        draw.depth));
    report.sections.push_back({.title = "", .blocks = {std::move(table)}, .sections = {}});
    report.records = result_table<GoldDraw>();
    add_row(report.records, draw);
    report.result = json_of(draw);
    report.warnings = draw.warnings;
    if (draw.not_scored > 0)
        report.warnings.push_back(fmt::format("{} images lack the scores of at least one model",
                                              count_text(draw.not_scored)));
    report.partial = draw.not_scored > 0;
    return report;
}

namespace {

struct GoldQuestion {
    std::string_view item, path;
    std::string label, class_name, proposed_by;
    double prior, probability;
};
ResultType result_type(ResultOf<GoldQuestion>) {
    using Of = GoldQuestion;
    static constexpr auto rows = describe_result<Of>(
        {.name = "GoldQuestion", .columns = "item,path,label,class,proposed_by,prior,probability"},
        {part<&Of::item>({}), part<&Of::path>({}), part<&Of::label>({}),
         part<&Of::class_name>({.name = "class"}), part<&Of::proposed_by>({}), part<&Of::prior>({}),
         part<&Of::probability>({})});
    return rows;
}

}  // namespace

std::string gold_csv(const GoldDraw& draw) {
    const Dataset& dataset = draw.dataset;
    const ClassList& classes = dataset.classes;
    std::string out;
    DescribedCsv<GoldQuestion> csv(out);
    for (const Question& q : draw.questions) {
        const auto item = static_cast<std::size_t>(q.item), c = static_cast<std::size_t>(q.cls);
        std::string by;
        for (std::size_t m = 0; m < draw.models.size(); ++m) {
            if ((q.models >> m & 1U) != 0) by += (by.empty() ? "" : " ") + draw.models[m];
        }
        const std::string number = std::to_string(c);
        csv.add({dataset.ids[item],
                 dataset.paths.size() > 0 ? dataset.paths[item] : dataset.ids[item],
                 c < classes.size() ? classes.id(c) : number,
                 c < classes.size() ? classes.name(c) : number, by.empty() ? "original" : by,
                 propose::shortest(q.prior), draw.probability});
    }
    return out;
}

}  // namespace assay
