#!/bin/bash
# certificates.sh FOLDER - a test authority (ca.crt) and its certificate for 127.0.0.1: server.crt and server.key for
# PostgreSQL, both in server.pem for HAProxy.
set -euo pipefail
cd "$1"
umask 077
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj '/CN=Atrium test authority' -keyout ca.key -out ca.crt 2>openssl.err
openssl req -newkey rsa:2048 -nodes -subj /CN=127.0.0.1 -keyout server.key -out server.csr 2>>openssl.err
openssl x509 -req -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 2 -out server.crt \
    -extfile <(echo 'subjectAltName=IP:127.0.0.1') 2>>openssl.err
cat server.crt server.key >server.pem
chmod 644 ca.crt server.crt
rm ca.key server.csr
