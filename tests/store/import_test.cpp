// Saved predictions in every format become the same store.
#include "assay/store/import.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "containers/npy.h"
#include "made_up.h"
#include "scratch.h"

namespace assay {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::filesystem::path fixtures =
    std::filesystem::path(ASSAY_SOURCE_DIR) / "tests/store/fixtures";

ImportOptions named(const std::string& dataset = "val") {
    ImportOptions options;
    options.dataset_name = dataset;
    options.model_name = "net";
    options.shard_rows = 8;
    options.threads = 2;
    return options;
}

std::vector<float> all_rows(const PredictionStore& store) {
    std::vector<float> out;
    for (std::size_t s = 0; s < store.shards(); ++s) {
        const PredictionStore::Shard shard = store.shard(s);
        std::vector<float> rows(std::size_t{shard.rows} * store.classes());
        shard.read_rows(0, shard.rows, rows);
        out.insert(out.end(), rows.begin(), rows.end());
    }
    return out;
}

TEST(Import, EveryFormatGivesTheSameScores) {
    struct Case {
        const char* file;
        const char* array;
        float factor;
        StorageFormat storage;
    };
    for (const Case& c :
         std::vector<Case>{{"c_f2.npy", "", 1, StorageFormat::full_f16},
                           {"c_f4.npy", "", 1, StorageFormat::full_f32},
                           {"c_f8.npy", "", 1, StorageFormat::full_f32},
                           {"fortran_f2.npy", "", 1, StorageFormat::full_f16},
                           {"fortran_f4.npy", "", 1, StorageFormat::full_f32},
                           {"fortran_f8.npy", "", 1, StorageFormat::full_f32},
                           {"one.npz", "", 1, StorageFormat::full_f32},
                           {"one.npz", "logits", 1, StorageFormat::full_f32},
                           {"packed.npz", "", 1, StorageFormat::full_f32},
                           {"two.npz", "first", 1, StorageFormat::full_f32},
                           {"two.npz", "second", 0.5F, StorageFormat::full_f32},
                           {"F16.safetensors", "", 1, StorageFormat::full_f16},
                           {"BF16.safetensors", "logits", 1, StorageFormat::full_f32},
                           {"F32.safetensors", "", 1, StorageFormat::full_f32},
                           {"F64.safetensors", "", 1, StorageFormat::full_f32},
                           {"matrix.csv", "", 1, StorageFormat::full_f32},
                           {"savetxt.csv", "", 1, StorageFormat::full_f32},
                           {"matrix.jsonl", "", 1, StorageFormat::full_f32}}) {
        SCOPED_TRACE(std::string(c.file) + " " + c.array);
        const Scratch scratch;
        ImportOptions options = named();
        options.array = c.array;
        options.columns.label = no_column;  // `targets` of one.npz has the numbers 0 to 29
        const ImportReport report =
            import_predictions(fixtures / c.file, scratch / "runs", options);
        EXPECT_EQ(report.rows, 30U);
        EXPECT_EQ(report.classes, 7U);
        EXPECT_EQ(report.kind, ScoreKind::logits);
        EXPECT_EQ(report.storage, c.storage);
        EXPECT_EQ(report.bad_rows, 0U);
        const PredictionStore store = PredictionStore::open(report.store);
        EXPECT_TRUE(store.complete());
        std::vector<float> expected = made_up_scores(0, 30, 7);
        for (float& s : expected) s *= c.factor;
        EXPECT_EQ(all_rows(store), expected);
        const bool has_ids = std::string(c.file).starts_with("matrix");
        EXPECT_EQ(store.dataset().ids[3], has_ids ? "item00003" : "3");
        EXPECT_TRUE(verify_store(report.store).empty());
    }
}

TEST(Import, ThreadsAndRepeatingChangeNothing) {
    const Scratch one;
    const Scratch four;
    ImportOptions options = named();
    options.threads = 1;
    import_predictions(fixtures / "fortran_f8.npy", one.path(), options);
    options.threads = 4;
    for (int repeat = 0; repeat < 2; ++repeat) {
        import_predictions(fixtures / "fortran_f8.npy", four.path(), options);
        EXPECT_EQ(all_files(one.path()), all_files(four.path()));
    }
    // Another array under the same name is refused, because it is another model.
    EXPECT_THAT(
        error_of([&] { import_predictions(fixtures / "c_f8.npy", four.path(), options); }).second,
        HasSubstr("the file of scores was `fortran_f8.npy` and is now `c_f8.npy`"));
}

TEST(Import, AMissingFileIsReportedBeforeAMissingName) {
    const Scratch scratch;
    const auto missing = error_of(
        [&] { import_predictions(scratch / "missing.npy", scratch / "runs", ImportOptions{}); });
    EXPECT_EQ(missing.first, ErrorCode::bad_input);
    EXPECT_THAT(missing.second, testing::HasSubstr("missing.npy"));
}

TEST(Import, WhichArrayMustBeClear) {
    const Scratch scratch;
    ImportOptions options = named();
    const auto refusal = [&](const char* file) {
        return error_of([&] { import_predictions(fixtures / file, scratch.path(), options); })
            .second;
    };
    EXPECT_THAT(refusal("two.npz"), AllOf(HasSubstr("2 arrays could be the scores"),
                                          HasSubstr("--array"), HasSubstr("`first` (30, 7) <f4")));
    options.array = "fist";
    EXPECT_THAT(refusal("two.npz"), HasSubstr("did you mean `first`?"));
    options.array = "targets";
    EXPECT_THAT(refusal("one.npz"), HasSubstr("pass the number of classes"));
    options.class_count = 7;
    EXPECT_THAT(refusal("one.npz"), AllOf(HasSubstr("class 7 is not among the 7 classes"),
                                          HasSubstr("array `targets`")));
    options.class_count = 0;
    options.array = "labels";
    EXPECT_THAT(refusal("F32.safetensors"), HasSubstr("of type I64"));
}

// Checkpoints have many tensors, and a header may consist only of tensor entries.
TEST(Import, TwoHundredThousandTensors) {
    const Scratch scratch;
    constexpr std::uint64_t tensors = 200'000;
    std::string header = R"({"logits":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]})";
    for (std::uint64_t i = 0; i < tensors; ++i)
        header += fmt::format(R"(,"t{}":{{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})", i);
    header += '}';
    const std::uint64_t length = header.size();
    const float scores[] = {1, 2, 3, 3, 2, 1};
    std::string text(reinterpret_cast<const char*>(&length), sizeof length);
    text += header;
    text.append(reinterpret_cast<const char*>(scores), sizeof scores);
    put_text(scratch / "many.safetensors", text);
    const ImportReport report =
        import_predictions(scratch / "many.safetensors", scratch / "runs", named());
    EXPECT_EQ(all_rows(PredictionStore::open(report.store)),
              std::vector<float>(std::begin(scores), std::end(scores)));
    EXPECT_THAT(report.notes, Contains("199980 more arrays are not used"));
    EXPECT_LT(report.notes.size(), 30U);
}

/// A .npy file of these rows.
std::filesystem::path npy_of(const Scratch& scratch, const std::vector<std::vector<float>>& rows) {
    const std::uint64_t shape[] = {rows.size(), rows.at(0).size()};
    std::string text = npy_header("<f4", shape);
    for (const auto& row : rows)
        text.append(reinterpret_cast<const char*>(row.data()), row.size() * sizeof(float));
    put_text(scratch / "scores.npy", text);
    return scratch / "scores.npy";
}

std::vector<std::vector<float>> probability_rows(std::size_t n, bool logs) {
    std::vector<std::vector<float>> rows;
    for (std::size_t r = 0; r < n; ++r) {
        const std::vector<float> scores = made_up_scores(r, 1, 7);
        double sum = 0;
        for (const float s : scores) sum += std::exp(static_cast<double>(s) / 8);
        auto& row = rows.emplace_back();
        for (const float s : scores) {
            const double p = std::exp(static_cast<double>(s) / 8) / sum;
            row.push_back(static_cast<float>(logs ? std::log(p) : p));
        }
    }
    return rows;
}

TEST(Import, KindsAreFoundOut) {
    for (const bool logs : {false, true}) {
        const Scratch scratch;
        const ImportReport report = import_predictions(npy_of(scratch, probability_rows(20, logs)),
                                                       scratch / "runs", named());
        EXPECT_EQ(report.kind, logs ? ScoreKind::log_probabilities : ScoreKind::probabilities);
        EXPECT_THAT(report.notes,
                    Contains(HasSubstr(logs ? "are log_probabilities" : "are probabilities")));
        EXPECT_EQ(PredictionStore::open(report.store).spec().kind, report.kind);
    }
}

TEST(Import, AWrongStatementIsRefusedUnlessForced) {
    const Scratch scratch;
    const auto probabilities = npy_of(scratch, probability_rows(20, false));
    ImportOptions options = named();
    options.kind = ScoreKind::logits;
    const auto [code, message] =
        error_of([&] { import_predictions(probabilities, scratch / "runs", options); });
    EXPECT_EQ(code, ErrorCode::bad_input);
    EXPECT_THAT(message,
                AllOf(HasSubstr("--kind says logits"), HasSubstr("softmax would be applied twice"),
                      HasSubstr("--kind"), HasSubstr("--force")));
    options.kind = ScoreKind::log_probabilities;
    EXPECT_THAT(
        error_of([&] { import_predictions(probabilities, scratch / "runs", options); }).second,
        HasSubstr("row 0 has a score of 0."));
    options.kind = ScoreKind::logits;
    options.force = true;
    const ImportReport report = import_predictions(probabilities, scratch / "runs", options);
    EXPECT_EQ(report.kind, ScoreKind::logits);
    EXPECT_THAT(report.notes, Contains(HasSubstr("using logits, although")));

    options = named("logits");
    options.kind = ScoreKind::probabilities;
    EXPECT_THAT(error_of([&] {
                    import_predictions(fixtures / "c_f4.npy", scratch / "runs", options);
                }).second,
                HasSubstr("row 0 has scores from"));
    // Softmax does not change log-probabilities, so they may be declared as logits.
    options = named("logs");
    options.kind = ScoreKind::logits;
    const ImportReport logs =
        import_predictions(npy_of(scratch, probability_rows(20, true)), scratch / "runs", options);
    EXPECT_EQ(logs.kind, ScoreKind::logits);
    EXPECT_THAT(logs.notes, Contains(HasSubstr("softmax leaves them")));
}

TEST(Import, UnclearKindsMustBeSaid) {
    const Scratch scratch;
    const auto refusal = [&](const std::vector<std::vector<float>>& rows) {
        return error_of(
                   [&] { import_predictions(npy_of(scratch, rows), scratch / "runs", named()); })
            .second;
    };
    EXPECT_THAT(refusal({{0.9F, 0.8F}, {0.1F, 0.9F}}),
                AllOf(HasSubstr("row 0 sums to 1.7"), HasSubstr("sigmoid"),
                      HasSubstr("--kind probabilities --force"), HasSubstr("--kind logits")));
    std::vector<std::vector<float>> rows = probability_rows(20, false);
    rows[17][0] += 1;
    EXPECT_THAT(refusal(rows), HasSubstr("19 of 20 rows are probabilities, but row 17"));
    EXPECT_THAT(refusal({{std::nanf(""), 1}}), HasSubstr("no row has only finite scores"));
    // Sigmoid outputs may be declared as logits, because nothing contradicts it.
    ImportOptions options = named();
    options.kind = ScoreKind::logits;
    EXPECT_EQ(
        import_predictions(npy_of(scratch, {{0.9F, 0.8F}, {0.1F, 0.9F}}), scratch / "runs", options)
            .kind,
        ScoreKind::logits);
}

TEST(Import, RowsThatAreNotFiniteAreFacts) {
    const Scratch scratch;
    std::vector<std::vector<float>> rows(20, {1, -2, 3});
    rows[4][1] = std::numeric_limits<float>::infinity();
    rows[19][0] = std::nanf("");
    const ImportReport report =
        import_predictions(npy_of(scratch, rows), scratch / "runs", named());
    EXPECT_EQ(report.bad_rows, 2U);
    EXPECT_EQ(report.first_error, "4: the score of class 1 is inf");
    const PredictionStore store = PredictionStore::open(report.store);
    EXPECT_EQ(store.shard(0).states()[4], RowState::not_finite);
    EXPECT_EQ(store.shard(2).states()[3], RowState::not_finite);
}

TEST(Import, IdsAndLabelsComeFromAList) {
    const Scratch scratch;
    std::string csv = "filename,label\n";
    std::string text;
    for (int r = 0; r < 30; ++r) {
        csv += fmt::format("dir/{:03}.jpg,{}\n", r, r % 7);
        text += fmt::format("dir/{:03}.jpg\n", r);
    }
    put_text(scratch / "list.csv", csv);
    put_text(scratch / "list.txt", text);
    ImportOptions options = named("");
    options.ids = scratch / "list.csv";
    const PredictionStore labelled = PredictionStore::open(
        import_predictions(fixtures / "c_f4.npy", scratch / "runs", options).store);
    EXPECT_EQ(labelled.spec().dataset_name, "list");
    EXPECT_EQ(labelled.dataset().ids[29], "dir/029.jpg");
    EXPECT_EQ(labelled.dataset().single_label(29), 1);
    options.ids = scratch / "list.txt";
    options.model_name = "second";
    const PredictionStore plain = PredictionStore::open(
        import_predictions(fixtures / "c_f2.npy", scratch / "runs", options).store);
    EXPECT_EQ(plain.spec().ids_hash, labelled.spec().ids_hash);
    EXPECT_EQ(plain.dataset().single_label(29), 1);  // the labels of the data set are kept

    const auto refusal = [&](const std::string& list, const char* file) {
        put_text(scratch / "other.txt", list);
        options.ids = scratch / "other.txt";
        return error_of([&] { import_predictions(fixtures / file, scratch / "runs", options); })
            .second;
    };
    EXPECT_THAT(refusal("a\nb\n", "c_f4.npy"), HasSubstr("has 2 ids, the scores have 30 rows"));
    EXPECT_THAT(refusal("a\n\nb\n", "c_f4.npy"), HasSubstr("line 2 is empty"));
    std::string twice = text;
    twice.replace(twice.find("dir/004"), 7, "dir/003");
    EXPECT_THAT(refusal(twice, "c_f4.npy"),
                HasSubstr("the id `dir/003.jpg` of row 4 is also the id of row 3"));
    EXPECT_THAT(
        refusal(text, "matrix.csv"),
        HasSubstr("30 of the 30 items of `other.txt` have no row among the 30 of the scores"));
    options.ids.clear();
    EXPECT_THAT(
        error_of([&] {
            import_predictions(fixtures / "c_f4.npy", scratch / "runs", options);
        }).second,
        AllOf(HasSubstr("unknown data set"), HasSubstr("--dataset-name"), HasSubstr("--items")));
}

// The three ways in which timm's inference script writes the best classes of each image, and a long
// table.
constexpr const char* top_k_tables[] = {
    "filename,index,label,prob\n"
    "a.jpg,\"[3 1]\",\"['c3' 'c1']\",\"[0.5  0.25]\"\n"
    "b.jpg,\"[0 6]\",\"['c0' 'c6']\",\"[0.75\n 0.125]\"\n",
    "filename,index_0,index_1,label_0,label_1,prob_0,prob_1\n"
    "a.jpg,3,1,c3,c1,0.5,0.25\n"
    "b.jpg,0,6,c0,c6,0.75,0.125\n",
    "filename,label,prob\n"
    "a.jpg,c1,0.25\n"
    "a.jpg,c3,0.5\n"
    "b.jpg,c0,0.75\n"
    "b.jpg,c6,0.125\n",
    "{\"filename\": \"a.jpg\", \"index\": [3, 1], \"prob\": [0.5, 0.25]}\n"
    "{\"filename\": \"b.jpg\", \"label\": [\"c0\", \"c6\"], \"prob\": [0.75, 0.125]}\n",
    "{\"id\": \"a.jpg\", \"index\": 1, \"prob\": 0.25}\n{\"id\": \"a.jpg\", \"index\": 3, "
    "\"prob\": 0.5}\n"
    "{\"id\": \"b.jpg\", \"index\": 6, \"prob\": 0.125}\n{\"id\": \"b.jpg\", \"label\": \"c0\", "
    "\"prob\": 0.75}\n"};

TEST(Import, TopKTables) {
    for (const char* table : top_k_tables) {
        SCOPED_TRACE(table);
        const Scratch scratch;
        const auto file = scratch / (table[0] == '{' ? "top.jsonl" : "top.csv");
        put_text(file, table);
        ImportOptions options = named();
        options.classes = made_up_dataset(1).classes;
        const ImportReport report = import_predictions(file, scratch / "runs", options);
        EXPECT_EQ(report.kind, ScoreKind::probabilities);
        EXPECT_EQ(report.storage, StorageFormat::top_k);
        EXPECT_EQ(report.top_k, 2U);
        EXPECT_EQ(report.classes, 7U);
        const PredictionStore store = PredictionStore::open(report.store);
        EXPECT_EQ(store.dataset().ids[1], "b.jpg");
        double lse = 7;
        const PredictionStore::Shard shard = store.shard(0);
        const std::span<const TopEntry> a = shard.top(0, lse);
        EXPECT_EQ(lse, 0.0);
        EXPECT_EQ(a[0].cls, 3);
        EXPECT_EQ(a[0].score, 0.5F);
        EXPECT_EQ(a[1].cls, 1);
        EXPECT_EQ(shard.top(1, lse)[1].cls, 6);
        EXPECT_EQ(shard.top(1, lse)[1].score, 0.125F);

        options.storage = StorageFormat::label;
        options.model_name = "labels";
        const PredictionStore labels =
            PredictionStore::open(import_predictions(file, scratch / "runs", options).store);
        EXPECT_EQ(labels.shard(0).top(1, lse)[0].cls, 0);
        EXPECT_EQ(lse, 0.75);
        options.storage = StorageFormat::full_f32;
        EXPECT_THAT(error_of([&] { import_predictions(file, scratch / "runs", options); }).second,
                    HasSubstr("best 2 of 7"));
    }
}

TEST(Import, TablesAreCheckedRowByRow) {
    const Scratch scratch;
    ImportOptions options = named();
    options.class_count = 7;
    const auto refusal = [&](const std::string& table, const char* file = "t.csv") {
        put_text(scratch / file, table);
        return error_of([&] { import_predictions(scratch / file, scratch / "runs", options); })
            .second;
    };
    EXPECT_THAT(refusal("filename,index,prob\na,7,0.5\n"),
                AllOf(HasSubstr("class 7 is not among the 7 classes"), HasSubstr("t.csv line 2")));
    EXPECT_THAT(refusal("filename,index,prob\na,1,0.5\na,1,0.2\nb,1,1\n"),
                HasSubstr("class 1 appears twice"));
    EXPECT_THAT(refusal("filename,index,prob\na,1,0.5\na,2,0.2\nb,1,1\n"),
                HasSubstr("1 entries, but the rows before have 2"));
    EXPECT_THAT(refusal("filename,index,prob\na,1,half\n"), HasSubstr("`half` is not a number"));
    EXPECT_THAT(refusal("filename,index,prob\na,1,0.5\nb,1,0.5\na,1,0.5\n"),
                HasSubstr("`a` of row 2 is also the id of row 0"));
    EXPECT_THAT(refusal("index,prob\n1,0.5\n"), HasSubstr("needs a column filename"));
    EXPECT_THAT(refusal("filename,index,prob\na,\"[1 2 ... 6]\",\"[1 2 ... 3]\"\n"),
                HasSubstr("shortened"));
    EXPECT_THAT(refusal("filename,index,prob\na,\"[1 2]\",\"[0.5]\"\n"),
                HasSubstr("2 classes for 1 scores"));
    EXPECT_THAT(refusal("filename,index,prob\n"), HasSubstr("no rows"));
    EXPECT_THAT(refusal("filename,label,prob\na,cat,0.5\n"),
                HasSubstr("`cat` is not a class; a list of classes is needed"));
    EXPECT_THAT(
        refusal("filename,index,prob\na,1,0.9\na,2,0.8\n"),
        AllOf(HasSubstr("column's name says probabilities"), HasSubstr("row 0 sums to 1.7")));
    EXPECT_THAT(refusal("filename,index,logit\na,1,9\na,2,8\n"),
                HasSubstr("cannot give probabilities"));
    EXPECT_THAT(refusal("a,b,c\n1,2\n"), HasSubstr("line 2"));
    EXPECT_THAT(refusal("id,c0,c1\na,1,x\n"),
                AllOf(HasSubstr("`x` is not a number"), HasSubstr("t.csv line 2")));
    EXPECT_THAT(refusal("c0,c1,c2\n1,x,2\n"), HasSubstr("`x` is not a number"));
    EXPECT_THAT(refusal("id,cat,dog,split\na,1,2,val\n"),
                HasSubstr("the column `split` holds `val`, which is not a number; if it holds no "
                          "scores, pass --ignore-columns 'split'"));
    EXPECT_THAT(
        refusal("{\"id\": 1, \"scores\": [1, 2]}\n{\"id\": 2, \"scores\": [1]}\n", "t.jsonl"),
        AllOf(HasSubstr("1 scores, but the rows before have 2"), HasSubstr("t.jsonl line 2")));
    EXPECT_THAT(refusal("{\"id\": 1}\n", "t.jsonl"), HasSubstr("no key for scores"));
    EXPECT_THAT(refusal("{\"id\": 1, \"scores\": [1, Nan]}\n", "t.jsonl"),
                HasSubstr("damaged JSON"));
    EXPECT_THAT(refusal("{\"id\": 1, \"scores\": [1, \"2\"]}\n", "t.jsonl"),
                HasSubstr("`scores[1]` is \"2\"; allowed: a number"));
    EXPECT_THAT(refusal("{\"id\": 1, \"scores\": [1, 2]}\n{\"scores\": [1, 3]}\n", "t.jsonl"),
                HasSubstr("others have none"));
    EXPECT_THAT(refusal("[1]\n", "t.jsonl"), HasSubstr("the line is [1]; allowed: an object"));
    EXPECT_THAT(refusal("x", "t.orc"), HasSubstr("known: .npy .npz"));
    EXPECT_THAT(refusal("id,c0,c1\na,1,2\n"), HasSubstr("7 classes were given, the scores have 2"));
    options.class_count = 0;
    EXPECT_THAT(refusal("filename,index,prob\na,1,0.5\n"), HasSubstr("pass the number of classes"));
}

TEST(Import, ColumnsMayStandInAnyOrder) {
    const Scratch scratch;
    // The classes are sorted as text, as in some tools: c0, c1, c10, c2, ...
    put_text(scratch / "t.csv",
             "id,label,c0,c1,c10,c2,c3,c4,c5,c6,c7,c8,c9\n"
             "a,5,0,1,10,2,3,4,5,6,7,8,9\nb,5,,1,10,2,3,4,5,6,7,8,-1e-400\n");
    const ImportReport report = import_predictions(scratch / "t.csv", scratch / "runs", named());
    const PredictionStore store = PredictionStore::open(report.store);
    EXPECT_EQ(report.bad_rows, 1U);  // an empty cell is NaN
    std::vector<float> row(11);
    store.shard(0).read_rows(0, 1, row);
    for (std::size_t c = 0; c < 11; ++c) EXPECT_EQ(row[c], static_cast<float>(c));
    // Names that are not numbers are class names.
    put_text(scratch / "n.csv", "image,cat,dog\na,1,2\nb,3,-4\n");
    const ImportReport other =
        import_predictions(scratch / "n.csv", scratch / "runs", named("pets"));
    const PredictionStore pets = PredictionStore::open(other.store);
    EXPECT_THAT(pets.dataset().classes.ids(), ElementsAre("cat", "dog"));
    ImportOptions options = named("more");
    options.classes = ClassList({"dog", "cat"});
    // The user's list says which class has which number.
    const PredictionStore listed = PredictionStore::open(
        import_predictions(scratch / "n.csv", scratch / "runs", options).store);
    EXPECT_THAT(listed.dataset().classes.ids(), ElementsAre("dog", "cat"));
    row.resize(2);
    listed.shard(0).read_rows(1, 1, row);
    EXPECT_THAT(row, ElementsAre(-4, 3));
    options.classes = ClassList({"dog", "cat", "cow"});
    EXPECT_THAT(
        error_of([&] { import_predictions(scratch / "n.csv", scratch / "runs", options); }).second,
        HasSubstr("the list has 3 classes, the scores have 2"));
}

TEST(Import, DamagedFilesAreNamed) {
    const Scratch scratch;
    for (const char* name : {"c_f4.npy", "one.npz", "packed.npz", "F32.safetensors"}) {
        const std::string whole = file_text(fixtures / name);
        ImportOptions options = named();
        for (std::size_t n = 0; n + 1 < whole.size(); n += whole.size() / 23) {
            put_text(scratch / name, whole.substr(0, n));
            const auto [code, message] =
                error_of([&] { import_predictions(scratch / name, scratch / "runs", options); });
            EXPECT_EQ(code, ErrorCode::bad_input) << name << " cut to " << n << ": " << message;
            EXPECT_THAT(message, HasSubstr(name));
        }
    }
    EXPECT_EQ(error_of([&] {
                  import_predictions(scratch / "gone.npy", scratch / "runs", named());
              }).first,
              ErrorCode::bad_input);
    // Empty arrays, arrays of three dimensions, and integers are refused.
    const auto refusal = [&](const std::string& descr, std::vector<std::uint64_t> shape,
                             std::size_t bytes) {
        put_text(scratch / "x.npy", npy_header(descr, shape) + std::string(bytes, '\0'));
        return error_of([&] { import_predictions(scratch / "x.npy", scratch / "runs", named()); })
            .second;
    };
    EXPECT_THAT(refusal("<f4", {0}, 0), HasSubstr("rows x classes"));
    EXPECT_THAT(refusal("<f4", {1, 1, 2, 3}, 24), HasSubstr("rows x classes"));
    EXPECT_THAT(refusal("<f4", {1, 2, 3}, 24),
                HasSubstr("1 x 2 x 3, items x views x classes. Import each view by --view 1 to "
                          "--view 2"));
    // One score per row is accepted (import_one_column_test.cpp), or a class.
    EXPECT_THAT(refusal("<f4", {6}, 24), HasSubstr("all are whole numbers"));
    EXPECT_THAT(refusal("<f4", {0, 6}, 0), HasSubstr("it is 0 x 6"));
    EXPECT_THAT(refusal("<i4", {2, 3}, 24), HasSubstr("must be floats"));
}

TEST(Import, SafetensorsHeadersAreNotTrusted) {
    const Scratch scratch;
    const auto refusal = [&](const std::string& header, std::size_t data) {
        std::string text(8, '\0');
        text[0] = static_cast<char>(header.size());
        put_text(scratch / "x.safetensors", text + header + std::string(data, '\0'));
        return error_of([&] {
                   import_predictions(scratch / "x.safetensors", scratch / "runs", named());
               })
            .second;
    };
    EXPECT_THAT(refusal(R"({"a":{"dtype":"F32","shape":[2,3],"data_offsets":[0,25]}})", 24),
                HasSubstr("not within the 24 bytes"));
    EXPECT_THAT(refusal(R"({"a":{"dtype":"F32","shape":[2,3],"data_offsets":[8,4]}})", 24),
                HasSubstr("bytes 8 to 4"));
    EXPECT_THAT(refusal(R"({"a":{"dtype":"F32","shape":[2,2],"data_offsets":[0,24]}})", 24),
                HasSubstr("takes 16 bytes"));
    EXPECT_THAT(
        refusal(R"({"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}})", 0),
        HasSubstr("64 bits"));
    EXPECT_THAT(refusal(R"({"a":{"dtype":"F32","shape":[2,-3],"data_offsets":[0,24]}})", 24),
                HasSubstr("`shape[1]` is -3; allowed: a whole number"));
    EXPECT_THAT(refusal(R"({"a":7})", 0), HasSubstr("its entry is 7; allowed: an object"));
    EXPECT_THAT(refusal("[]", 0), HasSubstr("object is expected"));
    EXPECT_THAT(refusal("{}", 0), HasSubstr("no array is a matrix"));
}

