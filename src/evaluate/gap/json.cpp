#include <nlohmann/json.hpp>

#include "assay/evaluate/gap.h"

namespace assay {
namespace {

using nlohmann::json;

json maybe(const std::optional<double>& value) {
    return value ? json(*value) : json(nullptr);
}

json pair_json(const GapPair& p, bool mean) {
    const auto write = [&](const Estimate& v, std::size_t which) {
        json out = to_json(v);
        if (mean) out["models"] = p.models[which];
        return out;
    };
    return {{"first", write(p.first, 0)},
            {"second", write(p.second, 1)},
            {"gap", write(p.gap, 2)},
            {"absolute_gap", write(p.absolute, 2)}};
}

json metrics_json(const std::array<GapPair, 3>& metrics, bool mean) {
    json out = json::object();
    for (std::size_t m = 0; m < metrics.size(); ++m)
        out[std::string(name_of(gap_metrics[m]))] = pair_json(metrics[m], mean);
    return out;
}

json subgroups_json(const std::vector<GapSubgroup>& subgroups, bool mean) {
    json out = json::array();
    for (const GapSubgroup& s : subgroups) {
        out.push_back({{"labels", s.labels},
                       {"top1", pair_json(s.top1, mean)},
                       {"real", pair_json(s.real, mean)},
                       {"agreement", pair_json(s.agreement, mean)}});
    }
    return out;
}

json decomposition_json(const GapDecomposition& d, bool mean) {
    json out = {{"composition", to_json(d.composition)},
                {"within", to_json(d.within)},
                {"unmatched", to_json(d.unmatched)},
                {"explained", to_json(d.explained)}};
    if (mean) out["models"] = d.models;
    return out;
}

json rank_json(const GapRank& r) {
    if (r.rank == 0) return nullptr;
    json out = {{"rank", r.rank}};
    if (r.low > 0) out["low"] = r.low, out["high"] = r.high;
    return out;
}

json model_json(const GapModel& model) {
    json ranks = json::object();
    for (std::size_t m = 0; m < gap_metrics.size(); ++m) {
        ranks[std::string(name_of(gap_metrics[m]))] = {{"first", rank_json(model.ranks[m][0])},
                                                       {"second", rank_json(model.ranks[m][1])}};
    }
    const auto change = [&](std::size_t set) {
        return model.rank_change[set] ? json(*model.rank_change[set]) : json(nullptr);
    };
    return {{"model", model.name},
            {"metrics", metrics_json(model.metrics, false)},
            {"subgroups", subgroups_json(model.subgroups, false)},
            {"decomposition", decomposition_json(model.decomposition, false)},
            {"ranks", std::move(ranks)},
            {"rank_change", {{"first", change(0)}, {"second", change(1)}}},
            {"not_scored", {{"first", model.not_scored[0]}, {"second", model.not_scored[1]}}}};
}

json average_json(const GapAverage& average) {
    json out = {{"metrics", metrics_json(average.metrics, true)},
                {"subgroups", subgroups_json(average.subgroups, true)},
                {"decomposition", decomposition_json(average.decomposition, true)}};
    for (std::size_t m = 0; m < gap_metrics.size(); ++m) {
        const std::string name(name_of(gap_metrics[m]));
        if (const auto& spread = average.between[m]) {
            out["between_models"][name] = {
                {"models", spread->models}, {"sd", maybe(spread->sd)},
                {"min", spread->min},       {"lower_quartile", spread->lower_quartile},
                {"median", spread->median}, {"upper_quartile", spread->upper_quartile},
                {"max", spread->max}};
        } else {
            out["between_models"][name] = nullptr;
        }
        const GapWithinMargin& count = average.within_margin[m];
        json within = {{"models", count.models}, {"within", count.within}};
        within["surely_within"] = count.surely_within ? json(*count.surely_within) : json(nullptr);
        within["surely_outside"] =
            count.surely_outside ? json(*count.surely_outside) : json(nullptr);
        out["within_margin"][name] = std::move(within);
    }
    return out;
}

json set_json(const GapDataSet& set, const std::string& source) {
    json out = {{"name", set.name}, {"only_here", set.only_here}};
    if (source != "stores") {
        if (set.single > 0) out["single"] = set.single;
        return out;
    }
    out["images"] = set.images;
    out["single"] = set.single;
    out["only_valid"] = set.only_valid;
    out["histogram"] = {{"labels", json::array()},
                        {"more", set.more},
                        {"none", set.none},
                        {"unnamed", set.unnamed}};
    for (std::size_t g = 0; g < set.with_labels.size(); ++g)
        out["histogram"]["labels"].push_back({{"labels", g + 1}, {"images", set.with_labels[g]}});
    return out;
}

json box_json(const GapBox& box) {
    json out = {{"labels", box.labels},
                {"set", box.set == 0 ? "first" : "second"},
                {"points", json::array()}};
    for (const auto& point : box.points) out["points"].push_back(maybe(point));
    if (!box.box) return out;
    out["box"] = {{"low_whisker", box.box->low_whisker},
                  {"lower_quartile", box.box->lower_quartile},
                  {"median", box.box->median},
                  {"upper_quartile", box.box->upper_quartile},
                  {"high_whisker", box.box->high_whisker},
                  {"outliers", box.box->outliers}};
    return out;
}

json also_json(const GapReport& report, const GapAlso& also) {
    json out = {{"name", also.name}, {"models", json::array()}};
    if (!also.subgroups.empty()) out["subgroups"] = also.subgroups;
    for (std::size_t i = 0; i < also.models.size(); ++i) {
        json model = {{"model", report.models[i].name}};
        for (std::size_t m = 0; m < gap_metrics.size(); ++m)
            model[std::string(name_of(gap_metrics[m]))] = to_json(also.models[i][m]);
        out["models"].push_back(std::move(model));
    }
    return out;
}

json ranking_json(const GapReport& report, const GapRanking& ranking) {
    json out = {{"by", ranking.by},
                {"against", ranking.against},
                {"ties", ranking.dense ? "dense" : "standard"},
                {"places", json::array()}};
    for (const GapRanking::Place& place : ranking.places) {
        out["places"].push_back({{"model", report.models[place.model].name},
                                 {"rank", place.rank},
                                 {"against", place.against},
                                 {"change", place.change}});
    }
    return out;
}

}  // namespace

json to_json(const GapReport& report) {
    const GapOptions& o = report.options;
    json out = {{"schema", "assay.gap/2"},
                {"source", report.source},
                {"first", set_json(report.sets[0], report.source)},
                {"second", set_json(report.sets[1], report.source)},
                {"options",
                 {{"subgroups", report.subgroups},
                  {"present", o.subgroups.find("present") != std::string::npos},
                  {"pooled_above", o.pooled_above},
                  {"agreement", o.agreement},
                  {"margin", o.margin},
                  {"level", o.level},
                  {"replicates", o.replicates},
                  {"seed", o.seed}}},
                {"average", average_json(report.average)},
                {"models", json::array()},
                {"orders", json::array()},
                {"lines", json::array()},
                {"boxes", json::array()},
                {"best", {{"first", report.best[0]}, {"second", report.best[1]}}},
                {"marked", report.marked},
                {"warnings", report.warnings}};
    for (const GapModel& model : report.models) out["models"].push_back(model_json(model));
    const auto order_end = [](GapMetric metric, int set) {
        return json{{"metric", name_of(metric)}, {"set", set == 0 ? "first" : "second"}};
    };
    for (const GapOrder& order : report.orders) {
        out["orders"].push_back({{"a", order_end(order.a, order.a_set)},
                                 {"b", order_end(order.b, order.b_set)},
                                 {"models", order.models},
                                 {"kendall_tau_b", to_json(order.kendall)},
                                 {"spearman_rho", to_json(order.spearman)}});
    }
    for (const GapLine& line : report.lines) {
        out["lines"].push_back({{"metric", name_of(line.metric)},
                                {"models", line.models},
                                {"mean_gap", to_json(line.mean_gap)},
                                {"slope", to_json(line.slope)},
                                {"intercept", to_json(line.intercept)}});
    }
    for (const GapBox& box : report.boxes) out["boxes"].push_back(box_json(box));
    for (const GapAlso& also : report.also) out["also"].push_back(also_json(report, also));
    if (report.ranking) out["ranking"] = ranking_json(report, *report.ranking);
    return out;
}

}  // namespace assay
