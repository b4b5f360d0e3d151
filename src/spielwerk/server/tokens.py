"""Unguessable names and tokens; of a token only its hash is ever stored."""

from __future__ import annotations

import hashlib
import hmac
import secrets

# Letters and digits that are not mistaken for each other when read aloud.
_ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"
_ID_LENGTH = 14  # 69 bits

TOKEN_BYTES = 32


def new_id() -> str:
    """The name of a table: whoever knows it may watch."""
    return "".join(secrets.choice(_ALPHABET) for _ in range(_ID_LENGTH))


def new_token() -> str:
    """Whoever knows it acts for a seat."""
    return secrets.token_urlsafe(TOKEN_BYTES)


def new_seed() -> int:
    """What a game begins from where its start is drawn."""
    return secrets.randbits(63)


def new_dice_key() -> str:
    """The secret that a table's dice come from: however many of them are known, the next one is not."""
    return secrets.token_hex(32)


def hash_of(token: str) -> str:
    """What is stored of a token. It is random enough that a plain hash cannot be turned round."""
    return hashlib.sha256(token.encode()).hexdigest()


def matches(token: str, stored: str | None) -> bool:
    """Whether a token is the one stored, in time that tells nothing about it."""
    return stored is not None and hmac.compare_digest(hash_of(token), stored)
