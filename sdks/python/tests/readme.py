"""Runs the examples of README.md, one after the other, against the service of ACUSE_URL."""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path

readme = (Path(__file__).parents[1] / "README.md").read_text("utf-8")
blocks = re.findall(r"^(<!-- not run[^\n]*\n)?```python\n(.*?)^```", readme, re.M | re.S)
names: dict[str, object] = {"__name__": "readme"}
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for skipped, block in blocks:
        if not skipped:
            exec(compile(block, "README.md", "exec"), names)
    os.chdir("/")
print(f"readme: {sum(not skipped for skipped, _ in blocks)} examples ran")