// The file and the items are the same, but the rows belong to other items. A store with half of
// each would be wrong.
TEST(Import, AnotherOrderOfTheRowsIsAnotherStore) {
    const Scratch scratch;
    put_text(scratch / "scores.csv", "cat,dog\n1,2\n3,4\n5,6\n");
    put_text(scratch / "one.txt", "a\nb\nc\n");
    put_text(scratch / "two.txt", "c\nb\na\n");
    ImportOptions options = named();
    options.kind = ScoreKind::logits;
    options.shard_rows = 1;
    const auto import_by = [&](const char* items) {
        options.ids = scratch / items;
        return import_predictions(scratch / "scores.csv", scratch / "runs", options);
    };
    import_by("one.txt");
    const std::filesystem::path store = scratch / "runs/val/net";
    EXPECT_THAT(all_rows(PredictionStore::open(store)), ElementsAre(1, 2, 3, 4, 5, 6));
    std::filesystem::remove(store / "shards/000000.json");  // the files are as after a kill
    EXPECT_THAT(error_of([&] { import_by("two.txt"); }).second,
                HasSubstr("the rows of the file now belong to different items,"));
    import_by("one.txt");
    options.model_name = "turned";
    import_by("two.txt");
    EXPECT_THAT(all_rows(PredictionStore::open(scratch / "runs/val/turned")),
                ElementsAre(5, 6, 3, 4, 1, 2));
}

}  // namespace
}  // namespace assay
