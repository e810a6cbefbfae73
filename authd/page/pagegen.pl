#!/usr/bin/perl
# pagegen.pl - compiles page templates to C.
#
#     pagegen.pl GEN FOLDER PREFIX
#
# Reads FOLDER/NAME.html, their parts in FOLDER/part, and the texts in FOLDER/text/LANGUAGE.txt.
# Writes these files to GEN if they have changed:
#
#     FOLDER/pages.h    for each page a struct of its variables and a function
#     FOLDER/pages.c    the functions and the texts
#
# A variable's place decides how it is escaped. A variable in a place that isn't listed here stops
# the build with its file and line. TEMPLATES.md describes templates.
use strict;
use warnings;

my ($gen, $folder, $prefix) = @ARGV;
die "usage: pagegen.pl GEN FOLDER PREFIX\n" unless defined $prefix;

my @languages = qw(en de es);
my %elements = map { $_ => 1 } qw(html head meta link title style script body header main footer nav section
    h1 h2 h3 p a ul ol li dl dt dd div span bdi strong em small time br hr form fieldset legend label
    input button select option textarea details summary table thead tbody tr th td img noscript);
my %void = map { $_ => 1 } qw(meta link br hr input img);
my %raw = map { $_ => 1 } qw(title style script textarea);
# Maximum size of a page script, which the content security policy names by its hash.
my $script_most = 4096;
# Attributes whose value can have a variable.
my %addresses = map { $_ => 1 } qw(href action formaction);
my %plain = map { $_ => 1 } qw(value placeholder title lang dir id for name class autocomplete datetime
    alt aria-label aria-describedby aria-labelledby);

sub fail {
    my ($at, $text) = @_;
    die "$at->{file}:$at->{line}: $text\n";
}

