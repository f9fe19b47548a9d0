"""Renders pages, a JSON list on standard input, with Python-Markdown and extensions that MkDocs
sites use, and fails on an element, attribute or address that could do something."""

import json
import sys
from html.parser import HTMLParser

try:
    import markdown
except ImportError:
    print("not installed")
    sys.exit()

EXTENSIONS = [
    [],
    ["toc", "tables", "fenced_code"],  # what MkDocs has without being asked
    ["extra", "sane_lists", "admonition"],  # extra: the two above, md_in_html, attr_list and more
]

ELEMENTS = set(
    "p blockquote pre code details summary h1 h2 h3 h4 h5 h6 ul ol li em strong a hr br table "
    "thead tbody tr th td div span dl dt dd".split()
)


def is_harmless(element, name, value):
    if name == "href":
        return element == "a" and not leads_elsewhere(value)
    if name == "style":
        return element in ("th", "td") and value.startswith("text-align: ")
    return name in ("class", "id", "title", "start")


def leads_elsewhere(address):
    scheme, colon, _ = (address or "").partition(":")
    return bool(colon) and scheme.lower() not in ("http", "https", "mailto")


class Judge(HTMLParser):
    def __init__(self):
        super().__init__()
        self.wrong = []
        self.folds = 0

    def handle_starttag(self, tag, attrs):
        self.folds += tag == "details"
        if tag not in ELEMENTS:
            self.wrong.append(self.get_starttag_text())
        self.wrong += [f"{tag} {name}={value}" for name, value in attrs
                       if not is_harmless(tag, name, value)]

    def handle_endtag(self, tag):
        self.folds -= tag == "details"
        if tag not in ELEMENTS or self.folds < 0:
            self.wrong.append(f"</{tag}>")

    def handle_comment(self, data):
        self.wrong.append(f"comment {data}")

    handle_decl = unknown_decl = handle_pi = handle_comment


def judged(html):
    judge = Judge()
    judge.feed(html)
    judge.close()
    return judge.wrong + (["open folds"] if judge.folds else [])


assert all(judged(bad) for bad in ("<script>", "<p onclick=x>", "<a href='javascript:x'>", "<!-- -->",
                                   "<details>", "</details>", "<img src=x>"))
assert not judged("<p><a href='https://e'>&lt;b></a></p><details></details>")

pages = json.load(sys.stdin)
for at, page in enumerate(pages):
    for extensions in EXTENSIONS:
        wrong = judged(markdown.markdown(page, extensions=extensions))
        if wrong:
            sys.exit(f"page {at} with {extensions}: {wrong[:9]}\n{page}")
print(f"{len(pages)} pages are harmless")
