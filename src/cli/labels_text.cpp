#include "cli/labels_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "cli/labels.h"
#include "cli/progress.h"
#include "core/csv.h"

namespace assay::cli {
namespace {

using nlohmann::json;

/// 1, 2, 3, 4, 5, more than 5, none: as the papers print it.
constexpr std::array<std::string_view, 7> histogram_names = {"1", "2", "3", "4", "5", ">5", "none"};

std::array<std::uint64_t, 7> histogram(const LabelSets& sets) {
    std::array<std::uint64_t, 7> counts{};
    for (std::size_t i = 0; i < sets.size(); ++i) {
        const std::size_t n = sets[i].size();
        ++counts[n == 0 ? 6 : std::min<std::size_t>(n, 6) - 1];
    }
    return counts;
}

std::string with_interval(const Measurement& m, int digits) {
    if (!m.value) return "– (" + m.undefined + ")";
    std::string text = fmt::format("{:.{}f}", *m.value, digits);
    if (m.interval)
        text +=
            fmt::format(" ({:.{}f} – {:.{}f})", m.interval->low, digits, m.interval->high, digits);
    return text;
}

std::string share_cell(const Measurement& m) {
    if (!m.value) return "–";
    std::string text = fmt::format("{:.1f}", 100 * *m.value);
    if (m.interval)
        text += fmt::format(" ({:.1f} – {:.1f})", 100 * m.interval->low, 100 * m.interval->high);
    return text;
}

std::string exact(double x) {
    return fmt::format("{}", x);
}

std::string exact(const std::optional<double>& x) {
    return x ? exact(*x) : std::string();
}

std::string rule_text(const AggregateReport& r) {
    return fmt::format("{} {} {}", r.fitted ? "posterior" : "share",
                       r.rule.above ? ">" : ">=", r.rule.threshold);
}

std::string latent_name(std::size_t l, std::size_t latents, const AnswerScale& scale) {
    if (latents == scale.names.size()) return scale.names[l];
    return l == 0 ? scale.names.front() : scale.names.back();
}

/// What the report says, line by line; shared by the table and the csv.
std::vector<std::array<std::string, 2>> facts(const AggregateReport& r) {
    std::vector<std::array<std::string, 2>> out;
    const auto add = [&](std::string name, std::string value) {
        out.push_back({std::move(name), std::move(value)});
    };
    const auto number = [&](std::string name, std::uint64_t n) {
        add(std::move(name), count_text(n));
    };
    number("votes read", r.votes.read);
    number("votes used", r.votes.codes.size());
    number("annotators", r.votes.annotators.size());
    number("questions", r.votes.questions());
    number("images asked about", r.votes.items.size());
    add("method", r.method);
    if (r.fitted) {
        add("passes", fmt::format("{}{}", r.fitted->objective.size(),
                                  r.fitted->converged ? "" : " (not converged)"));
        add("log-likelihood an answer",
            fmt::format("{:.6f}",
                        r.fitted->log_likelihood / static_cast<double>(r.votes.codes.size())));
        for (std::size_t l = 0; l < r.fitted->latents; ++l) {
            add(fmt::format("prior of {}", latent_name(l, r.fitted->latents, r.votes.scale)),
                fmt::format("{:.4f}", r.fitted->prior[l]));
        }
    }
    add("kept where", rule_text(r));
    number("labels kept", r.built.kept);
    add("Fleiss' kappa", with_interval(r.agreement.fleiss_kappa, 4));
    add("Krippendorff's alpha", with_interval(r.agreement.krippendorff_alpha, 4));
    number("items", r.built.sets.size());
    number("items with a label", r.built.sets.size() - histogram(r.built.sets)[6]);
    number("rated, no label kept", r.built.emptied);
    number("not rated, original label", r.built.original);
    number("not rated, left out", r.built.left_out);
    if (r.comparison) {
        const LabelSetComparison& c = *r.comparison;
        add("decisions as in " + r.compared_with, with_interval(c.agreement, 4));
        number("  both accept", c.both_accept);
        number("  both reject", c.both_reject);
        number("  only these accept", c.only_first);
        number("  only those accept", c.only_second);
        add("rated items with the same set",
            fmt::format("{} of {}", count_text(c.same_set), count_text(c.items)));
    }
    return out;
}

std::vector<std::string> notes_of(const AggregateReport& r) {
    std::vector<std::string> out;
    if (r.fitted) out = r.fitted->notes;
    if (!r.agreement.fleiss_kappa.note.empty())
        out.push_back("Fleiss' kappa: " + r.agreement.fleiss_kappa.note);
    if (r.unweighted > 0) {
        out.push_back(fmt::format(
            "{} questions have only annotators of weight 0: their plain share stands in",
            count_text(r.unweighted)));
    }
    if (r.votes.pooled > 0) {
        out.push_back(fmt::format(
            "{} questions were asked under several names of an image or label: their votes are "
            "counted together",
            count_text(r.votes.pooled)));
    }
    if (r.votes.repeated > 0) {
        out.push_back(fmt::format("{} votes repeat a question to the same annotator",
                                  count_text(r.votes.repeated)));
    }
    return out;
}

}  // namespace

Table annotator_table(const AggregateReport& r, bool people) {
    std::vector<Table::Column> columns{{"annotator"}, {"answers", Align::right}};
    const auto& names = r.votes.scale.names;
    const std::size_t latents = r.fitted ? r.fitted->latents : 2;
    for (const std::string& name : names)
        columns.push_back({(people ? "" : "given_") + name, Align::right});
    if (people) {
        columns.push_back({"accuracy %", Align::right});
        columns.push_back({"agreement %", Align::right});
    } else {
        for (const std::string& m : {std::string("accuracy"), std::string("agreement")}) {
            columns.push_back({m});
            columns.push_back({m + "_low"});
            columns.push_back({m + "_high"});
        }
    }
    for (std::size_t l = 0; l < latents; ++l) {
        for (const std::string& name : names) {
            columns.push_back(
                {fmt::format("P({}|{})", name, latent_name(l, latents, r.votes.scale)),
                 Align::right});
        }
    }
    if (!r.weights.empty()) columns.push_back({"weight", Align::right});
    Table table(columns, people ? "Annotators, the least accurate first" : "");
    std::vector<std::size_t> order(r.annotators.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    if (people) {
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return r.annotators[a].accuracy.value.value_or(2) <
                   r.annotators[b].accuracy.value.value_or(2);
        });
    }
    for (const std::size_t i : order) {
        const AnnotatorQuality& q = r.annotators[i];
        std::vector<std::string> cells{std::string(r.votes.annotators[i]),
                                       people ? count_text(q.answers) : std::to_string(q.answers)};
        for (const std::uint64_t n : q.given)
            cells.push_back(people ? count_text(n) : std::to_string(n));
        for (const Measurement* m : {&q.accuracy, &q.agreement}) {
            if (people) {
                cells.push_back(share_cell(*m));
                continue;
            }
            cells.push_back(exact(m->value));
            cells.push_back(m->interval ? exact(m->interval->low) : "");
            cells.push_back(m->interval ? exact(m->interval->high) : "");
        }
        for (const double p : q.confusion)
            cells.push_back(people ? fmt::format("{:.3f}", p) : exact(p));
        if (!r.weights.empty())
            cells.push_back(people ? fmt::format("{:.3f}", r.weights[i]) : exact(r.weights[i]));
        table.add(std::move(cells));
    }
    if (people) {
        table.footer(
            "accuracy: share of the answers that are right under the posteriors (a maybe is half "
            "right); agreement: "
            "with the others' answers to the same questions; P(answer|truth): confusion.");
    }
    return table;
}

