assay_fuzz(model_sidecar model_sidecar.cpp LINKS assay_model)
assay_fuzz(model_pt2 pt2.cpp LINKS assay_pt2)
