"""Write a source text as an email file; its header lines name the files to attach."""

from email.message import EmailMessage
from email.policy import SMTP
from pathlib import PurePath

MEDIA_TYPES = {".pdf": ("application", "pdf"), ".csv": ("text", "csv")}


def render(source: str, *, attachments: dict[str, bytes]) -> bytes:
    """Return the EML of a source text with its attachments in the order in which it names them."""
    head, _, body = source.partition("\n\n")
    headers = [line.split(": ", 1) for line in head.splitlines()]
    message = EmailMessage(policy=SMTP)
    for name, value in headers:
        if name != "Attachment":
            message[name] = value
    message.set_content(body)
    for name, value in headers:
        if name == "Attachment":
            maintype, subtype = MEDIA_TYPES[PurePath(value).suffix]
            message.add_attachment(
                attachments[value], maintype=maintype, subtype=subtype, filename=value
            )
    message.set_boundary("quillfen-example-boundary")
    return message.as_bytes()
