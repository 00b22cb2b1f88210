"""The examples of docs/tutorial-python.md run, one after another."""
import os
import re
from pathlib import Path


def test_tutorial(monkeypatch, tmp_path, capsys):
    source = Path(os.environ["SOA_SOURCE"])
    text = (source / "docs" / "tutorial-python.md").read_text()
    (tmp_path / "build").mkdir()
    (tmp_path / "examples").symlink_to(source / "examples")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", text, re.S)
    assert len(blocks) > 6
    names = {}
    for block in blocks:
        exec(compile(block, "tutorial-python.md", "exec"), names)
    assert "not finite" in capsys.readouterr().out