std::string aggregate_text(const AggregateReport& r, bool with_annotators, bool colour) {
    Table table({{""}, {"", Align::right}}, r.source);
    for (const auto& [name, value] : facts(r)) table.add({name, value});
    for (const std::string& line : notes_of(r)) table.footer(line);
    std::string text = table.text(colour);

    Table labels({{"labels"}, {"items", Align::right}, {""}}, "Labels an item");
    const auto counts = histogram(r.built.sets);
    const auto most = static_cast<double>(
        std::max<std::uint64_t>(1, *std::max_element(counts.begin(), counts.end())));
    for (std::size_t i = 0; i < counts.size(); ++i) {
        labels.add({std::string(histogram_names[i]), count_text(counts[i]),
                    bar(static_cast<double>(counts[i]) / most, 24)});
    }
    text += "\n" + labels.text(colour);
    if (with_annotators) text += "\n" + annotator_table(r, true).text(colour, stdout_width());
    return text;
}

Table aggregate_csv(const AggregateReport& r) {
    Table table({{"name"}, {"value"}, {"low"}, {"high"}, {"n"}, {"undefined"}});
    const auto count = [&](const std::string& name, std::uint64_t n) {
        table.add({name, std::to_string(n)});
    };
    const auto measured = [&](const Measurement& m) {
        table.add({m.key.definition, exact(m.value), m.interval ? exact(m.interval->low) : "",
                   m.interval ? exact(m.interval->high) : "", std::to_string(m.n), m.undefined});
    };
    count("votes_read", r.votes.read);
    count("votes_used", r.votes.codes.size());
    count("annotators", r.votes.annotators.size());
    count("questions", r.votes.questions());
    count("labels_kept", r.built.kept);
    count("items", r.built.sets.size());
    count("emptied", r.built.emptied);
    count("original", r.built.original);
    count("left_out", r.built.left_out);
    const auto counts = histogram(r.built.sets);
    for (std::size_t i = 0; i < counts.size(); ++i)
        count("items_" + std::string(histogram_names[i]), counts[i]);
    measured(r.agreement.fleiss_kappa);
    measured(r.agreement.krippendorff_alpha);
    if (r.comparison) measured(r.comparison->agreement);
    return table;
}

