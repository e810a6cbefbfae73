/*
 * completion.c - `atriumctl completion bash|zsh|fish`: prints completion scripts, which the package
 * installs. bash and zsh share a body that walks the words before the cursor; fish has a line per
 * candidate. The usage text (arguments.h) tells which words are files or choices.
 */
#include <stdio.h>
#include <string.h>

#include "ctl/ctl.h"

static const struct {
    const char *name, *holder, *summary;
} globals[] = {
    {"--dir", "DIR", "development suite of atriumctl dev"},
    {"--config", "FILE", "configuration file of an installed suite"},
    {"--json", NULL, "print JSON"},
    {"--help", NULL, "show help, also for a command"},
    {"--version", NULL, "show the version"},
};

enum holder_kind { HOLDER_ANY, HOLDER_FILE, HOLDER_FOLDER, HOLDER_CODE, HOLDER_CHOICES };

static enum holder_kind kind_of(const struct argument *item)
{
    const char *holder = item->holder ? item->holder : "";

    if (argument_choices(item))
        return HOLDER_CHOICES;
    if (strncmp(holder, "FILE", 4) == 0 || strcmp(holder, "LIST") == 0)
        return HOLDER_FILE;
    if (strcmp(holder, "CODE") == 0 && strcmp(item->name, "--code") != 0) /* --code is a new code */
        return HOLDER_CODE;
    return strcmp(holder, "DIR") == 0 ? HOLDER_FOLDER : HOLDER_ANY;
}

/* Prints a text in single quotes. */
static void print_quoted(const char *text)
{
    putchar('\'');
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\'", stdout);
        putchar(*text);
    }
    putchar('\'');
}

static bool group_is_known(const struct command *all, const struct command *command)
{
    size_t length = strcspn(command->words, " ");

    for (const struct command *other = all; other != command; other++)
        if (strncmp(other->words, command->words, length + 1) == 0)
            return true;
    return false;
}

static const char *second_word(const struct command *command)
{
    const char *space = strchr(command->words, ' ');

    return space ? space + 1 : NULL;
}

static void print_group_summary(const struct command *all, const struct command *command,
                                struct arena *arena)
{
    size_t length = strcspn(command->words, " ") + 1;
    const char *text = second_word(command) ? "" : command->summary;

    for (const struct command *other = all; second_word(command) && other->words; other++)
        if (strncmp(other->words, command->words, length) == 0)
            text = arena_printf(arena, "%s%s%s", text, *text ? ", " : "", second_word(other));
    print_quoted(text);
}

/* ---- bash and zsh ---- */

static void print_patterns(const struct command *all, bool options, struct arena *arena)
{
    struct arguments args;

    for (const struct command *command = all; command->words; command++) {
        arguments_read_usage(&args, command->usage, arena);
        for (size_t i = 0; options && i < args.count; i++)
            if (args.items[i].option && args.items[i].holder)
                printf(" | '%s %s'", command->words, args.items[i].name);
        if (!options)
            printf("%s'%s'", command == all ? "" : " | ", command->words);
    }
}

static void print_walk(const struct command *all, struct arena *arena)
{
    fputs(
        "    local typed='' command='' slot='' given=' ' word='' code='' suite='' count=0\n"
        "    while [ $# -gt 0 ]; do\n"
        "        if [ -n \"$slot\" ]; then\n"
        "            case $slot in --dir | --config) [ \"$1\" = = ] || suite=\"$slot=$1\" ;; esac\n"
        "            [ \"$1\" = = ] || slot=''\n"
        "        elif [ -n \"$command\" ] && [ \"${1#-}\" = \"$1\" ]; then\n"
        "            count=$((count + 1))\n"
        "        else\n"
        "            case $1 in\n"
        "                --dir=* | --config=*) suite=$1 given=\"$given${1%%=*} \" ;;\n"
        "                --*=*) given=\"$given${1%%=*} \" ;;\n"
        "                -*)\n"
        "                    given=\"$given$1 \"\n"
        "                    case \"$command $1\" in\n"
        "                        *' --dir' | *' --config'",
        stdout);
    print_patterns(all, true, arena);
    fputs(") slot=$1 ;;\n"
          "                    esac\n"
          "                    ;;\n"
          "                *)\n"
          "                    typed=\"$typed${typed:+ }$1\"\n"
          "                    case $typed in\n"
          "                        ",
          stdout);
    print_patterns(all, false, arena);
    fputs(") command=$typed ;;\n"
          "                    esac\n"
          "                    ;;\n"
          "            esac\n"
          "        fi\n"
          "        shift\n"
          "    done\n",
          stdout);
}

