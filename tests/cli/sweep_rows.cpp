#include "sweep_rows.h"

#include <gtest/gtest.h>

#include <sstream>

#include "assay/image/encode.h"
#include "assay/labelling/folder.h"
#include "core/file.h"
#include "program.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

const std::string models = ASSAY_SOURCE_DIR "/tests/cli/shapes/";

void import_model(const Scratch& folder, const std::string& dataset, const std::string& name,
                  double lead) {
    std::string scores = "path,cat,dog,bird\n", items = "path,labels\n";
    for (int i = 0; i < 12; ++i) {
        const std::string path = "p" + std::to_string(i) + ".png";
        const double row[] = {i % 3 == 0 ? lead : 0.1 * i, i % 3 == 1 ? 1.0 : 0.3,
                              i % 4 == 2 ? lead : 0.2};
        scores += path;
        for (const double value : row) scores += "," + std::to_string(value);
        scores += "\n";
        items += path + "," + (i % 3 == 0 ? "cat" : i % 3 == 1 ? "dog" : "bird") + "\n";
    }
    write_file_atomically(folder / "scores.csv", scores);
    write_file_atomically(folder / "items.csv", items);
    const Outcome made = assay_run({"import", folder / "scores.csv", "--items",
                                    folder / "items.csv", "--dataset-name", dataset, "--name", name,
                                    "--kind", "logits", "--out", folder / "runs", "-q"});
    ASSERT_EQ(made.status, 0) << made.err;
}

/// A model with two classes that classifies some images incorrectly.
void import_two(const Scratch& folder) {
    std::string scores = "path,benign,malignant\n", items = "path,labels\n";
    for (int i = 0; i < 140; ++i) {
        const std::string path = "t" + std::to_string(i) + ".png";
        scores +=
            path + "," + std::to_string(0.1 * (i % 7)) + "," + std::to_string(0.2 * (i % 5)) + "\n";
        items += path + "," + (i % 5 > 2 || i % 7 == 0 ? "malignant" : "benign") + "\n";
    }
    write_file_atomically(folder / "two.csv", scores);
    write_file_atomically(folder / "two-items.csv", items);
    write_file_atomically(folder / "two-costs.csv",
                          "truth,benign,malignant,abstain\nbenign,0,1,0.2\nmalignant,4,0,0.2\n");
    const Outcome made = assay_run({"import", folder / "two.csv", "--items",
                                    folder / "two-items.csv", "--dataset-name", "two", "--name",
                                    "a", "--kind", "logits", "--out", folder / "two", "-q"});
    ASSERT_EQ(made.status, 0) << made.err;
}

/// A competition in which three annotators have answered everything.
void judge_all(const Scratch& folder) {
    const Outcome selected = assay_run({"mad", "select", folder / "judged"});
    ASSERT_EQ(selected.status, 0) << selected.err;
    const Outcome asked =
        assay_run({"mad", "questions", folder / "judged", "--out", folder / "all.csv"});
    ASSERT_EQ(asked.status, 0) << asked.err;
    std::istringstream lines(read_text(folder / "all.csv"));
    std::string answers = "question,annotator,answer\n", line;
    std::getline(lines, line);
    for (int n = 0; std::getline(lines, line); ++n) {
        for (const char* annotator : {"anna", "ben", "cleo"})
            answers += line.substr(0, line.find(',')) + "," + annotator + "," +
                       (n % 3 == 0 ? "yes" : "no") + "\n";
    }
    write_file_atomically(folder / "judgements.csv", answers);
    const Outcome judged =
        assay_run({"mad", "answers", folder / "judged", folder / "judgements.csv"});
    ASSERT_EQ(judged.status, 0) << judged.err;
}

/// The lines `  name  summary` of a list in the help, up to the next empty line.
std::vector<std::string> listed_in(const std::string& help, const std::string& heading) {
    std::vector<std::string> names;
    std::istringstream lines(help);
    bool inside = false;
    for (std::string line; std::getline(lines, line);) {
        if (line == heading) {
            inside = true;
        } else if (inside && line.empty()) {
            break;
        } else if (inside) {
            names.push_back(line.substr(2, line.find(' ', 2) - 2));
        }
    }
    return names;
}

/// The commands that the help of the program lists, in all of its groups.
std::vector<std::string> commands_in(const std::string& help) {
    std::vector<std::string> commands;
    for (const char* group : {"Evaluate:", "Robustness and cost:", "Labels:", "Many machines:",
                              "Housekeeping:", "Others:"}) {
        const std::vector<std::string> listed = listed_in(help, group);
        commands.insert(commands.end(), listed.begin(), listed.end());
    }
    return commands;
}

}  // namespace

