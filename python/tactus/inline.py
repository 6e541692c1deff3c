"""Replays inside notebooks."""

from __future__ import annotations

import html
import os
import tempfile
from pathlib import Path
from typing import Union

from ._tactus import InputError
from .arrays import whole_number
from .recordings import Recorder


class InlineReplay:
    """A page that notebooks show in a frame. page: its HTML, which needs no network."""

    def __init__(self, page: str, height: int):
        self.page, self.height = page, height

    def _repr_html_(self) -> str:
        return (f'<iframe srcdoc="{html.escape(self.page)}" style="width: 100%; height: {self.height}px; border: 0">'
                "</iframe>")

    def __repr__(self) -> str:
        return f"<tactus.InlineReplay: {len(self.page) / 1e6:.1f} MB>"


def show(source: Union[Recorder, str, "os.PathLike[str]"], height: int = 480) -> InlineReplay:
    """A replay inside a notebook, when it is the last value of a cell.

        recorder = tactus.Recorder(data, replay=True)
        ...
        tactus.show(recorder)

    source: a Recorder with replay=True, a file that it or `tactus run --html` wrote, or the page itself, such as render()
    of our Gymnasium environments gives. height: of the frame [pixels].
    """
    pixels = whole_number("height", height, 50, 10000)
    if isinstance(source, Recorder):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "replay.html"
            source.write_html(path)
            return InlineReplay(path.read_text(encoding="utf-8"), pixels)
    if isinstance(source, str) and source.lstrip()[:1] == "<":
        return InlineReplay(source, pixels)
    if not isinstance(source, (str, os.PathLike)):
        raise InputError(f"source: is {type(source).__name__} (expected: a Recorder, a page or its path)")
    try:
        return InlineReplay(Path(source).read_text(encoding="utf-8"), pixels)
    except (OSError, ValueError) as error:
        raise InputError(f"source: cannot be read: {error} (expected: a Recorder, a page or its path)") from None
