#!/usr/bin/perl
# sqlgen.pl - writes a daemon's statements as C.
#
#     sqlgen.pl GEN DAEMON SHARED
#
# Reads DAEMON/sql/SUBJECT/NAME.sql, and parts and calls from DAEMON/sql/part, DAEMON/sql/call and the same folders of
# SHARED. Writes below GEN, and only changed files:
#
#     DAEMON/sql/SUBJECT.h    the parameters, rows and calls of the subject's statements
#     DAEMON/sql/NAME.sql     the expanded text, for psql (-v name=value)
#     DAEMON/sql_part.h       the parameters and rows of the daemon's own parts, and its shared calls
#     DAEMON/sql.c            the table DAEMON_sql[] (or one per subject if DAEMON is SHARED)
#
# docs/database.md has the format of .sql files. An error ends the build with its
# file and line.
use strict;
use warnings;

my ($gen, $daemon, $shared) = @ARGV;
die "usage: sqlgen.pl GEN DAEMON SHARED\n" unless defined $shared;

# C members of parameters and columns: type, type if null is allowed, name of enum sql_type.
my %found;
my %types = (
    uuid  => ['struct uuid ',        'struct uuid ',         'UUID'],
    text  => ['const char *',        'const char *',         'TEXT'],
    int8  => ['int64_t ',            'const int64_t *',      'INT8'],
    role  => ['enum role ',         'enum role ',          'ROLE'],
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

# Writes by rename, and only changes, so that make compiles no more than needed.
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
        my ($name, $type, $null) = $item =~ /^([a-z]\w*) ((?:struct|row) \w+|[a-z0-9]+(?:\[\])?)( null)?$/
            or fail($file, $line, "\"$item\" is not \"name type\" or \"name type null\"");
        fail($file, $line, "there is no type $type: " . join(', ', sort keys %types))
            unless $types{$type} || ($structs && $type =~ /^(struct|row) /);
        push @values, {name => $name, type => $type, null => $null ? 1 : 0};
    }
    return @values;
}

