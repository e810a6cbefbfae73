#!/usr/bin/perl
# sqlgen.pl - makes C of the statements of a daemon.
#
#     sqlgen.pl GEN DAEMON SHARED
#
# Reads DAEMON/sql/SUBJECT/NAME.sql, and parts from DAEMON/sql/part and SHARED/sql/part. Writes below
# GEN, each file only when it changes:
#
#     DAEMON/sql/SUBJECT.h    the parameters, rows and calls of the subject's statements
#     DAEMON/sql/NAME.sql     the expanded text, which psql takes (-v name=value)
#     DAEMON/sql_part.h       the parameters of the daemon's own parts
#     DAEMON/sql.c            the table DAEMON_sql[] (or one for each subject where DAEMON is SHARED)
#
# See docs/database.md for the format of a .sql file. What is wrong in one ends the
# build with its file and line.
use strict;
use warnings;

my ($gen, $daemon, $shared) = @ARGV;
die "usage: sqlgen.pl GEN DAEMON SHARED\n" unless defined $shared;

# C members of parameters and columns: type, the same where null is allowed, name of enum sql_type.
my %types = (
    uuid  => ['struct uuid ',        'struct uuid ',         'UUID'],
    text  => ['const char *',        'const char *',         'TEXT'],
    int8  => ['int64_t ',            'const int64_t *',      'INT8'],
    bool  => ['bool ',               'enum tristate ',       'BOOL'],
    bytea => ['struct field_bytes ', 'struct field_bytes ',  'BYTEA'],
    map { ("$_\[]" => ['struct db_array ', 'struct db_array ', uc($_) . '_ARRAY']) }
        qw(uuid text int8 bytea),
);
my %classes = map { $_ => 1 } 'read', 'write', 'tx', 'vital', 'read tx', 'write tx';
my %rows = map { $_ => 1 } qw(none one many);
my $literal = qr/'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*/;

sub fail {
    my ($file, $line, $text) = @_;
    die "$file:$line: $text\n";
}

