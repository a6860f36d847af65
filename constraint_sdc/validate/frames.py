"""Messages between the judge and its worker: a length, a JSON object, and bytes that come with it."""

from __future__ import annotations

import json
import struct
from typing import Any, BinaryIO, TypeAlias

Message: TypeAlias = dict[str, Any]

_HEAD = struct.Struct(">QQ")
HEAD_SIZE = _HEAD.size


def packed(message: Message, attachment: bytes = b"") -> tuple[bytes, bytes]:
    """Return the head with its JSON, and the attachment, ready to be written one after the other."""
    body = json.dumps(message).encode()
    return _HEAD.pack(len(body), len(attachment)) + body, attachment


def sizes(head: bytes) -> tuple[int, int]:
    """Return how many bytes of JSON and of attachment follow a head."""
    body, attachment = _HEAD.unpack(head)
    return body, attachment


def read_message(stream: BinaryIO) -> tuple[Message, bytes] | None:
    """Read one message, or None when the other side has closed."""
    head = stream.read(HEAD_SIZE)
    if len(head) < HEAD_SIZE:
        return None
    length, extra = sizes(head)
    body, attachment = stream.read(length), stream.read(extra)
    if len(body) < length or len(attachment) < extra:
        return None
    message: Message = json.loads(body)
    return message, attachment


def write_message(stream: BinaryIO, message: Message, attachment: bytes = b"") -> None:
    """Write one message and flush it."""
    head, attachment = packed(message, attachment)
    stream.write(head)
    stream.write(attachment)
    stream.flush()
