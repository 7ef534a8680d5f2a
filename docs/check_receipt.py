#!/usr/bin/env python3
"""Checks a receipt of Kinora: python3 check_receipt.py RECEIPT [--film FILE] [--head FILE] [--proof FILE] [--key FINGERPRINT]

--film   the delivered original, whose hash the receipt must contain
--head   a checkpoint that was kept outside (one line of JSON; the last line of a file counts)
--proof  answer of /api/v1/ledger/consistency for the sizes of that checkpoint and of the receipt's
--key    fingerprint of the installation's key

Needs Python 3.8 or newer and the openssl command, version 3 or newer; none of Kinora's code. The format is described in
receipts.md. Exit code 0: all is as it was signed. 1: it is not. 2: it could not be checked.
"""
import argparse, base64, hashlib, json, os, subprocess, sys, tempfile


def fail(reason):
    sys.exit(f"NOT VALID: {reason}")


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def openssl(*arguments):
    return subprocess.run(["openssl", *arguments], capture_output=True)


def check_signature(what, statement, signed, expected):
    with tempfile.TemporaryDirectory() as folder:
        text, signature, key = (os.path.join(folder, name) for name in ("text", "signature", "key.pem"))
        for name, data in ((text, canonical(statement)), (signature, base64.b64decode(signed["signature"])), (key, signed["publicKey"].encode())):
            with open(name, "wb") as file:
                file.write(data)
        if openssl("pkeyutl", "-verify", "-pubin", "-inkey", key, "-rawin", "-in", text, "-sigfile", signature).returncode:
            fail(f"the signature of the {what} is not right: it was forged or changed")
        fingerprint = sha256(openssl("pkey", "-pubin", "-in", key, "-outform", "DER").stdout)
    if expected not in (None, fingerprint):
        fail(f"the {what} was signed with another key: {fingerprint}")
    return fingerprint


def node(left, right):
    return hashlib.sha256(b"\1" + left + right).digest()


def root_of(leaf, index, size, path):
    """The root to which a path leads (RFC 9162, 2.1.3.2); None if its length is wrong."""
    at, last, root = index, size - 1, leaf
    for sibling in path:
        if last == 0:
            return None
        if at % 2 or at == last:
            root = node(sibling, root)
            while at % 2 == 0 and at:
                at, last = at // 2, last // 2
        else:
            root = node(root, sibling)
        at, last = at // 2, last // 2
    return root if last == 0 and 0 <= index < size else None


def is_consistent(first, second, path):
    """Whether the second tree begins with the first (RFC 9162, 2.1.4.2)."""
    (size, old), (end, new) = first, second
    if size == end:
        return old == new
    if size & (size - 1) == 0:
        path = [old, *path]
    at, last = size - 1, end - 1
    while at % 2:
        at, last = at // 2, last // 2
    before = after = path[0]
    for sibling in path[1:]:
        if last == 0:
            return False
        if at % 2 or at == last:
            before, after = node(sibling, before), node(sibling, after)
            while at % 2 == 0 and at:
                at, last = at // 2, last // 2
        else:
            after = node(after, sibling)
        at, last = at // 2, last // 2
    return (before, after, last) == (old, new, 0)


def tree_of(checkpoint):
    return checkpoint["size"], bytes.fromhex(checkpoint["root"])


def check_past(checkpoint, kept, proof, fingerprint):
    check_signature("kept checkpoint", kept["checkpoint"], kept, fingerprint)
    trees = sorted((tree_of(kept["checkpoint"]), tree_of(checkpoint)))
    path = [bytes.fromhex(hash) for hash in proof["path"]] if proof else []
    if trees[0][0] != trees[1][0] and not proof:
        sizes = f"from={trees[0][0]}&to={trees[1][0]}"
        print(f"--proof is missing: {checkpoint['installation']}/api/v1/ledger/consistency?{sizes}", file=sys.stderr)
        sys.exit(2)
    if not is_consistent(*trees, path):
        fail("the past of the ledger was rewritten: it does not continue the kept checkpoint")


def check_events(receipt, document):
    tree = document["checkpoint"] and tree_of(document["checkpoint"]["checkpoint"])
    proven = 0
    if len(receipt["events"]) != len(document["proofs"]):
        raise ValueError
    for number, (event, proof) in enumerate(zip(receipt["events"], document["proofs"])):
        if proof:
            leaf = hashlib.sha256(b"\0" + bytes.fromhex(event["hash"])).digest()
            if root_of(leaf, proof["index"], tree[0], [bytes.fromhex(hash) for hash in proof["path"]]) != tree[1]:
                fail(f"{event['type']} is not in the ledger of the checkpoint")
            proven += 1
        if "texts" in document:
            text = document["texts"][number]
            data = json.loads(text)
            task = data["data"].get("taskId", data["data"].get("holdId"))
            if sha256(text.encode()) != event["hash"] or (data["type"], task) != (event["type"], receipt["task"]):
                fail(f"the text of {event['type']} is not that of the event")
    types = [event["type"] for event in receipt["events"]]
    ends = {"captured": "CreditsCaptured", "released": "CreditsReleased"}
    if types.count("CreditsHeld") != 1 or any((end in types) != (receipt["outcome"] == name) for name, end in ends.items()):
        fail("the events do not lead to the outcome")
    return proven


def check_film(content, receipt):
    hold = next(event["hash"] for event in receipt["events"] if event["type"] == "CreditsHeld")
    if receipt["task"].encode() not in content:
        fail("this is the receipt of another film")
    if b".kinora.receipt" in content and hold.encode() not in content:
        fail("the film names another hold: the past of the ledger was rewritten, or the film is forged")
    if sha256(content) not in [event["facts"].get("sha256") for event in receipt["events"]]:
        fail("the file is not the one that was delivered, byte for byte: it is a copy, or was changed")


def main(options):
    read = lambda name: json.loads(open(name, encoding="utf-8").read().strip().splitlines()[-1]) if name else None
    document = json.loads(open(options.receipt, encoding="utf-8").read())
    receipt, checkpoint = document["receipt"], document["checkpoint"]
    if receipt["format"] != "kinora-receipt-1":
        raise ValueError
    key = check_signature("receipt", receipt, document, options.key) if "signature" in document else options.key
    if checkpoint:
        key = check_signature("checkpoint", checkpoint["checkpoint"], checkpoint, key)
    proven = check_events(receipt, document)
    if options.film:
        with open(options.film, "rb") as film:
            check_film(film.read(), receipt)
    if options.head:
        check_past(checkpoint["checkpoint"], read(options.head), read(options.proof), key)
    print(f"VALID: task {receipt['task']}, {receipt['credits']} credits {receipt['outcome']} at {receipt['installation']}")
    print(f"{proven} of {len(receipt['events'])} events proven, signed with the key {key}")
    if "signature" not in document:
        print("The receipt itself is not signed: only the hashes of its events are proven, and their texts if it has them.")


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("receipt")
for option in ("--film", "--head", "--proof", "--key"):
    parser.add_argument(option)
try:
    main(parser.parse_args())
except OSError as error:
    print("The openssl command is missing." if error.filename == "openssl" else f"Cannot read {error.filename}: {error.strerror}", file=sys.stderr)
    sys.exit(2)
except (AttributeError, IndexError, KeyError, TypeError, ValueError):
    fail("it does not have the form that receipts.md describes")
