"""Replays inside notebooks."""

from pathlib import Path

import pytest

import tactus
from conftest import BALL


def test_pages_and_files_are_shown(tmp_path):
    page = '<html><body title="a &amp; b">\'x\'</body></html>'
    (tmp_path / "page.html").write_text(page)
    for source in (page, tmp_path / "page.html", str(tmp_path / "page.html")):
        frame = tactus.show(source, height=300)._repr_html_()
        assert "height: 300px" in frame and "&lt;html&gt;&lt;body title=&quot;a &amp;amp; b&quot;" in frame
        assert "<body" not in frame


def test_a_recorder_is_shown():
    if not (Path(tactus.__file__).parent / "data" / "viewer" / "replay.js").exists():
        pytest.skip("the viewer of replays was not bundled (npm)")
    model = tactus.loads(BALL)
    data = model.make_data()
    recorder = tactus.Recorder(data, replay=True)
    tactus.step(model, data)
    recorder.append()
    assert len(tactus.show(recorder).page) > 10000


@pytest.mark.parametrize("source, message", [(3, "source: is int"), ("missing.html", "cannot be read")])
def test_what_cannot_be_shown(source, message):
    with pytest.raises(tactus.InputError, match=message):
        tactus.show(source)
    with pytest.raises(tactus.InputError, match="height: is 3"):
        tactus.show("<html>", height=3)
