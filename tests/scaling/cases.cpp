#include "cases.h"

#include <fmt/format.h>

#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>
#include <stdexcept>

#include "assay/annotation/aggregate.h"
#include "assay/data/class_list.h"
#include "assay/data/dataset.h"
#include "assay/data/label_sets.h"
#include "assay/evaluate/gap.h"
#include "assay/patchml/boxes.h"
#include "assay/replication/selections.h"
#include "assay/replication/study.h"
#include "assay/store/prediction_store.h"
#include "assay/store/row_reader.h"
#include "assay/store/verify.h"
#include "containers/archives.h"
#include "containers/npy.h"
#include "containers/zip.h"
#include "core/file.h"
#include "core/json_limits.h"
#include "core/toml.h"
#include "labelling/question_csv.h"
#include "mad/answer_readers.h"
#include "model/export_archives.h"
#include "model/pt2/package.h"
#include "model/pt2/pickle.h"
#include "patchml/box_readers.h"
#include "store/annotated_items.h"
#include "store/safetensors.h"
#include "store/score_source.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

void all_read(std::size_t expected, std::size_t read) {
    if (read != expected) throw std::runtime_error(fmt::format("read {} of {}", read, expected));
}

void put(const fs::path& path, std::string_view text) {
    std::ofstream out(path, std::ios::binary);
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
    if (!out.flush()) throw std::runtime_error("not written: " + path.string());
}

/// A text with `part` for each of 0 to n - 1, between `begin` and `end`.
std::string parts(std::string_view begin, std::size_t n, std::string_view between,
                  std::string_view end, const std::function<std::string(std::size_t)>& part) {
    std::string text(begin);
    for (std::size_t i = 0; i < n; ++i) {
        if (i > 0) text += between;
        text += part(i);
    }
    return text.append(end);
}

std::string image(std::size_t i) {
    return fmt::format("{:02}/image{:07}.jpg", i % 50, i);
}

/// A ClassList of ten classes.
ClassList ten_classes() {
    return ClassList({"ant", "bee", "cat", "dog", "eel", "fox", "gnu", "hen", "ibis", "jay"});
}

Dataset images_of(std::size_t n) {
    Dataset dataset;
    dataset.name = "val";
    for (std::size_t i = 0; i < n; ++i) {
        dataset.ids.append(image(i));
        const auto label = static_cast<std::int32_t>(i % 10);
        dataset.labels.append(std::span(&label, 1));
    }
    dataset.classes = ten_classes();
    return dataset;
}

void write_store(std::size_t n, const fs::path& folder) {
    StoreSpec spec;
    spec.dataset_name = "val";
    spec.model_name = "net";
    spec.rows = n;
    spec.classes = 10;
    spec.shard_rows = 1;
    spec.batch_size = 1;
    StoreWriter writer = StoreWriter::open(folder, spec, images_of(n));
    std::vector<float> scores(10);
    std::iota(scores.begin(), scores.end(), 0.5F);
    const std::vector<RowState> states = {RowState::ok};
    for (std::size_t s = 0; s < writer.shards(); ++s) writer.write_shard(s, scores, states, {}, "");
    writer.finish();
}

void read_store(std::size_t n, const fs::path& folder) {
    const PredictionStore store = PredictionStore::open(folder / "val/net");
    const RowReader reader(store);
    RowPrediction out;
    std::size_t read = 0;
    for (std::uint64_t row = 0; row < store.rows(); ++row)
        read += reader.read(row, {}, out) == RowStatus::ok ? 1 : 0;
    all_read(n, read);
    for (const StoreCheck& check : verify_stores(folder)) all_read(0, check.problems.size());
}

void make_safetensors(std::size_t n, const fs::path& folder) {
    const std::string header = parts("{", n, ",", "}", [](std::size_t i) {
        return fmt::format(
            R"("layer.{}.weight":{{"dtype":"F32","shape":[1],"data_offsets":[{},{}]}})", i, 4 * i,
            4 * i + 4);
    });
    put(folder / "x", little(header.size(), 8) + header + std::string(4 * n, '\0'));
}

void make_zip(std::size_t n, const fs::path& folder) {
    const std::string content = "four";
    std::vector<ZipPiece> entries;
    for (std::size_t i = 0; i < n; ++i)
        entries.push_back({"archive/data/" + std::to_string(i), content, 4, 0, crc_of(content)});
    put(folder / "x", archive_of(entries));
}

