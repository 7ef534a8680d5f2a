"""A mail server with STARTTLS that defers the first attempt at each recipient, as greylisting does.

Arguments: port, certificate, key, the folder into which mails are written, the seconds of greylisting, the largest mail in bytes, and a word
that no mail may have.
"""

import asyncio
import ssl
import sys
import time
import uuid
from pathlib import Path

from aiosmtpd.smtp import SMTP

port, certificate, key, folder, grey_seconds, size, refused = sys.argv[1:]
seen = {}


class Handler:
    async def handle_RCPT(self, server, session, envelope, address, options):
        if session.ssl is None:
            return "530 5.7.0 Must issue a STARTTLS command first"
        if address.startswith("unknown@"):
            return "550 5.1.1 No such user here"
        if address.startswith("grey@") or time.monotonic() - seen.setdefault(address, time.monotonic()) < float(grey_seconds):
            return "451 4.7.1 Greylisting in action, please come back later"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        if refused.encode() in envelope.content:
            return "554 5.7.1 Message refused"
        Path(folder, f"{uuid.uuid4()}.eml").write_bytes(envelope.content)
        return "250 Message accepted for delivery"


async def main():
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate, key)
    loop = asyncio.get_running_loop()
    usual = {"hostname": "localhost", "tls_context": tls, "require_starttls": True, "enable_SMTPUTF8": True}
    new = lambda: SMTP(Handler(), data_size_limit=int(size), **usual)
    server = await loop.create_server(new, "127.0.0.1", int(port))
    await server.serve_forever()


asyncio.run(main())
