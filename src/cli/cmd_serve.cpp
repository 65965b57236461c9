// assay serve: serves the labelling page until somebody stops it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "assay/error.h"
#include "assay/labelling/folder.h"
#include "assay/labelling/service.h"
#include "assay/mad/competition.h"
#include "assay/mad/rank.h"
#include "assay/serve/server.h"
#include "cli/command.h"
#include "cli/outputs.h"
#include "cli/serve_result.h"
#include "cli/serving.h"
#include "core/file.h"
#include "core/parallel.h"
#include "core/text.h"
#include "serve/http.h"
#include "study/study_file.h"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view serve_examples = R"(
assay serve mad
assay serve mad --annotator anna --annotator ben
assay serve --questions questions.csv --images photographs --annotator anna
assay serve --questions grids.csv --task grid --screen 48 --votes 10 --out selection
assay serve runs
assay serve mad --url https://labels.example.org --behind-proxy --strings deutsch.json
)";

struct ServeOptions {
    std::vector<fs::path> paths;  ///< as typed: one competition or folder, or the inputs of a
                                  ///< report
    fs::path folder, out;
    std::string task = "yes-no";
    labelling::FolderOptions study;
    labelling::ServiceOptions service;
    serve::ServerOptions server;
    std::vector<std::string> annotators;
    std::string format = "text";
};

void add_study(CLI::App& app, ServeOptions& o) {
    const std::string group = "csv of questions; the folder is made first";
    app.add_option("--questions", o.study.questions,
                   "csv with a question per line: item (or image), label, perhaps path, name, "
                   "definition, synonyms, answer (known), control, batch")
        ->type_name("CSV")
        ->group(group);
    app.add_option("--task", o.task,
                   "yes-no (one image, one label), grid (click the images that show a label), "
                   "labels (all that apply to an image)")
        ->check(CLI::IsMember({"yes-no", "grid", "labels"}))
        ->type_name("TASK")
        ->capture_default_str()
        ->group(group);
    app.add_option("--out", o.out,
                   "Folder to make (default: the csv's name with -study instead of .csv), or to "
                   "resume if it was made from the same questions")
        ->type_name("FOLDER")
        ->group(group);
    app.add_option("--images", o.study.images,
                   "Folder to which the paths of images are relative (default: the csv's folder); "
                   "for an existing labelling folder, the new place of the images")
        ->type_name("FOLDER")
        ->group(group);
    app.add_option("--title", o.study.title, "Title that annotators see")
        ->type_name("TEXT")
        ->group(group);
    app.add_option("--votes", o.study.votes,
                   "Annotators for each question (default: 5, for grids 10)")
        ->check(CLI::Range(1, 512))
        ->type_name("N")
        ->group(group);
    app.add_option("--screen", o.study.screen, "Images in a grid")
        ->type_name("N")
        ->capture_default_str()
        ->group(group);
    app.add_option("--seed", o.study.seed, "Seed of the random order")
        ->check(decimal_number())
        ->type_name("N")
        ->capture_default_str()
        ->group(group);
}

void add_serving(CLI::App& app, ServeOptions& o) {
    app.add_option("--annotator", o.annotators,
                   "Annotator who gets a link, or already has one; repeatable")
        ->type_name("NAME")
        ->allow_extra_args(false);
    app.add_option("--definitions", o.study.definitions,
                   "Definitions of labels: csv (label, definition, name, synonyms) or JSON {label: "
                   "text} (default: those in the questions; WordNet's for ImageNet's classes)")
        ->type_name("FILE");
    app.add_option("--tag", o.service.tags,
                   "Tag that the page of a competition suggests, such as background; repeatable")
        ->type_name("TEXT")
        ->allow_extra_args(false);
    app.add_option("--training", o.service.training,
                   "Questions with known answers that everybody answers first")
        ->type_name("N")
        ->capture_default_str();
    app.add_option("--strings", o.server.strings,
                   "The pages' texts in another language: JSON, keys as in web/strings/en.json")
        ->type_name("JSON");
    add_network_options(app, o.server);
}

void refuse_option(const CLI::App& app, const char* option, const char* why) {
    if (app.count(option) > 0) throw Error(ErrorCode::usage, fmt::format("{} {}", option, why));
}