void read_zip(std::size_t n, const fs::path& folder) {
    const MappedFile file(folder / "x");
    const ZipArchive archive(file.bytes());
    std::size_t read = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const ZipEntry* entry = archive.find("archive/data/" + std::to_string(i));
        if (entry != nullptr) read += archive.view(*entry).size() / 4;
    }
    all_read(n, read);
}

/// Writes n images of 8 x 8 pixels and their labels.
void make_array_images(std::size_t n, const fs::path& folder) {
    const std::string images = npy_header("|u1", std::vector<std::uint64_t>{n, 8, 8});
    const std::string labels = npy_header("|u1", std::vector<std::uint64_t>{n});
    const std::string x = images + std::string(64 * n, 'x'), y = labels + std::string(n, '\1');
    put(folder / "x.npz",
        archive_of({{"x.npy", x, x.size(), 0, crc_of(x)}, {"y.npy", y, y.size(), 0, crc_of(y)}}));
}

void read_array_images(std::size_t n, const fs::path& folder) {
    const Dataset dataset = open_dataset(folder / "x.npz", {});
    std::size_t read = 0;
    for (std::size_t i = 0; i < dataset.size(); ++i) read += dataset.read_image(i).size() / 64;
    all_read(n, read);
}

/// The table of a torch.save file with n tensors of one number each.
void make_pickle(std::size_t n, const fs::path& folder) {
    const auto text = [](const std::string& t) { return "X" + little(t.size(), 4) + t; };
    std::string pickle = "\x80\x02}(";
    for (std::size_t i = 0; i < n; ++i) {
        pickle += text("layer." + std::to_string(i) + ".weight");
        pickle +=
            "ctorch._utils\n_rebuild_tensor_v2\n((" + text("storage") + "ctorch\nFloatStorage\n";
        pickle += text(std::to_string(i)) + text("cpu") + "K" + little(1, 1) + "tQ";
        pickle += "K" + little(0, 1) + "K" + little(1, 1) + "\x85K" + little(1, 1) + "\x85\x89";
        pickle += "ccollections\nOrderedDict\n)RtR";
    }
    put(folder / "x", pickle + "u.");
}

/// An export of PyTorch 2.8 with n additional weights, each in its own entry.
void make_export(std::size_t n, const fs::path& folder) {
    const std::string table = "model/data/weights/model_weights_config.json";
    const std::string content = "four";
    EntryTexts whole = newer_layout("pt2_plain.pt2");
    std::vector<ZipPiece> entries;
    nlohmann::json config = nlohmann::json::parse(whole.at(table));
    for (std::size_t i = 0; i < n; ++i) {
        const std::string path = "more_" + std::to_string(i);
        entries.push_back({"model/data/weights/" + path, content, 4, 0, crc_of(content)});
        config["config"][path] = {{"path_name", path},
                                  {"use_pickle", false},
                                  {"tensor_meta",
                                   {{"dtype", 7},
                                    {"sizes", sizes_as_written({1})},
                                    {"strides", sizes_as_written({1})},
                                    {"storage_offset", {{"as_int", 0}}},
                                    {"layout", 7}}}};
    }
    whole[table] = config.dump();
    for (const auto& [name, text] : whole)
        entries.push_back({name, text, text.size(), 0, crc_of(text)});
    put(folder / "x", archive_of(entries));
}

/// Every question has ten answersfrom 20 annotators in turn.
void make_votes(std::size_t n, const fs::path& folder) {
    put(folder / "x.csv", parts("annotator,item,label,answer\n", n, "\n", "\n", [](std::size_t i) {
            return fmt::format("w{},{},ant,{}", i % 20, image(i / 10), i % 3 == 0 ? "no" : "yes");
        }));
}
/// Every annotator answers two of a hundred questions.
void make_annotators(std::size_t n, const fs::path& folder) {
    put(folder / "x.csv",
        parts("annotator,item,label,answer\n", 2 * n, "\n", "\n", [](std::size_t i) {
            return fmt::format("w{},{},ant,{}", i / 2, image(i % 100), i % 3 == 0 ? "no" : "yes");
        }));
}
Votes read_and_combine(const fs::path& folder) {
    const Votes votes = read_votes(folder / "x.csv");
    DawidSkeneOptions em;
    em.max_passes = 3;
    em.threads = 1;
    dawid_skene(votes, em);
    return votes;
}

