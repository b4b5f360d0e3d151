"""What Windows lacks is not asked for when modules load, so that only what needs it fails there."""

import subprocess
import sys

PROGRAM = """
import importlib, pkgutil, sys
sys.modules.update(dict.fromkeys(["fcntl", "termios", "tty", "resource", "pwd", "grp"]))
import spielwerk
for module in pkgutil.walk_packages(spielwerk.__path__, "spielwerk."):
    if ".adapters." in module.name or module.name.endswith(("__main__", ".env")) or ".migrations." in module.name:
        continue
    if module.name.startswith("spielwerk._core.") or ".agents.engines.guard" in module.name:
        continue
    importlib.import_module(module.name)
print("all")
"""


def test_modules_load_without_what_only_unix_has() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=300)
    assert done.stdout == "all\n", done.stderr