json aggregate_json(const AggregateReport& r, bool with_annotators) {
    json out = {
        {"schema", "assay.label_votes/1"},
        {"source", r.source},
        {"method", r.method},
        {"votes",
         {{"read", r.votes.read},
          {"used", r.votes.codes.size()},
          {"repeated", r.votes.repeated},
          {"pooled_questions", r.votes.pooled}}},
        {"annotators", r.votes.annotators.size()},
        {"questions", r.votes.questions()},
        {"images", r.votes.items.size()},
        {"answers", r.votes.scale.names},
        {"rule", {{"threshold", r.rule.threshold}, {"above", r.rule.above}}},
        {"labels_kept", r.built.kept},
        {"items",
         {{"all", r.built.sets.size()},
          {"rated_without_label", r.built.emptied},
          {"original", r.built.original},
          {"left_out", r.built.left_out}}},
        {"histogram", json::object()},
        {"measurements",
         {assay::to_json(r.agreement.fleiss_kappa),
          assay::to_json(r.agreement.krippendorff_alpha)}},
        {"questions_with_one_answer_or_none", r.agreement.pairless},
        {"notes", notes_of(r)},
        {"problems", {{"votes", to_json(r.votes.problems)}, {"items", to_json(r.built.problems)}}}};
    const auto counts = histogram(r.built.sets);
    for (std::size_t i = 0; i < counts.size(); ++i)
        out["histogram"][std::string(histogram_names[i])] = counts[i];
    if (r.fitted) {
        out["dawid_skene"] = {
            {"latents", r.fitted->latents},         {"prior", r.fitted->prior},
            {"passes", r.fitted->objective.size()}, {"converged", r.fitted->converged},
            {"objective", r.fitted->objective},     {"log_likelihood", r.fitted->log_likelihood},
            {"reordered", r.fitted->reordered}};
    }
    if (r.comparison) {
        out["comparison"] = {{"with", r.compared_with},
                             {"agreement", assay::to_json(r.comparison->agreement)},
                             {"both_accept", r.comparison->both_accept},
                             {"both_reject", r.comparison->both_reject},
                             {"only_these", r.comparison->only_first},
                             {"only_those", r.comparison->only_second},
                             {"items", r.comparison->items},
                             {"same_set", r.comparison->same_set}};
    }
    if (with_annotators) {
        out["annotator_quality"] = json::array();
        for (std::size_t i = 0; i < r.annotators.size(); ++i) {
            const AnnotatorQuality& q = r.annotators[i];
            json row = {{"annotator", std::string(r.votes.annotators[i])},
                        {"answers", q.answers},
                        {"given", q.given},
                        {"confusion", q.confusion},
                        {"accuracy", assay::to_json(q.accuracy)},
                        {"agreement", assay::to_json(q.agreement)}};
            if (!r.weights.empty()) row["weight"] = r.weights[i];
            out["annotator_quality"].push_back(std::move(row));
        }
    }
    return out;
}

std::string posterior_csv(const AggregateReport& r) {
    std::string out;
    CsvWriter writer(out);
    writer.field("item");
    writer.field("label");
    for (const std::string& name : r.votes.scale.names) writer.field("n_" + name);
    writer.field(r.fitted ? "posterior" : "share");
    writer.field("kept");
    writer.end_row();
    std::vector<std::uint32_t> counts(r.votes.answers());
    for (std::size_t q = 0; q < r.votes.questions(); ++q) {
        std::fill(counts.begin(), counts.end(), 0U);
        for (const std::uint32_t code : r.votes.of(q)) ++counts[code % counts.size()];
        writer.field(r.votes.items[r.votes.question_item[q]]);
        writer.field(r.votes.labels[r.votes.question_label[q]]);
        for (const std::uint32_t n : counts) writer.field(std::to_string(n));
        writer.field(exact(r.yes[q]));
        const bool placed = r.built.item_of_question[q] >= 0 && r.built.class_of_question[q] >= 0;
        writer.field(placed && !r.votes.of(q).empty() && r.rule.keeps(r.yes[q]) ? "1" : "0");
        writer.end_row();
    }
    return out;
}

json to_json(const VoteProblems& problems) {
    json out = json::array();
    for (const auto& kind : problems.kinds())
        out.push_back({{"what", kind.what}, {"count", kind.count}, {"examples", kind.examples}});
    return out;
}

}  // namespace assay::cli