/// Questions to people come from a single folder; all other inputs are for a report.
bool is_about_a_report(const std::vector<fs::path>& paths) {
    const auto asks = [](const fs::path& path) {
        return mad::is_competition(path) || labelling::is_labelling_folder(path);
    };
    if (std::ranges::none_of(paths, asks)) return !paths.empty();
    if (paths.size() == 1) return false;
    if (std::ranges::all_of(paths, asks))
        throw Error(ErrorCode::usage,
                    "the labelling page takes one folder at a time; for a report of several, use "
                    "assay report");
    return true;
}

void refuse_labelling_options(const CLI::App& app) {
    for (const char* option :
         {"--questions", "--task", "--out", "--images", "--votes", "--screen", "--seed",
          "--annotator", "--definitions", "--tag", "--training", "--strings"})
        refuse_option(app, option, "needs a competition or a folder of questions");
}

constexpr const char* tags_need = "needs a competition (`assay serve COMPETITION --tag TEXT`)";

/// The folder to serve, determined only from the options: nothing is made or changed.
fs::path folder_to_serve(const CLI::App& app, ServeOptions& o) {
    if (o.study.questions.empty()) {
        if (o.folder.empty())
            throw Error(ErrorCode::usage,
                        "nothing to serve: name a competition, a folder of questions or RUNS "
                        "folders, or give --questions FILE");
        for (const char* option : {"--task", "--out", "--title", "--votes", "--screen", "--seed"})
            refuse_option(app, option, "needs --questions FILE");
        if (labelling::is_labelling_folder(o.folder)) {
            refuse_option(app, "--tag", tags_need);
            refuse_option(app, "--definitions",
                          "needs --questions FILE or a competition: an existing folder of "
                          "questions keeps its definitions");
        } else {
            refuse_option(app, "--images", "needs --questions FILE or a folder of questions");
        }
        o.service.definitions = o.study.definitions;
        return o.folder;
    }
    if (!o.folder.empty())
        throw Error(ErrorCode::usage,
                    fmt::format("`{}` and --questions: name a folder to resume, or questions to "
                                "make one of (with --out)",
                                o.folder.string()));
    refuse_option(app, "--tag", tags_need);
    if (o.task != "grid") refuse_option(app, "--screen", "needs --task grid");
    o.study.task = labelling::task_named(o.task);
    if (o.out.empty())
        o.out = fs::path(o.study.questions).replace_extension("").string() + "-study";
    return o.out;
}

/// Holds the lock while an existing folder of questions is changed, so that no process serves it.
/// Returns nothing without a folder, because a new one is made completely or not at all.
std::optional<FileLock> lock_to_change(const fs::path& folder) {
    if (!labelling::is_labelling_folder(folder)) return std::nullopt;
    return study::lock_to_serve(folder);
}

/// Makes the folder if questions are given. In an existing one, applies the options.
void prepare_folder(const fs::path& folder, const ServeOptions& o) {
    if (o.study.questions.empty()) {
        if (!labelling::is_labelling_folder(folder)) return;
        if (!o.study.images.empty()) labelling::set_image_root(folder, o.study.images);
        for (const std::string& text : labelling::folder_summary(folder).warnings) warn(text);
        return;
    }
    const labelling::FolderSummary made = labelling::make_folder(folder, o.study);
    for (const std::string& text : made.warnings) warn(text);
    note(fmt::format("{}: {} about {}, in {}", folder.string(),
                     how_many(made.questions, "question"), how_many(made.images, "image"),
                     how_many(made.screens, "screen")));
}

/// Makes a link for each named person and each person who had one, or else for the user.
std::vector<labelling::Person> people_to_ask(labelling::Service& service,
                                             std::vector<std::string> names) {
    if (names.empty() && service.people().empty()) {
        const char* user = std::getenv("USER");
        names.emplace_back(user != nullptr && *user != '\0' ? user : "annotator");
    }
    for (const std::string& name : names) service.add_person(name);
    return service.people();
}