# A statement, a part or a call: {file, doc, class, rows, call, parts, in, row, shared, table, args, body, line of the
# body}. `shared` is the part or call whose row it has; `table` the struct that is its row.
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
        if ($line =~ /^-- (class|rows|call|parts): (.*?)\s*$/) {
            $self->{$1} = $2;
        } elsif ($line =~ /^-- in: (.*?),?\s*$/) {
            push @{$self->{in}}, parse_values($file, $number, $1, 0);
        } elsif ($line =~ /^-- row: (struct (\w+))\s*$/) {
            $self->{table} = $2;
        } elsif ($line =~ /^-- row: row (\w+)\s*$/) {
            $self->{shared} = find_row($1, $file, $number);
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

# A file of a shared folder, `part` or `call`.
sub find_shared {
    my ($folder, $name, $file, $line) = @_;
    return $found{"$folder/$name"} if $found{"$folder/$name"};
    for my $owner ($daemon, $shared) {
        my $path = "$owner/sql/$folder/$name.sql";
        return $found{"$folder/$name"} = read_sql($path) if -e $path;
    }
    fail($file, $line, "there is no $folder $name");
}

sub find_part {
    my $part = find_shared('part', @_);
    for my $key (qw(class rows call parts)) {
        fail($part->{file}, 1, "a part has no $key") if $part->{$key};
    }
    return $part;
}

sub find_row {
    my ($name, $file, $line) = @_;
    my $part = find_part($name, $file, $line);
    fail($file, $line, "part $name has no row") unless @{$part->{row}};
    return $part;
}

# The columns of a row; a part's columns in it are a struct member.
sub columns {
    my ($self) = @_;
    return columns($self->{shared}) if $self->{shared};
    return map {
        my $value = $_;
        $value->{type} !~ /^row (\w+)$/ ? $value
            : map { {%$_, path => "$value->{name}.$_->{name}"} } columns(find_row($1, $self->{file}, 1))
    } @{$self->{row}};
}

# Copies the declarations of a statement's call to the statement.
sub take_call {
    my ($self) = @_;
    my $call = find_shared('call', $self->{call}, $self->{file}, 1);
    for my $key (qw(class rows table)) {
        fail($self->{file}, 1, "its call says what its $key is") if $self->{$key};
        $self->{$key} = $call->{$key};
    }
    for my $key (qw(in row)) {
        fail($self->{file}, 1, "its call says what its $key is") if @{$self->{$key}};
        $self->{$key} = $call->{$key};
    }
    fail($self->{file}, 1, 'its call says what its row is') if $self->{shared};
    $self->{shared} = $call;
    $self->{prototype} = $call;
    $self->{members} = members_of($call);
}

# The parts of a call, with their parameters.
sub members_of {
    my ($call) = @_;
    return {map { $_ => find_part($_, $call->{file}, 1) } split /\s*,\s*/, $call->{parts} // ''};
}

# ---- expanding ----

# Reads "from = spent, entity = coalesce(:a, 'b, c'), key = {a, b}" into a hash. Ignores commas in parentheses, braces
# and quotes; drops braces around a value.
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

# Replaces each parameter by $replace->(name, line); leaves literals, quoted names, comments and casts.
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

# The text of a part included as `member`: its parameters become :member.name, also in arguments of parts that it
# includes.
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

# True if a line is an include with an open parenthesis; its arguments can have closed ones.
sub include_is_open {
    my ($line) = @_;
    my ($text) = $line =~ /-- include: (.*)/s or return 0;
    my $depth = 0;
    while ($text =~ /\G($literal|.)/gs) {
        $depth += $1 eq '(' ? 1 : $1 eq ')' ? -1 : 0;
    }
    return $depth > 0;
}

# The lines of a text with their numbers; an include with an open parenthesis continues in the next comment.
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

# Inserts the parts, so that only parameters are left, :name and :member.name.
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
    $self->{members} //= {};
    my %known = %{$self->{members}};
    my $text = expand_text($self, $self->{body}, $self->{file}, $self->{line}, 0);
    if ($self->{prototype}) {
        for my $member (grep { !$known{$_} } sort keys %{$self->{members}}) {
            fail($self->{file}, $self->{line}, "its call has no part $member");
        }
    }
    return $text;
}

# Numbers the parameters by first use. Returns the server's text, and the values with their C paths.
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
    for my $value ($self->{prototype} ? () : @{$self->{in}}) {
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
    return "    struct sql_$1_row $name;\n" if $type =~ /^row (\w+)/;
    return "    $types{$type}[$value->{null}]$name;\n";
}

sub struct {
    my ($name, @members) = @_;
    return "struct $name {\n" . join('', @members) . "};\n";
}

# struct sql_value { name, type, null, offset, table }
sub value_row {
    my ($value, $struct, $column) = @_;
    my $type = $value->{type} =~ /^struct (\w+)/ ? 'STRUCT' : $types{$value->{type}}[2];
    my $table = $value->{type} =~ /^struct (\w+)/ ? "&$1_table" : 'NULL';
    my $path = $value->{path} // $value->{name};
    return sprintf "    {\"%s\", SQL_TYPE_%s, %s, offsetof(struct %s, %s), %s},\n", $column ? $value->{name} : $path, $type,
        $value->{null} ? 'true' : 'false', $struct, $path, $table;
}

# The names of a statement's structs: its call's, its part's for the row, or its own.
sub in_struct {
    my ($self) = @_;
    return 'sql_' . ($self->{prototype} // $self)->{name} . '_in';
}
sub row_struct {
    my ($self) = @_;
    my $owner = $self->{shared} // $self;
    return $owner->{shared} ? row_struct($owner) : "sql_$owner->{name}_row";
}

sub row_structs {
    my ($name, @row) = @_;
    return struct("sql_${name}_row", map { member($_) } @row), rows_struct($name, "struct sql_${name}_row");
}
sub rows_struct {
    my ($name, $item) = @_;
    return struct("sql_${name}_rows", "    $item *items;\n", "    size_t count;\n");
}

# The structs and functions of a statement or a call; a call's functions take the statement.
sub calls {
    my ($self, $is_call) = @_;
    my $sql = "sql_$self->{name}";
    my $row = row_struct($self);
    my $rows = $row =~ s/_row$/_rows/r;
    my $text = '';
    my @in = map { member($_) } @{$self->{in}};
    push @in, map { "    struct sql_$self->{members}{$_}{name} $_;\n" } sort keys %{$self->{members}};
    my ($args, $in) = @in ? (", const struct ${sql}_in *in", 'in') : ('', 'NULL');
    my $out = 'NULL';
    $text .= struct("${sql}_in", @in) if @in;
    if ($self->{table}) {
        $text .= rows_struct($self->{name}, "const struct $self->{table}") if $is_call && $self->{rows} eq 'many';
        $args .= $self->{rows} eq 'one' ? ", struct $self->{table} *row"
            : $is_call ? ", struct ${sql}_rows *rows" : ', struct field_list *rows';
    } elsif (@{$self->{row}} || $self->{shared}) {
        my ($one, $many) = $self->{shared} ? () : row_structs($self->{name}, @{$self->{row}});
        $text .= $one // '';
        $text .= $many // '' if $self->{rows} eq 'many';
        $args .= $self->{rows} eq 'one' ? ", struct $row *row" : ", struct $rows *rows";
    }
    $out = $self->{rows} eq 'one' ? 'row' : 'rows' if $self->{table} || @{$self->{row}} || $self->{shared};
    my $statement = $is_call ? 'statement' : "${sql}_statement";
    $text .= "extern const struct db_statement *const ${sql}_statement;\n" unless $is_call;
    for my $way (split / /, $self->{class} =~ s/^(read|vital)$/write/r) {
        my ($first, $suffix, $run) = $way eq 'tx' ? ('struct db_tx *tx', $self->{class} eq 'tx' ? '' : '_tx', 'sql_run_tx(tx')
            : ('struct db *db', '', 'sql_run(db');
        my $take = $is_call ? ', const struct db_statement *statement' : '';
        $text .= "MUST_USE static inline int\n$sql$suffix($first, const struct request *req$take$args, struct error *err)\n{\n"
            . "    return $run, req, $statement, $in, $out, err);\n}\n";
    }
    return $text;
}

# A statement's declarations for C.
sub declaration {
    my ($self) = @_;
    return comment($self->{doc})
        . ($self->{prototype} ? "extern const struct db_statement *const sql_$self->{name}_statement;\n" : calls($self));
}

# A statement's row in the table, after the tables of its values.
sub definition {
    my ($self) = @_;
    my $sql = "sql_$self->{name}";
    my ($values, $row) = ('', '');
    my $params = @{$self->{params}} ? "${sql}_params" : 'NULL';
    my @columns = columns($self);
    my $columns = @columns ? "${sql}_columns" : 'NULL';
    my ($in, $out) = (in_struct($self), row_struct($self));
    if (@{$self->{params}}) {
        $values .= "static const struct sql_value ${sql}_params[] = {\n"
            . join('', map { value_row($_, $in) } @{$self->{params}}) . "};\n";
    }
    if (@columns) {
        $values .= "static const struct sql_value ${sql}_columns[] = {\n"
            . join('', map { value_row($_, $out, 1) } @columns) . "};\n";
    }
    my $class = uc($self->{class} =~ s/ tx$//r);
    my $table = $self->{table} ? "&$self->{table}_table" : 'NULL';
    my $size = @columns ? "sizeof(struct $out)" : '0';
    $values .= "static const struct sql_shape ${sql}_shape = {\n"
        . "    .file = \"$self->{file}\", .line = $self->{expanded_line}, .params = $params,\n"
        . "    .rows = SQL_ROWS_" . uc($self->{rows}) . ", .columns = $columns, .column_count = "
        . @columns . ",\n    .row_size = $size, .table = $table};\n\n";
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

# Structs of calls, and of parts with parameters or a row.
sub write_parts {
    my (@structs, %tables);
    for my $path (sort glob "$daemon/sql/part/*.sql") {
        my $part = find_part($path =~ s{.*/(.*)\.sql}{$1}r, $path, 1);
        push @structs, comment($part->{doc}) if @{$part->{in}} || @{$part->{row}};
        push @structs, struct("sql_$part->{name}", map { member($_) } @{$part->{in}}), "\n" if @{$part->{in}};
        push @structs, row_structs($part->{name}, @{$part->{row}}), "\n" if @{$part->{row}};
        $tables{$_} = 1 for tables_of($part);
    }
    for my $path (sort glob "$daemon/sql/call/*.sql") {
        my $call = find_shared('call', $path =~ s{.*/(.*)\.sql}{$1}r, $path, 1);
        fail($path, $call->{line}, 'a call has no SQL') if $call->{body} ne '';
        check_shape($call);
        $call->{members} = members_of($call);
        push @structs, comment($call->{doc}), calls($call, 1), "\n";
        $tables{$_} = 1 for tables_of($call);
    }
    header("$daemon/sql_part.h", "$daemon/sql/part", "#include \"common/pg/statement.h\"\n",
        $daemon eq $shared ? '' : "#include \"$shared/sql_part.h\"\n", "\n",
        (map { "struct $_;\n" } sort keys %tables), %tables ? "\n" : '', @structs,
        map { "/* Ended by a row without a name. */\nextern const struct db_statement ${_}_sql[];\n" } @_);
}

# The C structs in a statement's row.
sub tables_of {
    my ($self) = @_;
    return ($self->{table} // (), map { $_->{type} =~ /^struct (\w+)/ ? $1 : () } columns($self));
}

sub check_shape {
    my ($self) = @_;
    my $file = $self->{file};
    my $columns = columns($self);
    fail($file, 1, 'class is read, write, tx, vital, read tx or write tx') unless $classes{$self->{class} // ''};
    fail($file, 1, 'rows is none, one or many') unless $rows{$self->{rows} // ''};
    fail($file, 1, 'rows: none, and yet a row') if $self->{rows} eq 'none' && ($columns || $self->{table});
    fail($file, 1, 'rows: many, of what?') if $self->{rows} eq 'many' && !$columns && !$self->{table};
    fail($file, 1, 'a row is one struct, the row of a part or named columns; a struct beside columns has a name')
        if (@{$self->{row}} ? 1 : 0) + ($self->{table} ? 1 : 0) + ($self->{shared} && !$self->{prototype} ? 1 : 0) > 1;
}

sub check_statement {
    my ($self) = @_;
    my $file = $self->{file};
    check_shape($self);
    fail($file, $self->{line}, 'a statement ends without a semicolon') if $self->{body} =~ /;$/;
    fail($file, $self->{line}, 'there is no statement') if $self->{body} eq '';
}

my (%subjects, %names);
for my $path (sort glob "$daemon/sql/*/*.sql") {
    my ($subject) = $path =~ m{/sql/(\w+)/[^/]*$};
    next if $subject eq 'part' || $subject eq 'call';
    my $self = read_sql($path);
    take_call($self) if $self->{call};
    fail($path, 1, "$names{$self->{name}} has that name") if $names{$self->{name}};
    $names{$self->{name}} = $path;
    check_statement($self);
    my $text = expand($self);
    ($self->{sent}, @{$self->{params}}) = number_params($self, $text);
    push @{$subjects{$subject}}, $self;
    my $plain = replace_params($text, 1, sub {
        my ($name) = @_;
        my ($value) = grep { $_->{path} eq $name } @{$self->{params}};
        return ':' . ($name =~ s/\./_/r) . '::' . ($value->{type} eq 'role' ? 'text' : $value->{type});
    });
    write_file("$gen/$daemon/sql/$self->{name}.sql", join('', map { "-- $_\n" } @{$self->{doc}}) . "$plain;\n");
}

my ($values, $tables, $pointers) = ('', '', '');
my @all = sort keys %subjects;
for my $subject (@all) {
    my @statements = @{$subjects{$subject}};
    my %structs = map { $_ => 1 } map { tables_of($_) } @statements;
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
