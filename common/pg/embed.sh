#!/bin/sh
# embed.sh PREFIX FILE... - writes C on stdout: the files' bytes as the table `PREFIX_migrations`, in the given order,
# ended by an empty row. The assembler includes the files, without escaping or copies.
set -eu
prefix=$1
shift
printf '/* Made by common/pg/embed.sh from the schema files; do not edit. */\n'
printf '#include "common/pg/db.h"\n\n'
i=0
for file; do
    printf '__asm__(".section .rodata\\n%s_%s: .incbin \\"%s\\"\\n.byte 0\\n.previous\\n");\n' "$prefix" "$i" "$file"
    printf 'extern const char %s_%s[];\n' "$prefix" "$i"
    i=$((i + 1))
done
printf '\nextern const struct db_migration %s_migrations[];\n' "$prefix"
printf 'const struct db_migration %s_migrations[] = {\n' "$prefix"
i=0
for file; do
    printf '    {"%s", %s_%s},\n' "$(basename "$file" .sql)" "$prefix" "$i"
    i=$((i + 1))
done
printf '    {NULL, NULL},\n};\n'
