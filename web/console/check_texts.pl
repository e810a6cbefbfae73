#!/usr/bin/perl
# check_texts.pl FOLDER TEMPLATES - checks that each text of the console's sources exists in each language with the same
# {values}, and that no language has other texts. A text is the argument of t('...') or N('...'), or the second form of
# plural(n, '...', '...'), which has a form for each category of a language: {"one": "...", "other": "..."} on one line.
# Each template of the page TEMPLATES must have a title on the screen of mail templates, and no other title may exist; each
# action of the daemons' audit logs must have a sentence.
use strict;
use warnings;
use utf8;
use open qw(:std :encoding(UTF-8));

my ($folder, $templates) = @ARGV == 2 ? @ARGV : die "usage: check_texts.pl FOLDER TEMPLATES\n";
my (%used, %counted, $bad);
my %categories = (de => 'one other', es => 'many one other'); # from CLDR

sub slurp { open my $file, '<', $_[0] or die "$_[0]: $!\n"; local $/; return <$file> }

for my $path (glob "$folder/*.js $folder/lib/*.js $folder/screens/*.js") {
    my $text = slurp($path);
    while ($text =~ /\bplural\(\s*[\w.]+,\s*'(?:[^'\\]|\\.)*',\s*'((?:[^'\\]|\\.)*)'/g) {
        $counted{$1} = $used{$1} = $path;
    }
    while ($text =~ /\b[tN]\(\s*'((?:[^'\\]|\\.)*)'/g) {
        (my $words = $1) =~ s/\\(.)/$1/g;
        $used{$words} //= $path;
    }
}
for my $language (qw(de es)) {
    my (%has, $line);
    for (split /\n/, slurp("$folder/text/$language.json")) {
        $line++;
        if (/^\s*"((?:[^"\\]|\\.)*)":\s*\{(.*)\},?$/) {
            my ($words, $forms) = ($1, $2);
            my %form = $forms =~ /"(\w+)": "((?:[^"\\]|\\.)*)"/g;
            print "$language.json:$line: no count: $words\n" and $bad = 1 unless $counted{$words};
            print "$language.json:$line: has forms for '", join(' ', sort keys %form), "', not for '$categories{$language}'\n" and $bad = 1
                if join(' ', sort keys %form) ne $categories{$language};
            print "$language.json:$line: a form without {n}\n" and $bad = 1 if grep { !/\{n\}/ } values %form;
            $has{$words} = $words;
            next;
        }
        next unless /^\s*"((?:[^"\\]|\\.)*)":\s*"((?:[^"\\]|\\.)*)",?$/;
        my ($words, $text) = ($1, $2);
        print "$language.json:$line: without forms: $words\n" and $bad = 1 if $counted{$words};
        s/\\(.)/$1/g for $words, $text;
        print "$language.json:$line: twice: $words\n" and $bad = 1 if $has{$words};
        $has{$words} = $text;
        print "$language.json:$line: not used: $words\n" and $bad = 1 unless $used{$words};
        my ($want, $have) = map { join ' ', sort /\{\w+\}/g } $words, $text;
        print "$language.json:$line: has '$have', not '$want'\n" and $bad = 1 if $want ne $have;
    }
    for (sort keys %used) {
        print "$used{$_}: not in $language.json: $_\n" and $bad = 1 unless $has{$_};
    }
}

my ($titles) = slurp("$folder/screens/names.js") =~ /^const templates = \{(.*?)^\};/ms or die "names.js has no titles\n";
my %title = map { $_ => 1 } $titles =~ /\b([A-Z_]+): N\(/g;
for (grep { $_ ne 'All templates' } slurp($templates) =~ /^## (.*)$/mg) {
    print "names.js: no title for $_\n" and $bad = 1 unless delete $title{$_};
}
print "names.js: a title for $_, which is no template\n" and $bad = 1 for sort keys %title;

# The actions of audit rows are literals in files that write such rows. Installations have their own (seal_key.*).
my ($sentences) = slurp("$folder/screens/actions.js") =~ /^const sentences = \{(.*?)^\};/ms or die "actions.js has no sentences\n";
my %sentence = map { $_ => 1 } $sentences =~ /^    '([^']+)': \[/mg;
my %action;
for my $path (map { glob "$folder/../../$_/*.c $folder/../../$_/*/*.c" } qw(authd botd common docd maild settingsd)) {
    my $text = slurp($path);
    next unless $text =~ /\bstruct (sql_)?audit\b|_audit\(|\.action = "/;
    $action{$_} //= $path for grep { !/^seal_key\.|\.(gif|jpeg|json|pdf|png|sh|url|zip)$/ } $text =~ /"([a-z]+(?:[-_][a-z]+)*\.[a-z]+(?:-[a-z]+)*)"/g;
}
for (sort keys %action) {
    print "$action{$_}: no sentence in actions.js: $_\n" and $bad = 1 unless delete $sentence{$_};
}
print "actions.js: a sentence for $_, which is no action\n" and $bad = 1 for sort keys %sentence;
exit($bad ? 1 : 0);