/* Completes words of a command's name. */
static void print_words(const struct command *all, struct arena *arena)
{
    fputs("    case $typed in\n        '')\n", stdout);
    for (const struct command *command = all; command->words; command++) {
        if (group_is_known(all, command))
            continue;
        printf("            add %.*s ", (int)strcspn(command->words, " "), command->words);
        print_group_summary(all, command, arena);
        putchar('\n');
    }
    fputs("            ;;\n", stdout);
    for (const struct command *command = all; command->words; command++) {
        size_t length = strcspn(command->words, " ") + 1;

        if (!second_word(command) || group_is_known(all, command))
            continue;
        printf("        %.*s)\n", (int)length - 1, command->words);
        for (const struct command *other = command; other->words; other++) {
            if (strncmp(other->words, command->words, length) != 0)
                continue;
            printf("            add %s ", second_word(other));
            print_quoted(other->summary);
            putchar('\n');
        }
        fputs("            ;;\n", stdout);
    }
    fputs("    esac\n", stdout);
}

static void print_choices(const char *choices)
{
    while (*choices) {
        size_t length = strcspn(choices, "|");

        printf(" add %.*s '';", (int)length, choices);
        choices += length + (choices[length] == '|');
    }
}

/* Prints the candidates for a place: an option, or the number of a positional argument. */
static void print_place(const char *words, const char *place, const struct argument *item)
{
    static const char *const offers[] = {
        [HOLDER_ANY] = " :;",
        [HOLDER_FILE] = " add_files;",
        [HOLDER_FOLDER] = " add_folders;",
        [HOLDER_CODE] = " for code in $(atriumctl_codes); do add $code ''; done;"};
    enum holder_kind kind = kind_of(item);

    printf("        '%s %s')", words, place);
    if (kind == HOLDER_CHOICES)
        print_choices(item->holder);
    else
        fputs(offers[kind], stdout);
    fputs(" return ;;\n", stdout);
}

static void print_places(const struct command *command, struct arena *arena)
{
    struct arguments args;
    int position = 0;

    arguments_read_usage(&args, command->usage, arena);
    for (size_t i = 0; i < args.count; i++) {
        const struct argument *item = &args.items[i];

        if (!item->option)
            position++;
        if (!item->option && kind_of(item) != HOLDER_ANY)
            print_place(command->words, arena_printf(arena, "%d", position), item);
        else if (item->option && item->holder)
            print_place(command->words, item->name, item);
    }
}

static void print_options(const struct command *all, struct arena *arena)
{
    struct arguments args;

    fputs("    case $command in\n", stdout);
    for (const struct command *command = all; command->words; command++) {
        arguments_read_usage(&args, command->usage, arena);
        printf("        '%s') set --", command->words);
        for (size_t i = 0; i < args.count; i++)
            if (args.items[i].option)
                printf(" %s", args.items[i].name);
        fputs(" ;;\n", stdout);
    }
    fputs("    esac\n"
          "    for word in \"$@\"; do\n"
          "        case $given in *\" $word \"*) ;; *) add $word '' ;; esac\n"
          "    done\n",
          stdout);
    for (size_t i = 0; i < ARRAY_SIZE(globals); i++)
        printf("    case $given in *' %s '*) ;; *) add %s '%s' ;; esac\n", globals[i].name,
               globals[i].name, globals[i].summary);
}