/// Tasks in the form of Label Studio's exports, with one annotation each.
void make_tasks(std::size_t n, const fs::path& folder) {
    put(folder / "x", parts("[", n, ",", "]", [](std::size_t i) {
            return fmt::format(
                R"({{"id":{0},"data":{{"image":"{1}","question_id":"q{0}"}},"annotations":[{{"id":{0},)"
                R"("completed_by":1,"result":[{{"type":"choices","from_name":"answer","value":)"
                R"({{"choices":["Yes"]}}}}],"updated_at":"2026-11-23T01:02:03.000000Z"}}]}})",
                i, image(i));
        }));
}
/// The class that each image shows, with ten images for each class.
void make_class_votes(std::size_t n, const fs::path& folder) {
    put(folder / "x.json", parts("[", n, ",", "]", [](std::size_t i) {
            return fmt::format(
                R"({{"id":{0},"data":{{"image":"{1}"}},"annotations":[{{"id":{0},"completed_by":{2},)"
                R"("result":[{{"type":"choices","from_name":"c","value":{{"choices":["{3}"]}}}}]}}]}})",
                i, image(i), i % 20, i / 10);
        }));
}
void make_answers(std::size_t n, const fs::path& folder) {
    put(folder / "x", parts("image,label,annotator,answer\n", n, "\n", "\n", [](std::size_t i) {
            return fmt::format("{},ant,anna,{}", image(i), i % 3 == 0 ? "no" : "cannot say");
        }));
}
void read_answers(std::size_t n, const fs::path& folder) {
    const MappedFile file(folder / "x");
    std::size_t found = 0;
    mad::AnswerSink sink;
    sink.found = [&](const mad::FoundAnswer&) { ++found; };
    mad::read_found_answers(file.text(), "x", sink);
    all_read(n, found);
}

void make_questions(std::size_t n, const fs::path& folder) {
    put(folder / "x.csv", parts("item,label,class,batch\n", n, "", "", [](std::size_t i) {
            return fmt::format("image{0:07},c{1},class {1},b{2}\n", i, i % 1000, i / 48);
        }));
}
void read_questions(std::size_t n, const fs::path& folder) {
    const MappedFile file(folder / "x.csv");
    all_read(
        n, labelling::read_question_csv(file.text(), "x", labelling::Task::grid).questions.size());
}

void make_label_lists(std::size_t n, const fs::path& folder) {
    put(folder / "x.json", parts("[", n, ", ", "]", [](std::size_t i) {
            return fmt::format("[{}, {}]", i % 10, (i + 1) % 10);
        }));
}
void make_label_object(std::size_t n, const fs::path& folder) {
    put(folder / "x.json", parts("{", n, ", ", "}", [](std::size_t i) {
            return fmt::format(R"("image{:07}": ["cat", "fox"])", i);
        }));
}
void read_labels(std::size_t n, const fs::path& folder) {
    const LabelSets sets = read_label_sets(folder / "x.json", images_of(n), ten_classes());
    all_read(n, sets.size());
}

store::ScoreSource scores_in(const fs::path& file) {
    store::SourceOptions options;
    options.spool_folder = file.parent_path();
    options.classes = ten_classes();
    return store::open_source(file, options);
}

std::string ten_numbers(std::size_t i) {
    return parts("", 10, ",", "",
                 [i](std::size_t c) { return fmt::format("0.{}", (i + c) % 997); });
}
void make_csv_rows(std::size_t n, const fs::path& folder) {
    put(folder / "x.csv", parts("path,ant,bee,cat,dog,eel,fox,gnu,hen,ibis,jay\n", n, "\n", "\n",
                                [](std::size_t i) { return image(i) + "," + ten_numbers(i); }));
}
void make_csv_columns(std::size_t n, const fs::path& folder) {
    std::string text =
        parts("path,", n, ",", "\n", [](std::size_t c) { return fmt::format("c{}", c); });
    for (std::size_t i = 0; i < 3; ++i)
        text += parts(image(i) + ",", n, ",", "\n",
                      [](std::size_t c) { return std::to_string(c % 7); });
    put(folder / "x.csv", text);
}
void make_json_lines(std::size_t n, const fs::path& folder) {
    put(folder / "x.jsonl", parts("", n, "\n", "\n", [](std::size_t i) {
            return fmt::format(R"({{"path": "{}", "scores": [{}]}})", image(i), ten_numbers(i));
        }));
}