void print_links(const serve::Server& server, const std::vector<labelling::Person>& people,
                 bool as_json) {
    if (as_json) {
        ServedLinks links{server.url(), {}, server.organiser_link(), std::vector<ServedPerson>()};
        for (const labelling::Person& person : people) {
            ServedPerson& served = links.people->emplace_back();
            served.id = person.id;
            served.name = person.name;
            served.revoked = person.revoked;
            // otherwise the link is invalid
            if (!person.revoked) served.link = server.link_of(person);
        }
        print_served(links);
        return;
    }
    const std::string organiser = "(organiser)";
    std::size_t width = text_width(organiser);
    for (const labelling::Person& person : people) width = std::max(width, text_width(person.name));
    const auto line = [&](const std::string& name, const std::string& link) {
        return name + std::string(width + 2 - text_width(name), ' ') + link + "\n";
    };
    std::string text = line(organiser, server.organiser_link());
    for (const labelling::Person& person : people)
        text += line(person.name, person.revoked ? "revoked" : server.link_of(person));
    write_result("-", text);
}

std::string farewell_of_study(const fs::path& folder) {
    const labelling::FolderSummary summary = labelling::folder_summary(folder);
    return fmt::format("{} kept, {} of {} complete; next: assay labels export {} --out answers.csv",
                       how_many(summary.answers, "answer"), summary.complete,
                       how_many(summary.questions, "question"), as_typed(folder.string()));
}

std::string farewell_of_competition(const fs::path& folder) {
    const mad::CompetitionStatus status = mad::status_of(mad::Competition::open(folder));
    std::uint64_t answers = 0;
    for (const auto& annotator : status.annotators)
        answers += annotator.blocked ? 0 : annotator.answers;
    // Annotators get questions while some are open.
    const std::string next =
        status.open > 0 ? fmt::format("assay serve {}", as_typed(folder.string())) : status.next;
    return fmt::format("{} kept, {} of {} settled; next: {}", how_many(answers, "answer"),
                       status.settled, how_many(status.settled + status.open, "question"), next);
}

/// Prints at the end which answers exist, and what to do with them. If they cannot be read, the
/// command fails, because a script only sees the exit status.
void say_farewell(const fs::path& folder, bool study) {
    try {
        note(study ? farewell_of_study(folder) : farewell_of_competition(folder));
    } catch (const Error&) {
        note("stopped; the answers cannot be counted right now");
        throw;
    }
}

}  // namespace

int cmd_serve(std::vector<std::string> arguments) {
    auto app =
        make_app("serve",
                 "Run the labelling page of a competition (assay mad) or folder of questions until "
                 "Ctrl-C. Each annotator and the organiser get a link. Every answer is saved at "
                 "once. For RUNS folders, show a live report that updates while models run.",
                 serve_examples);
    ServeOptions o;
    app->add_option(
           "path", o.paths,
           "Competition or folder of questions; or RUNS folders and other inputs of assay report")
        ->type_name("PATH");
    add_serving(*app, o);
    add_study(*app, o);
    app->add_option("--format", o.format, "Format of the printed links: text, json")
        ->check(CLI::IsMember({"text", "json"}))
        ->capture_default_str();
    if (!parse(*app, std::move(arguments))) return Status::done;

    if (is_about_a_report(o.paths)) {
        refuse_labelling_options(*app);
        return serve_report(o.paths, o.study.title, o.server, o.format == "json");
    }
    if (!o.paths.empty()) o.folder = o.paths.front();
    // A failing command must not change anything: its arguments are checked first.
    const fs::path folder = folder_to_serve(*app, o);
    serve::check_options(o.server);
    {
        const std::optional<FileLock> lock = lock_to_change(folder);
        // If the port is in use, no person is added. The port is opened again below.
        if (o.server.port != 0) serve::HttpListener(o.server.host, o.server.port);
        prepare_folder(folder, o);
    }
    labelling::Service service(folder, o.service);
    const bool study = labelling::is_labelling_folder(folder);
    const std::vector<labelling::Person> people = people_to_ask(service, o.annotators);
    allow_connections(o.server.connections);
    o.server.warn = [](std::string_view text) { warn(text); };
    {
        serve::Server server(std::move(service), o.server);
        if (const std::string text = server.network_warning(); !text.empty()) warn(text);
        print_links(server, people, o.format == "json");
        announce(fmt::format("serving {} on {}; Ctrl-C stops it", folder.string(), server.url()));
        server.run(stop_requested);
    }
    say_farewell(folder, study);
    return Status::done;
}

}  // namespace assay::cli
