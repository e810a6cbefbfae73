#!/bin/sh
# secrets.sh [METADATA.xml] - prints the bridge's keys and client secret as JSON for `lemonldap-ng-cli merge`, together with
# the metadata of the SAML identity provider.
set -eu
umask 077
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
openssl genpkey -quiet -algorithm RSA -pkeyopt rsa_keygen_bits:3072 -out "$dir/openid.key"
openssl pkey -in "$dir/openid.key" -pubout -out "$dir/openid.pub"
openssl genpkey -quiet -algorithm RSA -pkeyopt rsa_keygen_bits:3072 -out "$dir/saml.key"
openssl req -x509 -key "$dir/saml.key" -days 3650 -subj /CN=bridge -out "$dir/saml.crt"
openssl rand -hex 32 >"$dir/secret"
openssl rand -hex 8 >"$dir/kid"
perl -MJSON::PP -e '
    my ($dir, $metadata) = @ARGV;
    sub text { open my $file, "<:encoding(UTF-8)", $_[0] or die "$_[0]: $!\n"; local $/; return <$file> }
    sub line { my $text = text("$dir/$_[0]"); chomp $text; return $text }
    print JSON::PP->new->utf8->pretty->canonical->encode({
        oidcServicePrivateKeySig => text("$dir/openid.key"),
        oidcServicePublicKeySig => text("$dir/openid.pub"),
        oidcServiceKeyIdSig => line("kid"),
        oidcRPMetaDataOptions => {atrium => {oidcRPMetaDataOptionsClientSecret => line("secret")}},
        $metadata ? (
            samlServicePrivateKeySig => text("$dir/saml.key"),
            samlServicePublicKeySig => text("$dir/saml.crt"),
            samlIDPMetaDataXML => {hospital => {samlIDPMetaDataXML => text($metadata)}},
        ) : (),
    })' "$dir" "$@"