const std::vector<SweepRow>& sweep_rows() {
    static const std::vector<SweepRow> rows = {
        {.command = "demo", .arguments = {}, .results = false},
        {.command = "eval",
         .arguments = {models + "tiny.pt", "FOLDER/shapes", "--out", "FOLDER/evaluated", "-q"},
         .needs_torch = true},
        {.command = "predict",
         .arguments = {"--model", models + "tiny.pt", "--data", "FOLDER/shapes", "--out",
                       "FOLDER/predicted", "-q"},
         .needs_torch = true},
        {.command = "import",
         .arguments = {"FOLDER/scores.csv", "--items", "FOLDER/items.csv", "--dataset-name", "v3",
                       "--name", "again", "--kind", "logits", "--out", "FOLDER/imported", "-q"}},
        {.command = "relabel", .arguments = {"FOLDER/runs/v1", "--classes", "FOLDER/classes.txt"}},
        {.command = "score", .arguments = {"FOLDER/runs"}},
        {.command = "score", .arguments = {"FOLDER/runs", "--across", "v*"}},
        {.command = "score", .arguments = {"FOLDER/runs", "--ood", "v1=v2"}},
        {.command = "score", .arguments = {"FOLDER/runs/v1/a", "--per-class", "--confusion", "2"}},
        {.command = "score",
         .arguments = {"FOLDER/runs/v1", "--labels", "FOLDER/sets.csv", "--gate", "real >= 0"}},
        {.command = "compare", .arguments = {"FOLDER/runs/v1/a", "FOLDER/runs/v1/b"}},
        {.command = "compare", .arguments = {"FOLDER/runs/v1/a", "--people", "FOLDER/people.csv"}},
        {.command = "compare",
         .arguments = {"--method", "old=FOLDER/trained/old-*", "--method",
                       "new=FOLDER/trained/new-*"}},
        {.command = "calibrate", .arguments = {"FOLDER/derived/v1/a", "-q"}},
        {.command = "conformal",
         .arguments = {"FOLDER/runs/v1", "--alpha", "0.4", "--max-error", "0.9"}},
        {.command = "decide", .arguments = {"FOLDER/two", "--specificity", "0.8"}},
        {.command = "decide", .arguments = {"FOLDER/two", "--threshold", "0.7"}},
        {.command = "decide", .arguments = {"FOLDER/two", "--costs", "FOLDER/two-costs.csv"}},
        {.command = "slices", .arguments = {"FOLDER/two"}},
        {.command = "ensemble", .arguments = {"FOLDER/derived/v1/a", "FOLDER/derived/v1/b", "-q"}},
        {.command = "audit", .arguments = {"FOLDER/runs/v1", "-q"}},
        {.command = "estimate select",
         .arguments = {"FOLDER/new-study", "FOLDER/runs/pool", "--draw", "8", "-q"}},
        {.command = "estimate add", .arguments = {"FOLDER/part-study", "FOLDER/runs/pool/b", "-q"}},
        {.command = "estimate show",
         .arguments = {"FOLDER/pool-study", "--labels", "FOLDER/items.csv", "-q"}},
        {.command = "estimate drift",
         .arguments = {"FOLDER/pool-study", "FOLDER/pool-study", "--old-labels", "FOLDER/items.csv",
                       "--labels", "FOLDER/items.csv", "-q"}},
        {.command = "gap", .arguments = {"FOLDER/runs/v1", "FOLDER/runs/v2"}},
        {.command = "gap", .arguments = {"--table", "FOLDER/published.csv"}},
        {.command = "show", .arguments = {"p1.png", "FOLDER/runs/v1"}},
        {.command = "export", .arguments = {"FOLDER/runs/v1"}, .results = false},
        {.command = "patchml",
         .arguments = {"--whole", "FOLDER/shapes", "--k", "2", "--canvas", "64", "--seed", "1",
                       "--out", "FOLDER/composites", "-q"}},
        {.command = "corrupt",
         .arguments = {"FOLDER/shapes", "--corruptions", "fog,contrast", "--severities", "1,5",
                       "--out", "FOLDER/corrupted", "-q"}},
        {.command = "robustness", .arguments = {"FOLDER/runs", "--clean", "v1"}},
        {.command = "quality run",
         .arguments = {"FOLDER/nine.toml", "--out", "FOLDER/nine", "-q"},
         .needs_torch = true},
        {.command = "quality measure", .arguments = {"FOLDER/runs", "--val", "v1", "-j1"}},
        {.command = "quality shape-bias", .arguments = {"FOLDER/cues.csv"}},
        {.command = "quality score", .arguments = {"published", "--where", "rows=1-20"}},
        {.command = "quality choose", .arguments = {"published", "--need", "params <= 30"}},
        {.command = "quality correlate", .arguments = {"published", "--where", "rows=1-20"}},
        {.command = "quality groups",
         .arguments = {"published", "--first", "rows=1-9", "--second", "rows=10-20"}},
        {.command = "quality stability", .arguments = {"published", "--repeats", "20"}},
        {.command = "quality merge", .arguments = {"FOLDER/quality.csv", "published"}},
        {.command = "labels aggregate", .arguments = {"FOLDER/votes.csv"}},
        {.command = "labels propose", .arguments = {"FOLDER/runs/v1", "--recall", "0.5"}},
        {.command = "labels export", .arguments = {"FOLDER/asking", "--out", "FOLDER/said.csv"}},
        {.command = "labels stats", .arguments = {"FOLDER/sets.csv"}},
        {.command = "replicate frequencies",
         .arguments = {"FOLDER/study/original.csv", "FOLDER/study/replication.csv"}},
        {.command = "replicate match",
         .arguments = {"FOLDER/study/original.csv", "FOLDER/study/replication.csv", "--annotators",
                       "4", "--per-class", "2"}},
        {.command = "replicate adjust",
         .arguments = {"FOLDER/study/original.csv", "FOLDER/study/replication.csv", "--hits",
                       "FOLDER/study/original-hits.csv", "FOLDER/study/replication-hits.csv"}},
        {.command = "replicate plan",
         .arguments = {"FOLDER/study/original.csv", "FOLDER/study/replication.csv"}},
        {.command = "replicate simulate",
         .arguments = {"--out", "FOLDER/simulated", "--force", "--classes", "5", "--annotators",
                       "8", "--classifiers", "2"}},
        {.command = "attack",
         .arguments = {"--model", models + "tiny.pt", "--data", "FOLDER/shapes", "--out",
                       "FOLDER/attacked", "--eps", "1/255", "--step", "eps/30", "--restarts", "2",
                       "-q"},
         .needs_torch = true},
        {.command = "certify",
         .arguments = {"--model", models + "tiny.pt", "--data", "FOLDER/shapes", "--out",
                       "FOLDER/certified", "--samples", "20", "--selection", "5", "-q"},
         .needs_torch = true},
        {.command = "cost",
         .arguments = {models + "tiny.pt", "--no-latency", "--operators", "--nodes", "-q"},
         .needs_torch = true},
        {.command = "mad init",
         .arguments = {"FOLDER/mad", "FOLDER/runs/pool", "--hierarchy", "FOLDER/animals.csv",
                       "--threshold", "0.1"}},
        {.command = "mad select", .arguments = {"FOLDER/mad"}},
        {.command = "mad questions",
         .arguments = {"FOLDER/asked", "--out", "FOLDER/questions.csv"}},
        {.command = "mad answers", .arguments = {"FOLDER/asked", "FOLDER/answers.csv"}},
        {.command = "mad block", .arguments = {"FOLDER/asked", "anna"}},
        {.command = "mad rank", .arguments = {"FOLDER/judged", "--bootstraps", "20"}},
        {.command = "mad status", .arguments = {"FOLDER/judged"}},
        {.command = "mad export", .arguments = {"FOLDER/asked", "--out", "FOLDER/exported"}},
        {.command = "mad gallery",
         .arguments = {"FOLDER/drawn", "--out", "FOLDER/sheets", "--side", "48", "-q"}},
        {.command = "mad distance", .arguments = {"tench", "goldfish"}},
        {.command = "mad add", .arguments = {"FOLDER/mad", "FOLDER/runs/pool/a"}},
        {.command = "mad remove", .arguments = {"FOLDER/three", "c"}},
        {.command = "serve", .arguments = {"FOLDER/asked"}, .results = false},
        {.command = "report",
         .arguments = {"FOLDER/runs", "FOLDER/quality.csv", "FOLDER/judged", "--out",
                       "FOLDER/report.html", "-q"}},
        {.command = "plot",
         .arguments = {"scores", "FOLDER/runs", "-o", "FOLDER/scores.svg", "-q"},
         .results = false},
        {.command = "paper",
         .arguments = {"multilabel", "FOLDER/paper.toml", "--out", "FOLDER/paper", "--force",
                       "-q"}},
        {.command = "inspect", .arguments = {"FOLDER/shapes", "--against", "FOLDER/shapes", "-q"}},
        {.command = "check",
         .arguments = {"--model", models + "tiny.pt", "--data", "FOLDER/shapes", "-q"},
         .needs_torch = true},
        {.command = "run",
         .arguments = {"FOLDER/assay.toml", "--out", "FOLDER/whole", "-q"},
         .results = false,
         .needs_torch = true},
        {.command = "join", .arguments = {"FOLDER/runs"}},
        {.command = "verify", .arguments = {"FOLDER/runs"}},
        {.command = "verify", .arguments = {"FOLDER/asking"}},
        {.command = "list", .arguments = {"metrics"}},
        {.command = "list", .arguments = {"presets"}},
        {.command = "list", .arguments = {"maps"}},
        {.command = "list", .arguments = {"formats"}},
        {.command = "list", .arguments = {"environment"}},
        {.command = "list", .arguments = {"FOLDER/runs"}},
        {.command = "completion", .arguments = {"bash"}, .results = false},
        {.command = "manual", .arguments = {"--out", "FOLDER/man", "-q"}, .results = false},
        {.command = "torch", .arguments = {}},
        {.command = "version", .arguments = {}},
    };
    return rows;
}

