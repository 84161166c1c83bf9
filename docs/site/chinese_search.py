"""Search for Chinese: runs of characters are indexed and looked up as pairs of characters.

Sphinx's own splitter indexes words of a dictionary but looks up the whole query, so that a
compound such as 信息增益 is found only if the dictionary has it. Pairs need no dictionary, and
index and query are split alike: 信息增益 becomes 信息, 息增, 增益, and a page must have all three.
"""

from __future__ import annotations

import re
from typing import Any

from sphinx.search import languages
from sphinx.search.en import SearchEnglish

RUN = re.compile(r"[\u3400-\u9fff]+|[^\W\u3400-\u9fff]+")

SPLIT_QUERY = r"""
function splitQuery(query) {
  const words = [];
  for (const [run] of query.matchAll(/[\u3400-\u9fff]+|[a-zA-Z0-9_\u00c0-\u024f]+/g)) {
    if (!/[\u3400-\u9fff]/.test(run)) { words.push(run); continue; }
    if (run.length === 1) words.push(run);
    for (let i = 0; i + 1 < run.length; i += 1) words.push(run.slice(i, i + 2));
  }
  return words;
}
"""


class SearchChinese(SearchEnglish):
    """English words as usual, Chinese characters alone and in pairs."""

    lang = "zh"
    language_name = "English"  # of the stemmer
    js_splitter_code = SPLIT_QUERY

    def split(self, input: str) -> list[str]:  # noqa: A002 - Sphinx's name
        """Return the words of a text as they are indexed."""
        words = []
        for run in RUN.findall(input):
            if "\u3400" <= run[0] <= "\u9fff":
                words += run
                words += [run[i : i + 2] for i in range(len(run) - 1)]
            else:
                words.append(run)
        return words


def setup(_app: Any) -> dict[str, bool]:
    """Put the class in the place of Sphinx's."""
    languages["zh"] = SearchChinese
    return {"parallel_read_safe": True, "parallel_write_safe": True}