/* `current` is the word at the cursor. */
static void print_body(const struct command *all, struct arena *arena)
{
    print_walk(all, arena);
    fputs("    if [ -z \"$slot$command\" ] && [ \"${current#-}\" = \"$current\" ]; then\n", stdout);
    print_words(all, arena);
    fputs("        return\n"
          "    fi\n"
          "    [ -n \"$slot\" ] || [ \"${current#-}\" != \"$current\" ] || slot=$((count + 1))\n"
          "    case \"$command $slot\" in\n"
          "        *' --dir') add_folders; return ;;\n"
          "        *' --config') add_files; return ;;\n",
          stdout);
    for (const struct command *command = all; command->words; command++)
        print_places(command, arena);
    fputs("    esac\n", stdout);
    print_options(all, arena);
}

/* Codes of all projects; none if settingsd does not answer within 3 seconds. */
#define CODES(option)                                                          \
    "timeout 3 atriumctl " option " --json project list 2>/dev/null | sed -n " \
    "'s/.*\"tenantCode\": \"\\([^\"]*\\)\".*/\\1/p'"

static void print_codes(void)
{
    fputs("atriumctl_codes()\n{\n    " CODES("${suite:+\"$suite\"}") "\n}\n\n", stdout);
}

/* bash splits words at "=". */
static void print_bash(const struct command *all, struct arena *arena)
{
    fputs("# bash completion of atriumctl; made by `atriumctl completion bash`\n\n", stdout);
    print_codes();
    fputs("_atriumctl_candidates()\n{\n", stdout);
    print_body(all, arena);
    fputs("}\n\n"
          "_atriumctl()\n{\n"
          "    local current=${COMP_WORDS[COMP_CWORD]}\n"
          "    [ \"$current\" != = ] || current=''\n"
          "    COMPREPLY=()\n"
          "    add() { case $1 in \"$current\"*) COMPREPLY+=(\"$1\") ;; esac; }\n"
          "    add_files() { compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f "
          "-- "
          "\"$current\"); }\n"
          "    add_folders() { compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen "
          "-d -- "
          "\"$current\"); }\n"
          "    _atriumctl_candidates \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"\n"
          "    unset -f add add_files add_folders\n"
          "}\n\n"
          "complete -F _atriumctl atriumctl\n",
          stdout);
}

static void print_zsh(const struct command *all, struct arena *arena)
{
    fputs("#compdef atriumctl\n# made by `atriumctl completion zsh`\n\n", stdout);
    print_codes();
    fputs("_atriumctl_candidates()\n{\n", stdout);
    print_body(all, arena);
    fputs("}\n\n"
          "_atriumctl()\n{\n"
          "    local current=${words[CURRENT]}\n"
          "    local -a before=(\"${(@)words[2,CURRENT-1]}\") candidates\n"
          "    if [[ $current == --*=* ]]; then\n"
          "        before+=(\"${current%%=*}\")\n"
          "        compset -P '*='\n"
          "        current=${current#*=}\n"
          "    fi\n"
          "    add() { candidates+=(\"${1//:/\\\\:}${2:+:$2}\") }\n"
          "    add_files() { _files }\n"
          "    add_folders() { _files -/ }\n"
          "    _atriumctl_candidates \"$before[@]\"\n"
          "    unfunction add add_files add_folders\n"
          "    (( ! $#candidates )) || _describe atriumctl candidates\n"
          "}\n\n"
          "_atriumctl \"$@\"\n",
          stdout);
}

/* ---- fish ---- */

static void print_fish_option(const struct argument *item, const char *condition)
{
    static const char *const offers[] = {[HOLDER_ANY] = " -x",
                                         [HOLDER_FILE] = " -r -F",
                                         [HOLDER_FOLDER] = " -x -a "
                                                           "'(__fish_complete_"
                                                           "directories)'",
                                         [HOLDER_CODE] = " -x -a '(__atriumctl_codes)'"};
    enum holder_kind kind = kind_of(item);

    printf("complete -c atriumctl%s -l %s", condition, item->name + 2);
    if (kind == HOLDER_CHOICES) {
        fputs(" -x -a '", stdout);
        for (const char *c = item->holder; *c; c++)
            putchar(*c == '|' ? ' ' : *c);
        putchar('\'');
    } else if (item->holder)
        fputs(offers[kind], stdout);
}

