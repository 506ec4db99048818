"""Verifies a DSSE envelope on standard input with in-toto's own libraries. Argument: the public key in PEM."""

import json
import sys

from cryptography.hazmat.primitives.serialization import load_pem_public_key
from google.protobuf import json_format
from in_toto_attestation.v1 import statement_pb2
from in_toto_attestation.v1.statement import Statement
from securesystemslib.dsse import Envelope
from securesystemslib.signer import SSlibKey

data = json.load(sys.stdin)
key_id = data["signatures"][0]["keyid"]
with open(sys.argv[1], "rb") as file:
    key = SSlibKey.from_crypto(load_pem_public_key(file.read()), key_id)
envelope = Envelope.from_dict(data)
envelope.verify([key], 1)

statement = json_format.ParseDict(json.loads(envelope.payload), statement_pb2.Statement())
Statement.copy_from_pb(statement).validate()
print(statement.predicate_type)