std::vector<std::string> words_of(const SweepRow& row, const Scratch& folder) {
    std::vector<std::string> words;
    std::istringstream parts(row.command);
    for (std::string part; parts >> part;) words.push_back(part);
    for (const std::string& argument : row.arguments) {
        const std::string mark = "FOLDER/";
        const std::size_t at = argument.find(mark);
        words.push_back(at == std::string::npos
                            ? argument
                            : argument.substr(0, at) +
                                  (folder / argument.substr(at + mark.size())).string());
    }
    return words;
}

void make_sweep_inputs(const Scratch& folder) {
    for (const char* dataset : {"v1", "v2"}) {
        import_model(folder, dataset, "a", 0.8);
        import_model(folder, dataset, "b", 1.6);
    }
    import_two(folder);
    for (const char* run : {"old-1", "old-2"}) import_model(folder, "trained", run, 0.8);
    for (const char* run : {"new-1", "new-2"}) import_model(folder, "trained", run, 1.6);
    fs::rename(folder / "runs/trained", folder / "trained");
    fs::create_directories(folder / "derived");
    fs::copy(folder / "runs/v1", folder / "derived/v1", fs::copy_options::recursive);
    import_model(folder, "fog_1", "a", 0.3);  // corrupted images for robustness
    import_model(folder, "pool", "a", 0.8);   // unlabelled images for a competition
    import_model(folder, "pool", "b", 1.6);
    import_model(folder, "pool", "c", 0.25);
    write_file_atomically(folder / "classes.txt", "cat\ndog\nbird\n");
    write_file_atomically(folder / "sets.csv",
                          "path,labels\np0.png,cat dog\np1.png,dog\np2.png,bird cat\n");
    write_file_atomically(folder / "quality.csv", "model,accuracy,shape_bias\nmine,0.7,0.3\n");
    write_file_atomically(folder / "votes.csv",
                          "annotator,item,label,answer\nanna,p0.png,cat,yes\nbert,p0.png,cat,yes\n"
                          "anna,p1.png,dog,no\nbert,p1.png,dog,yes\n");
    write_file_atomically(folder / "animals.csv",
                          "child,parent\ncat,mammal\ndog,mammal\nmammal,animal\nbird,animal\n");
    write_file_atomically(folder / "people.csv",
                          "subj,object_response,category,imagename\nanna,cat,cat,01_p0.png\n"
                          "anna,cat,dog,02_p1.png\nanna,bird,bird,03_p2.png\n"
                          "anna,cat,cat,04_p3.png\nbert,cat,cat,01_p0.png\n"
                          "bert,dog,dog,02_p1.png\nbert,na,bird,03_p2.png\n");
    write_file_atomically(folder / "cues.csv",
                          "subj,object_response,category,imagename\nanna,cat,cat,1_cat1-dog2.png\n"
                          "anna,bird,dog,2_dog1-bird1.png\nbert,cat,cat,1_cat1-dog2.png\n"
                          "bert,na,bird,3_bird2-cat1.png\n");
    write_file_atomically(folder / "published.csv",
                          "model,top1_v1,top1_v2,real_v1,real_v2\na,70,60,80,75\nb,75,66,84,80\n"
                          "c,80,72,87,84\n");
    write_file_atomically(folder / "assay.toml", "[[model]]\npath = '" + models +
                                                     "tiny.pt'\n[[data]]\npath = 'shapes'\n"
                                                     "[score]\nmetrics = ['top1']\n");
    write_file_atomically(folder / "nine.toml",
                          "[[model]]\npath = '" + models +
                              "tiny.pt'\n[quality]\nval = 'shapes'\ncorruptions = 'none'\n"
                              "attacks = 'none'\nchecks = false\n");
    write_file_atomically(folder / "paper.toml", "out = 'runs'\n[paper]\nv1 = 'v1'\nv2 = 'v2'\n");
    // Two images of each class of tiny.pt, in the model's size.
    for (const char* name : {"circle", "cross", "ring", "square", "stripes", "triangle"}) {
        fs::create_directories(folder / "shapes" / name);
        for (int i = 0; i < 2; ++i) {
            Image image{48, 48, std::vector<std::uint8_t>(std::size_t{48} * 48 * 4, 255)};
            for (std::size_t p = 0; p < image.pixels.size(); p += 4)
                image.pixels[p] = static_cast<std::uint8_t>(p * (static_cast<unsigned>(i) + 3));
            save_png(image, folder / "shapes" / name / (std::to_string(i) + ".png"));
        }
    }
    for (const char* competition : {"mad", "three", "asked", "judged", "drawn"}) {
        const Outcome begun =
            assay_run({"mad", "init", folder / competition, folder / "runs/pool", "--hierarchy",
                       folder / "animals.csv", "--threshold", "0.1"});
        ASSERT_EQ(begun.status, 0) << begun.err;
    }
    // A competition with one answer.
    const Outcome sampled = assay_run(
        {"estimate", "select", folder / "pool-study", folder / "runs/pool", "--draw", "12", "-q"});
    ASSERT_EQ(sampled.status, 0) << sampled.err;
    const Outcome of_one = assay_run({"estimate", "select", folder / "part-study",
                                      folder / "runs/pool/a", "--draw", "12", "-q"});
    ASSERT_EQ(of_one.status, 0) << of_one.err;
    const Outcome selected = assay_run({"mad", "select", folder / "asked"});
    ASSERT_EQ(selected.status, 0) << selected.err;
    const Outcome asked =
        assay_run({"mad", "questions", folder / "asked", "--out", folder / "questions.csv"});
    ASSERT_EQ(asked.status, 0) << asked.err;
    const std::string questions = read_text(folder / "questions.csv");
    const std::size_t line = questions.find('\n') + 1;
    write_file_atomically(folder / "answers.csv",
                          "question,annotator,answer\n" +
                              questions.substr(line, questions.find(',', line) - line) +
                              ",anna,yes\n");
    const Outcome answered =
        assay_run({"mad", "answers", folder / "asked", folder / "answers.csv"});
    ASSERT_EQ(answered.status, 0) << answered.err;
    judge_all(folder);
    labelling::FolderOptions asking;
    asking.questions = folder / "sets-questions.csv";
    write_file_atomically(asking.questions, "item,label\np0.png,cat\np1.png,dog\n");
    labelling::make_folder(folder / "asking", asking);
    fs::create_directories(folder / "pool");
    for (int i = 0; i < 12; ++i)
        save_png({8, 8, std::vector<std::uint8_t>(std::size_t{8} * 8 * 4, 100)},
                 folder / "pool" / ("p" + std::to_string(i) + ".png"));
    const Outcome drawn =
        assay_run({"mad", "select", folder / "drawn", "--images", folder / "pool"});
    ASSERT_EQ(drawn.status, 0) << drawn.err;
    const Outcome study =
        assay_run({"replicate", "simulate", "--out", folder / "study", "--classes", "12",
                   "--annotators", "10", "--classifiers", "2"});
    ASSERT_EQ(study.status, 0) << study.err;
}

std::vector<std::string> commands_of_the_program() {
    std::vector<std::string> commands;
    for (const std::string& command : commands_in(assay_run({"--help"}).out)) {
        const std::string help = assay_run({command, "--help"}).out;
        std::vector<std::string> parts = listed_in(help, "Parts:");
        if (parts.empty()) parts = listed_in(help, "Steps:");
        for (const std::string& part : parts) commands.push_back(command + " " + part);
        if (parts.empty()) commands.push_back(command);
    }
    return commands;
}

}  // namespace assay
