assay_fuzz(boxes_voc boxes_voc.cpp LINKS assay_patchml)
assay_fuzz(boxes_coco boxes_coco.cpp LINKS assay_patchml)
assay_fuzz(boxes_csv boxes_csv.cpp LINKS assay_patchml)
