"""A typed client for the PDF Service. It needs nothing but Python."""

from ._files import FileInput
from ._jobs import JobHandle
from ._results import FileResult, JsonResult
from ._service import PdfService
from ._types import ErrorCode, Job, StoredFile
from .errors import FieldIssue, PdfServiceError
from .webhooks import WebhookVerificationError, verify_webhook

__all__ = [
    "ErrorCode",
    "FieldIssue",
    "FileInput",
    "FileResult",
    "Job",
    "JobHandle",
    "JsonResult",
    "PdfService",
    "PdfServiceError",
    "StoredFile",
    "WebhookVerificationError",
    "verify_webhook",
]
