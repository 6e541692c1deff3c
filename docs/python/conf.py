"""Sphinx's settings for the API reference of the Python package: `make python-docs` builds it."""

import re

import tactus

project = "tactus"
author = "the tactus authors"
version = release = tactus.__version__
extensions = ["sphinx.ext.autodoc"]
html_theme = "alabaster"
html_theme_options = {"description": "A simulator for robots in contact", "fixed_sidebar": True, "page_width": "1080px"}
html_show_sphinx = False
html_show_copyright = False
default_role = "code"
nitpicky = False
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_mock_imports = ["stable_baselines3"]  # one adapter needs it, and nothing here runs it

_ENTRY = re.compile(r"^([A-Za-z][\w, ]*?(?: \[[^\]]*\])?(?: \(\w+\))?): (.*)$")


def _escape(text):
    """Plain text, in which `code` alone means something."""
    parts = text.split("`")
    for k in range(0, len(parts), 2):
        parts[k] = re.sub(r"([*|\\])|(?<=\w)(_)(?!\w)", lambda m: "\\" + m.group(0), parts[k])
    return "`".join(parts)


def _is_code(block):
    return all(line.startswith("    ") for line in block if line)


def _paragraph(block, first):
    """A paragraph of our docstrings as reStructuredText: code where it is indented, a list where it explains names."""
    if _is_code(block):
        return ["::", "", *block]
    if first or not _ENTRY.match(block[0]):
        return [_escape(line.strip()) for line in block]
    out = []
    for line in block:
        entry = _ENTRY.match(line)
        if entry and not line.startswith(" "):
            out.append(f"* **{_escape(entry.group(1))}**: {_escape(entry.group(2))}")
        else:
            out.append("  " + _escape(line.strip()))
    return out


def _docstring(app, what, name, obj, options, lines):
    """Docstrings are written to be read by help(): plain text with indented code."""
    blocks, block = [], []
    for line in [*lines, ""]:
        if line.strip():
            block.append(line)
        elif block:
            if blocks and _is_code(blocks[-1]) and _is_code(block):
                blocks[-1] += ["", *block]
            else:
                blocks.append(block)
            block = []
    lines[:] = [line for k, b in enumerate(blocks) for line in [*_paragraph(b, k == 0), ""]]


def setup(app):
    app.connect("autodoc-process-docstring", _docstring)
