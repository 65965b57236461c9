assay_test(model_spec
    SOURCES model/model_spec_test.cpp
    LINKS assay_model)
assay_test(model_torch
    SOURCES model/torch_test.cpp
    LINKS assay_model)
