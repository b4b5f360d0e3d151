"""Pins this build's signature in src/spielwerk/signature.json; every other build must then have the same.

A change of a part has to be meant: it says that rules, searches, pictures, observations or networks became others.
"""

import json

from spielwerk.signature import PINNED, signature


def main() -> None:
    found = signature()
    if found.missing:
        raise SystemExit(f"a signature is pinned whole; missing: {found.missing}")
    PINNED.write_text(json.dumps(found.parts, indent=1) + "\n")


if __name__ == "__main__":
    main()
