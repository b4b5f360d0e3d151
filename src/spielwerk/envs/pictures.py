"""The render modes every environment has."""

import importlib
import sys
from typing import Any

from gymnasium import logger

from spielwerk.envs.spaces import Planes
from spielwerk.games import State
from spielwerk.render import rgb_of

RENDER_MODES = ("ansi", "human", "rgb_array", "svg")
FRAMES_PER_SECOND = 2


def checked_mode(mode: str | None) -> str | None:
    """The mode, if there is such a one."""
    if mode is not None and mode not in RENDER_MODES:
        raise ValueError(f"render_mode must be None or one of {', '.join(RENDER_MODES)}, not {mode!r}")
    return mode


def picture(state: State, mode: str | None) -> str | Planes | None:
    """The position as text, as SVG text or as uint8 [height, width, 3]; `human` shows it at once."""
    match mode:
        case "ansi":
            return str(state)
        case "svg":
            return state.svg()
        case "rgb_array":
            return rgb_of(state)
        case "human":
            _show(state)
        case _:
            logger.warn(f"render() draws nothing without a render_mode; there are: {', '.join(RENDER_MODES)}")
    return None


def _show(state: State) -> None:
    notebook = _notebook_display()
    if notebook:
        notebook(state)
    else:
        print(state, end="\n\n", flush=True)


def _notebook_display() -> Any:
    """IPython's `display` inside a notebook, where it can show pictures; None anywhere else."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    if shell is None or not hasattr(shell, "kernel"):
        return None
    return importlib.import_module("IPython.display").display
