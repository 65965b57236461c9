assay_fuzz(serve_request serve_request.cpp DICTIONARY serve LINKS assay_serve)
