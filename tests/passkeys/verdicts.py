"""verdicts.py FILE - python3-fido2's result for each authenticator answer in FILE, a line "1" (accepted) or "0" each.
tests/integration/test_authd_webauthn_peers.c defines the columns. OpenSSL must accept a new credential's key too, because the
package validates it only at first use."""
import os
import sys

from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from fido2.attestation import Attestation
from fido2.cose import CoseKey
from fido2.ctap2 import AttestationObject, AttestedCredentialData, AuthenticatorData
from fido2.client import ClientData
from fido2.server import Fido2Server
from fido2.utils import websafe_decode
from fido2.webauthn import PublicKeyCredentialRpEntity, UserVerificationRequirement
from fido2 import cbor


def check_key(key):
    def number(label):
        return int.from_bytes(key[label], "big")

    if key[1] == 1:
        ed25519.Ed25519PublicKey.from_public_bytes(key[-2])
    elif key[1] == 2:
        ec.EllipticCurvePublicNumbers(number(-2), number(-3), ec.SECP256R1()).public_key()
    else:
        rsa.RSAPublicNumbers(number(-2), number(-1)).public_key()


def check_statement(made, client_data_hash):
    Attestation.for_type(made.fmt)().verify(made.att_statement, made.auth_data, client_data_hash)


def verdict(line):
    kind, origin, rp_id, challenge, credential_id, cose, client, attestation, auth_data, signature = line.split("\t")
    server = Fido2Server(PublicKeyCredentialRpEntity(rp_id, rp_id), attestation="direct",
                         verify_origin=lambda seen: seen == origin, verify_attestation=check_statement)
    state = {"challenge": challenge, "user_verification": UserVerificationRequirement.REQUIRED}
    client_data = ClientData(websafe_decode(client))

    if kind == "create":
        made = server.register_complete(state, client_data, AttestationObject(websafe_decode(attestation)))
        check_key(made.credential_data.public_key)
        return True
    key = CoseKey.parse(cbor.decode(websafe_decode(cose)))
    credential = AttestedCredentialData.create(bytes(16), websafe_decode(credential_id), key)
    server.authenticate_complete(state, [credential], websafe_decode(credential_id), client_data,
                                 AuthenticatorData(websafe_decode(auth_data)), websafe_decode(signature))
    return True


def main():
    for line in open(sys.argv[1], encoding="utf-8").read().split("\n"):
        if not line:
            continue
        try:
            accepted = verdict(line)
        except Exception as error:  # any: the package passes on its parts' exceptions
            accepted = False
            if os.environ.get("WHY"):
                print(repr(error), file=sys.stderr)
        print("1" if accepted else "0")


if __name__ == "__main__":
    main()
