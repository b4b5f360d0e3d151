"""Where a server is reached from other machines."""

from __future__ import annotations

import ipaddress
import socket
from contextlib import suppress

from spielwerk.server.settings import LOOPBACK_HOSTS, Settings

EVERYWHERE = ("0.0.0.0", "::")
# For documentation (RFC 5737): choosing the way to it names our own address, and nothing is sent.
_ANY_OTHER_MACHINE = ("192.0.2.1", 9)


def addresses_for_others(settings: Settings) -> list[str]:
    """URLs for people at other machines, the likeliest first; none where only this machine is listened to."""
    if settings.host in LOOPBACK_HOSTS:
        return []
    hosts = machine_addresses() if settings.host in EVERYWHERE else [settings.host]
    return [address_of(host, settings.port) for host in hosts]


def address_of(host: str, port: int) -> str:
    """The URL of a host's page."""
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def machine_addresses() -> list[str]:
    """This machine's IPv4 addresses in its networks, that of the way out first."""
    found: list[str] = []
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(_ANY_OTHER_MACHINE)
        found.append(probe.getsockname()[0])
    with suppress(OSError):
        found += socket.gethostbyname_ex(socket.gethostname())[2]
    return [host for host in dict.fromkeys(found) if not ipaddress.ip_address(host).is_loopback]
