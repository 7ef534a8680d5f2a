#!/usr/bin/env python3
"""Checks an archive of Kinora's ledger: python3 check_ledger_archive.py ARCHIVE [FINGERPRINT]

Needs Python 3.8 or newer and the openssl command, version 3 or newer; none of Kinora's code. The format is described in
ledger-archive.md. Exit code 0: all is as it was signed. 1: it is not. 2: it could not be checked.
"""
import hashlib, json, os, subprocess, sys, tarfile, tempfile


def fail(reason):
    sys.exit(f"NOT VALID: {reason}")


def stop(reason):
    print(reason, file=sys.stderr)
    sys.exit(2)


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def openssl(*arguments):
    return subprocess.run(["openssl", *arguments], capture_output=True)


def member(archive, name):
    try:
        return archive.extractfile(name)
    except KeyError:
        fail(f"it has no {name}")


def check_signature(archive, expected):
    with tempfile.TemporaryDirectory() as folder:
        for name in ("manifest.json", "manifest.sig", "public-key.pem"):
            with open(os.path.join(folder, name), "wb") as file:
                file.write(member(archive, name).read())
        text, signature, key = (os.path.join(folder, n) for n in ("manifest.json", "manifest.sig", "public-key.pem"))
        verify = ("pkeyutl", "-verify", "-pubin", "-inkey", key, "-rawin", "-in", text, "-sigfile", signature)
        if openssl(*verify).returncode:
            fail("the signature is not right")
        fingerprint = sha256(openssl("pkey", "-pubin", "-in", key, "-outform", "DER").stdout)
    if expected not in (None, fingerprint):
        fail(f"it was signed with another key: {fingerprint}")
    return fingerprint


def check_files(archive, files):
    for name, told in files.items():
        digest, size = hashlib.sha256(), 0
        with member(archive, name) as file:
            for block in iter(lambda: file.read(1 << 20), b""):
                digest.update(block)
                size += len(block)
        if digest.hexdigest() != told["sha256"] or size != told["bytes"]:
            fail(f"{name} is not the file that was signed")


def check_chains(archive):
    last = {}
    for number, line in enumerate(member(archive, "events.jsonl"), 1):
        event = json.loads(line)
        revision, before = last.get(event["stream"], (-1, sha256(event["stream"].encode())))
        linked = event["meta"].get("previousHash")
        if linked is None and event["stream"].startswith("videoTask-"):  # written before tasks were chained
            linked = before
        if event["revision"] != revision + 1 or linked != before:
            fail(f"line {number}: {event['stream']} revision {event['revision']} does not follow revision {revision}")
        last[event["stream"]] = (event["revision"], sha256(line.rstrip(b"\n")))
    heads = {h["stream"]: (h["revision"], h["hash"]) for h in map(json.loads, member(archive, "heads.jsonl"))}
    if heads != last:
        fail("the heads are not those of the events")
    return len(heads)


def main(name, expected=None):
    with tarfile.open(name) as archive:
        fingerprint = check_signature(archive, expected)
        manifest = json.loads(member(archive, "manifest.json").read())
        check_files(archive, manifest["files"])
        streams = check_chains(archive)
    print(f"VALID: {manifest['files']['events.jsonl']['lines']} events, {streams} streams, {manifest['createdAt']},")
    print(f"{manifest['deviations']} deviations when it was written, signed with the key {fingerprint}")


if len(sys.argv) not in (2, 3):
    stop("Usage: python3 check_ledger_archive.py ARCHIVE [FINGERPRINT]")
try:
    main(*sys.argv[1:])
except OSError as error:
    stop("The openssl command is missing." if error.filename == "openssl" else f"Cannot read {error.filename}: {error.strerror}")
except (tarfile.TarError, EOFError):
    fail("it is no complete tar archive")
except (AttributeError, KeyError, TypeError, ValueError):
    fail("it does not have the form that ledger-archive.md describes")
