assay_test(serve
    SOURCES serve/http_test.cpp serve/parts_test.cpp serve/requests_test.cpp serve/images_test.cpp serve/server_test.cpp
        serve/report_server_test.cpp
    LINKS assay_serve assay_labelling assay_mad assay_image nlohmann_json::nlohmann_json Threads::Threads
    # The address sanitizer keeps freed memory for a while.
    UNSANITIZED Http.MemoryIsFlatOverHostileRequests)
