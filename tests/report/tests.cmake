assay_test(report
    SOURCES report/cells_test.cpp report/joined_table_test.cpp report/text_test.cpp report/formats_test.cpp report/gates_test.cpp report/log_test.cpp report/interval_sides_test.cpp
    LINKS assay_report assay_core pugixml::pugixml)
assay_test(report_document
    SOURCES report/document_test.cpp report/best_test.cpp report/items_test.cpp report/found_slices_test.cpp report/page_test.cpp report/inputs_test.cpp report/competition_test.cpp
    LINKS assay_report assay_core ZLIB::ZLIB Threads::Threads)
set(svg "")
if(ASSAY_CAIRO)  # reference for Assay's own SVG
    set(svg report/draw_svg_test.cpp)
endif()
assay_test(report_draw
    SOURCES report/draw_test.cpp ${svg} report/plots_test.cpp report/distance_tree_test.cpp report/confusion_matrix_test.cpp
    LINKS assay_report assay_core)
