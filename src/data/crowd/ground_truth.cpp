// Reads two formats of SageMaker Ground Truth. Each line of a labelling job's manifest has one
// consolidated label per job. The request to the job's consolidation step has each worker's answer.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "core/json_events.h"
#include "core/json_limits.h"
#include "core/json_text.h"
#include "core/parallel.h"
#include "core/refuse.h"
#include "core/text.h"
#include "data/crowd/parts.h"

namespace assay::crowd {
namespace {

using nlohmann::json;

constexpr int manifest_depth = 32;
constexpr std::uint64_t object_values = 100'000;
constexpr std::string_view metadata = "-metadata";

/// Boxes also have classes, and a verification job says "good" about another job's label.
bool is_of_another_task(std::string_view type) {
    for (const char* task : {"detection", "segmentation", "verification", "adjustment"})
        if (type.find(task) != std::string_view::npos) return true;
    return false;
}

/// The classes of a label, from the names in its metadata.
std::vector<std::string> classes_in(const json& of_label) {
    if (of_label.contains("class-name")) return chosen_in(of_label["class-name"]);
    std::vector<std::string> names;
    if (of_label.contains("class-map") && of_label["class-map"].is_object()) {
        for (const auto& [number, name] : of_label["class-map"].items())
            names.push_back(scalar_in(name));
    }
    return names;
}

}  // namespace

Reading read_ground_truth(std::string_view text, const std::string& source, const Sink& sink) {
    std::set<std::string> jobs;
    LeftOut left_out;
    for_each_line(text, [&](std::string_view line, std::size_t number) {
        if (trimmed(line).empty()) return;
        const Where where = [&] { return fmt::format("{} line {}", source, number); };
        with_note("reading " + where(), [&] {
            const json object = parse_json_line(line, manifest_depth, object_values);
            if (!object.is_object()) refuse("it is not a JSON object");
            const char* const ref = object.contains("source-ref") ? "source-ref" : "source";
            const std::string item = object.contains(ref) ? scalar_in(object[ref]) : "";
            if (item.empty()) refuse("no `source-ref` says which image it is");
            bool labelled = false;
            for (const auto& [key, value] : object.items()) {
                if (!key.ends_with(metadata) || !value.is_object()) continue;
                labelled = true;
                if (const std::string type = value.contains("type") ? scalar_in(value["type"]) : "";
                    is_of_another_task(type)) {
                    left_out.add("labels of boxes, pixels or verifications");
                    continue;
                }
                const std::string job = key.substr(0, key.size() - metadata.size());
                if (value.contains("human-annotated") && value["human-annotated"] == "no") {
                    left_out.add("labels that a model gave");
                    continue;
                }
                jobs.insert(job);
                give(sink, {.annotator = job, .item = item, .label = {}, .answer = {}},
                     classes_in(value), where, left_out);
            }
            if (!labelled) left_out.add("images without a label");
        });
    });
    std::string names;
    for (const std::string& job : jobs) names += (names.empty() ? "" : ", ") + shortened(job);
    return reading_of(Layout::ground_truth, true, source,
                      fmt::format("image: source-ref; annotator: the job ({}), which has already "
                                  "combined its workers' answers; class chosen: class-name",
                                  names),
                      left_out);
}

Reading read_consolidation(std::string_view text, const std::string& source, const Sink& sink) {
    LeftOut left_out;
    read_json_elements(
        text, manifest_depth, object_values, source, [&](json&& element, std::uint64_t number) {
            const Where where = [&] { return fmt::format("{} element {}", source, number + 1); };
            const auto data = element.find("dataObject"), answers = element.find("annotations");
            if (!element.is_object() || data == element.end() || !data->is_object() ||
                answers == element.end() || !answers->is_array()) {
                refuse(fmt::format("{}: no `dataObject` with `annotations`: {}", where(),
                                   shown_json(element)));
            }
            std::string item;
            for (const char* name : {"s3Uri", "content"})
                if (item.empty() && data->contains(name)) item = scalar_in((*data)[name]);
            if (item.empty()) {
                refuse(
                    fmt::format("{}: `dataObject` is {}; allowed: an object with s3Uri or "
                                "content",
                                where(), shown_json(*data)));
            }
            for (const json& answer : *answers) {
                const auto content =
                    answer.is_object() ? answer.find("annotationData") : answer.end();
                if (!answer.is_object() || content == answer.end() || !content->is_object() ||
                    !content->contains("content")) {
                    refuse(
                        fmt::format("{}: an annotation is {}; allowed: workerId and "
                                    "annotationData.content",
                                    where(), shown_json(answer)));
                }
                const json& given = (*content)["content"];
                const std::string worker =
                    answer.contains("workerId") ? scalar_in(answer["workerId"]) : "";
                with_note("reading " + where(), [&] {
                    const json said = given.is_string()
                                          ? parse_json(given.get_ref<const std::string&>(),
                                                       manifest_depth, object_values)
                                          : given;
                    give(sink, {.annotator = worker, .item = item, .label = {}, .answer = {}},
                         chosen_in(said), where, left_out);
                });
            }
        });
    return reading_of(
        Layout::consolidation, true, source,
        "image: dataObject; annotator: workerId; class chosen: annotationData.content", left_out);
}

}  // namespace assay::crowd