# Writes only changed files, by rename, so that make compiles no more than necessary.
sub write_file {
    my ($path, $text) = @_;
    if (open my $old, '<', $path) {
        local $/;
        return if (<$old> // '') eq $text;
    }
    my $made = '';
    for my $name (split m{/}, $path =~ s{/[^/]*$}{}r) {
        $made .= "$name/";
        mkdir $made;
    }
    open my $out, '>', "$path.$$" or die "$path: $!\n";
    print $out $text;
    close $out or die "$path: $!\n";
    rename "$path.$$", $path or die "$path: $!\n";
}

sub read_file {
    my ($path, $at) = @_;
    open(my $in, q(<), $path) && -f $path or ($at ? fail($at, "$path: $!") : die "$path: $!\n");
    local $/;
    my $text = <$in> // '';
    utf8::decode(my $copy = $text) or die "$path:1: is not UTF-8\n";
    return $text;
}

# ---- texts ----

# {key => {text => {language => text}, names => [placeholders], at}}
sub read_texts {
    my %texts;
    for my $language (@languages) {
        my $file = "$folder/text/$language.txt";
        my $line = 0;
        for (split /\n/, read_file($file)) {
            my $at = {file => $file, line => ++$line};
            next if /^\s*(?:#|$)/;
            my ($key, $text) = /^([a-z][a-z0-9_.]*) = (\S.*)$/
                or fail($at, 'a line is "key = text"');
            fail($at, "$key is there twice") if defined $texts{$key}{text}{$language};
            fail($at, 'a text holds no markup, and braces only as {name}')
                if $text =~ s/\{[a-z]\w*\}//gr =~ /[{}<>]/;
            $texts{$key}{text}{$language} = $text;
            $texts{$key}{at} //= $at;
        }
    }
    for my $key (sort keys %texts) {
        my $text = $texts{$key};
        my $names;
        for my $language (@languages) {
            fail($text->{at}, "$key is missing in $language.txt") unless defined $text->{text}{$language};
            my %named = map { $_ => 1 } $text->{text}{$language} =~ /\{(\w+)\}/g;
            my $here = join ', ', sort keys %named;
            fail($text->{at}, "$key has other placeholders in $language.txt: $here, not $names")
                if defined $names && $names ne $here;
            $names = $here;
        }
        $text->{names} = [split /, /, $names];
    }
    return \%texts;
}

# ---- reading a template ----

# Variables declared in the first comment: {name => {type, members}}, in order.
sub read_head {
    my ($file, $text) = @_;
    my $at = {file => $file, line => 1};
    my ($head) = $text =~ /^<!--(.*?)-->/s
        or fail($at, 'the first line begins a comment: the purpose, then "in: name type, ..."');
    my @lines = map { s/^\s+|\s+$//gr } split /\n/, $head;
    my $self = {doc => [], in => [], of => {}};
    for (@lines) {
        if (/^(in|list (\w+)(?: of (\w+))?): (.*)$/) {
            my ($list, $outer, $items) = ($2, $3, $4);
            my $into = $self;
            if (defined $list) {
                my $holder = defined $outer ? $self->{of}{$outer} : $self;
                fail($at, "$outer is no list before it") unless $holder && $holder->{of};
                fail($at, "$list is there twice") if $self->{of}{$list} || $holder->{of}{$list};
                push @{$holder->{in}}, $list;
                if ($items =~ /^part (\w+)$/) {
                    $holder->{of}{$list} = part_list($1, $list, $at);
                    next;
                }
                $into = {in => [], of => {}};
                $holder->{of}{$list} = {type => 'list', of => $into->{of}, in => $into->{in}};
            }
            for my $item (split /\s*,\s*/, $items) {
                my ($name, $type) = $item =~ /^([a-z][a-z0-9_]*) (text|bool|message)$/
                    or fail($at, "\"$item\" is not a name and one of text, bool, message");
                fail($at, "$name is there twice") if $into->{of}{$name};
                $into->{of}{$name} = {type => $type};
                push @{$into->{in}}, $name;
            }
        } elsif (/\S/) {
            push @{$self->{doc}}, $_;
        }
    }
    fail($at, 'the first line is the purpose') unless @{$self->{doc}};
    return $self;
}

# The list declared by a part, whose rows have one struct in all pages that include it.
sub part_list {
    my ($part, $list, $at) = @_;
    my $file = "$folder/part/$part.html";
    my $rows = read_head($file, read_file($file, $at))->{of}{$list};
    fail($at, "part/$part.html has no list $list") unless $rows && $rows->{type} eq 'list';
    return {%$rows, struct => "${part}_$list"};
}

# Pieces in order: {text} or {tag}, with their places. Removes comments and indentation.
sub read_pieces {
    my ($path, $depth, $at) = @_;
    my $text = read_file($path, $at);
    fail({file => $path, line => 1}, 'includes itself') if $depth > 8;
    if ($path =~ /\.(?:css|js)$/) {
        $text =~ s{/\*.*?\*/}{$& =~ s/[^\n]//gr}gse;
        $text =~ s/^\s+//mg;
        chomp $text;
        return {text => $text, file => $path, line => 1};
    }
    $text =~ s{<!--.*?-->}{$& =~ s/[^\n]//gr}gse;
    my $line = 1;
    my @pieces;
    for my $part (split /(\{\{.*?\}\})/s, $text) {
        my $here = {file => $path, line => $line};
        $line += $part =~ tr/\n//;
        if ($part =~ /^\{\{include ([\w.]+)\}\}$/) {
            my $name = $1;
            $name .= '.html' unless $name =~ /\./;
            push @pieces, read_pieces("$folder/part/$name", $depth + 1, $here);
        } elsif ($part =~ /^\{\{(.*)\}\}$/s) {
            push @pieces, {tag => $1, %$here};
        } else {
            fail($here, 'braces that are no {{tag}}') if $part =~ /\{\{|\}\}/;
            push @pieces, {text => $part, %$here};
        }
    }
    return @pieces;
}

# ---- contexts ----

# Follows literal text. The state: mode (text, tag, value, raw), stack of open elements, element,
# attribute, value (a variable in it is \0), space (an attribute may begin), types of script.
sub follow {
    my ($state, $text, $piece) = @_;
    my $at = sub {
        my $lines = substr($text, 0, pos($text) // 0) =~ tr/\n//;
        return {file => $piece->{file}, line => $piece->{line} + $lines};
    };
    pos($text) = 0;
    while (pos($text) < length $text) {
        my $mode = $state->{mode};
        if ($mode eq 'text') {
            next if $text =~ /\G[^<]+/gc;
            next if $text =~ /\G<!doctype html>/gc;
            if ($text =~ m{\G</([a-z][a-z0-9]*)>}gc) {
                my $open = pop @{$state->{stack}} // 'nothing';
                fail($at->(), "</$1> ends $open") if $open ne $1;
                next;
            }
            $text =~ /\G<([a-z][a-z0-9]*)/gc or fail($at->(), 'a "<" that begins no element; write &lt;');
            fail($at->(), "element $1 is not allowed") unless $elements{$1};
            @$state{qw(mode element attribute space type)} = ('tag', $1, '', 0, '');
        } elsif ($mode eq 'tag') {
            if ($text =~ /\G\s+/gc) {
                $state->{space} = 1;
            } elsif ($text =~ /\G>/gc) {
                my $name = $state->{element};
                fail($at->(), 'a script is data, type="application/json", or an included file without attributes')
                    if $name eq 'script' && $state->{type} ne 'application/json' && $state->{attribute} ne '';
                push @{$state->{stack}}, $name unless $void{$name};
                @$state{qw(mode value)} = ($raw{$name} ? 'raw' : 'text', '');
            } elsif ($text =~ /\G([a-z][a-z0-9-]*)/gc) {
                my $name = $1;
                fail($at->(), "no blank before attribute $name") unless $state->{space};
                fail($at->(), "$name: the page's policy runs no event handler") if $name =~ /^on/;
                fail($at->(), 'style: the policy takes no style of an element') if $name eq 'style';
                fail($at->(), "attribute $name is not allowed") if $name eq 'srcdoc';
                @$state{qw(attribute space value)} = ($name, 0, '');
                next unless $text =~ /\G=/gc;
                $text =~ /\G"/gc or fail($at->(), "the value of $name stands in double quotes");
                $state->{mode} = 'value';
            } else {
                fail($at->(), 'this is no attribute');
            }
        } elsif ($mode eq 'value') {
            $state->{value} .= $1 if $text =~ /\G([^"]+)/gc;
            if ($text =~ /\G"/gc) {
                fail($at->(), 'http-equiv is for "refresh"')
                    if $state->{attribute} eq 'http-equiv' && "$state->{element} $state->{value}" ne 'meta refresh';
                $state->{type} = $state->{value} if $state->{attribute} eq 'type';
                $state->{mode} = 'tag';
            }
        } else {
            my $name = $state->{element};
            if ($text =~ m{\G</\Q$name\E>}gc) {
                pop @{$state->{stack}};
                $state->{mode} = 'text';
                push @{$state->{styles}}, $state->{value} if $name eq 'style';
                push @{$state->{scripts}}, $state->{value} if $name eq 'script' && $state->{type} eq '';
            } elsif ($text =~ /\G</gc) {
                fail($at->(), "a \"<\" in $name");
            } else {
                $text =~ /\G([^<]+)/gc;
                $state->{value} .= $1;
                fail($at->(), 'a program in a template: include a file')
                    if $name eq 'script' && $state->{type} eq '' && $piece->{file} !~ /\.js$/;
            }
        }
    }
}

# Returns the context of a variable at this place.
sub context {
    my ($state, $piece) = @_;
    my ($mode, $name) = @$state{qw(mode element)};
    if ($mode eq 'text') {
        return 'PAGE_HTML';
    }
    if ($mode eq 'raw') {
        return 'PAGE_HTML' if $name eq 'title' || $name eq 'textarea';
        fail($piece, "a variable in a $name") if $name eq 'style' || $state->{type} eq '';
        my $strings = $state->{value} =~ s/\\.//gr;
        fail($piece, 'a variable in a text of JSON: leave out the quotes') if ($strings =~ tr/"//) % 2;
        fail($piece, 'a variable where JSON has no value') unless $strings =~ /[:\[,]\s*$/;
        $state->{value} .= '0';
        return 'PAGE_JSON';
    }
    fail($piece, 'a variable in a tag, outside of a value in double quotes') if $mode ne 'value';
    my ($attribute, $value) = @$state{qw(attribute value)};
    $state->{value} .= "\0";
    return 'PAGE_ATTRIBUTE' if $plain{$attribute};
    return 'PAGE_IMAGE' if $attribute eq 'src' && $name eq 'img' && $value eq '';
    return 'PAGE_URL' if "$name $attribute $value" eq 'meta content 0; url=';
    fail($piece, "a variable in attribute $attribute") unless $addresses{$attribute};
    return 'PAGE_URL' if $value eq '';
    return 'PAGE_URL_QUERY' if $value =~ m{^(?:\0|/[^/\\]|\?|https://[a-z0-9.-]+/)[^?#]*[?#]} || $value =~ /^[?#]/;
    return 'PAGE_URL_SEGMENT' if $value =~ m{^/(?:[^/\\\0].*/)?$}s;
    fail($piece, "a variable in $attribute stands for all of it, for what is between two slashes, or behind ?");
}

# The state in which two branches of a template must end.
sub joined {
    my ($piece, $one, $other) = @_;
    my $look = sub {
        my ($s) = @_;
        my $inner = $s->{mode} eq 'tag' ? $s->{element}
            : $s->{mode} eq 'value' ? "$s->{attribute} " . ($addresses{$s->{attribute}} ? $s->{value} : '')
            : $s->{mode} eq 'raw' ? $s->{element} : '';
        return "$s->{mode}|$inner|@{$s->{stack}}";
    };
    fail($piece, 'the ways of a condition end in different places') if $look->($one) ne $look->($other);
    my $space = $one->{space} && $other->{space};
    return {%$one, space => $space};
}

sub copied {
    my ($state) = @_;
    return {%$state, stack => [@{$state->{stack}}]};
}

# ---- C ----

sub c_string {
    my ($text) = @_;
    my %named = ("\n" => '\n', '"' => '\"', '\\' => '\\\\');
    my @lines = $text =~ /[^\n]*\n|[^\n]+/g;
    my $out = join "\n        ", map { '"' . s/([\n"\\])/$named{$1}/gr =~ s/\?\?/?\\?/gr . '"' } @lines;
    return $out eq '' ? '""' : $out;
}

sub text_name {
    my ($key) = @_;
    return uc("${prefix}_text_$key") =~ s/\./_/gr;
}

# Compiles a block up to its end or else: appends C to @$out and moves through the pieces.
sub block {
    my ($page, $state, $out, $indent, $scope, $until) = @_;
    my $literal = '';
    my $flush = sub {
        push @$out, "${indent}page_raw(out, " . c_string($literal) . ', ' . length($literal) . ");\n" if $literal ne '';
        $literal = '';
    };
    while (my $piece = shift @{$page->{pieces}}) {
        if (!defined $piece->{tag}) {
            my $text = $piece->{text};
            follow($state, $text, $piece);
            $text =~ s/\n\s+/\n/g if $piece->{file} !~ /\.(?:css|js)$/;
            $literal .= $text;
            next;
        }
        my $tag = $piece->{tag};
        $flush->();
        if ($tag eq 'end' || $tag eq 'else') {
            fail($piece, "$tag of nothing") unless $until;
            return $tag;
        }
        if ($tag =~ /^if (not )?([\w.]+)$/) {
            my ($not, $name) = ($1, $2);
            fail($piece, 'a condition in a script or a style')
                if $state->{mode} eq 'raw' && $state->{element} =~ /^(?:script|style)$/;
            my $variable = variable($page, $piece, $scope, $name);
            my $test = $variable->{type} eq 'text' ? "page_has($variable->{c})"
                : $variable->{type} eq 'list' ? "$variable->{c}_count > 0" : $variable->{c};
            $test = $not ? "!($test)" : $test;
            my $before = copied($state);
            my $taken = copied($state);
            push @$out, "${indent}if ($test) {\n";
            my $how = block($page, $taken, $out, "$indent    ", $scope, $piece);
            if ($how eq 'else') {
                push @$out, "${indent}} else {\n";
                $how = block($page, $before, $out, "$indent    ", $scope, $piece);
                fail($piece, 'a second else') if $how eq 'else';
            }
            push @$out, "${indent}}\n";
            %$state = %{joined($piece, $taken, $before)};
        } elsif ($tag =~ /^each (\w+)$/) {
            my $name = $1;
            fail($piece, 'a list outside of text') unless $state->{mode} eq 'text';
            my $inner = defined $scope && $scope->{of}{$name};
            my $list = variable($page, $piece, $scope, $inner ? "$scope->{name}.$name" : $name);
            fail($piece, "$name is no list") unless $list->{type} eq 'list';
            fail($piece, "$name is no list of $scope->{name}") if defined $scope && !$inner;
            my $taken = copied($state);
            my $i = defined $scope ? 'j' : 'i';
            my $row = {name => $name, of => $list->{of}, c => "$list->{c}\[$i]", outer => $scope};
            push @$out, "${indent}for (size_t $i = 0; $i < $list->{c}_count; $i++) {\n";
            block($page, $taken, $out, "$indent    ", $row, $piece) eq 'end' or fail($piece, 'else of a list');
            push @$out, "${indent}}\n";
            %$state = %{joined($piece, $taken, $state)};
        } elsif ($tag eq 'language') {
            push @$out, "${indent}page_put(out, " . context($state, $piece) . ", page_language_tag(out->language));\n";
        } elsif ($tag =~ /^t ([a-z][a-z0-9_.]*)$/) {
            my $key = $1;
            my $text = $page->{texts}{$key} or fail($piece, "there is no text $key");
            $text->{used} = 1;
            my $context = context($state, $piece);
            fail($piece, "a text in $state->{attribute}") if $context =~ /URL/;
            if (!@{$text->{names}}) {
                my $value = "${prefix}_text(out->language, " . text_name($key) . ')';
                push @$out, "${indent}page_put(out, $context, $value);\n";
                next;
            }
            fail($piece, 'a text with placeholders in JSON') if $context eq 'PAGE_JSON';
            push @$out, "${indent}switch (out->language) {\n";
            for my $language (@languages) {
                push @$out, "${indent}case PAGE_" . uc($language) . ":\n";
                for my $part (split /(\{\w+\})/, $text->{text}{$language}) {
                    my $value = c_string($part);
                    if ($part =~ /^\{(\w+)\}$/) {
                        my $name = $1;
                        for (my $row = $scope; defined $row && $name !~ /\./; $row = $row->{outer}) {
                            $name = "$row->{name}.$name" if $row->{of}{$name};
                        }
                        my $variable = variable($page, $piece, $scope, $name);
                        fail($piece, "{$1} of $key is no text") unless $variable->{type} eq 'text';
                        $value = $variable->{c};
                    }
                    push @$out, "${indent}    page_put(out, $context, $value);\n" if $part ne '';
                }
                push @$out, "${indent}    break;\n";
            }
            push @$out, "${indent}}\n";
        } elsif ($tag =~ /^[a-z][\w.]*$/) {
            my $variable = variable($page, $piece, $scope, $tag);
            my $context = context($state, $piece);
            my %values = (text => $variable->{c}, message => "${prefix}_text(out->language, $variable->{c})");
            my $value = $values{$variable->{type}} or fail($piece, "$tag is a $variable->{type}, which cannot be written");
            fail($piece, "a message in $state->{attribute}") if $variable->{type} eq 'message' && $context =~ /URL/;
            push @$out, "${indent}page_put(out, $context, $value);\n";
        } else {
            fail($piece, "{{$tag}} is no tag");
        }
    }
    $flush->();
    fail($until, 'has no {{end}}') if $until;
    return '';
}

# {type, c, of} of a name; inside of a list its members are list.member. A scope is a row: {name, of
# its list, c, outer: the row of the list that this one is in}.
sub variable {
    my ($page, $piece, $scope, $name) = @_;
    my ($list, $member) = $name =~ /^(\w+)\.(\w+)$/;
    my $row = $scope;
    $row = $row->{outer} while defined $list && defined $row && $row->{name} ne $list;
    my $declared = defined $list ? $row && $row->{of}{$member} : $page->{of}{$name};
    fail($piece, "there is no variable $name here") unless $declared;
    $declared->{used} = 1;
    return {%$declared{'type', 'of'}, c => defined $list ? "$row->{c}.$member" : "in->$name"};
}

sub base64_sha256 {
    my ($text) = @_;
    my $path = "$gen/$folder/style.$$";
    write_file($path, $text);
    my ($hex) = `sha256sum '$path'` =~ /^([0-9a-f]{64})/ or die "sha256sum $path failed\n";
    unlink $path;
    my $bits = unpack('B*', pack('H*', $hex));
    $bits .= '0' while length($bits) % 6;
    my @letters = ('A' .. 'Z', 'a' .. 'z', 0 .. 9, '+', '/');
    return join('', map { $letters[oct "0b$_"] } $bits =~ /.{6}/g) . '=';
}

# ---- output ----

# The members of a struct: `page` is the page, and the list that a row is of.
sub members {
    my ($of, $names, $page) = @_;
    my %types = (text => 'const char *', bool => 'bool ', message => "enum ${prefix}_text ");
    return join '', map {
        $of->{$_}{type} eq 'list'
            ? "    const struct ${prefix}_" . ($of->{$_}{struct} // "${page}_$_") . " *$_;\n    size_t ${_}_count;\n"
            : "    $types{$of->{$_}{type}}$_;\n"
    } @$names;
}

# Structs of the rows of a page's or row's lists: nested ones first, those of a part once.
my %of_parts;
sub row_structs {
    my ($self, $page) = @_;
    my $structs = '';
    for my $list (grep { $self->{of}{$_}{type} eq 'list' } @{$self->{in}}) {
        my $row = $self->{of}{$list};
        my $struct = $row->{struct} // "${page}_$list";
        next if defined $row->{struct} && $of_parts{$struct}++;
        $structs .= row_structs($row, $struct);
        $structs .= "struct ${prefix}_$struct {\n" . members($row->{of}, $row->{in}, $struct) . "};\n\n";
    }
    return $structs;
}

# Fails for a variable that no template uses.
sub check_used {
    my ($at, $self, $path) = @_;
    for my $name (@{$self->{in} // []}) {
        fail($at, "variable $path$name is not used") unless $self->{of}{$name}{used};
        check_used($at, $self->{of}{$name}, "$path$name.");
    }
}

my $texts = read_texts();
my ($header, $code, $styles, $scripts) = ('', '', undef, undef);
for my $file (sort glob "$folder/*.html") {
    my ($name) = $file =~ m{([a-z][a-z0-9_]*)\.html$} or die "$file:1: a template's name has a-z, 0-9 and _\n";
    my $page = read_head($file, read_file($file));
    @$page{qw(pieces texts)} = ([read_pieces($file, 0)], $texts);
    my $first = $page->{pieces}[0];
    $first->{line} += $1 =~ tr/\n// if defined $first->{text} && $first->{text} =~ s/^(\s+)//;
    my $state = {mode => 'text', stack => [], element => '', attribute => '', value => '', space => 0, styles => [], scripts => []};
    my @out;
    block($page, $state, \@out, '    ', undef, undef);
    fail({file => $file, line => 1}, "ends in an open element: @{$state->{stack}}")
        if @{$state->{stack}} || $state->{mode} ne 'text';
    check_used({file => $file, line => 1}, $page, '');
    for my $style (@{$state->{styles}}) {
        fail({file => $file, line => 1}, 'all pages have one style') if defined $styles && $styles ne $style;
        $styles = $style;
    }
    for my $script (@{$state->{scripts}}) {
        my $at = {file => $file, line => 1};
        fail($at, 'all pages have one program') if defined $scripts && $scripts ne $script;
        fail($at, 'the program has ' . length($script) . " bytes, more than $script_most") if length($script) > $script_most;
        $scripts = $script;
    }
    $header .= "\n" . row_structs($page, $name);
    $header .= "/* @{$page->{doc}} */\n";
    my $members = members($page->{of}, $page->{in}, $name);
    $header .= "struct ${prefix}_${name}_in {\n" . ($members || "    char unused;\n") . "};\n";
    my $prototype = "void ${prefix}_$name(struct page *out, const struct ${prefix}_${name}_in *in)";
    $header .= "$prototype;\n";
    my $unused = @{$page->{in}} ? '' : "    (void)in;\n";
    $code .= "\n$prototype\n{\n$unused" . join('', @out) . "}\n";
}
my (@names, $table);
for my $key (sort keys %$texts) {
    my $text = $texts->{$key};
    fail($text->{at}, "no template uses $key (what C chooses begins with error. or note.)")
        unless $text->{used} || $key =~ /^(?:error|note)\./;
    fail($text->{at}, "$key: a text that C chooses has no placeholder") if @{$text->{names}} && !$text->{used};
    next if @{$text->{names}};
    push @names, text_name($key);
    $table .= '    [' . text_name($key) . "] = {\n";
    $table .= "        [PAGE_\U$_\E] = " . c_string($text->{text}{$_}) . ",\n" for @languages;
    $table .= "    },\n";
}
my $guard = uc("$folder/pages_h") =~ s/\W/_/gr;
my $none = uc($prefix) . '_NO_TEXT';
write_file("$gen/$folder/pages.h", "/* Made by pagegen.pl of $folder. */\n#ifndef $guard\n#define $guard\n\n"
    . "#include \"authd/page/page.h\"\n\n"
    . "enum ${prefix}_text {\n    $none,\n" . join('', map { "    $_,\n" } @names) . "};\n\n"
    . "/* The text; \"\" for $none. */\n"
    . "const char *${prefix}_text(enum page_language language, enum ${prefix}_text text);\n"
    . (defined $scripts ? "\n#define " . uc($prefix) . "_SCRIPT_HASH \"'sha256-" . base64_sha256($scripts) . "'\"\n" : '')
    . (defined $styles ? "\n#define " . uc($prefix) . "_STYLE_HASH \"'sha256-" . base64_sha256($styles) . "'\"\n" : '')
    . "$header\n#endif\n");
write_file("$gen/$folder/pages.c", "/* Made by pagegen.pl of $folder. */\n#include \"$folder/pages.h\"\n\n"
    . "static const char *const texts[][PAGE_LANGUAGES] = {\n    [$none] = {"
    . join(', ', map { '""' } @languages) . "},\n" . ($table // '') . "};\n\n"
    . "const char *${prefix}_text(enum page_language language, enum ${prefix}_text text)\n{\n"
    . "    return texts[text][language];\n}\n$code");
