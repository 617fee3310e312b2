"""A typed client for the PDF service. It needs nothing but Python."""

from ._files import FileInput
from ._generated import ErrorCode, Job, StoredFile
from ._results import FileResult, JobHandle, JsonResult
from ._service import PdfService
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
