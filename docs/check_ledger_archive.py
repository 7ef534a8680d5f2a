#!/usr/bin/env python3
"""Checks an archive of Kinora's ledger: python3 check_ledger_archive.py ARCHIVE [FINGERPRINT]

Needs Python 3.8 or newer and the openssl command, version 3 or newer; none of Kinora's code. The format is described in
ledger-archive.md. Exit code 0: all is as it was signed.
"""
import hashlib, json, os, subprocess, sys, tarfile, tempfile


def fail(reason):
    sys.exit(f"NOT VALID: {reason}")


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def openssl(*arguments):
    return subprocess.run(["openssl", *arguments], capture_output=True)


archive = tarfile.open(sys.argv[1])
read = lambda name: archive.extractfile(name).read()
manifest = json.loads(read("manifest.json"))

with tempfile.TemporaryDirectory() as folder:
    for name in ("manifest.json", "manifest.sig", "public-key.pem"):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(read(name))
    text, signature, key = (os.path.join(folder, n) for n in ("manifest.json", "manifest.sig", "public-key.pem"))
    if openssl("pkeyutl", "-verify", "-pubin", "-inkey", key, "-rawin", "-in", text, "-sigfile", signature).returncode:
        fail("the signature is not right")
    fingerprint = sha256(openssl("pkey", "-pubin", "-in", key, "-outform", "DER").stdout)
if len(sys.argv) > 2 and sys.argv[2] != fingerprint:
    fail(f"it was signed with another key: {fingerprint}")

for name, told in manifest["files"].items():
    digest, size = hashlib.sha256(), 0
    with archive.extractfile(name) as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            digest.update(block)
            size += len(block)
    if digest.hexdigest() != told["sha256"] or size != told["bytes"]:
        fail(f"{name} is not the file that was signed")

last = {}
for number, line in enumerate(archive.extractfile("events.jsonl"), 1):
    event = json.loads(line)
    revision, before = last.get(event["stream"], (-1, sha256(event["stream"].encode())))
    linked = event["meta"].get("previousHash")
    if linked is None and event["stream"].startswith("videoTask-"):  # written before tasks were chained
        linked = before
    if event["revision"] != revision + 1 or linked != before:
        fail(f"line {number}: {event['stream']} revision {event['revision']} does not follow revision {revision}")
    last[event["stream"]] = (event["revision"], sha256(line.rstrip(b"\n")))
heads = {h["stream"]: (h["revision"], h["hash"]) for h in map(json.loads, archive.extractfile("heads.jsonl"))}
if heads != last:
    fail("the heads are not those of the events")
print(f"VALID: {manifest['files']['events.jsonl']['lines']} events, {len(heads)} streams, {manifest['createdAt']},")
print(f"{manifest['deviations']} deviations when it was written, signed with the key {fingerprint}")
