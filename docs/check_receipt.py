"""Checks a receipt of Kinora with Python 3.8 and openssl 3, and nothing of Kinora. receipts.md describes the format.
--film: the delivered original, whose hash the receipt must contain. --head: a checkpoint that was kept outside (its last line
counts). --proof: answer of /api/v1/ledger/consistency for the sizes of that checkpoint and of the receipt's. --key: fingerprint
of the installation's key. Exit code 0: all is as it was signed. 1: it is not. 2: it could not be checked."""
import argparse, base64, hashlib, json, pathlib, subprocess, sys, tempfile

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
for option in ("receipt", "--film", "--head", "--proof", "--key"):
    parser.add_argument(option)

def fail(reason):
    sys.exit(f"NOT VALID: {reason}")

def check_signature(what, statement, signed, expected):
    with tempfile.TemporaryDirectory() as folder:
        text, signature, key = (pathlib.Path(folder, name) for name in ("text", "signature", "key.pem"))
        text.write_bytes(json.dumps(statement, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode())
        signature.write_bytes(base64.b64decode(signed["signature"]))
        key.write_text(signed["publicKey"])
        openssl = lambda *arguments: subprocess.run(["openssl", *arguments], capture_output=True)
        if openssl("pkeyutl", "-verify", "-pubin", "-inkey", key, "-rawin", "-in", text, "-sigfile", signature).returncode:
            fail(f"the signature of the {what} is not right: it was forged or changed")
        fingerprint = hashlib.sha256(openssl("pkey", "-pubin", "-in", key, "-outform", "DER").stdout).hexdigest()
    if expected not in (None, fingerprint):
        fail(f"the {what} was signed with another key: {fingerprint}")
    return fingerprint

def node(left, right):
    return hashlib.sha256(b"\1" + left + right).digest()

def root_of(leaf, index, size, path):
    """The root to which the path of a leaf leads (RFC 9162, 2.1.3); no root if the path has another length."""
    if size == 1 or not path:
        return leaf if size == 1 and not path else b""
    left = 1 << (size - 1).bit_length() - 1  # the largest power of two below the size (2.1.1)
    if index < left:
        return node(root_of(leaf, index, left, path[:-1]), path[-1])
    return node(path[-1], root_of(leaf, index - left, size - left, path[:-1]))

def roots_of(size, end, path, first):
    """The roots of `size` leaves and of all to which a consistency proof leads (2.1.4). The path omits `first`, if not None."""
    if size == end or not path:
        return ((path or [first])[0] if size == end else b"",) * 2
    left = 1 << (end - 1).bit_length() - 1
    if size <= left:
        begin, whole = roots_of(size, left, path[:-1], first)
        return begin, node(whole, path[-1])
    return tuple(node(path[-1], right) for right in roots_of(size - left, end - left, path[:-1], None))

def check_past(now, kept, proof, key):
    check_signature("kept checkpoint", kept["checkpoint"], kept, key)
    (size, first), (end, last) = sorted((tree["size"], bytes.fromhex(tree["root"])) for tree in (now, kept["checkpoint"]))
    if size != end and not proof:
        parser.error(f"--proof is missing: {now['installation']}/api/v1/ledger/consistency?from={size}&to={end}")
    if roots_of(size, end, list(map(bytes.fromhex, proof["path"])) if proof else [], first) != (first, last):
        fail("the past of the ledger was rewritten: it does not continue the kept checkpoint")

def check_event(task, event, proof, text, tree):
    leaf = hashlib.sha256(b"\0" + bytes.fromhex(event["hash"])).digest()
    if proof and root_of(leaf, proof["index"], tree["size"], list(map(bytes.fromhex, proof["path"]))).hex() != tree["root"]:
        fail(f"{event['type']} is not in the ledger of the checkpoint")
    said = json.loads(text) if text else None
    if said and (event["hash"], event["type"], task) != (
        hashlib.sha256(text.encode()).hexdigest(), said["type"], said["data"].get("taskId", said["data"].get("holdId"))):
        fail(f"the text of {event['type']} is not that of the event")

def check_film(film, task, events):
    if task.encode() not in film:
        fail("this is the receipt of another film")
    if b".kinora.receipt" in film and not any(event["hash"].encode() in film for event in events if event["type"] == "CreditsHeld"):
        fail("the film names another hold: the past of the ledger was rewritten, or the film is forged")
    if hashlib.sha256(film).hexdigest() not in [event["facts"].get("sha256") for event in events]:
        fail("the file is not the one that was delivered, byte for byte: it is a copy, or was changed")

try:
    options = parser.parse_args()
    read = lambda name: json.loads(pathlib.Path(name).read_text(encoding="utf-8").strip().splitlines()[-1]) if name else None
    document = json.loads(pathlib.Path(options.receipt).read_text(encoding="utf-8"))
    receipt, proofs, signed = document["receipt"], document["proofs"], document["checkpoint"]
    events, texts, checkpoint = receipt["events"], document.get("texts") or [None] * len(proofs), signed and signed["checkpoint"]
    if receipt["format"] != "kinora-receipt-1" or not len(events) == len(proofs) == len(texts):
        raise ValueError
    key = check_signature("receipt", receipt, document, options.key) if "signature" in document else options.key
    key = check_signature("checkpoint", checkpoint, signed, key) if signed else key
    for event, proof, text in zip(events, proofs, texts):
        check_event(receipt["task"], event, proof, text, checkpoint)
    ends = {"held": [], "captured": ["CreditsCaptured"], "released": ["CreditsReleased"]}
    if [event["type"] for event in events if event["type"].startswith("Credits")] != ["CreditsHeld", *ends[receipt["outcome"]]]:
        fail("the events do not lead to the outcome")
    if options.film:
        check_film(pathlib.Path(options.film).read_bytes(), receipt["task"], events)
    if options.head:
        check_past(checkpoint, read(options.head), read(options.proof), key)
    print(f"VALID: task {receipt['task']}, {receipt['credits']} credits {receipt['outcome']} at {receipt['installation']}")
    by = f"signed with the key {key}" if "signature" in document else "but what it says of them is not signed"
    print(f"{sum(map(bool, proofs))} of {len(events)} events proven, {by}")
except OSError as error:
    parser.error(f"cannot use {error.filename}: {error.strerror}")
except (AttributeError, IndexError, KeyError, TypeError, ValueError):
    fail("it does not have the form that receipts.md describes")
