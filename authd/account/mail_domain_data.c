/*
 * mail_domain_data.c - the lists of authd/data, included by the assembler. As pages of the
 * program's file, they are read only when used, and all instances share them.
 */
#include "authd/account/mail_domain.h"

#define EMBED(symbol, path)                                                                    \
    __asm__(".section .rodata\n"                                                               \
            ".globl " symbol "_text\n.globl " symbol "_end\n" symbol "_text:\n.incbin \"" path \
            "\"\n" symbol "_end:\n"                                                            \
            ".byte 0\n.previous\n")

EMBED("domain_free_mail", "authd/data/free_mail.txt");
EMBED("domain_throwaway", "authd/data/throwaway.txt");
