/*
 * mail_domain_data.c - the lists of authd/data inside the program. Included by the assembler, they
 * are pages of the program's file: only what is looked at is ever read, and no instance has a copy
 * of its own.
 */
#include "authd/account/mail_domain.h"

#define EMBED(symbol, path)                                                                    \
    __asm__(".section .rodata\n"                                                               \
            ".globl " symbol "_text\n.globl " symbol "_end\n" symbol "_text:\n.incbin \"" path \
            "\"\n" symbol "_end:\n"                                                            \
            ".byte 0\n.previous\n")

EMBED("domain_free_mail", "authd/data/free_mail.txt");
EMBED("domain_throwaway", "authd/data/throwaway.txt");