# Writes by rename, and only what changes, so that make compiles no more than it must.
sub write_file {
    my ($path, $text) = @_;
    if (open my $old, '<', $path) {
        local $/;
        return if (<$old> // '') eq $text;
    }
    my $folder = '';
    for my $name (split m{/}, $path =~ s{/[^/]*$}{}r) {
        $folder .= "$name/";
        mkdir $folder;
    }
    open my $out, '>', "$path.$$" or die "$path: $!\n";
    print $out $text;
    close $out or die "$path: $!\n";
    rename "$path.$$", $path or die "$path: $!\n";
}

# ---- reading ----

# "id uuid, name text null, record struct settings_record" to a list of {name, type, null}.
sub parse_values {
    my ($file, $line, $text, $structs) = @_;
    my @values;
    for my $item (split /\s*,\s*/, $text) {
        my ($name, $type, $null) = $item =~ /^([a-z]\w*) (struct \w+|[a-z0-9]+(?:\[\])?)( null)?$/
            or fail($file, $line, "\"$item\" is not \"name type\" or \"name type null\"");
        fail($file, $line, "there is no type $type: " . join(', ', sort keys %types))
            unless $types{$type} || ($structs && $type =~ /^struct /);
        push @values, {name => $name, type => $type, null => $null ? 1 : 0};
    }
    return @values;
}

# A statement or a part: {file, doc, class, rows, in, row, args, body, line of the body}.
sub read_sql {
    my ($file) = @_;
    open my $in, '<', $file or die "$file: $!\n";
    my @lines = <$in>;
    my $self = {file => $file, name => $file =~ s{.*/(.*)\.sql$}{$1}r, doc => [], in => [], row => [],
        args => []};
    my $number = 0;
    while (@lines && $lines[0] =~ /^--(?! include:)/) {
        my $line = shift @lines;
        $number++;
        if ($line =~ /^-- (class|rows|struct): (.*?)\s*$/) {
            $self->{$1} = $2;
        } elsif ($line =~ /^-- in: (.*?),?\s*$/) {
            push @{$self->{in}}, parse_values($file, $number, $1, 0);
        } elsif ($line =~ /^-- row: (struct (\w+))\s*$/) {
            $self->{table} = $2;
        } elsif ($line =~ /^-- row: (.*?),?\s*$/) {
            push @{$self->{row}}, parse_values($file, $number, $1, 1);
        } elsif ($line =~ /^-- args: (.*?)\s*$/) {
            push @{$self->{args}}, map { [split /\s*=\s*/, $_, 2] } split /\s*,\s*/, $1;
        } elsif ($line =~ /^-- ?(.*?)\s*$/) {
            push @{$self->{doc}}, $1;
        }
    }
    my %seen;
    for my $value (@{$self->{in}}) {
        fail($file, 1, "$value->{name} is there twice") if $seen{$value->{name}}++;
    }
    fail($file, 1, 'the first line says what it is for') unless @{$self->{doc}} && $self->{doc}[0] ne '';
    $self->{line} = $number + 1;
    $self->{expanded_line} = @{$self->{doc}} + 1;
    $self->{body} = join '', @lines;
    $self->{body} =~ s/\s*$//;
    return $self;
}

my %parts;
sub find_part {
    my ($name, $file, $line) = @_;
    return $parts{$name} if $parts{$name};
    for my $owner ($daemon, $shared) {
        my $path = "$owner/sql/part/$name.sql";
        next unless -e $path;
        my $part = read_sql($path);
        $part->{owner} = $owner;
        for my $key (qw(class rows)) {
            fail($path, 1, "a part has no $key") if $part->{$key};
        }
        return $parts{$name} = $part;
    }
    fail($file, $line, "there is no part $name");
}

# ---- expanding ----

# "from = spent, entity = coalesce(:a, 'b, c'), key = {a, b}" to a hash. Commas in parentheses, braces and quotes
# separate nothing; braces around a value are dropped.
sub parse_args {
    my ($file, $line, $text) = @_;
    my (%args, @items) = ();
    my $depth = 0;
    push @items, '';
    while ($text =~ /\G($literal|.)/gs) {
        my $piece = $1;
        $depth++ if $piece =~ /^[({]$/;
        $depth-- if $piece =~ /^[)}]$/;
        if ($piece eq ',' && $depth == 0) {
            push @items, '';
        } else {
            $items[-1] .= $piece;
        }
    }
    for (@items) {
        next if /^\s*$/;
        my ($name, $value) = /^\s*(\w+) = (.*?)\s*$/s
            or fail($file, $line, "\"$_\" is not \"name = SQL\"");
        $args{$name} = $value =~ s/^\{(.*)\}$/$1/sr;
    }
    return %args;
}

# Each parameter of a text goes through $replace->(name, line); literals, names in quotes, comments and casts stay.
sub replace_params {
    my ($text, $first_line, $replace) = @_;
    my ($out, $line) = ('', $first_line);
    while ($text =~ /\G($literal|::|:([a-z]\w*(?:\.[a-z]\w*)?)|[^'"\-:]+|.)/gs) {
        my ($piece, $name) = ($1, $2);
        $out .= defined $name ? $replace->($name, $line) : $piece;
        $line += ($piece =~ tr/\n//);
    }
    return $out;
}

# The text of a part as `member`, in the words of the statement that includes it: its parameters are :member.name there,
# also in the arguments of the parts that it includes.
sub expand_part {
    my ($statement, $part, $member, $file, $line, $depth, %args) = @_;
    my %known = map { $_->[0] => $_->[1] } @{$part->{args}};
    for my $name (sort keys %args) {
        fail($file, $line, "part $part->{name} has no argument $name") unless exists $known{$name};
    }
    my $own = sub {
        my ($text, $at) = @_;
        return replace_params($text, $at, sub {
            my ($name, $where) = @_;
            fail($part->{file}, $where, ":$name is not in its `in`")
                unless grep { $_->{name} eq $name } @{$part->{in}};
            return ":$member.$name";
        });
    };
    my $text = '';
    for (lines_of($part->{body}, $part->{line})) {
        my ($piece, $at) = @$_;
        $text .= $piece =~ /^(\s*-- include: )(.*)/s ? $1 . $own->($2, $at) : $own->($piece, $at);
    }
    for my $name (keys %known) {
        my $value = $args{$name} // (defined $known{$name} ? $own->($known{$name}, 1) : undef);
        fail($file, $line, "part $part->{name} needs an argument $name") unless defined $value;
        fail($part->{file}, 1, "argument $name is not used") unless $text =~ s/\{$name\}/$value/g;
    }
    $text =~ s/\{as\}/$member/g;
    fail($part->{file}, $part->{line}, "there is no argument {$1}") if $text =~ /\{([a-z]\w*)\}/;
    $statement->{members}{$member} = $part if @{$part->{in}};
    return expand_text($statement, $text, $part->{file}, $part->{line}, $depth + 1);
}

# Whether a line is an include whose parenthesis is not closed; those of arguments may be.
sub include_is_open {
    my ($line) = @_;
    my ($text) = $line =~ /-- include: (.*)/s or return 0;
    my $depth = 0;
    while ($text =~ /\G($literal|.)/gs) {
        $depth += $1 eq '(' ? 1 : $1 eq ')' ? -1 : 0;
    }
    return $depth > 0;
}

# The lines of a text, each with its number; an include whose parenthesis is open goes on in the comment below it.
sub lines_of {
    my ($text, $number) = @_;
    my @lines;
    for my $line (split /^/, $text) {
        my ($more) = $line =~ /^\s*--\s+(.*)/s;
        if (defined $more && @lines && include_is_open($lines[-1][0])) {
            $lines[-1][0] =~ s/\s*$/ $more/;
        } else {
            push @lines, [$line, $number];
        }
        $number++;
    }
    return @lines;
}

# Puts the parts in; then the text has parameters only, :name and :member.name.
sub expand_text {
    my ($statement, $text, $file, $first_line, $depth) = @_;
    my $expanded = '';
    fail($file, $first_line, 'parts include each other') if $depth > 4;
    for (lines_of($text, $first_line)) {
        my ($line, $number) = @$_;
        if (!include_is_open($line)
            && $line =~ /^(\s*)-- include: (\w+)(?: as (\w+))?(?:\((.*)\))?(,?)\s*$/) {
            my ($indent, $name, $member, $args, $comma) = ($1, $2, $3 // $2, $4 // '', $5);
            my $part = find_part($name, $file, $number);
            fail($file, $number, "part $name has parameters of its own: a statement includes it, no part")
                if $depth > 0 && @{$part->{in}};
            my $piece = expand_part($statement, $part, $member, $file, $number, $depth,
                parse_args($file, $number, $args));
            $piece =~ s/^(?=.)/$indent/mg;
            $expanded .= "$piece$comma\n";
        } elsif ($line =~ /-- include:/) {
            fail($file, $number, 'an include is "-- include: part(name = SQL, ...)" and stands alone in its line');
        } else {
            $expanded .= $line;
        }
    }
    return $expanded =~ s/\s*$//r;
}

sub expand {
    my ($self) = @_;
    $self->{members} = {};
    return expand_text($self, $self->{body}, $self->{file}, $self->{line}, 0);
}

# Numbers the parameters in the order of their first use: the text for the server, and the list of values with the C
# path of each.
sub number_params {
    my ($self, $text) = @_;
    my (@params, %number, %used);
    my $sent = replace_params($text, $self->{line}, sub {
        my ($name, $line) = @_;
        my ($member, $key) = $name =~ /^(\w+)\.(\w+)$/ ? ($1, $2) : (undef, $name);
        my $list = defined $member ? ($self->{members}{$member} || {in => []})->{in} : $self->{in};
        my ($value) = grep { $_->{name} eq $key } @$list;
        fail($self->{file}, $line, ":$name is not in its `in`, nor of a part") unless $value;
        $used{$name} = 1;
        if (!$number{$name}) {
            push @params, {%$value, path => $name};
            $number{$name} = @params;
        }
        return "\$$number{$name}";
    });
    for my $value (@{$self->{in}}) {
        fail($self->{file}, 1, "parameter $value->{name} is not used") unless $used{$value->{name}};
    }
    return ($sent, @params);
}

# ---- writing ----

sub c_text {
    my ($text) = @_;
    $text =~ s/([\\"])/\\$1/g;
    return join "\n", map { "    \"$_\"" } split /\n/, $text =~ s/\n/\\n\n/gr;
}

sub comment {
    my ($doc) = @_;
    my $text = join "\n * ", @$doc;
    return "/* $text */\n";
}

sub member {
    my ($value) = @_;
    my ($name, $type) = ($value->{name}, $value->{type});
    return "    $type *$name;\n" if $type =~ /^struct /;
    return "    $types{$type}[$value->{null}]$name;\n";
}

sub struct {
    my ($name, @members) = @_;
    return "struct $name {\n" . join('', @members) . "};\n";
}

# struct sql_value { name, type, null, offset, table }
sub value_row {
    my ($value, $struct) = @_;
    my $type = $value->{type} =~ /^struct (\w+)/ ? 'STRUCT' : $types{$value->{type}}[2];
    my $table = $value->{type} =~ /^struct (\w+)/ ? "&$1_table" : 'NULL';
    my $path = $value->{path} // $value->{name};
    return sprintf "    {\"%s\", SQL_TYPE_%s, %s, offsetof(struct %s, %s), %s},\n", $path, $type,
        $value->{null} ? 'true' : 'false', $struct, $path, $table;
}

# What a file of C sees of a statement.
sub declaration {
    my ($self) = @_;
    my $sql = "sql_$self->{name}";
    my $text = comment($self->{doc});
    my @in = map { member($_) } @{$self->{in}};
    push @in, map { "    struct sql_$self->{members}{$_}{name} $_;\n" } sort keys %{$self->{members}};
    my ($args, $in) = @in ? (", const struct ${sql}_in *in", 'in') : ('', 'NULL');
    my $out = 'NULL';
    if ($self->{table}) {
        $args .= $self->{rows} eq 'one' ? ", struct $self->{table} *row" : ', struct field_list *rows';
    } elsif (@{$self->{row}}) {
        $args .= $self->{rows} eq 'one' ? ", struct ${sql}_row *row" : ", struct ${sql}_rows *rows";
    }
    $out = $self->{rows} eq 'one' ? 'row' : 'rows' if $self->{table} || @{$self->{row}};
    $text .= struct("${sql}_in", @in) if @in;
    if (@{$self->{row}}) {
        $text .= struct("${sql}_row", map { member($_) } @{$self->{row}});
        $text .= struct("${sql}_rows", "    struct ${sql}_row *items;\n", "    size_t count;\n")
            if $self->{rows} eq 'many';
    }
    $text .= "extern const struct db_statement *const ${sql}_statement;\n";
    for my $way (split / /, $self->{class} =~ s/^(read|vital)$/write/r) {
        my ($first, $suffix, $run) = $way eq 'tx' ? ('struct db_tx *tx', $self->{class} eq 'tx' ? '' : '_tx', 'sql_run_tx(tx')
            : ('struct db *db', '', 'sql_run(db');
        $text .= "MUST_USE static inline int\n$sql$suffix($first, const struct request *req$args, struct error *err)\n{\n"
            . "    return $run, req, ${sql}_statement, $in, $out, err);\n}\n";
    }
    return $text;
}

# Its row in the table, behind the tables of its values.
sub definition {
    my ($self) = @_;
    my $sql = "sql_$self->{name}";
    my ($values, $row) = ('', '');
    my $params = @{$self->{params}} ? "${sql}_params" : 'NULL';
    my $columns = @{$self->{row}} ? "${sql}_columns" : 'NULL';
    if (@{$self->{params}}) {
        $values .= "static const struct sql_value ${sql}_params[] = {\n"
            . join('', map { value_row($_, "${sql}_in") } @{$self->{params}}) . "};\n";
    }
    if (@{$self->{row}}) {
        $values .= "static const struct sql_value ${sql}_columns[] = {\n"
            . join('', map { value_row($_, "${sql}_row") } @{$self->{row}}) . "};\n";
    }
    my $class = uc($self->{class} =~ s/ tx$//r);
    my $table = $self->{table} ? "&$self->{table}_table" : 'NULL';
    my $size = @{$self->{row}} ? "sizeof(struct ${sql}_row)" : '0';
    $values .= "static const struct sql_shape ${sql}_shape = {\n"
        . "    .file = \"$self->{file}\", .line = $self->{expanded_line}, .params = $params,\n"
        . "    .rows = SQL_ROWS_" . uc($self->{rows}) . ", .columns = $columns, .column_count = "
        . @{$self->{row}} . ",\n    .row_size = $size, .table = $table};\n\n";
    $row = "    {.name = \"$self->{name}\", .class = DB_$class, .params = " . @{$self->{params}}
        . ", .shape = &${sql}_shape, .text =\n" . c_text($self->{sent}) . "},\n";
    return ($values, $row);
}

sub guard {
    my ($path) = @_;
    return 'ATRIUM_' . uc($path =~ s/[^a-z0-9]/_/gr);
}

sub header {
    my ($path, $from, @lines) = @_;
    my $guard = guard($path);
    write_file("$gen/$path", "/* Made by common/pg/sqlgen.pl from $from; do not edit. */\n#ifndef $guard\n#define $guard\n\n"
        . join('', @lines) . "\n#endif\n");
}

# Structs of parameters of the parts that have some.
sub write_parts {
    my @structs;
    for my $path (sort glob "$daemon/sql/part/*.sql") {
        my $part = find_part($path =~ s{.*/(.*)\.sql}{$1}r, $path, 1);
        push @structs, comment($part->{doc}), struct("sql_$part->{name}", map { member($_) } @{$part->{in}}), "\n"
            if @{$part->{in}};
    }
    header("$daemon/sql_part.h", "$daemon/sql/part", "#include \"common/pg/statement.h\"\n",
        $daemon eq $shared ? '' : "#include \"$shared/sql_part.h\"\n", "\n", @structs,
        map { "/* Ended by a row without a name. */\nextern const struct db_statement ${_}_sql[];\n" } @_);
}

sub check_statement {
    my ($self) = @_;
    my $file = $self->{file};
    fail($file, 1, 'class is read, write, tx, vital, read tx or write tx') unless $classes{$self->{class} // ''};
    fail($file, 1, 'rows is none, one or many') unless $rows{$self->{rows} // ''};
    fail($file, 1, 'rows: none, and yet a row') if $self->{rows} eq 'none' && (@{$self->{row}} || $self->{table});
    fail($file, 1, 'rows: many, of what?') if $self->{rows} eq 'many' && !@{$self->{row}} && !$self->{table};
    fail($file, 1, 'a row is one struct or named columns; a struct beside columns has a name')
        if @{$self->{row}} && $self->{table};
    fail($file, $self->{line}, 'a statement ends without a semicolon') if $self->{body} =~ /;$/;
    fail($file, $self->{line}, 'there is no statement') if $self->{body} eq '';
}

my (%subjects, %names);
for my $path (sort glob "$daemon/sql/*/*.sql") {
    my ($subject) = $path =~ m{/sql/(\w+)/[^/]*$};
    next if $subject eq 'part';
    my $self = read_sql($path);
    fail($path, 1, "$names{$self->{name}} has that name") if $names{$self->{name}};
    $names{$self->{name}} = $path;
    check_statement($self);
    my $text = expand($self);
    ($self->{sent}, @{$self->{params}}) = number_params($self, $text);
    push @{$subjects{$subject}}, $self;
    my $plain = replace_params($text, 1, sub {
        my ($name) = @_;
        my ($value) = grep { $_->{path} eq $name } @{$self->{params}};
        return ':' . ($name =~ s/\./_/r) . "::$value->{type}";
    });
    write_file("$gen/$daemon/sql/$self->{name}.sql", join('', map { "-- $_\n" } @{$self->{doc}}) . "$plain;\n");
}

my ($values, $tables, $pointers) = ('', '', '');
my @all = sort keys %subjects;
for my $subject (@all) {
    my @statements = @{$subjects{$subject}};
    my %structs = map { $_ => 1 } map { ($_->{table} // (), map { $_->{type} =~ /^struct (\w+)/ ? $1 : () } @{$_->{row}}) } @statements;
    header("$daemon/sql/$subject.h", "$daemon/sql/$subject", "#include \"$daemon/sql_part.h\"\n\n",
        (map { "struct $_;\n" } sort keys %structs), %structs ? "\n" : '',
        join "\n", map { declaration($_) } @statements);
    $values .= "extern const struct field_table $_;\n" for map { "${_}_table" } sort keys %structs;
}
my $table = $daemon =~ s{.*/}{}r;
my @groups = $daemon eq $shared ? map { ["${table}_$_", $subjects{$_}] } @all
    : (["${table}", [map { @{$subjects{$_}} } @all]]);
write_parts(map { $_->[0] } @groups);
for my $group (@groups) {
    my ($name, $statements) = @$group;
    my ($rows, $number) = ('', 0);
    for my $self (@$statements) {
        my ($value, $row) = definition($self);
        $values .= $value;
        $rows .= $row;
        $pointers .= "const struct db_statement *const sql_$self->{name}_statement = &${name}_sql[" . $number++ . "];\n";
    }
    $tables .= "const struct db_statement ${name}_sql[] = {\n$rows    {.name = NULL},\n};\n\n";
}
write_file("$gen/$daemon/sql.c", "/* Made by common/pg/sqlgen.pl from $daemon/sql; do not edit. */\n"
    . "#include <stddef.h>\n\n#include \"$daemon/sql_part.h\"\n" . join('', map { "#include \"$daemon/sql/$_.h\"\n" } @all)
    . "\n$values$tables$pointers");
