"""A mail server with STARTTLS that defers the first attempt at each recipient, as greylisting does.

Arguments: port, certificate, key, and the folder into which mails are written.
"""

import asyncio
import ssl
import sys
import time
import uuid
from pathlib import Path

from aiosmtpd.smtp import SMTP

port, certificate, key, folder = sys.argv[1:]
GREY_SECONDS = 3
seen = {}


class Handler:
    async def handle_RCPT(self, server, session, envelope, address, options):
        if session.ssl is None:
            return "530 5.7.0 Must issue a STARTTLS command first"
        if time.monotonic() - seen.setdefault(address, time.monotonic()) < GREY_SECONDS:
            return "451 4.7.1 Greylisting in action, please come back later"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        Path(folder, f"{uuid.uuid4()}.eml").write_bytes(envelope.content)
        return "250 Message accepted for delivery"


async def main():
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate, key)
    loop = asyncio.get_running_loop()
    new = lambda: SMTP(Handler(), hostname="localhost", tls_context=tls, require_starttls=True, enable_SMTPUTF8=True)
    server = await loop.create_server(new, "127.0.0.1", int(port))
    await server.serve_forever()


asyncio.run(main())
