// The page of a report: its contents, its safety for any text in the data, and how it is
// written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <set>

#include "assay/error.h"
#include "assay/report/page.h"
#include "core/file.h"
#include "core/paths.h"
#include "made_document.h"
#include "message_of.h"
#include "report/packed.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

std::string from_base64(const std::string& text) {
    const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    unsigned word = 0;
    int bits = 0;
    for (const char c : text) {
        if (c == '=') break;
        word = word << 6 | static_cast<unsigned>(digits.find(c));
        if ((bits += 6) < 8) continue;
        bits -= 8;
        out.push_back(static_cast<char>(word >> bits & 255));
    }
    return out;
}

std::string unzipped(const std::string& bytes) {
    z_stream stream{};
    EXPECT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
    std::string out(std::size_t{1} << 24, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(bytes.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
    out.resize(stream.total_out);
    inflateEnd(&stream);
    return out;
}

/// The text of the element that holds the document.
std::string packed_in(const std::string& page) {
    const std::string mark = R"(id="document">)";
    const std::size_t begin = page.find(mark) + mark.size();
    return page.substr(begin, page.find('<', begin) - begin);
}

ReportDocument small_document() {
    ReportDocument document;
    document.json = {{"schema", "assay.report/1"}, {"title", "small"}, {"results", json::array()}};
    for (int i = 0; i < 3; ++i) {
        Thumbnail one;
        one.dataset = "val";
        one.id = "p" + std::to_string(i) + ".png";
        one.width = one.height = 1;
        one.bytes = {0xff, 0xd8, static_cast<unsigned char>(i)};
        document.thumbnails.push_back(one);
    }
    return document;
}

TEST(Packed, Base64IsThatOfRfc4648) {
    const std::pair<const char*, const char*> known[] = {{"", ""},
                                                         {"f", "Zg=="},
                                                         {"fo", "Zm8="},
                                                         {"foo", "Zm9v"},
                                                         {"foob", "Zm9vYg=="},
                                                         {"fooba", "Zm9vYmE="},
                                                         {"foobar", "Zm9vYmFy"}};
    for (const auto& [bytes, text] : known) EXPECT_EQ(base64(std::string_view(bytes)), text);
    EXPECT_EQ(base64(std::string_view("\xff\xfe\xfd")), "//79");
}

TEST(Packed, GzipHasNoDate) {
    const std::string bytes = gzipped("the same");
    EXPECT_EQ(bytes.substr(4, 4), std::string(4, '\0'));
    EXPECT_EQ(unzipped(bytes), "the same");
    EXPECT_EQ(unzipped(gzipped("")), "");
}

TEST(Page, HoldsTheDocumentWhateverItsStringsAre) {
    json document = {{"schema", "assay.report/1"}};
    document["title"] = "</script><script>alert(1)</script><!-- ]]> \" ' & \xE2\x80\xAE";
    document["models"] = {"<img src=x onerror=alert(1)>", std::string(5000, 'x'), "__proto__",
                          "a\nb", std::string("\0", 1)};
    const std::string page = page_of(document);
    EXPECT_EQ(json::parse(unzipped(from_base64(packed_in(page)))), document);
    EXPECT_THAT(page, Not(HasSubstr("alert(1)")));
    EXPECT_THAT(page, HasSubstr("connect-src 'none'"));
    EXPECT_EQ(page, page_of(document));
}

TEST(Page, ReplacesBytesThatAreNoText) {
    const std::string page = page_of({{"title", "caf\xE9"}});
    EXPECT_EQ(json::parse(unzipped(from_base64(packed_in(page))))["title"], "caf\xEF\xBF\xBD");
}

TEST(LivePage, AsksItsOwnHostAlone) {
    const std::string page = live_page("/report?a=1&b=\"<x>");
    EXPECT_THAT(page, HasSubstr(R"(id="document" data-live="/report?a=1&amp;b=&quot;&lt;x&gt;">)"));
    EXPECT_THAT(page, HasSubstr("connect-src 'self'"));
    EXPECT_THAT(page, Not(HasSubstr("connect-src 'none'")));
}

TEST(WrittenReport, AFileHoldsItsThumbnails) {
    Scratch folder;
    write_report(small_document(), folder / "x.html");
    const json found = json::parse(unzipped(from_base64(packed_in(read_text(folder / "x.html")))));
    ASSERT_EQ(found["thumbnails"].size(), 3U);
    EXPECT_EQ(found["thumbnails"][1]["source"], "data:image/jpeg;base64,/9gB");
    EXPECT_EQ(found["thumbnails"][1]["id"], "p1.png");
}

std::set<std::string> names_in(const fs::path& folder) {
    std::set<std::string> names;
    for (const fs::path& entry : entries_of(folder)) names.insert(entry.filename().string());
    return names;
}

TEST(WrittenReport, AFolderHasThemBesideThePage) {
    Scratch folder;
    ReportDocument document = small_document();
    write_report(document, folder / "report/");
    EXPECT_EQ(names_in(folder.path()), std::set<std::string>{"report"});
    const json found =
        json::parse(unzipped(from_base64(packed_in(read_text(folder / "report/report.html")))));
    std::set<std::string> files;
    for (const json& one : found["thumbnails"]) {
        const std::string source = one["source"];
        EXPECT_TRUE(is_there(folder / "report" / source)) << source;
        files.insert(source.substr(source.find('/') + 1));
    }
    EXPECT_EQ(names_in(folder / "report/thumbnails"), files);

    // Another report in the same place removes all files of the first one, and keeps other files.
    write_file_atomically(folder / "report/thumbnails/mine.jpg", "x");
    document.thumbnails.resize(1);
    write_report(document, folder / "report");
    EXPECT_EQ(names_in(folder / "report/thumbnails").size(), 2U);
    EXPECT_TRUE(is_there(folder / "report/thumbnails/mine.jpg"));
}

TEST(WrittenReport, ALinkStaysAndWhatItLeadsToIsReplaced) {
    Scratch folder;
    ReportDocument document = small_document();
    write_report(document, folder / "x.html");
    fs::create_symlink("x.html", folder / "latest.html");
    document.json["title"] = "another";
    write_report(document, folder / "latest.html");
    EXPECT_TRUE(fs::is_symlink(folder / "latest.html"));
    EXPECT_EQ(read_text(folder / "x.html"), read_text(folder / "latest.html"));
    EXPECT_EQ(json::parse(unzipped(from_base64(packed_in(read_text(folder / "x.html")))))["title"],
              "another");
}

TEST(WrittenReport, WritesOverNothingElse) {
    Scratch folder;
    const ReportDocument document = small_document();
    write_file_atomically(folder / "x.html", "<!doctype html><title>My page</title>");
    EXPECT_THAT(message_of([&] { write_report(document, folder / "x.html"); }),
                HasSubstr("is not a report"));
    make_folders(folder / "things");
    write_file_atomically(folder / "things/report.json", "{\"schema\": 7}");
    EXPECT_THAT(message_of([&] { write_report(document, folder / "things"); }),
                HasSubstr("other files than a report"));
    EXPECT_EQ(names_in(folder / "things"), std::set<std::string>{"report.json"});
    EXPECT_THAT(message_of([&] { write_report(document, folder / "x.html" / "y.html"); },
                           ErrorCode::bad_input),
                HasSubstr("does not exist"));
    write_file_atomically(folder / "file", "x");
    EXPECT_THAT(message_of([&] { write_report(document, folder / "file"); }),
                HasSubstr("is a file"));
    make_folders(folder / "empty");
    write_report(document, folder / "empty");
    EXPECT_TRUE(is_there(folder / "empty/report.html"));
    save_models(folder, {"a"});
    EXPECT_THAT(message_of([&] { write_report(document, folder / "runs/val/a/x.html"); }),
                HasSubstr("inside"));
    write_report(document, folder / "y.html");
    write_report(document, folder / "y.html");  // the command recognizes its own files
}

}  // namespace
}  // namespace assay