void make_json_rows(std::size_t n, const fs::path& folder) {
    put(folder / "x.json", parts("{", n, ",", "}", [](std::size_t i) {
            return fmt::format(R"("{}": {{"index": [{}, 7], "prob": [0.75, 0.25]}})", image(i),
                               i % 7);
        }));
}
void make_samples(std::size_t n, const fs::path& folder) {
    put(folder / "x.json", parts(R"({"samples": [)", n, ",", "]}", [](std::size_t i) {
            return fmt::format(
                R"({{"filepath": "{}", "p": {{"_cls": "Classification", "label": "jay",
                                "logits": [0,1,2,3,4,5,6,7,8,9]}}}})",
                image(i));
        }));
}

void make_items(std::size_t n, const fs::path& folder) {
    put(folder / "x.csv", parts("id,path,labels,camera\n", n, "\n", "\n", [](std::size_t i) {
            return fmt::format("{0},{0},{1},camera{2}", image(i), i % 10, i);
        }));
}

void make_coco(std::size_t n, const fs::path& folder) {
    std::string text = parts(R"({"images": [)", n, ",", "]", [](std::size_t i) {
        return fmt::format(R"({{"id": {}, "file_name": "{}", "width": 64, "height": 48}})", i,
                           image(i));
    });
    text += parts(R"(, "annotations": [)", n, ",", "]", [](std::size_t i) {
        return fmt::format(
            R"({{"id": {0}, "image_id": {0}, "category_id": {1}, "bbox": [1, 2, 30, 20]}})", i,
            i % 80);
    });
    put(folder / "x", text + parts(R"(, "categories": [)", 80, ",", "]}", [](std::size_t i) {
                          return fmt::format(R"({{"id": {0}, "name": "class{0}"}})", i);
                      }));
}

template <void (*parse)(std::string_view, BoxListBuilder&)>
void read_boxes(std::size_t n, const fs::path& folder) {
    BoxList list;
    BoxListBuilder out(list);
    out.source("x");
    parse(read_text(folder / "x"), out);
    all_read(n, list.rows.size());
}

void make_selections(std::size_t n, const fs::path& folder) {
    put(folder / "x.csv",
        parts("annotator,image,class,selected\n", n, "\n", "\n", [](std::size_t i) {
            return fmt::format("w{},{},ant,{}", i % 40, image(i / 10), i % 3 == 0 ? 1 : 0);
        }));
}

}  // namespace

