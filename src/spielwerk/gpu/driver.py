"""As much of NVIDIA's driver as is needed to run kernels, through ctypes: no toolkit, no PyTorch."""

from __future__ import annotations

import ctypes
import sys
from ctypes import POINTER, byref, c_char_p, c_int, c_size_t, c_uint, c_uint64, c_void_p
from functools import cache
from typing import Any

WARP = 32  # threads that run in step
THREADS_PER_BLOCK = 128  # at most
_MULTIPROCESSOR_COUNT = 16  # as the driver numbers what it tells of a GPU


class GpuError(RuntimeError):
    """The GPU, or what is needed to use it, is not there or refused."""


@cache
def _driver() -> ctypes.CDLL:
    name = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
    try:
        library = ctypes.CDLL(name)
    except OSError:
        raise GpuError(f'device="cuda" needs an NVIDIA GPU and its driver; {name} was not found') from None
    _check(library, "cuInit", 0)
    return library


def _check(library: ctypes.CDLL, function: str, *arguments: Any) -> None:
    code = getattr(library, function)(*arguments)
    if code:
        text = c_char_p()
        library.cuGetErrorString(code, byref(text))
        said = text.value.decode() if text.value else f"error {code}"
        raise GpuError(f"the GPU's driver refused {function}: {said}")


def call(function: str, *arguments: Any) -> None:
    """Calls a function of the driver; GpuError says what it refused."""
    _check(_driver(), function, *arguments)


@cache
def device_count() -> int:
    """How many GPUs there are."""
    count = c_int()
    call("cuDeviceGetCount", byref(count))
    return count.value


class Device:
    """One GPU, by its number, in the context that PyTorch and other libraries use as well."""

    def __init__(self, ordinal: int = 0) -> None:
        if not 0 <= ordinal < device_count():
            raise GpuError(f'there is no device "cuda:{ordinal}"; this machine has {device_count()}')
        self.ordinal = ordinal
        device, self._context = c_int(), c_void_p()
        call("cuDeviceGet", byref(device), ordinal)
        call("cuDevicePrimaryCtxRetain", byref(self._context), device)
        multiprocessors = c_int()
        call("cuDeviceGetAttribute", byref(multiprocessors), _MULTIPROCESSOR_COUNT, device)
        self.multiprocessors = multiprocessors.value

    def make_current(self) -> None:
        """Every thread has to say which GPU it means."""
        call("cuCtxSetCurrent", self._context)


class Memory:
    """Bytes on a GPU, zero at first, given back with the object."""

    def __init__(self, device: Device, size: int) -> None:
        self.device, self.size = device, size
        address = c_uint64()
        device.make_current()
        call("cuMemAlloc_v2", byref(address), c_size_t(max(size, 1)))
        self.address = address.value
        call("cuMemsetD8_v2", c_uint64(self.address), 0, c_size_t(max(size, 1)))

    def write(self, content: bytes, offset: int = 0) -> None:
        """Copies from the host; waits until it is done."""
        self.device.make_current()
        call("cuMemcpyHtoD_v2", c_uint64(self.address + offset), content, c_size_t(len(content)))
        call("cuCtxSynchronize")  # the bytes may still be on their way, and not every stream would wait for them

    def read(self, size: int, offset: int = 0) -> bytes:
        """Copies to the host; waits until all that was begun on the GPU is done."""
        self.device.make_current()
        content = ctypes.create_string_buffer(size)
        call("cuCtxSynchronize")
        call("cuMemcpyDtoH_v2", content, c_uint64(self.address + offset), c_size_t(size))
        return content.raw

    def __del__(self) -> None:
        if hasattr(self, "address") and not sys.is_finalizing():
            self.device.make_current()
            _driver().cuMemFree_v2(c_uint64(self.address))


class Module:
    """Kernels from PTX, finished by the driver for the GPU at hand."""

    def __init__(self, device: Device, ptx: bytes) -> None:
        self._device = device
        self._module = c_void_p()
        self._kernels: dict[str, c_void_p] = {}
        device.make_current()
        call("cuModuleLoadData", byref(self._module), ptx + b"\0")

    def kernel(self, name: str) -> c_void_p:
        """A kernel by its name."""
        if name not in self._kernels:
            function = c_void_p()
            call("cuModuleGetFunction", byref(function), self._module, name.encode())
            self._kernels[name] = function
        return self._kernels[name]


def blocks_and_threads(warps: int, multiprocessors: int) -> tuple[int, int]:
    """How many blocks, and threads of each. A block stays on one multiprocessor, so few warps make small blocks."""
    warps_a_block = min(-(-warps // multiprocessors), THREADS_PER_BLOCK // WARP)
    return -(-warps // warps_a_block), WARP * warps_a_block


def launch(device: Device, kernel: c_void_p, warps: int, arguments: ctypes.Array[c_uint64], stream: int) -> None:
    """Runs a kernel with at least so many warps on a stream; does not wait for it."""
    blocks, threads = blocks_and_threads(warps, device.multiprocessors)
    parameters = (c_void_p * 1)(ctypes.addressof(arguments))
    one = c_uint(1)
    call(
        "cuLaunchKernel",
        kernel,
        c_uint(blocks), one, one,
        c_uint(threads), one, one,
        c_uint(0),
        c_void_p(stream),
        ctypes.cast(parameters, POINTER(c_void_p)),
        None,
    )  # fmt: skip
