#!/usr/bin/python3
"""vectors.py - prints hashes of passlib, bcrypt and argon2-cffi in the format of vectors.mjs. See make.sh."""
import hashlib

import argon2.low_level
import bcrypt
from passlib import hash as schemes

PASSWORDS = ['correct horse', 'pässwörd', 'pa\u0308sswo\u0308rd', ' \u00a0\u3000', '密码🔑', '"$\\%s\'', 'x' * 71,
             'x' * 72 + 'tail', 'ab' * 100, 'ÿÿ£']
TEXT = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'


def salt(size, of):
    """The salts are the same in each run."""
    return hashlib.sha512(of.encode()).digest()[:size]


def text(size, of):
    return ''.join(TEXT[byte & 63] for byte in salt(size, of))


def show(maker, password, hashed):
    print(maker, password.encode().hex(), hashed, sep='\t')


for password in PASSWORDS:
    raw = password.encode()
    for prefix in (b'2a', b'2b'):
        show('python-bcrypt', password, bcrypt.hashpw(raw, b'$' + prefix + b'$05$' + text(21, password).encode() + b'O').decode())
    for rounds in (1000, 1001, 5000):
        scheme = schemes.sha512_crypt.using(rounds=rounds, salt=text(16 if rounds == 1001 else 8, password))
        show('passlib', password, scheme.hash(raw))
    for name, scheme in (('sha1', schemes.pbkdf2_sha1), ('sha256', schemes.pbkdf2_sha256), ('sha512', schemes.pbkdf2_sha512)):
        show('passlib', password, scheme.using(rounds=120, salt=salt(16, password)).hash(raw))
    for scheme in (schemes.django_pbkdf2_sha1, schemes.django_pbkdf2_sha256):
        show('passlib', password, scheme.using(rounds=90, salt='abcDEF012345').hash(raw))
    show('passlib', password, schemes.scrypt.using(rounds=4, block_size=8, parallelism=1, salt=salt(16, password)).hash(raw))
    for kind in argon2.low_level.Type:
        for version in (16, 19):
            show('argon2-cffi', password, argon2.low_level.hash_secret(
                raw, salt(16, password), time_cost=2, memory_cost=96, parallelism=3, hash_len=24, type=kind, version=version).decode())
    show('django', password, 'argon2' + argon2.low_level.hash_secret(
        raw, salt(16, password), time_cost=1, memory_cost=64, parallelism=8, hash_len=32, type=argon2.low_level.Type.ID).decode())
    show('django', password, 'bcrypt$' + bcrypt.hashpw(raw, b'$2b$04$' + text(21, password).encode() + b'O').decode())
