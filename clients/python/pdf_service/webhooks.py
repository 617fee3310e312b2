"""Webhooks (Standard Webhooks 1.0)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from typing import Any, Dict, Mapping, Optional, Union


class WebhookVerificationError(Exception):
    """The delivery was not sent by the service, or is not recent."""


def verify_webhook(
    body: Union[str, bytes],
    headers: Mapping[str, str],
    *,
    secret: str,
    tolerance_seconds: float = 300,
    now: Optional[float] = None,
) -> Dict[str, Any]:
    """
    Verifies a delivery and returns its event. `body` is the body of the request, unchanged. The same `id` can arrive more than once: it is
    the ID of the event.
    """
    given = {name.lower(): value for name, value in headers.items()}
    try:
        id, timestamp, signatures = (given[f"webhook-{name}"] for name in ("id", "timestamp", "signature"))
        sent_at = int(timestamp)
    except (KeyError, ValueError):
        raise WebhookVerificationError("The delivery has no valid webhook-id, webhook-timestamp, or webhook-signature.") from None
    if abs((time.time() if now is None else now) - sent_at) > tolerance_seconds:
        raise WebhookVerificationError("The delivery is too old or too new.")
    data = body.encode() if isinstance(body, str) else body
    key = base64.b64decode(secret[len("whsec_") :] if secret.startswith("whsec_") else secret)
    expected = hmac.new(key, f"{id}.{timestamp}.".encode() + data, hashlib.sha256).digest()
    for signature in signatures.split(" "):
        try:
            if signature.startswith("v1,") and hmac.compare_digest(base64.b64decode(signature[3:]), expected):
                return {"id": id, **json.loads(data)}
        except binascii.Error:
            continue
    raise WebhookVerificationError("The signature does not match the secret.")
