"""Results in a notebook: tables and plots in one piece of HTML, without scripts or further files."""
import re
import unittest
import xml.etree.ElementTree

import numpy as np

import assay
from assay import _pages
from common import InFolder, made

IDS = re.compile(r'\bid="([^"]+)"')
REFERENCES = re.compile(r'(?:href="#|url\(#)([^")]+)')


class Pages(InFolder):
    def plots_of(self, page):
        """Checks that a page is well-formed and loads nothing. Returns its plots."""
        xml.etree.ElementTree.fromstring(f"<page>{page}</page>")
        for word in ("<script", "<?xml", "onload", "<img", "<iframe", "<link"):
            self.assertNotIn(word, page)
        for address in re.findall(r'(?:href|src)="([^"]*)"', page):
            self.assertTrue(address.startswith("#"), address)
        return re.findall(r'<svg [^>]*aria-label="([^"]*)"', page)

    def test_a_report_has_its_metrics_and_plots(self):
        scores, labels = made(500)
        report = assay.score(scores, labels, model="net", dataset="val")
        page = report._repr_html_()
        self.assertEqual(self.plots_of(page), ["accuracy by confidence", "labels by predictions, as counts"])
        for m in report.measurements:
            self.assertIn(m.definition, page)
        self.assertIn(f"{100 * report['top1']:.1f} %", page)
        self.assertIn("95 % CI", page)
        self.assertIn("net on val", page)
        self.assertEqual(page, assay.score(scores, labels, model="net", dataset="val")._repr_html_())

    def test_names_are_texts(self):
        scores, labels = made(100)
        hostile = ['<script>alert("1")</script>', "a & b", 'x" onload="y', 'id="b" href="#c"', "d", "e", "f"]
        page = assay.score(scores, labels, classes=hostile, model="<b>", dataset='"&')._repr_html_()
        self.assertNotIn("<b>", page)
        self.assertEqual(len(self.plots_of(page.replace("onload", ""))), 2)

    def test_two_plots_have_no_name_in_common(self):
        scores, labels = made(300)
        one, other = (assay.score(scores, labels, classes=[f"{word} {i}" for i in range(7)])._repr_html_() for word in ("one", "other"))
        pictures = [text for page in (one, other) for text in re.findall("<svg.*?</svg>", page, re.S)]
        self.assertEqual(len(pictures), 4)
        for picture in pictures:
            self.assertLessEqual(set(REFERENCES.findall(picture)), set(IDS.findall(picture)))
        matrices = [set(IDS.findall(picture)) for picture in pictures[1::2]]
        self.assertFalse(matrices[0] & matrices[1])

    def test_several_models(self):
        scores, labels = made(300)
        page = assay.score({"a": scores, "b": scores * 2}, labels, "top1,nll")._repr_html_()
        self.assertEqual(self.plots_of(page), ["each model with its interval", "accuracy by confidence"])
        page = assay.compare(scores, {"b": scores * 2}, labels, "nll,ece")._repr_html_()
        self.assertEqual(self.plots_of(page), ["differences to the baseline"])

    def test_what_a_result_cannot_have_is_omitted(self):
        scores, labels = made(300)
        page = assay.score(scores.argmax(1), labels, num_classes=7)._repr_html_()
        self.assertEqual(self.plots_of(page), ["labels by predictions, as counts"])
        page = assay.score(scores, None, "confidence")._repr_html_()
        self.assertEqual(self.plots_of(page), [])
        self.assertIn("<table>", page)
        changed = assay.score(scores, labels, "top1")
        scores[:100] = 0
        self.assertEqual(self.plots_of(changed._repr_html_()), [])

    def test_many_scores_are_not_read_again_for_a_page(self):
        scores, labels = made(300)
        before, _pages._MOST_SCORES = _pages._MOST_SCORES, 300 * 7 - 1
        try:
            self.assertEqual(self.plots_of(assay.score(scores, labels, "top1")._repr_html_()), [])
            kept = assay.score(scores, labels, "top1", per_class=True, confusions=True, reliability=True)
            self.assertEqual(len(self.plots_of(kept._repr_html_())), 2)
        finally:
            _pages._MOST_SCORES = before

    def test_subgroups_warnings_and_gates(self):
        scores, labels = made(300)
        report = assay.score(scores, labels, "top1", groups=np.arange(300) % 2, gates=["top1 > 0.999"])
        page = report._repr_html_()
        self.plots_of(page)
        self.assertIn("group=1", page)
        self.assertIn("top1 &gt; 0.999: fails", page)


if __name__ == "__main__":
    unittest.main()
