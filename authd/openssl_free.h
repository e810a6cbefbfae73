/*
 * openssl_free.h - destructors of OpenSSL objects for CLEANUP; all accept NULL.
 */
#ifndef ATRIUM_AUTHD_OPENSSL_FREE_H
#define ATRIUM_AUTHD_OPENSSL_FREE_H

#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/evp.h>

static inline void openssl_free_pkey(EVP_PKEY **self_p)
{
    EVP_PKEY_free(*self_p);
}

static inline void openssl_free_context(EVP_MD_CTX **self_p)
{
    EVP_MD_CTX_free(*self_p);
}

static inline void openssl_free_bignum(BIGNUM **self_p)
{
    BN_free(*self_p);
}

static inline void openssl_free_signature(ECDSA_SIG **self_p)
{
    ECDSA_SIG_free(*self_p);
}

#endif