static void print_fish_command(const struct command *command, struct arena *arena)
{
    const char *condition = arena_printf(arena, " -n '__atriumctl_in \"%s\"'", command->words);
    struct arguments args;

    arguments_read_usage(&args, command->usage, arena);
    for (size_t i = 0; i < args.count; i++) {
        const struct argument *item = &args.items[i];

        if (item->option) {
            print_fish_option(item, condition);
            putchar('\n');
        } else if (kind_of(item) == HOLDER_FILE) {
            printf("complete -c atriumctl%s -F\n", condition);
        } else if (kind_of(item) == HOLDER_CODE) {
            printf("complete -c atriumctl%s -a '(__atriumctl_codes)'\n", condition);
        } else if (kind_of(item) == HOLDER_CHOICES) {
            printf("complete -c atriumctl%s -a '", condition);
            for (const char *c = item->holder; *c; c++)
                putchar(*c == '|' ? ' ' : *c);
            fputs("'\n", stdout);
        }
    }
}

static void print_fish(const struct command *all, struct arena *arena)
{
    fputs(
        "# fish completion of atriumctl; made by `atriumctl completion fish`\n\n"
        "# The words before the cursor, without options and the values of those of every command.\n"
        "function __atriumctl_typed\n"
        "    set -l tokens (commandline -opc)\n"
        "    set -l value no\n"
        "    for token in $tokens[2..]\n"
        "        if test $value = yes\n"
        "            set value no\n"
        "        else if contains -- $token --dir --config\n"
        "            set value yes\n"
        "        else if not string match -q -- '-*' $token\n"
        "            echo $token\n"
        "        end\n"
        "    end\n"
        "end\n\n"
        "function __atriumctl_codes\n"
        "    set -l suite (string match -r -- '--(?:dir|config)[= ]\\S+' (commandline -opc | "
        "string join ' ') "
        "| string split ' ')\n"
        "    " CODES(
            "$suite") "\n"
                      "end\n\n"
                      "function __atriumctl_after\n"
                      "    test \"$(__atriumctl_typed | string join ' ')\" = \"$argv[1]\"\n"
                      "end\n\n"
                      "function __atriumctl_in\n"
                      "    string match -q -- \"$argv[1] *\" \"$(__atriumctl_typed | string join ' "
                      "') \"\n"
                      "end\n\n"
                      "complete -c atriumctl -f\n",
        stdout);
    for (size_t i = 0; i < ARRAY_SIZE(globals); i++) {
        const struct argument item = {
            .name = globals[i].name, .holder = globals[i].holder, .option = true};

        print_fish_option(&item, "");
        printf(" -d '%s'\n", globals[i].summary);
    }
    for (const struct command *command = all; command->words; command++) {
        int length = (int)strcspn(command->words, " ");

        if (!group_is_known(all, command)) {
            printf("complete -c atriumctl -n '__atriumctl_after \"\"' -a %.*s -d ", length,
                   command->words);
            print_group_summary(all, command, arena);
            putchar('\n');
        }
        if (second_word(command)) {
            printf("complete -c atriumctl -n '__atriumctl_after %.*s' -a %s -d ", length,
                   command->words, second_word(command));
            print_quoted(command->summary);
            putchar('\n');
        }
        print_fish_command(command, arena);
    }
}

int completion_command(struct ctl *ctl, struct error *err UNUSED)
{
    const char *shell = arguments_get(&ctl->args, "bash|zsh|fish");

    if (strcmp(shell, "bash") == 0)
        print_bash(ctl->commands, ctl->arena);
    else if (strcmp(shell, "zsh") == 0)
        print_zsh(ctl->commands, ctl->arena);
    else
        print_fish(ctl->commands, ctl->arena);
    return 0;
}