const std::vector<ScalingCase>& scaling_cases() {
    static const std::vector<ScalingCase> cases = {
        {"ShardsWritten", 20, 8, [](std::size_t, const fs::path&) {}, write_store},
        {"ShardsRead", 20, 16, write_store, read_store},
        {"SafetensorsTensors", 500, 3, make_safetensors,
         [](std::size_t n, const fs::path& folder) {
             const MappedFile file(folder / "x");
             all_read(n, store::parse_safetensors(file.bytes()).size());
         }},
        {"ZipEntries", 600, 1, make_zip, read_zip},
        {"ArrayImages", 600, 0.5, make_array_images, read_array_images},
        {"PickledTensors", 400, 5, make_pickle,
         [](std::size_t n, const fs::path& folder) {
             const MappedFile file(folder / "x");
             all_read(n, pt2::read_tensor_pickle(file.bytes()).size());
         }},
        {"ExportWeights", 100, 6, make_export,
         [](std::size_t n, const fs::path& folder) {
             const MappedFile file(folder / "x");
             const std::size_t weights = pt2::read_package(file.bytes()).weights.size();
             if (weights < n) all_read(n, weights);
         }},
        {"Votes", 1500, 0.3, make_votes,
         [](std::size_t n, const fs::path& folder) {
             all_read(n, read_and_combine(folder).codes.size());
         }},
        {"Annotators", 500, 1, make_annotators,
         [](std::size_t n, const fs::path& folder) {
             all_read(n, read_and_combine(folder).annotators.size());
         }},
        {"ClassVotes", 200, 0.8, make_class_votes,
         [](std::size_t n, const fs::path& folder) {
             all_read(n, read_votes(folder / "x.json").used());
         }},
        {"LabelStudioTasks", 200, 0.6, make_tasks, read_answers},
        {"QuestionRows", 300, 0.5, make_questions, read_questions},
        {"AnswerRows", 1000, 0.2, make_answers, read_answers},
        {"LabelListsInOrder", 1000, 0.3, make_label_lists, read_labels},
        {"LabelListsByName", 1000, 0.6, make_label_object, read_labels},
        {"CsvRows", 300, 1, make_csv_rows,
         [](std::size_t n, const fs::path& folder) {
             all_read(n, scores_in(folder / "x.csv").rows);
         }},
        {"CsvColumns", 600, 1, make_csv_columns,
         [](std::size_t n, const fs::path& folder) {
             store::SourceOptions options;
             options.spool_folder = folder;
             all_read(n, store::open_source(folder / "x.csv", options).classes);
         }},
        {"JsonLines", 150, 1.5, make_json_lines,
         [](std::size_t n, const fs::path& folder) {
             all_read(n, scores_in(folder / "x.jsonl").rows);
         }},
        {"JsonByImage", 300, 1, make_json_rows,
         [](std::size_t n, const fs::path& folder) {
             all_read(n, scores_in(folder / "x.json").rows);
         }},
        {"FiftyOneSamples", 200, 1.5, make_samples,
         [](std::size_t n, const fs::path& folder) {
             all_read(n, scores_in(folder / "x.json").rows);
         }},
        {"AnnotatedItems", 300, 1, make_coco,
         [](std::size_t n, const fs::path& folder) {
             const std::string text = read_text(folder / "x");
             all_read(n, store::read_annotated_items(text, {}).ids.size());
         }},
        {"JsonKeys", 1000, 1,
         [](std::size_t n, const fs::path& folder) {
             put(folder / "x", parts("{", n, ",", "}", [](std::size_t i) {
                     return fmt::format(R"("key{}": [{}])", i, i);
                 }));
         },
         [](std::size_t n, const fs::path& folder) {
             all_read(n, parse_json(read_text(folder / "x"), 8).size());
         }},
        {"TomlTables", 100, 4,
         [](std::size_t n, const fs::path& folder) {
             put(folder / "x", parts("", n, "\n", "\n", [](std::size_t i) {
                     return fmt::format("[[model]]\npath = \"m{}.pt\"\n[t{}]\nx = 1", i, i);
                 }));
         },
         [](std::size_t n, const fs::path& folder) {
             all_read(n, parse_toml(read_text(folder / "x")).at("model").size());
         }},
        {"Classes", 500, 1,
         [](std::size_t n, const fs::path& folder) {
             put(folder / "x.txt", parts("", n, "\n", "\n",
                                         [](std::size_t i) { return fmt::format("class {}", i); }));
         },
         [](std::size_t n, const fs::path& folder) {
             const ClassList classes = read_class_list(folder / "x.txt");
             std::size_t found = 0;
             for (std::size_t c = 0; c < n; ++c)
                 found += classes.find(fmt::format("class {}", c)) ? 1 : 0;
             all_read(n, found);
         }},
        {"ItemsWithAttributes", 500, 1, make_items,
         [](std::size_t n, const fs::path& folder) {
             all_read(n, read_items_csv(folder / "x.csv").ids.size());
         }},
        {"CocoAnnotations", 300, 1.5, make_coco, read_boxes<parse_coco>},
        {"Selections", 1500, 0.3, make_selections,
         [](std::size_t n, const fs::path& folder) {
             replication::StudyNames names;
             const replication::Selections set =
                 replication::read_selections(folder / "x.csv", names);
             all_read(n, set.rows.size());
         }},
        {"PublishedResults", 50, 2,
         [](std::size_t n, const fs::path& folder) {
             put(folder / "x", parts("model,top1_v1,top1_v2\n", n, "\n", "\n", [](std::size_t i) {
                     return fmt::format("net{},0.{},0.{}", i, 700 + i % 200, 600 + i % 200);
                 }));
         },
         [](std::size_t n, const fs::path& folder) {
             all_read(
                 n,
                 parse_gap_table(read_text(folder / "x"), "x", TableUnit::automatic).rows.size());
         }},
    };
    return cases;
}

}  // namespace assay
