#include "report/described_report.h"

#include "assay/describe_result.h"

namespace assay {

ResultType result_type(ResultOf<SourcedResult>) {
    static constexpr auto rows = describe_result<SourcedResult>(
        {.name = "SourcedResult", .help = "A saved result of a command"},
        {
            part<&SourcedResult::source>({.help = "Its source: a folder or a file"}),
            part<&SourcedResult::result>({.script = "Result"}),
        });
    return rows;
}

ResultType result_type(ResultOf<ColumnBest::Untested>) {
    static constexpr auto rows = describe_result<ColumnBest::Untested>(
        {.name = "UntestedModel"},
        {part<&ColumnBest::Untested::model>({}), part<&ColumnBest::Untested::why>({})});
    return rows;
}

ResultType result_type(ResultOf<ColumnBest>) {
    static constexpr auto rows = describe_result<ColumnBest>(
        {.name = "ColumnBest",
         .help = "The best model by a metric on a data set, and the models that are not "
                 "significantly worse"},
        {
            part<&ColumnBest::dataset>({}),
            part<&ColumnBest::metric>({}),
            part<&ColumnBest::definition>({}),
            part<&ColumnBest::parameters>({.omitted = true}),
            part<&ColumnBest::best>({.help = "A model"}),
            part<&ColumnBest::alike>(
                {.help = "Models that are not significantly worse (paired test)"}),
            part<&ColumnBest::untested>(
                {.help = "Models that could not be compared with the best one, and why"}),
            part<&ColumnBest::level>({}),
        });
    return rows;
}

ResultType result_type(ResultOf<MetricDefinition>) {
    static constexpr auto rows = describe_result<MetricDefinition>(
        {.name = "MetricDefinition", .help = "Name of a metric in the results"},
        {
            part<&MetricDefinition::definition>({.help = "Id of the exact definition"}),
            part<&MetricDefinition::metric>({}),
            part<&MetricDefinition::name>({}),
            part<&MetricDefinition::meaning>({}),
            part<&MetricDefinition::source>({.omitted = true}),
        });
    return rows;
}

ResultType result_type(ResultOf<ItemClass>) {
    static constexpr auto rows = describe_result<ItemClass>(
        {.name = "ItemClass"}, {
                                   part<&ItemClass::cls>({.name = "class"}),
                                   part<&ItemClass::id>({}),
                                   part<&ItemClass::name>({}),
                               });
    return rows;
}

ResultType result_type(ResultOf<ItemPrediction>) {
    static constexpr auto rows = describe_result<ItemPrediction>(
        {.name = "ItemPrediction", .help = "One class that a model predicts for an image"},
        {
            part<&ItemPrediction::cls>({.inlined = true}),
            part<&ItemPrediction::rank>({.help = "From 1"}),
            part<&ItemPrediction::probability>({.omitted = true}),
            part<&ItemPrediction::correct>({}),
        });
    return rows;
}

ResultType result_type(ResultOf<ItemModel>) {
    static constexpr auto rows = describe_result<ItemModel>(
        {.name = "ItemModel"},
        {
            part<&ItemModel::name>({}),
            part<&ItemModel::predictions>({.help = "Best first", .omitted = true}),
            part<&ItemModel::not_scored>({.help = "Why there are no predictions", .omitted = true}),
        });
    return rows;
}

ResultType result_type(ResultOf<ReportItem>) {
    static constexpr auto rows = describe_result<ReportItem>(
        {.name = "ReportItem", .help = "An image that comparisons or confusions refer to"},
        {
            part<&ReportItem::dataset>({}),
            part<&ReportItem::id>({}),
            part<&ReportItem::item>({.help = "Its row"}),
            part<&ReportItem::labels>({}),
            part<&ReportItem::models>({}),
        });
    return rows;
}

ResultType result_type(ResultOf<ReportTags>) {
    static constexpr auto rows = describe_result<ReportTags>(
        {.name = "ReportTags", .help = "What a csv file says about models"},
        {
            part<&ReportTags::names>({.help = "Of the columns"}),
            part<&ReportTags::models>({.help = "Values of the csv, by model and column"}),
        });
    return rows;
}

ResultType result_type(ResultOf<StoreProvenance>) {
    static constexpr auto rows = describe_result<StoreProvenance>(
        {.name = "StoreProvenance", .help = "Provenance of a store, from its manifest"},
        {
            part<&StoreProvenance::store>({}),
            part<&StoreProvenance::model>({}),
            part<&StoreProvenance::dataset>({}),
            part<&StoreProvenance::model_hash>({}),
            part<&StoreProvenance::dataset_id>({}),
            part<&StoreProvenance::rows>({}),
            part<&StoreProvenance::missing>({.help = "Shards"}),
            part<&StoreProvenance::classes>({}),
            part<&StoreProvenance::kind>({.help = "Of the scores"}),
            part<&StoreProvenance::storage>({}),
            part<&StoreProvenance::preprocess_hash>({.omitted = true}),
            part<&StoreProvenance::command>({.omitted = true}),
            part<&StoreProvenance::versions>({.omitted = true}),
            part<&StoreProvenance::commit>({.omitted = true}),
            part<&StoreProvenance::device>({.omitted = true}),
            part<&StoreProvenance::processor>({.omitted = true}),
        });
    return rows;
}

ResultType result_type(ResultOf<FileProvenance>) {
    static constexpr auto rows = describe_result<FileProvenance>(
        {.name = "FileProvenance"}, {
                                        part<&FileProvenance::file>({}),
                                        part<&FileProvenance::hash>({}),
                                        part<&FileProvenance::schema>({.help = "`csv` of tables"}),
                                    });
    return rows;
}

ResultType result_type(ResultOf<PlacedThumbnail>) {
    static constexpr auto rows = describe_result<PlacedThumbnail>(
        {.name = "Thumbnail"},
        {
            part<&PlacedThumbnail::dataset>({.help = "Folder of the competition, for its images"}),
            part<&PlacedThumbnail::id>({}),
            part<&PlacedThumbnail::width>({}),
            part<&PlacedThumbnail::height>({}),
            part<&PlacedThumbnail::source>(
                {.help = "A `data:` address, or a path relative to the page"}),
        });
    return rows;
}

ResultType result_type(ResultOf<ReportParts>) {
    static constexpr auto rows = describe_result<ReportParts>(
        {.name = "ReportDocument",
         .help = "The document behind a report",
         .schema = "assay.report/1"},
        {
            part<&ReportParts::assay>({.help = "The program's version"}),
            part<&ReportParts::title>({}),
            part<&ReportParts::results>({}),
            part<&ReportParts::best>({}),
            part<&ReportParts::definitions>({}),
            part<&ReportParts::tags>({}),
            part<&ReportParts::items>({}),
            part<&ReportParts::thumbnails>({}),
            part<&ReportParts::command>({.group = "provenance"}),
            part<&ReportParts::stores>({.group = "provenance"}),
            part<&ReportParts::files>({.group = "provenance"}),
            part<&ReportParts::warnings>({}),
            part<&ReportParts::left_out>(
                {.help = "What the report omits, and why: whole sentences"}),
        });
    return rows;
}

ResultType result_type(ResultOf<ReportFolderMark>) {
    static constexpr ResultFacts facts = {.name = "ReportFolderMark",
                                          .help = "`report.json` of a report that is a folder",
                                          .schema = "assay.report_folder/1"};
    return {facts, {}};
}

}  // namespace assay
